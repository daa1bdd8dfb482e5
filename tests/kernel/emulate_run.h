// Kernels written as text, run by the emulator on vectors.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "kernel/emulate.h"
#include "kernel/parse.h"

namespace fulgurite::kernel {

template <class T>
BufferArgument holds(std::vector<T>& v) {
  return {std::as_writable_bytes(std::span(v)), true};
}
template <class T>
BufferArgument empty(std::vector<T>& v) {
  return {std::as_writable_bytes(std::span(v)), false};
}

inline Emulation run(const std::string& text, std::vector<BufferArgument> buffers,
                     std::vector<scalar::Bits> scalars = {}, const EmulatorOptions& options = {}) {
  return emulate(parse(text), buffers, scalars, options);
}

inline std::string text_of(const std::string& kernel, const std::vector<Finding>& findings) {
  std::string all;
  for (const Finding& f : findings) all += message(parse(kernel), f) + "\n";
  return all;
}

/// The text with a part of it replaced, which must be there once.
inline std::string with(std::string text, const std::string& part, const std::string& other) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  EXPECT_EQ(text.find(part, at + 1), std::string::npos) << part;
  return text.replace(at, part.size(), other);
}

/// 0, 1, 2 ... scrambled.
template <class T>
std::vector<T> scrambled(std::size_t n) {
  std::vector<T> result(n);
  for (std::size_t i = 0; i < n; ++i) result[i] = static_cast<T>((i * 7919 + 13) % 1009);
  return result;
}

// Sums of 64 elements: a tree over shared memory, 32 adds at first, then 16 ...
inline const std::string block_sum = R"(kernel block_sum(in x: i64[], out y: i64[])
par grid task < 4 {
  1: alloc shared s: i64[64]
  par block t < 64 {
    2: load v: i64 = x[task * 64 + t]
    3: store s[t] = v
  }
  sync block
  var half = 32
  loop { } while half > 0 {
    par block u < 32 {
      if u < half {
        4: load a: i64 = s[u]
        5: load b: i64 = s[u + half]
        6: store s[u] = a + b
      }
    }
    sync  block
    half = half / 2
  }
  7: load total: i64 = s[0]
  8: store y[task] = total
}
)";

}  // namespace fulgurite::kernel
