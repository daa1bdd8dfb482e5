// The machine that we run on, as far as policies and cache keys want to know it. Asked once, without LLVM.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fulgurite::runtime {

struct Host {
  int n_cores;                   // that this process may use
  std::size_t l2_cache;          // bytes, of one core
  std::size_t last_level_cache;  // bytes
  std::size_t memory;            // bytes, of the machine
  int vector_bytes;              // widest vector register that the operating system saves: 16, 32 or 64
  bool adds_quarters;            // in such a register: four products of 8 bits to a sum of 32 bits
  std::string processor;         // "AMD EPYC ..."; for people
  std::string identity;          // of the instruction set: equal where native code may be shared
};

const Host& host();

// The processor to compile for: what FULGURITE_CPU names, "native" where it is not set. Throws DeviceError if
// that is no level of this machine (x86-64-v2, -v3, -v4, or armv8-a), or one that this processor does not
// reach.
std::string wanted_cpu();

// The levels that may be named, lower ones first.
std::span<const std::string_view> cpu_levels();

// The highest of them that this processor reaches; empty if none.
std::string_view host_level();

// What a processor named as the compiler names it has of the outermost cache: of a level, one size on every
// machine, so that what is compiled for it depends on nothing else.
std::size_t last_level_cache(std::string_view cpu);

// Whether a processor named as the compiler names it adds products of quarters: no level has to.
bool adds_quarters(std::string_view cpu);

// The widest vectors of a processor named as the compiler names it: "native", "x86-64-v3".
int vector_bytes(std::string_view cpu);

}  // namespace fulgurite::runtime
