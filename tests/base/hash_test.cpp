#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace fulgurite::base {
namespace {

std::string counting_bytes(int n) {
  std::string bytes;
  for (int i = 0; i < n; ++i) bytes += static_cast<char>(i);
  return bytes;
}

TEST(Digest, AgreesWithTheReferenceVectors) {
  EXPECT_EQ(digest("").hex(), "a3817f04ba25a8e66df67214c7550293");
  EXPECT_EQ(digest(counting_bytes(1)).hex(), "da87c1d86b99af44347659119b22fc45");
}

TEST(Digest, TellsApartLengthsAndSingleBits) {
  std::set<Digest> seen;
  for (int n = 0; n < 70; ++n) seen.insert(digest(std::string(static_cast<std::size_t>(n), '\0')));
  EXPECT_EQ(seen.size(), 70u);
  const std::string text = counting_bytes(41);
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string changed = text;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    seen.insert(digest(changed));
  }
  EXPECT_EQ(seen.size(), 70u + 8 * 41);
}

}  // namespace
}  // namespace fulgurite::base
