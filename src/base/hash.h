// A 128-bit digest of bytes: names of kernels in the cache, and checksums of its entries. SipHash-2-4 with a
// 128-bit result under a fixed key (Aumasson, Bernstein: SipHash, a fast short-input PRF, INDOCRYPT 2012). It
// guards against accidents, not attackers: the cache belongs to the user who reads it. The same bytes give
// the same digest on every machine.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace fulgurite::base {

struct Digest {
  std::uint64_t first = 0, second = 0;

  std::string hex() const;  // 32 digits, in the byte order of the paper's reference vectors
  auto operator<=>(const Digest&) const = default;
};

Digest digest(std::string_view bytes);

}  // namespace fulgurite::base

template <>
struct std::hash<fulgurite::base::Digest> {
  std::size_t operator()(const fulgurite::base::Digest& d) const noexcept { return d.first; }
};
