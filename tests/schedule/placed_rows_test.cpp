// Rows whose sums points store at places of their own, as text: they are scheduled as rows of maps are.
#include "decided.h"

namespace fulgurite::testing_schedule {
namespace {

/// x, of which the block from (k, k) on becomes what points reduce.
std::string block_of(const std::string& sum, const std::string& value = "s") {
  return "program (x: f32[n, m], a: f32[rows, depth], b: f32[most, columns], k: i64) {\n"
         "  y: f32[n, m] = redomap (i < rows, j < columns) {\n    " +
         sum + "\n    return k + i, k + j, " + value +
         "\n  } scatter unordered (n, m) (p: i64, q: i64) { x[p, q] }\n  return y\n}";
}
const std::string product =
    "s: f32 = redomap (l < depth) { fma_sum(a[i, l], b[l, j]) } reduce add comm neutral 0f";

TEST(PlacedRows, ProductsAreTiles) {
  const Decided tiled = decided_lanes(block_of(product, "x[k + i, k + j] - s"));
  EXPECT_EQ(names_of_phases(tiled), "fill, main, tiles, join parts, partials, rows");
  const std::string tiles = phase(tiled, "tiles");
  EXPECT_NE(tiles.find("stage b"), std::string::npos) << tiles;
  EXPECT_NE(tiles.find("lane apart 16"), std::string::npos) << tiles;
}
TEST(PlacedRows, SumsOfColumnsAreFoldedOutside) {
  const Decided sums = decided_lanes(R"(program (x: f32[n], a: f32[depth, columns], k: i64) {
    y: f32[n] = redomap (j < columns) {
      s: f32 = redomap (l < depth) { a[l, j] } reduce add comm neutral 0f
      return k + j, s
    } scatter unordered (n) (p: i64) { x[p] }
    return y
  })");
  EXPECT_NE(names_of_phases(sums).find("columns"), std::string::npos) << sums.text;
}
TEST(PlacedRows, LongRowsAreSharedByTasks) {
  const Decided sums = decided_lanes(R"(program (x: f32[n], a: f32[rows, depth], k: i64) {
    y: f32[n] = redomap (i < rows) {
      s: f32 = redomap (l < depth) { a[i, l] } reduce add comm neutral 0f
      return k + i, s
    } scatter unordered (n) (p: i64) { x[p] }
    return y
  })");
  EXPECT_EQ(names_of_phases(sums), "fill, main, partials, rows");
}

}  // namespace
}  // namespace fulgurite::testing_schedule
