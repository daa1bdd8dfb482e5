// Which maps of many small planes are walked by tiles that read their operands where they lie, and how
// schedules say so.
#include "schedule/edits.h"

#include "decided.h"

namespace fulgurite::schedule {
namespace {

using namespace testing_schedule;

std::string planes(const std::string& extents, const std::string& depth, const std::string& term,
                   const std::string& arrays = "a: f32[p, n, k], b: f32[p1, k1, m]",
                   const std::string& by = "add comm neutral 0f") {
  return "program (" + arrays + ") {\n  c: f32[" + extents + "] = map (q < p, i < " +
         extents.substr(extents.find(' ') + 1, extents.rfind(',') - extents.find(' ') - 1) + ", j < " +
         extents.substr(extents.rfind(' ') + 1) + ") {\n    s: f32 = redomap (l < " + depth + ") { " + term +
         " } reduce " + by + "\n    return s\n  }\n  return c\n}";
}
const std::string product = "a[q, i, l] * b[q, l, j]";

bool is_small(const std::string& text) {
  return names_of_phases(decided_lanes(text)).find("small tiles") != std::string::npos;
}

// For rows shorter than the narrower half of a vector, a tile has vectors that are as short.
TEST(SmallTiles, ProductsHaveOneForEachWidthOfVectors) {
  const Decided made = decided_lanes(planes("p, n, m", "k", product));
  EXPECT_EQ(
      names_of_phases(made),
      "main, small tiles, narrow tiles, narrow tiles 2, tiles of constants, tiles, join parts, partials, "
      "rows");
  const std::string cuts =
      "  axis free 0 1 extent p\n"
      "  axis free 1 1 extent n\n"
      "  axis free 2 1 extent m\n"
      "  axis fold 0 1 extent k of 1\n"
      "  cut 0 by max(4096 / max(n * m, 1), 1) grid mask\n";
  const std::string chains =
      "  cut 1 by 4 registers mask\n"
      "  cut 3 by 16 sequence mask\n"
      "  combine reduction 0 sequence chain 16\n";
  const std::string is_small = "(2 <= m & 2 <= n & k * (n * 4 + m * 4) <= 6144 & k <= 256)";
  const std::string are_sides =
      is_small.substr(1, is_small.size() - 2) + " & n == 4 & m == 4 & k == 4 & k1 == 4";
  const auto expected = [&](const std::string& name, const std::string& width, const std::string& cut) {
    return "phase \"" + name + "\"\n  guard select(" + width + " & (" +
           is_small.substr(1, is_small.size() - 2) + " & !(" + are_sides + ")), 1, 0)\n" + cuts + cut +
           chains;
  };
  EXPECT_EQ(phase(made, "small tiles"), expected("small tiles", "8 <= m", "  cut 2 by 16 lane overlap 8\n"));
  EXPECT_EQ(phase(made, "narrow tiles"),
            expected("narrow tiles", "4 <= m & m < 8", "  cut 2 by 4 lane overlap 4\n"));
  EXPECT_EQ(phase(made, "narrow tiles 2"),
            expected("narrow tiles 2", "2 <= m & m < 4", "  cut 2 by 2 lane overlap 2\n"));
  EXPECT_EQ(phase(made, "tiles of constants"),
            "phase \"tiles of constants\"\n  guard select(" + are_sides +
                ", 1, 0)\n  constant n = 4\n  constant m = 4\n  constant k = 4\n  constant k1 = 4\n" + cuts +
                "  cut 2 by 4 lane overlap 4\n  cut 1 by 4 registers mask\n");
  EXPECT_NE(phase(made, "tiles").find(" & !" + is_small), std::string::npos) << made.text;
}

// What has one size has one version, and sums of few terms no chains.
TEST(SmallTiles, ConstantExtentsLeaveOnePhase) {
  const Decided made = decided_lanes(planes("p, 17, 17", "15", product));
  EXPECT_EQ(names_of_phases(made), "small tiles");
  EXPECT_EQ(made.text.find("chain"), std::string::npos) << made.text;
  const Decided large = decided_lanes(planes("p, 64, 64", "64", product));
  EXPECT_EQ(names_of_phases(large).find("small tiles"), std::string::npos);
}

bool has_constants(const std::string& text) {
  return names_of_phases(decided_lanes(text)).find("tiles of constants") != std::string::npos;
}

// Extents that are not asked for are those of outer axes, and of the first axis of what is read.
TEST(SmallTiles, ExtentsThatMayBeConstants) {
  EXPECT_TRUE(has_constants(planes("p, 4, m", "k", product)));
  EXPECT_TRUE(has_constants(planes("p, n, n", "n", product)));
  EXPECT_FALSE(has_constants(planes("p, 5, m", "k", product))) << "another size";
  EXPECT_FALSE(has_constants(planes("p, n + 1, m", "k", product))) << "no name";
  const std::string of_planes = decided_lanes(planes("p, n, m", "p", product)).text;
  EXPECT_NE(of_planes.find("constant n = 4"), std::string::npos);
  EXPECT_EQ(of_planes.find("constant p = 4"), std::string::npos) << "there are as many planes";
}

// They are known by their axes and by what operands read: any operator, planes along several axes, one
// operand for all of them, an array of another shape.
TEST(SmallTiles, AreKnownByAxesAndOperands) {
  EXPECT_TRUE(is_small(planes("p, n, m", "k", "a[q, i, l] + b[q, l, j]", "a: f32[p, n, k], b: f32[p1, k1, m]",
                              "min comm neutral f32:inf")));
  EXPECT_TRUE(is_small(planes("p, n, m", "k", "a[q, l, i] * b[l, j]", "a: f32[p, k, n], b: f32[k1, m]")));
  EXPECT_TRUE(is_small(planes("p, 17, 17", "9",
                              "a[q, i, l] * b[((q * 9 + l) * 17 + j) / u, ((q * 9 + l) * 17 + j) % u]",
                              "a: f32[p, n, k], b: f32[t, u]")));
  EXPECT_FALSE(
      is_small(planes("p, n, m", "k", "a[q, i, l] * b[q, j, l]", "a: f32[p, n, k], b: f32[p1, m, k1]")))
      << "a vector of it has no address";
  EXPECT_FALSE(is_small(planes("p, n, m", "k", "a[q, i, l] * exp(b[q, l, j])")))
      << "each tile would compute it again";
  EXPECT_FALSE(is_small(planes("p, n, m", "k", "a[q, i, l] * b[q, i, j]"))) << "nothing is shared";
  EXPECT_FALSE(is_small(R"(program (a: f32[n, k], b: f32[k1, m]) {
    c: f32[n, m] = map (i < n, j < m) {
      s: f32 = redomap (l < k) { a[i, l] * b[l, j] } reduce add comm neutral 0f
      return s
    }
    return c
  })"))
      << "one plane is no batch";
}

// The remainder of a row is a decision of its own.
TEST(SmallTiles, WidthOfTheRemainderIsEdited) {
  const Decided made = decided_lanes(planes("p, n, m", "k", product));
  const std::string before = "  cut 2 by 16 lane overlap 8\n", after = "  cut 2 by 16 lane overlap 4\n";
  const Launch edited = rest.apply(*made.program.arena, made.launch, {"small tiles", 1}, 4);
  EXPECT_NE(made.text.find(before), std::string::npos) << made.text;
  std::string expected = made.text;
  expected.replace(expected.find(before), before.size(), after);
  EXPECT_EQ(print(*made.program.arena, edited), expected);
  EXPECT_TRUE(faults_of(made.program, edited).empty());
  const Launch wide = rest.apply(*made.program.arena, made.launch, {"small tiles", 1}, 32);
  EXPECT_FALSE(faults_of(made.program, wide).empty()) << "a remainder in pieces larger than the cut's own";
}

}  // namespace
}  // namespace fulgurite::schedule
