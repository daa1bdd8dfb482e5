// Scans of truths, such as those of segments with flags: in lanes where these are bits of a mask, or many.
#include "decided.h"

namespace fulgurite::testing_schedule {
namespace {

Decided scan_of(const std::string& kind, const std::string& zero, int vector_bytes) {
  return decided_lanes(
      "program (f: bool[m], x: " + kind + "[n]) { y: " + kind + "[n] = map (i < n) { a: bool, b: " + kind +
          " = scan (f[i], x[i]) (p: bool, q: " + kind + ", r: bool, s: " + kind +
          ") { return p | r, select(r, s, q + s) } neutral false, " + zero + " return b } return y }",
      vector_bytes);
}

void expect_in_lanes(const Decided& made) {
  const std::string main = phase(made, "main");
  EXPECT_NE(main.find("combine scan 0 lane "), std::string::npos) << main;
  EXPECT_NE(made.text.find(" scan neighbouring points ("), made.text.find(" scan a run each (")) << made.text;
}

void expect_point_by_point(const Decided& made, const std::string& why) {
  const std::string main = phase(made, "main");
  EXPECT_NE(main.find("combine scan 0 turn handed_on"), std::string::npos) << main;
  EXPECT_NE(made.text.find("why \"lanes: none, as " + why), std::string::npos) << made.text;
}

TEST(ScansOfTruths, GoInLanesWhereTheseAreBitsOfAMask) {
  for (const auto& [kind, zero] : {std::pair{"f32", "0f"}, {"f64", "0.0"}, {"i16", "0i16"}})
    expect_in_lanes(scan_of(kind, zero, 64));
}

TEST(ScansOfTruths, GoPointByPointInShortVectorsWithoutMasks) {
  for (const int vector_bytes : {16, 32})
    expect_point_by_point(scan_of("f32", "0f", vector_bytes), "bools that are scanned do not move");
  expect_in_lanes(scan_of("i16", "0i16", 32));
}

TEST(ScansOfTruths, GoPointByPointInVectorsOfTwoAsAllScans) {
  expect_point_by_point(scan_of("f64", "0.0", 16), "vectors of 2 are too short for scans");
}

}  // namespace
}  // namespace fulgurite::testing_schedule
