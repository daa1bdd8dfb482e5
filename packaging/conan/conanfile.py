"""The recipe of Conan 2. It builds from an archive of the sources beside it, fulgurite-VERSION.tar.gz, which packaging/check makes;
where releases are published, conandata.yml takes its place. Clang and LLVM, as static libraries, and the other dependencies are
those of the system: packages.txt names them."""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import unzip
from conan.tools.system.package_manager import Apt, Dnf

required_conan_version = ">=2.0"
ARCHIVE = re.compile(r"fulgurite-([0-9.]+)\.tar\.gz")


class Fulgurite(ConanFile):
    name = "fulgurite"
    description = "Array language embedded in C++20 that compiles to CPUs, OpenCL and CUDA"
    license = "Apache-2.0"
    topics = ("arrays", "compiler", "simd", "gpu")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": True}
    exports_sources = "fulgurite-*.tar.gz"

    def set_version(self):
        found = [ARCHIVE.fullmatch(name) for name in os.listdir(self.recipe_folder)]
        self.version = self.version or next((match.group(1) for match in found if match), None)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Fulgurite runs on Linux")

    def layout(self):
        cmake_layout(self)

    def system_requirements(self):
        Apt(self).install(["libfmt-dev", "nlohmann-json3-dev", "libcli11-dev", "libclang-19-dev", "llvm-19-dev", "zlib1g-dev", "libzstd-dev"])
        Dnf(self).install(["fmt-devel", "json-devel", "cli11-devel", "clang-devel", "llvm-devel", "llvm-static", "zlib-devel", "libzstd-devel"])

    def source(self):
        unzip(self, f"fulgurite-{self.version}.tar.gz", destination=self.source_folder, strip_root=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["FULGURITE_DEVELOPER"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # find_package reads our own files, which also define fulgurite_generate and fulgurite::runtime.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "fulgurite")]
        self.cpp_info.set_property("pkg_config_name", "fulgurite")
        self.cpp_info.libs = ["fulgurite"]
        if not self.options.shared:
            self.cpp_info.system_libs = ["fmt", "dl", "m", "pthread"]
