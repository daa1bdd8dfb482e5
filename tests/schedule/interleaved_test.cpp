// Maps whose points read by quotients and remainders of their index by small constants, with neighbours as
// one point.
#include "schedule/rewrites/interleaved.h"

#include <gtest/gtest.h>

#include "scalar/print.h"
#include "soac/literal.h"
#include "soac/parse.h"

namespace fulgurite::schedule {
namespace {

struct Example {
  soac::Program program;
  explicit Example(const std::string& point, const std::string& extent = "n * 2")
      : program(soac::parse("program \"p\" (x: f32[n], w: f32[l], k: i64) {\n  y: f32[" + extent +
                                "] = map (i < " + extent + ") { " + point +
                                " }\n  return y\n}\nsites {\n  1 index \"out\"\n}\n",
                            "interleaved")) {}
  std::optional<Interleaved> run(InterleaveLimits limits = {8, 600}) {
    return interleaved(*program.arena, program.body[0], 0, limits,
                       [](scalar::Expr e) { return e.site() == 0 && e.op() != scalar::Op::index; });
  }
  std::string text(scalar::Expr e) { return scalar::describe(*program.arena, e); }
  // How many points a group has.
  std::uint64_t n_points(const Interleaved& map) {
    return program.arena->info(map.stm.names[0]).shape.back().bits();
  }
  // What the points of a group give.
  std::vector<std::string> points(const Interleaved& map) {
    const auto& op = std::get<soac::Soac>(map.stm.op);
    std::vector<std::string> all;
    for (const auto& point : soac::points_of(*program.arena, std::get<soac::Soac>(op.body.body.back().op)))
      all.push_back(text(point[0]));
    return all;
  }
};
using Texts = std::vector<std::string>;

TEST(Interleaved, NeighboursAreOnePoint) {
  Example e("select(i % 2 == 0, x[i / 2]@1, w[i / 2]@1)");
  const auto map = e.run();
  ASSERT_TRUE(map);
  EXPECT_EQ(e.n_points(*map), 2U);
  const auto& op = std::get<soac::Soac>(map->stm.op);
  ASSERT_EQ(op.dims.size(), 1U);
  EXPECT_EQ(e.text(op.dims[0]), "n");
  EXPECT_EQ(e.points(*map), (Texts{"x[group]", "w[group]"}));
  EXPECT_EQ(e.text(map->holds), "n <= l");
  const auto shape = e.program.arena->info(map->stm.names[0]).shape;
  ASSERT_EQ(shape.size(), 2U);
  EXPECT_EQ(e.text(shape[1]), "2");
}

TEST(Interleaved, OtherFormsOfDivision) {
  Example shifted("x[i >> 1]@1 * f32(i & 3)");
  auto map = shifted.run();
  ASSERT_TRUE(map);
  EXPECT_EQ(shifted.points(*map),
            (Texts{"f32(group % 2 * 2) * x[group]", "f32(group % 2 * 2 + 1) * x[group]"}));
  Example flipped("w[i ^ 1]@1");
  map = flipped.run();
  ASSERT_TRUE(map);
  EXPECT_EQ(flipped.points(*map), (Texts{"w[group * 2 + 1]", "w[group * 2]"}));
  Example scaled("w[(i * 3 + 1) / 4]@1");
  map = scaled.run();
  ASSERT_TRUE(map);
  EXPECT_EQ(scaled.n_points(*map), 4U);
  EXPECT_EQ(scaled.points(*map),
            (Texts{"w[group * 3]", "w[group * 3 + 1]", "w[group * 3 + 1]", "w[group * 3 + 2]"}));
  EXPECT_NE(scaled.text(map->holds).find("n * 2 % 4 == 0"), std::string::npos) << scaled.text(map->holds);
}

TEST(Interleaved, SeveralDivisors) {
  Example e("w[i / 2]@1 + w[i % 3]@1 + w[i / 12]@1");
  const auto map = e.run();
  ASSERT_TRUE(map);
  EXPECT_EQ(e.n_points(*map), 6U);
  EXPECT_EQ(e.points(*map)[5], "w[group * 3 + 2] + w[2] + w[group / 2]");
}

TEST(Interleaved, OnlyTheBranchOfThePoint) {
  Example e(
      "v: f32 = if i % 2 == 0 { return x[i / 2]@1 } else { return w[i / 2]@1 }\n return v + x[i / 2]@1");
  const auto map = e.run();
  ASSERT_TRUE(map);
  EXPECT_EQ(e.points(*map), (Texts{"x[group] + x[group]", "w[group] + x[group]"}));
  Example unknown("v: f32 = if k == 0 { return x[i / 2]@1 } else { return w[i / 2]@1 }\n return v");
  EXPECT_FALSE(unknown.run());
}

// Conditions on what is known before the points.
TEST(Interleaved, ReadsAreInside) {
  const auto holds = [](const char* point) {
    Example e(point);
    const auto map = e.run();
    return map ? e.text(map->holds) : "none";
  };
  EXPECT_EQ(holds("x[i / 2]@1 + x[n - 1 - i / 2]@1"), "true");
  EXPECT_EQ(holds("x[i / 2]@1 + w[i % 2]@1"), "1 < l");
  EXPECT_EQ(holds("x[i / 2]@1 + w[i / 2 * 2]@1 + w[k]@1"), "n * 2 - 2 < l & 0 <= k & k < l");
  const std::string sum = holds("x[i / 2]@1 + w[i / 2 + k]@1");  // which may wrap around
  EXPECT_NE(sum.find("0 <= select("), sum.npos) << sum;
  EXPECT_NE(sum.find("9223372036854775807) < l"), sum.npos) << sum;
}

// Rows of a matrix, two of which are one point: each reads once what both read, and the array of the two
// stands before the columns.
TEST(Interleaved, AlongAnOuterAxis) {
  soac::Program program = soac::parse(R"(program "p" (x: f32[n], w: f32[l], m: i64) {
  y: f32[n, m] = map (i < n, j < m) { select(i % 2 == 0, x[i / 2]@1, -x[i / 2]@1) * w[j]@1 }
  return y
}
sites {
  1 index "out"
})",
                                      "interleaved");
  const auto is_known = [](scalar::Expr e) { return e.site() == 0 && e.op() != scalar::Op::index; };
  EXPECT_FALSE(interleaved(*program.arena, program.body[0], 1, {8, 600}, is_known));
  const auto map = interleaved(*program.arena, program.body[0], 0, {8, 600}, is_known);
  ASSERT_TRUE(map);
  const auto& op = std::get<soac::Soac>(map->stm.op);
  EXPECT_EQ(op.axes_behind, 1U);
  const auto text = [&](scalar::Expr e) { return scalar::describe(*program.arena, e); };
  EXPECT_EQ(text(map->holds), "n % 2 == 0 & (n / 2 <= n & m <= l)");
  Texts shape;
  for (scalar::Expr extent : program.arena->info(map->stm.names[0]).shape) shape.push_back(text(extent));
  EXPECT_EQ(shape, (Texts{"n / 2", "2", "m"}));
  Texts points;
  for (const auto& point : soac::points_of(*program.arena, std::get<soac::Soac>(op.body.body.back().op)))
    points.push_back(text(point[0]));
  EXPECT_EQ(points, (Texts{"x[group] * w[j]", "-x[group] * w[j]"}));
}

TEST(Interleaved, NothingElse) {
  const InterleaveLimits few{1, 600}, short_text{8, 5};
  EXPECT_FALSE(Example("x[i / 2]@1").run(few));
  EXPECT_FALSE(Example("x[i / 2]@1 * 2f + 1f").run(short_text));
  for (const char* other : {"f32(i / 2)",                  // it reads nothing
                            "w[i]@1",                      // no division
                            "w[i / 16]@1",                 // too many points
                            "w[(i + k) / 2]@1",            // an unknown part of a group
                            "w[i64(x[i / 2]@1)]@1",        // a place that is read
                            "f32(i %@1 k) * x[i / 2]@1"})  // a division that may fail
    EXPECT_FALSE(Example(other).run()) << other;
  EXPECT_FALSE(Example("x[i / 2]@1", "3").run()) << "groups are never full";
}

}  // namespace
}  // namespace fulgurite::schedule
