// What the ends of a row say of the places that its points scatter to.
#include "schedule/rewrites/inside.h"

#include <gtest/gtest.h>

#include "scalar/print.h"
#include "soac/parse.h"
#include "soac/print.h"

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
  EXPECT_FALSE(Scattering("b", "i, k").of_row(0, 0, 9)) << "the place does not move along the row";
  EXPECT_FALSE(Scattering("16", "i, j").of_row(0, 0, 15)) << "a row as long as two vectors";
  EXPECT_TRUE(Scattering("17", "i, j").of_row(0, 0, 16));
}

/// Points i that each reduce `element` of l < k.
struct Reducing {
  soac::Program program;
  explicit Reducing(const std::string& element, const std::string& points = "k")
      : program(soac::parse("program \"p\" (x: f32[n], w: f32[b], k: i64, rows: i64) {\n"
                            "  r: f32[rows] = map (i < rows) {\n    s: f32 = redomap (l < " +
                                points + ") { " + element +
                                " } reduce add comm neutral 0f\n    return s\n  }\n  return r\n}\n"
                                "sites {\n  1 index \"out\"\n}\n",
                            "inside")) {}
  std::string holds(std::int64_t first, std::int64_t last) {
    scalar::Arena& arena = *program.arena;
    const auto row = inside(arena, program.body[0], {{}, arena.i64(first), arena.i64(last)});
    return row ? scalar::describe(arena, row->holds) : "nothing";
  }
};

TEST(Inside, ReadsOfCombinatorsInsideOfPoints) {
  EXPECT_EQ(Reducing("x[2 * i + l]@1").holds(3, 40), "k + 79 < n & (k < 70368744177664 & 6 < n)");
  EXPECT_EQ(Reducing("x[i + l - 1]@1 * w[k - 1 - l]@1").holds(3, 40),
            "k - 1 < b & (0 < b & (k + 38 < n & (k < 70368744177664 & 2 < n)))");
  EXPECT_EQ(Reducing("x[i - 2 * l]@1").holds(3, 40),
            "40 < n & (5 - k * 2 < n & (k < 70368744177664 & 0 <= 5 - k * 2))");
}

TEST(Inside, ReadsOfCombinatorsThatNothingIsKnownOf) {
  EXPECT_EQ(Reducing("x[i * l]@1").holds(3, 40), "nothing");
  EXPECT_EQ(Reducing("x[l * l]@1").holds(3, 40), "nothing");
  EXPECT_EQ(Reducing("x[l * k]@1").holds(3, 40), "nothing") << "products of a size may wrap around";
  EXPECT_EQ(Reducing("x[i + l]@1", "i").holds(3, 40), "nothing") << "points have as many as their number";
}

/// Iterations k < m that change an element of x at the place, and may compute `also` first.
struct Changing {
  soac::Program program;
  explicit Changing(const std::string& place, const std::string& trips = "m", const std::string& also = "")
      : program(soac::parse(
            "program \"p\" (x: f32[n], at: i64[b], a: i64, m: i64) {\n"
            "  r: f32[n] = loop (x) times " +
                trips + " do (k: i64, s: f32[n]) {\n" + also + "    check 0 <= " + place + " & " + place +
                " < n site 1 (a, n)\n    w: f32[n] = redomap (i < 1) { " + place + ", s[" + place +
                "]@2 * s[3]@2 } scatter unordered (n) (i_1: i64) { s[i_1] }\n    return w\n  }\n"
                "  return r\n}\nsites {\n  1 index @\"f\":1 \"a\"\n  2 index @\"f\":1 \"b\"\n}\n",
            "inside")) {}
  std::optional<Inside> all() {
    const auto& loop = std::get<soac::Loop>(program.body[0].op);
    return inside_loop(*program.arena, program.body[0], loop.trips);
  }
  std::string text(scalar::Expr e) { return scalar::describe(*program.arena, e); }
};

TEST(Inside, ElementsThatALoopChanges) {
  Changing loop("a + k * 2");
  const auto known = loop.all();
  ASSERT_TRUE(known);
  EXPECT_TRUE(known->scatters_inside);
  EXPECT_EQ(loop.text(known->holds), "3 < n & (a + m * 2 - 2 < n & (a < n & (0 <= a & m - 1 < 65536)))");
  const std::string before = soac::print(loop.program);
  loop.program.body[0] = known->stm;
  const std::string after = soac::print(loop.program);
  EXPECT_NE(before.find("check"), std::string::npos) << before;
  EXPECT_NE(before.find("]@2"), std::string::npos) << before;
  EXPECT_EQ(after.find("check"), std::string::npos) << after;
  EXPECT_EQ(after.find("]@2"), std::string::npos) << after;
}

TEST(Inside, LoopsThatNothingIsKnownOf) {
  EXPECT_FALSE(Changing("at[k]").all()->scatters_inside) << "only the other read is known";
  EXPECT_FALSE(Changing("k * k").all()->scatters_inside) << "not linear";
  EXPECT_FALSE(Changing("k", "4").all()) << "as short as the test";
  EXPECT_TRUE(Changing("k", "5").all());
  EXPECT_FALSE(Changing("k", "m", "    y: f32[b] = map (i_2 < b) { 1f }\n").all())
      << "a step is a combinator";
}

}  // namespace
}  // namespace fulgurite::schedule
