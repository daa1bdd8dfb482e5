// Scans of truths, such as those of segments with flags: in lanes where these are bits of a mask, or many.
#include "decided.h"

namespace fulgurite::testing_schedule {
namespace {

std::string main_phase(const std::string& kind, const std::string& zero, int vector_bytes) {
  const Decided made = decided_lanes(
      "program (f: bool[m], x: " + kind + "[n]) { y: " + kind + "[n] = map (i < n) { a: bool, b: " + kind +
          " = scan (f[i], x[i]) (p: bool, q: " + kind + ", r: bool, s: " + kind +
          ") { return p | r, select(r, s, q + s) } neutral false, " + zero + " return b } return y }",
      vector_bytes);
  return phase(made, "main");
}

TEST(ScansOfTruths, GoInLanesWhereTheseAreBitsOfAMask) {
  for (const auto& [kind, zero] : {std::pair{"f32", "0f"}, {"f64", "0.0"}, {"i16", "0i16"}}) {
    const std::string main = main_phase(kind, zero, 64);
    EXPECT_NE(main.find("combine scan 0 lane "), std::string::npos) << main;
  }
}

TEST(ScansOfTruths, GoPointByPointInShortVectorsWithoutMasks) {
  for (const int vector_bytes : {16, 32}) {
    const std::string main = main_phase("f32", "0f", vector_bytes);
    EXPECT_NE(main.find("combine scan 0 turn handed_on"), std::string::npos) << main;
  }
  const std::string main = main_phase("i16", "0i16", 32);
  EXPECT_NE(main.find("combine scan 0 lane "), std::string::npos) << main;
}

}  // namespace
}  // namespace fulgurite::testing_schedule
