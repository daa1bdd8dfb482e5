// Which maps are walked by tiles of registers, what tasks stage, and for how many terms.
#include "decided.h"

namespace fulgurite::schedule {
namespace {

using namespace testing_schedule;

TEST(RegisterTilesText, ProductOfMatricesIsTiled) {
  const Decided product = decided_lanes(R"(program (a: f32[n, k], b: f32[k1, m]) {
    c: f32[n, m] = map (i < n, j < m) {
      s: f32 = redomap (l < k) { a[i, l] * b[l, j] } reduce add comm neutral 0f
      return s
    }
    return c
  })");
  EXPECT_EQ(names_of_phases(product), "main, tiles, join parts, partials, rows");
  const std::string main = phase(product, "main");
  EXPECT_NE(main.find("  axis free 0 1 extent n\n  axis free 1 1 extent m\n"), std::string::npos) << main;
  EXPECT_EQ(main.find("inner"), std::string::npos) << "a lane walks the sum\n" << main;
  const std::string tiles = phase(product, "tiles");
  EXPECT_NE(tiles.find("  axis free 0 1 extent n\n  axis free 1 1 extent m\n  axis fold 0 1 extent k of 1\n"),
            std::string::npos)
      << tiles;
  EXPECT_NE(tiles.find(" of a[i, l]\n"), std::string::npos) << "what columns share\n" << tiles;
  EXPECT_NE(tiles.find(" of b[l, j]\n"), std::string::npos) << "what rows share\n" << tiles;
}

// A task has 256 rows of elements of 4 bytes, and as many of 8.
TEST(RegisterTilesText, TilesStageFewerTermsOfWideElements) {
  const auto tiles_of = [](const std::string& kind, const std::string& zero) {
    return phase(
        decided_lanes("program (a: " + kind + "[n, k], b: " + kind +
                      "[k1, m]) {\n"
                      "  c: " +
                      kind +
                      "[n, m] = map (i < n, j < m) {\n"
                      "    s: " +
                      kind + " = redomap (l < k) { a[i, l] * b[l, j] } reduce add comm neutral " + zero +
                      "\n"
                      "    return s\n  }\n  return c\n}"),
        "tiles");
  };
  const auto depth = [](const std::string& points) { return "  cut 2 by " + points + " sequence mask\n"; };
  const std::string rows = "(n + 255) / 256";
  for (const auto& [kind, zero, points] : {std::array<std::string, 3>{"f32", "0f", "256"},
                                           {"i32", "0i32", "256"},
                                           {"f64", "0.0", "128"},
                                           {"i64", "0", "128"}}) {
    const std::string tiles = tiles_of(kind, zero);
    EXPECT_NE(tiles.find(depth(points)), std::string::npos) << tiles;
    EXPECT_NE(tiles.find(rows), std::string::npos) << tiles;
  }
}

// Operands are as large as they can be; integers need no chains.
TEST(RegisterTilesText, TilesStageWhatIsComputedOfOneOperand) {
  const Decided product = decided_lanes(R"(program (a: i32[n, k], b: i32[m, k1], w: i32[k2]) {
    c: i32[n, m] = map (i < n, j < m) {
      s: i32 = redomap (l < k) { a[i, l] * w[l] * max(b[j, l] + i32(j), 0i32) } reduce add comm neutral 0i32
      return s
    }
    return c
  })");
  EXPECT_EQ(names_of_phases(product), "main, tiles, partials, rows, short rows");
  const std::string tiles = phase(product, "tiles");
  EXPECT_NE(tiles.find(" of a[i, l] * w[l]\n"), std::string::npos) << tiles;
  EXPECT_NE(tiles.find(" of max(b[j, l] + i32(j), 0i32)\n"), std::string::npos) << tiles;
  EXPECT_EQ(tiles.find("chain"), std::string::npos) << tiles;
}

// An element that no two points read, or one axis, leaves nothing to share.
TEST(RegisterTilesText, MapsThatShareNothingAreNotTiled) {
  EXPECT_EQ(names_of_phases(decided_lanes(R"(program (a: f32[n, k, m], b: f32[k1, m1]) {
    c: f32[n, m] = map (i < n, j < m) {
      s: f32 = redomap (l < k) { a[i, l, j] * b[l, j] } reduce add comm neutral 0f
      return s
    }
    return c
  })"))
                .find("tiles"),
            std::string::npos);
}

}  // namespace
}  // namespace fulgurite::schedule
