// The C interface between the library and its compiler plug-in (libfulgurite_clang.so).
//
// The plug-in is the only part of Fulgurite that links Clang and LLVM.  It is loaded on the first cache miss,
// so that a program whose kernels are all cached never pays for it.  Nothing but plain data crosses this
// border: the two sides may sit in different symbol scopes, and every byte that the plug-in allocates is
// released by the plug-in.
#pragma once

#include <cstddef>

namespace fulgurite::runtime::cpu {

// Names the code generator: Clang's version and a digest of the plug-in's sources, of this file and of Clang.
// Both sides have a copy, made by cmake/plugin_identity.cmake. The library loads a plug-in that says what it
// says itself, so that it knows what its kernels are compiled by without the plug-in.
extern const char* const plugin_identity;

extern "C" {

// What to compile and for whom.
struct fulgurite_clang_request {
  const char* text;  // C source, not necessarily zero-terminated
  std::size_t text_size;
  const char* name;   // shown in diagnostics
  const char* cpu;    // "native", or a processor or level that Clang knows: "x86-64-v3"
  int want_assembly;  // fill `assembly` too (for dumps)
  int want_lines;     // tables of lines, for debuggers
};

// What came out.  `object` is a relocatable ELF object; empty if the text was refused, and then `messages`
// says why, or if there was too little memory.
struct fulgurite_clang_result {
  const char* object;
  std::size_t object_size;
  const char* messages;
  std::size_t messages_size;
  const char* assembly;
  std::size_t assembly_size;
  int out_of_memory;
  void* owner;
};

// Makes the plug-in ready to compile, and returns its plugin_identity.
using fulgurite_clang_start_function = const char* (*)();
using fulgurite_clang_compile_function = void (*)(const fulgurite_clang_request*, fulgurite_clang_result*);
using fulgurite_clang_release_function = void (*)(fulgurite_clang_result*);

}  // extern "C"

// The names under which the plug-in exports the three functions above.
inline constexpr const char* clang_start_symbol = "fulgurite_clang_start";
inline constexpr const char* clang_compile_symbol = "fulgurite_clang_compile";
inline constexpr const char* clang_release_symbol = "fulgurite_clang_release";

}  // namespace fulgurite::runtime::cpu
