// What the ends of a row say of the places that its points scatter to.
#include "schedule/rewrites/inside.h"

#include <gtest/gtest.h>

#include "scalar/print.h"
#include "soac/parse.h"

namespace fulgurite::schedule {
namespace {

/// Points (i, j) of `rows` x `columns` that store to the place in a matrix of n x m.
struct Scattering {
  soac::Program program;
  Scattering(const std::string& columns, const std::string& place)
      : program(soac::parse("program \"p\" (x: f32[n, m], at: i64[b], rows: i64, k: i64) {\n"
                            "  r: f32[n, m] = redomap (i < rows, j < " +
                                columns + ") { " + place +
                                ", 1f } scatter unordered (n, m) (i_1: i64, j_1: i64) { x[i_1, j_1] }\n"
                                "  return r\n}\n",
                            "inside")) {}
  std::optional<Inside> of_row(std::int64_t row, std::int64_t first, std::int64_t last) {
    scalar::Arena& arena = *program.arena;
    const scalar::Expr outer[] = {arena.i64(row)};
    return inside(arena, program.body[0], {outer, arena.i64(first), arena.i64(last)});
  }
  std::string text(scalar::Expr e) { return scalar::describe(*program.arena, e); }
};

TEST(Inside, PlacesOfARow) {
  Scattering block("b", "k + i, k + j + 1");
  const auto known = block.of_row(3, 0, 9);
  ASSERT_TRUE(known);
  EXPECT_TRUE(known->scatters_inside);
  EXPECT_EQ(block.text(known->holds), "k + 10 < m & (k + 1 < m & (0 <= k + 1 & (0 <= k + 3 & k + 3 < n)))");
  Scattering backwards("b", "i, k - j");
  const auto reversed = backwards.of_row(0, 2, 5);
  ASSERT_TRUE(reversed);
  EXPECT_EQ(backwards.text(reversed->holds), "k - 2 < m & (k - 5 < m & (0 < n & 0 <= k - 5))");
}

TEST(Inside, PlacesThatNothingIsKnownOf) {
  EXPECT_FALSE(Scattering("b", "i, at[j]").of_row(0, 0, 9)) << "read of an array";
  EXPECT_FALSE(Scattering("b", "i, j * j").of_row(0, 0, 9)) << "not linear";
  EXPECT_FALSE(Scattering("b", "i, k").of_row(0, 0, 9)) << "the same for the row";
  EXPECT_FALSE(Scattering("16", "i, j").of_row(0, 0, 15)) << "a row as long as two vectors";
  EXPECT_TRUE(Scattering("17", "i, j").of_row(0, 0, 16));
}

}  // namespace
}  // namespace fulgurite::schedule
