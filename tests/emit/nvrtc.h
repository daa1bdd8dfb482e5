// CUDA C++ compiled by NVRTC, where its library is found; no headers of CUDA's are needed.
#pragma once

#include <dlfcn.h>
#include <glob.h>

#include <algorithm>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

namespace fulgurite::test {

/// NVRTC's few functions that a compilation needs.
class Nvrtc {
 public:
  Nvrtc() {
    std::vector<std::string> names = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"};
    glob_t found{};
    if (glob("/usr/local/cuda*/lib*/libnvrtc.so*", 0, nullptr, &found) == 0)
      names.insert(names.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    globfree(&found);
    for (const std::string& name : names) {
      library_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library_ != nullptr && dlsym(library_, "cuda_stand_in") == nullptr) break;
      library_ = nullptr;  // there is none, or it is what stands in for it (tests/runtime/cuda_stand_in/)
    }
    if (!library_) return;
    find("nvrtcCreateProgram", create_);
    find("nvrtcCompileProgram", compile_);
    find("nvrtcGetProgramLogSize", log_size_);
    find("nvrtcGetProgramLog", log_);
    find("nvrtcGetPTXSize", ptx_size_);
    find("nvrtcGetPTX", ptx_);
    find("nvrtcDestroyProgram", destroy_);
  }
  bool is_there() const { return library_ != nullptr; }

  struct Result {
    bool is_compiled;
    std::string log;  // with what ptxas says of registers and memory
  };
  Result operator()(const std::string& text, const std::string& target) const {
    void* program = nullptr;
    if (create_(&program, text.c_str(), "kernel.cu", 0, nullptr, nullptr) != 0) return {false, "no program"};
    const std::string architecture = "--gpu-architecture=" + target;
    const char* options[] = {architecture.c_str(), "--ptxas-options=-v", "--std=c++17"};
    const bool is_compiled = compile_(program, 3, options) == 0;
    std::size_t size = 0;
    log_size_(program, &size);
    std::string log(size, '\0');
    log_(program, log.data());
    destroy_(&program);
    return {is_compiled, log};
  }
  /// PTX for devices of `target` ("compute_90") and later; empty if it does not compile.
  std::string ptx(const std::string& text, const std::string& target) const {
    void* program = nullptr;
    if (create_(&program, text.c_str(), "kernel.cu", 0, nullptr, nullptr) != 0) return {};
    const std::string architecture = "--gpu-architecture=" + target;
    const char* options[] = {architecture.c_str(), "--std=c++17"};
    std::string code;
    std::size_t size = 0;
    if (compile_(program, 2, options) == 0 && ptx_size_(program, &size) == 0) {
      code.resize(size);
      ptx_(program, code.data());
    }
    destroy_(&program);
    return code;
  }

 private:
  template <class F>
  void find(const char* name, F*& function) {
    function = reinterpret_cast<F*>(dlsym(library_, name));
    if (function == nullptr) throw std::runtime_error(std::string("NVRTC has no ") + name);
  }

  void* library_ = nullptr;
  int (*create_)(void**, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*compile_)(void*, int, const char* const*) = nullptr;
  int (*log_size_)(void*, std::size_t*) = nullptr;
  int (*log_)(void*, char*) = nullptr;
  int (*ptx_size_)(void*, std::size_t*) = nullptr;
  int (*ptx_)(void*, char*) = nullptr;
  int (*destroy_)(void**) = nullptr;
};

/// What ptxas says of a kernel, a function of a kernel's phase. Spills are also those of functions that it
/// calls.
struct PtxasReport {
  std::string function = {};
  int registers = -1, stack = -1, spill_stores = 0, spill_loads = 0, shared_bytes = 0, barriers = 0;
};
/// The reports of all kernels in a log.
inline std::vector<PtxasReport> ptxas_reports(const std::string& log) {
  const std::string beginning = "Compiling entry function '";
  std::vector<PtxasReport> reports;
  for (std::size_t at = log.find(beginning); at != log.npos;) {
    const std::size_t name = at + beginning.size();
    at = log.find(beginning, name);
    const std::string text = log.substr(name, at - name);
    PtxasReport report{.function = text.substr(0, text.find('\''))};
    const auto each = [&](const char* pattern, auto use) {
      const std::regex wanted(pattern);
      for (std::sregex_iterator m(text.begin(), text.end(), wanted), end; m != end; ++m)
        use(std::stoi((*m)[1]));
    };
    each("Used ([0-9]+) registers", [&](int n) { report.registers = n; });
    each("([0-9]+) bytes stack frame", [&](int n) { report.stack = std::max(report.stack, n); });
    each("([0-9]+) bytes spill stores", [&](int n) { report.spill_stores += n; });
    each("([0-9]+) bytes spill loads", [&](int n) { report.spill_loads += n; });
    each("([0-9]+) bytes smem", [&](int n) { report.shared_bytes = n; });
    each("used ([0-9]+) barriers", [&](int n) { report.barriers = n; });
    reports.push_back(report);
  }
  return reports;
}
/// The report of the first kernel.
inline PtxasReport ptxas_report(const std::string& log) {
  const std::vector<PtxasReport> reports = ptxas_reports(log);
  return reports.empty() ? PtxasReport() : reports.front();
}

}  // namespace fulgurite::test
