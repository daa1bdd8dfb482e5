#include "runtime/cuda/nvrtc.h"

#include <fmt/format.h>
#include <fulgurite/error.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <utility>

#include "runtime/dynamic_library.h"

namespace fulgurite::runtime::cuda {
namespace {

constexpr int oldest_cuda = 11, latest_cuda = 13;  // whose NVRTC we know the file name of

LibraryAdvice advice() {
  return {.name = "CUDA's compiler NVRTC",
          .if_missing =
              "install libnvrtc.so of a CUDA that the device's driver is for, and name its folder in "
              "LD_LIBRARY_PATH if it is not in /usr/local/cuda",
          .if_old = "install NVRTC of CUDA 11.8 or later"};
}

// "libnvrtc.so.12": those of CUDA 11 say more.
std::string soname(int major) {
  return major == 11 ? "libnvrtc.so.11.2" : fmt::format("libnvrtc.so.{}", major);
}

}  // namespace

Nvrtc::Nvrtc(const std::string& library)
    : f_([&] {
        const DynamicLibrary l(library, advice());
        Functions f{};
        l.resolve(f.get_version, "nvrtcVersion");
        l.resolve(f.get_error_text, "nvrtcGetErrorString");
        l.resolve(f.get_n_capabilities, "nvrtcGetNumSupportedArchs");
        l.resolve(f.get_capabilities, "nvrtcGetSupportedArchs");
        l.resolve(f.create_program, "nvrtcCreateProgram");
        l.resolve(f.destroy_program, "nvrtcDestroyProgram");
        l.resolve(f.compile_program, "nvrtcCompileProgram");
        l.resolve(f.get_log_size, "nvrtcGetProgramLogSize");
        l.resolve(f.get_log, "nvrtcGetProgramLog");
        l.resolve(f.get_ptx_size, "nvrtcGetPTXSize");
        l.resolve(f.get_ptx, "nvrtcGetPTX");
        l.resolve(f.get_cubin_size, "nvrtcGetCUBINSize");
        l.resolve(f.get_cubin, "nvrtcGetCUBIN");
        return f;
      }()) {
  std::int32_t major = 0, minor = 0, n = 0;
  if (f_.get_version(&major, &minor) != 0 || f_.get_n_capabilities(&n) != 0 || n <= 0)
    throw DeviceError(fmt::format("{} does not say what it compiles for: {}", library, advice().if_missing));
  capabilities_.resize(static_cast<std::size_t>(n));
  f_.get_capabilities(capabilities_.data());
  std::sort(capabilities_.begin(), capabilities_.end());
  version_ = 1000 * major + 10 * minor;
}

std::string Nvrtc::target(int capability) const {
  const auto above = std::upper_bound(capabilities_.begin(), capabilities_.end(), capability);
  if (above == capabilities_.begin())
    throw DeviceError(fmt::format(
        "the CUDA device has compute capability {}.{}, and NVRTC {}.{} compiles for {}.{} and later: install "
        "NVRTC of an older CUDA, or set the engine to cpu",
        capability / 10, capability % 10, version_ / 1000, version_ % 1000 / 10, capabilities_.front() / 10,
        capabilities_.front() % 10));
  const int nearest = *std::prev(above);
  return fmt::format("{}_{}", nearest == capability ? "sm" : "compute", nearest);
}

std::string Nvrtc::log_of(Program program) const {
  std::size_t bytes = 0;
  if (f_.get_log_size(program, &bytes) != 0 || bytes <= 1) return "(nothing)";
  std::string log(bytes, '\0');
  f_.get_log(program, log.data());
  log.pop_back();  // it ends with a zero
  return log;
}

std::string Nvrtc::compile(const KernelSource& source, int capability) const {
  const std::string wanted = target(capability);
  Program created = nullptr;
  if (f_.create_program(&created, source.text.c_str(), (source.name + ".cu").c_str(), 0, nullptr, nullptr) !=
      0)
    throw OutOfMemory(fmt::format("NVRTC has no memory for kernel '{}'", source.name));
  const auto destroy = [this](Program* program) { f_.destroy_program(program); };
  const std::unique_ptr<Program, decltype(destroy)> program(&created, destroy);

  // Division and square root of f32 are correctly rounded, and small numbers kept, unless it is told
  // otherwise.
  const std::string architecture = "--gpu-architecture=" + wanted;
  const std::array<const char*, 3> options{architecture.c_str(), "--std=c++17", "--fmad=false"};
  const auto n_options = static_cast<std::int32_t>(options.size());
  if (const Status status = f_.compile_program(created, n_options, options.data()); status != 0)
    throw DeviceError(
        fmt::format("NVRTC {}.{} refuses kernel '{}' for {} ({}): install another version of it, or set the "
                    "engine to cpu; "
                    "it says:\n{}",
                    version_ / 1000, version_ % 1000 / 10, source.name, wanted, f_.get_error_text(status),
                    log_of(created)));

  const bool is_cubin = wanted.starts_with("sm_");
  std::size_t size = 0;
  (is_cubin ? f_.get_cubin_size : f_.get_ptx_size)(created, &size);
  std::string binary(size, '\0');
  if (size == 0 || (is_cubin ? f_.get_cubin : f_.get_ptx)(created, binary.data()) != 0)
    throw DeviceError(
        fmt::format("NVRTC compiled kernel '{}' and gives no code for {}: install another version "
                    "of it, or set the engine to cpu",
                    source.name, wanted));
  return binary;
}

std::string Nvrtc::identity(int capability) const {
  return fmt::format("nvrtc {} {}", version_, target(capability));
}

std::vector<std::string> nvrtc_candidates(int driver_version) {
  // What an older compiler makes runs; what a later one makes may not.
  const int own = std::clamp(driver_version / 1000, oldest_cuda, latest_cuda);
  std::vector<std::string> names;
  for (int major = own; major >= oldest_cuda; --major) names.push_back(soname(major));
  for (int major = own + 1; major <= latest_cuda; ++major) names.push_back(soname(major));
  std::vector<std::string> candidates;
  for (const std::string& name : names) {
    candidates.push_back(name);
    glob_t found{};
    if (glob(("/usr/local/cuda*/lib*/" + name).c_str(), 0, nullptr, &found) == 0)
      candidates.insert(candidates.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    globfree(&found);
  }
  candidates.emplace_back("libnvrtc.so");
  return candidates;
}

const Nvrtc& nvrtc(int driver_version) {
  static const Nvrtc& loaded = *[driver_version]() -> const Nvrtc* {
    const std::vector<std::string> candidates = nvrtc_candidates(driver_version);
    for (std::size_t i = 0;; ++i) {
      try {
        return new Nvrtc(candidates[i]);
      } catch (const DeviceError&) {
        if (i + 1 == candidates.size()) throw;
      }
    }
  }();
  return loaded;
}

}  // namespace fulgurite::runtime::cuda
