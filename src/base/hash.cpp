#include "base/hash.h"

#include "base/siphash.h"

namespace fulgurite::base {

Digest digest(std::string_view bytes) {
  const SipHash hash = siphash(bytes.data(), bytes.size());
  return {hash.first, hash.second};
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
