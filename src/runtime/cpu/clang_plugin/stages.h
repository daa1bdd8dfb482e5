// The three stages of the compiler plug-in: C text -> LLVM module -> the same, optimised -> relocatable
// object.
//
// Each is a function of its arguments only, so that several threads may compile at once.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fulgurite::runtime::clang_plugin {

// A value that is not destroyed while an exception unwinds the stack: one that says that there is no memory
// left may come from the middle of any of LLVM's operations, after which its objects are not fit to be taken
// apart.
template <class T>
class LeftOnThrow {
 public:
  template <class... Arguments>
  explicit LeftOnThrow(Arguments&&... arguments) {
    new (&value_) T(std::forward<Arguments>(arguments)...);
  }
  ~LeftOnThrow() {
    if (std::uncaught_exceptions() == n_exceptions_) value_.~T();
  }
  LeftOnThrow(const LeftOnThrow&) = delete;
  LeftOnThrow& operator=(const LeftOnThrow&) = delete;

  T& operator*() { return value_; }
  const T& operator*() const { return value_; }
  T* operator->() { return &value_; }

 private:
  const int n_exceptions_ = std::uncaught_exceptions();
  union {
    T value_;
  };
};

// The processor that code is made for, in Clang's words.
struct Target {
  std::string triple;
  std::string cpu;
  std::vector<std::string> features;  // "+avx2", "-xop": where it differs from what `cpu` implies
  // The size of AArch64's scalable registers, in units of 16 bytes; 0: there are none.
  unsigned scalable_units = 0;
};

// Makes the processor out of "native" or a name that Clang knows.
Target resolve_target(std::string_view cpu);

// Parses the text; null if it was refused.  `messages` receives warnings and errors. `with_lines`: the module
// knows which line each instruction is of.
std::unique_ptr<llvm::Module> parse(std::string_view text, std::string_view name, const Target& target,
                                    bool with_lines, llvm::LLVMContext& context, std::string& messages);

std::unique_ptr<llvm::TargetMachine> make_machine(const Target& target);

// Once per process, before any compilation: switches off what costs LLVM's back end more time than it brings
// our kernels: loop strength reduction (addresses are base + index already: a third of a map's code
// generation; optimise() runs it on nests of many loops, where they are not) and the second scheduling after
// register allocation. LLVM offers these as process-wide flags only, so nothing is done where the plug-in
// shares its LLVM with others.
void tune_back_end();

// Our own pass list: see the .cpp for what it leaves out and why.
void optimise(llvm::Module& module, llvm::TargetMachine& machine);

// Emits an object or, for dumps, assembly text.
std::string generate(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type);

}  // namespace fulgurite::runtime::clang_plugin
