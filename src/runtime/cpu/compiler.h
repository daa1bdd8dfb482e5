// C text to machine code, in this process. The compiler proper is the plug-in libfulgurite_clang.so beside
// libfulgurite.so, loaded by the first call of compile(); a process that finds its kernels in the cache never
// loads it.
#pragma once

#include <string>
#include <string_view>

namespace fulgurite::runtime::cpu {

struct CompileOptions {
  std::string cpu = "native";  // or a processor or level that Clang knows: "x86-64-v3"
  bool lines = false;          // with tables of the text's lines, for debuggers
};

// The bytes of a relocatable object (runtime/cpu/module.h). Throws InternalError if the text is refused (we
// printed it, so the bug is ours), CompileError if the plug-in is missing, damaged or of another build, and
// OutOfMemory. Any number of threads may compile at once, whatever the size of their stacks.
std::string compile(std::string_view name, std::string_view text, const CompileOptions& options);

// The machine code of compile() as assembly text, for dumps.
std::string assembly(std::string_view name, std::string_view text, const CompileOptions& options);

bool compiler_loaded();

// Everything besides the text that decides what compile() returns: the code generator, options, and the host
// where code is native. Known without the plug-in, so that kernels are found in the cache where it is
// missing.
std::string compiler_identity(const CompileOptions& options);

}  // namespace fulgurite::runtime::cpu
