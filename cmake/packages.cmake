# `cpack`: Debian packages, one for each component (cmake/install.cmake). `./dev packages` runs it. What a Debian package must hold
# besides (copyright, changelog, the reasons for what lintian would say) is laid by packaging/debian/documents.cmake.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME fulgurite)
set(CPACK_PACKAGE_VENDOR "the Fulgurite authors")
set(FULGURITE_PACKAGER "the Fulgurite authors <maintainers@fulgurite.example>" CACHE STRING "Maintainer of the packages: name <address>")
set(CPACK_PACKAGE_CONTACT "${FULGURITE_PACKAGER}")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};${PROJECT_NAME};ALL;/")
set(CPACK_COMPONENTS_ALL runtime development compiler tools)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib")
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY >=)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/packaging/debian/documents.cmake")
set(CPACK_FULGURITE_SOURCE_DIR "${PROJECT_SOURCE_DIR}")
set(CPACK_FULGURITE_DOCUMENTS "")

# describe(COMPONENT PACKAGE SECTION SUMMARY TEXT..)
macro(describe component package section summary)
  string(TOUPPER ${component} upper)
  string(REPLACE ";" "\n" text "${ARGN}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}")
  list(APPEND CPACK_FULGURITE_DOCUMENTS "${component}=${package}")
endmacro()
set(about
  "Fulgurite is an array language embedded in C++20. It fuses array programs"
  "into few passes over memory, and compiles them at run time to SIMD code for"
  "all cores, to OpenCL and to CUDA."
  ".")
set(this_build "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")

describe(runtime libfulgurite${FULGURITE_ABI} libs "array language embedded in C++20 (shared library)" ${about}
  "This package holds the library that programs are linked with. To compile"
  "kernels for the processor it needs the package fulgurite-compiler.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/packaging/debian/triggers")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "fulgurite-compiler (= ${this_build})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "ocl-icd-libopencl1")

describe(development libfulgurite-dev libdevel "array language embedded in C++20 (development files)" ${about}
  "This package holds the headers, the static library that runs bundles from C,"
  "and files for CMake and pkg-config.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libfulgurite${FULGURITE_ABI} (= ${this_build}), fulgurite-compiler (= ${this_build})")

# The plug-in is one of the same build as the library.
describe(compiler fulgurite-compiler libs "array language embedded in C++20 (in-process compiler)" ${about}
  "This package holds the plug-in that compiles kernels for the processor. It"
  "contains Clang and LLVM.")
set(CPACK_DEBIAN_COMPILER_PACKAGE_DEPENDS "libfulgurite${FULGURITE_ABI} (= ${this_build})")

# One for each MPI that this machine has, so that nobody installs an MPI for the other's sake.
set(title_openmpi "Open MPI")
set(title_mpich MPICH)
foreach(mpi IN LISTS fulgurite_mpis)
  string(TOUPPER ${mpi} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${mpi})
  describe(${mpi} fulgurite-${mpi} libs "array language embedded in C++20 (${title_${mpi}})" ${about}
    "This package holds the plug-in by which programs run on many machines"
    "with ${title_${mpi}}.")
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "libfulgurite${FULGURITE_ABI} (= ${this_build})")
endforeach()

describe(tools fulgurite-tools devel "array language embedded in C++20 (command)" ${about}
  "This package holds the command fulgurite, which shows the devices that"
  "programs can run on, and the kernels that are kept on disk.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libfulgurite${FULGURITE_ABI} (>= ${this_build})")

include(CPack)
