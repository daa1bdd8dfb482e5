// Machine code in memory: loads a relocatable ELF object as the compiler plug-in makes it, gives addresses of
// its functions, unmaps it in the end.
//
// A loader of our own instead of a linker and dlopen: an object of one kernel has a handful of sections and
// three kinds of relocation, loading takes some 20 us instead of 100 to 300 (and a linker's millisecond when
// compiling), needs no file, no executable temporary directory and no lock of the dynamic linker. Code is
// never writable and executable at once.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/cpu/code_names.h"

namespace fulgurite::runtime::cpu {

class Module {
 public:
  // `label` is what perf calls the object's functions beside their names. Throws InternalError for an object
  // that it does not understand, CompileError for a function that nothing defines.
  explicit Module(std::string_view object, std::string_view label = {});
  ~Module();
  Module(Module&&) noexcept;
  Module& operator=(Module&&) = delete;

  // Null if there is no such function.
  void* find(const std::string& function) const;

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
  std::unordered_map<std::string, void*> functions_;
  std::unique_ptr<DebuggedObject> debugged_;  // null unless FULGURITE_DEBUG asks for it
};

}  // namespace fulgurite::runtime::cpu
