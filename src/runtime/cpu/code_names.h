// Names of machine code for other tools, which see but addresses of what is made at run time: perf reads
// /tmp/perf-PID.map (a line a function), GDB and LLDB what a process registers by GDB's interface for
// just-in-time compilers. Asked for by FULGURITE_DEBUG (base/debug.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fulgurite::runtime::cpu {

struct CodeRange {
  std::string function;
  const void* begin;
  std::size_t size;
};

// "map_p0 of saxpy, program.cpp:12". A map that cannot be written lacks the lines: perf then says addresses.
void tell_perf(std::span<const CodeRange> functions, std::string_view label);

// An object that debuggers know while this lives.
class DebuggedObject {
 public:
  // The addresses of its sections are where they are in memory.
  explicit DebuggedObject(std::string object);
  ~DebuggedObject();
  DebuggedObject(const DebuggedObject&) = delete;
  DebuggedObject& operator=(const DebuggedObject&) = delete;

 private:
  struct Entry;
  const std::string object_;
  Entry* const entry_;
};

}  // namespace fulgurite::runtime::cpu
