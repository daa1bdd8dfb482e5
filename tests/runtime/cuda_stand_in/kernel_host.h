// What a compiled kernel and the stand-in know of each other. Kernels see it, too: it needs no header.
#pragma once

namespace fulgurite::runtime::test {

struct KernelIndex {
  unsigned x, y, z;
};

// What a kernel calls. A thread that broke a rule does not come back from its call.
struct KernelHost {
  KernelIndex (*thread)();
  KernelIndex (*block)();
  unsigned char* (*shared)(unsigned offset);  // of the running block
  unsigned char* (*shared_at_launch)();

  // Ahead of an access; `is_strong` that of a volatile variable, which no other access of it may miss.
  void (*load)(const void*, unsigned long bytes, bool is_strong);
  void (*store)(void*, unsigned long bytes, bool is_strong);
  void (*atomic)(void*, unsigned long bytes);

  void (*block_barrier)(int line);
  void (*warp_barrier)(unsigned mask, int line);
  void (*fence)();
  // Gives the value of lane `from` modulo the width.
  unsigned long long (*shuffle)(unsigned mask, unsigned long long value, int from, int width, int line);
};

enum class KernelParameterKind : unsigned char { number, boolean, pointer };
struct KernelParameter {
  KernelParameterKind kind;
  unsigned char bytes;
};

// An entry point. A list of them ends with one without a name.
struct KernelEntry {
  const char* name;
  void (*call)(void** arguments);
  int threads_of_block, shared_bytes, n_parameters;
  const KernelParameter* parameters;
};

}  // namespace fulgurite::runtime::test
