// CUDA C++ compiled by NVRTC, where its library is found; no headers of CUDA's are needed.
#pragma once

#include <dlfcn.h>
#include <glob.h>

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
    for (const std::string& name : names)
      if ((library_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))) break;
    if (!library_) return;
    find("nvrtcCreateProgram", create_);
    find("nvrtcCompileProgram", compile_);
    find("nvrtcGetProgramLogSize", log_size_);
    find("nvrtcGetProgramLog", log_);
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
  int (*destroy_)(void**) = nullptr;
};

/// What ptxas says of the first kernel in a log.
struct PtxasReport {
  int registers = -1, stack = -1, spill_stores = -1, spill_loads = -1, shared_bytes = 0, barriers = 0;
};
inline PtxasReport ptxas_report(const std::string& log) {
  PtxasReport report;
  std::smatch m;
  const auto number = [&](const char* pattern, int& to) {
    if (std::regex_search(log, m, std::regex(pattern))) to = std::stoi(m[1]);
  };
  number("Used ([0-9]+) registers", report.registers);
  number("([0-9]+) bytes stack frame", report.stack);
  number("([0-9]+) bytes spill stores", report.spill_stores);
  number("([0-9]+) bytes spill loads", report.spill_loads);
  number("([0-9]+) bytes smem", report.shared_bytes);
  number("used ([0-9]+) barriers", report.barriers);
  return report;
}

}  // namespace fulgurite::test
