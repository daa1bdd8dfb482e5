// A library of a device's vendor, opened when a program first asks for the device: nothing of it is needed to
// build Fulgurite.
#pragma once

#include <string>

namespace fulgurite::runtime {

// The message for people who lack it: "the OpenCL library", then what to do where it is missing, and where it
// is too old.
struct LibraryAdvice {
  std::string name, if_missing, if_old;
};

// Stays open until the process ends.
class DynamicLibrary {
 public:
  // Throws DeviceError where `file` cannot be opened.
  DynamicLibrary(std::string file, LibraryAdvice advice);

  // Throws DeviceError where the library has no such function.
  template <class Function>
  void resolve(Function*& function, const char* symbol) const {
    function = reinterpret_cast<Function*>(address_of(symbol));
  }

 private:
  void* address_of(const char* symbol) const;

  const std::string file_;
  const LibraryAdvice advice_;
  void* const handle_;
};

}  // namespace fulgurite::runtime
