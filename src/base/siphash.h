// SipHash-2-4 with a 128-bit result under a fixed key (Aumasson, Bernstein: SipHash, a fast short-input PRF,
// INDOCRYPT 2012), without anything of a library's: base/hash.h says what it is for.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace fulgurite::base {

struct SipHash {
  std::uint64_t first = 0, second = 0;
};

// Key bytes 00 01 .. 0f, the key of the published test vectors.
class SipHashState {
 public:
  void absorb(std::uint64_t word) {
    v3_ ^= word;
    rounds(2);
    v0_ ^= word;
  }
  SipHash finish() {
    SipHash result;
    v2_ ^= 0xee;
    rounds(4);
    result.first = v0_ ^ v1_ ^ v2_ ^ v3_;
    v1_ ^= 0xdd;
    rounds(4);
    result.second = v0_ ^ v1_ ^ v2_ ^ v3_;
    return result;
  }

 private:
  void rounds(int n) {
    for (; n > 0; --n) {
      v0_ += v1_, v1_ = std::rotl(v1_, 13) ^ v0_, v0_ = std::rotl(v0_, 32);
      v2_ += v3_, v3_ = std::rotl(v3_, 16) ^ v2_;
      v0_ += v3_, v3_ = std::rotl(v3_, 21) ^ v0_;
      v2_ += v1_, v1_ = std::rotl(v1_, 17) ^ v2_, v2_ = std::rotl(v2_, 32);
    }
  }

  static constexpr std::uint64_t key_0 = 0x0706050403020100, key_1 = 0x0f0e0d0c0b0a0908;
  std::uint64_t v0_ = key_0 ^ 0x736f6d6570736575,
                v1_ = key_1 ^ 0x646f72616e646f6d ^ 0xee,  // 0xee: 128-bit result
      v2_ = key_0 ^ 0x6c7967656e657261, v3_ = key_1 ^ 0x7465646279746573;
};

inline SipHash siphash(const void* bytes, std::size_t size) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  // Up to eight bytes, the first the least significant.
  const auto little_endian = [&](std::size_t n) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < n; ++i) word |= std::uint64_t{at[i]} << (8 * i);
    return word;
  };
  SipHashState state;
  std::size_t left = size;
  for (; left >= 8; left -= 8, at += 8) state.absorb(little_endian(8));
  state.absorb(little_endian(left) | std::uint64_t{size} << 56);
  return state.finish();
}

}  // namespace fulgurite::base
