// Host text of kernels, compiled by Clang and kept under its digest, and code that is loaded.
#pragma once

#include <string>

#include "kernel_host.h"
#include "runtime/cuda/driver.h"

namespace fulgurite::runtime::test {

struct Compiled {
  std::string library, log;  // the library is empty where Clang refuses the text
};
Compiled compile(const std::string& host_text);
// A digest of what is compiled with each text, and how: code of another version does not fit this stand-in.
std::string version();

class Code {
 public:
  // Throws std::runtime_error if the library is gone.
  Code(const std::string& library, const KernelHost& host);
  ~Code();
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  // Null if there is none of this name.
  const KernelEntry* entry(const std::string& name) const;
  // Whether something there is a constant of the kernel's.
  bool has(cuda::Address address) const;

 private:
  void* handle_;
  const KernelEntry* entries_ = nullptr;
  const char* const* image_ = nullptr;
};

}  // namespace fulgurite::runtime::test
