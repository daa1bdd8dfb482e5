#include "base/hash.h"

#include <bit>

namespace fulgurite::base {
namespace {

// Key bytes 00 01 .. 0f, the key of the published test vectors.
constexpr std::uint64_t key_0 = 0x0706050403020100, key_1 = 0x0f0e0d0c0b0a0908;

struct State {
  std::uint64_t v0 = key_0 ^ 0x736f6d6570736575,
                v1 = key_1 ^ 0x646f72616e646f6d ^ 0xee,  // 0xee: 128-bit result
      v2 = key_0 ^ 0x6c7967656e657261, v3 = key_1 ^ 0x7465646279746573;

  void rounds(int n) {
    for (; n > 0; --n) {
      v0 += v1, v1 = std::rotl(v1, 13) ^ v0, v0 = std::rotl(v0, 32);
      v2 += v3, v3 = std::rotl(v3, 16) ^ v2;
      v0 += v3, v3 = std::rotl(v3, 21) ^ v0;
      v2 += v1, v1 = std::rotl(v1, 17) ^ v2, v2 = std::rotl(v2, 32);
    }
  }
  void absorb(std::uint64_t word) {
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  }
};

// Up to eight bytes, the first the least significant.
std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return word;
}

}  // namespace

Digest digest(std::string_view bytes) {
  State state;
  const std::uint64_t length = bytes.size();
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) state.absorb(little_endian(bytes.substr(0, 8)));
  state.absorb(little_endian(bytes) | length << 56);
  Digest result;
  state.v2 ^= 0xee;
  state.rounds(4);
  result.first = state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
  state.v1 ^= 0xdd;
  state.rounds(4);
  result.second = state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
  return result;
}

std::string Digest::hex() const {
  std::string text;
  for (std::uint64_t word : {first, second})
    for (int byte = 0; byte < 8; ++byte, word >>= 8) {
      text += "0123456789abcdef"[word >> 4 & 15];
      text += "0123456789abcdef"[word & 15];
    }
  return text;
}

}  // namespace fulgurite::base
