// Maps whose points divide their index, with the quotients and remainders as axes, and reads that are checked
// for a row at a time.
#include "schedule/rewrites/divided.h"

#include <gtest/gtest.h>

#include "scalar/print.h"
#include "schedule/rewrites/inside.h"
#include "soac/parse.h"
#include "soac/print.h"

namespace fulgurite::schedule {
namespace {

struct Example {
  soac::Program program;
  explicit Example(const std::string& point)
      : program(soac::parse(
            "program \"p\" (x: f32[n], w: f32[l], m: i64, k: i64) {\n  y: f32[n] = map (i < n) { " + point +
                " }\n  return y\n}\nsites {\n  1 index \"out\"\n  2 arithmetic \"zero\"\n}\n",
            "divided")) {}
  std::optional<Divided> run() {
    return divided(*program.arena, program.body[0], [](scalar::Expr e) {
      bool is_known = e.site() == 0;
      scalar::for_each_node(std::span(&e, 1), [&](scalar::Expr node) {
        is_known = is_known && node.op() != scalar::Op::index;
      });
      return is_known;
    });
  }
  std::string text(scalar::Expr e) { return scalar::describe(*program.arena, e); }
};

scalar::Expr result(const soac::Stm& s) {
  return std::get<soac::Soac>(s.op).body.results[0];
}

TEST(Divided, BecomesAnAxis) {
  Example e("x[i] * w[i %@2 m]@1 + w[i /@2 m]@1");
  const auto map = e.run();
  ASSERT_TRUE(map);
  EXPECT_EQ(e.text(map->row), "m");
  EXPECT_EQ(e.text(map->holds), "0 < m & n % max(m, 1) == 0 & (n / max(m, 1) <= l & m <= l)");
  EXPECT_EQ(e.text(result(map->stm)), "w[row] + x[column + m * row] * w[column]")
      << "no read is outside where none is at the ends of both axes";
  const auto& op = std::get<soac::Soac>(map->stm.op);
  EXPECT_EQ(e.text(op.dims[0]), "n / max(m, 1)");
  EXPECT_EQ(e.text(op.dims[1]), "m");
}

// Where some points do not read, or read somewhere that is not affine, that of the last point may be outside
// though the program is right: such reads are still asked about.
TEST(Divided, OtherReadsKeepTheirChecks) {
  for (const char* read : {"select(i %@2 m < 3, w[i %@2 m + 7]@1, 0f)", "w[i %@2 m * (i /@2 m)]@1"}) {
    Example e(read);
    const auto map = e.run();
    ASSERT_TRUE(map);
    EXPECT_EQ(e.text(map->holds), "0 < m & n % max(m, 1) == 0");
    EXPECT_NE(e.text(result(map->stm)).find("@1"), std::string::npos) << e.text(result(map->stm));
  }
}

// What else is divided, and is the same for all points, fails for none of them.
TEST(Divided, OtherQuotientsAreTotal) {
  Example e("w[i %@2 m * (k /@2 m)]@1 + w[i /@2 m + k %@2 (m - 3)]@1");
  const auto map = e.run();
  ASSERT_TRUE(map);
  EXPECT_EQ(e.text(map->holds), "m != 0 & (m != 3 & 0 < m) & n % max(m, 1) == 0");
  EXPECT_EQ(e.text(result(map->stm)).find("@2"), std::string::npos) << e.text(result(map->stm));
}

TEST(Divided, MultiplesDivideTheRow) {
  Example e("w[i /@2 (m * 2)]@1 + w[i %@2 m]@1 + w[i %@2 (m * 2)]@1");
  const auto map = e.run();
  ASSERT_TRUE(map);
  EXPECT_EQ(e.text(map->row), "m");
  EXPECT_EQ(e.text(map->holds), "0 < m & n % max(m, 1) == 0");
  const std::string text = e.text(result(map->stm));
  EXPECT_NE(text.find("w[row / 2]@1"), text.npos) << text;
  EXPECT_NE(text.find("row % 2"), text.npos) << text;
}

TEST(Divided, ProductsAreAskedWhetherTheyWrap) {
  Example e("w[i /@2 (m * k)]@1 + w[i %@2 m]@1");
  const auto map = e.run();
  ASSERT_TRUE(map);
  const std::string text = e.text(map->holds);
  EXPECT_NE(text.find("0 < k"), text.npos) << text;
  EXPECT_NE(text.find("k == m * k / max(m, 1)"), text.npos) << text;
}

TEST(Divided, NothingElse) {
  EXPECT_FALSE(Example("x[i]").run());
  EXPECT_FALSE(Example("w[(i + 1) %@2 m]@1").run());      // another dividend
  EXPECT_FALSE(Example("w[i %@2 i64(x[i])]@1").run());    // another divisor at each point
  EXPECT_FALSE(Example("w[i %@2 i64(w[k]@1)]@1").run());  // one that is read
}

TEST(Inside, ReadsThatAreLinear) {
  Example e("x[i] + w[k + i * m]@1 + w[k + i * m + 1]@1 + w[i %@2 m]@1");
  scalar::Arena& arena = *e.program.arena;
  const scalar::Expr first = arena.i64(3), last = arena.i64(40);
  const auto row = inside(arena, e.program.body[0], {{}, first, last});
  ASSERT_TRUE(row);
  EXPECT_EQ(e.text(result(row->stm)), "x[i] + w[k + i * m] + w[k + i * m + 1] + w[i64(remainder)]");
  const std::string text = e.text(row->holds);
  for (const char* wanted : {"m * 40 + k + 1 < l", "0 <= m * 40 + k", "0 < m", "m - 1 < min(l"})
    EXPECT_NE(text.find(wanted), text.npos) << text;
}

std::optional<Inside> of_row(Example& e) {
  scalar::Arena& arena = *e.program.arena;
  return inside(arena, e.program.body[0], {{}, arena.i64(3), arena.i64(40)});
}

TEST(Quotients, HaveNames) {
  Example e("f32(i /@2 m + i %@2 m * 10 + i % 3 + i / 8)");
  const auto row = of_row(e);
  ASSERT_TRUE(row);
  EXPECT_EQ(e.text(result(row->stm)), "f32(i / 8 + i64(quotient) + i64(remainder) * 10 + i64(remainder))");
  ASSERT_EQ(row->quotients.size(), 2U);
  EXPECT_EQ(e.text(row->quotients[0].divisor), "m");
  EXPECT_EQ(e.text(row->quotients[1].divisor), "3");
  const std::string text = e.text(row->holds);
  for (const char* wanted : {"0 < m", "u64(m + 536870912) <= 1073741824", "u64(40 / max(m, 1) + 536870912)"})
    EXPECT_NE(text.find(wanted), text.npos) << text;
}

TEST(Quotients, OfOtherColumns) {
  Example e("f32((i * 2 + k) %@2 m)");
  const auto row = of_row(e);
  ASSERT_TRUE(row);
  ASSERT_EQ(row->quotients.size(), 1U);
  EXPECT_EQ(row->quotients[0].coefficient, 2);
  EXPECT_EQ(e.text(row->quotients[0].base), "k");
  EXPECT_NE(e.text(row->holds).find("0 <= k + 6"), std::string::npos) << e.text(row->holds);
  for (const char* other :
       {"f32((i * k) % 3)", "f32((7 - i) % 3)", "f32(i * i % 3)", "f32(i64(x[i]) % 3)", "f32(i % 4)"}) {
    Example none(other);
    EXPECT_FALSE(of_row(none)) << other;
  }
}

// Reads are in the array where the lowest and the highest index are; these are computed in 32 bits.
TEST(Quotients, Bound) {
  Example e("w[min(max(i /@2 m - 1, 0), k) * m + min(i %@2 m + 1, m - 1)]@1");
  const auto row = of_row(e);
  ASSERT_TRUE(row);
  EXPECT_EQ(e.text(result(row->stm)),
            "w[i64(min(max(quotient - 1i32, 0i32), i32(k)) * i32(m) + min(remainder + 1i32, i32(m - 1)))]");
  const std::string text = e.text(row->holds);
  for (const char* wanted : {"0 <= m", "min(k, max(40 / max(m, 1) - 1, 0))", "min(l, 2147483648)"})
    EXPECT_NE(text.find(wanted), text.npos) << text;
}

TEST(Quotients, BoundNothingElse) {
  // What is compared is too large for 32 bits, and stays as it is.
  Example large("w[min(i /@2 m * m, k)]@1");
  const auto row = of_row(large);
  ASSERT_TRUE(row);
  EXPECT_EQ(large.text(result(row->stm)), "w[i64(i32(min(k, m * i64(quotient))))]");
  // A product of two that change has no ends that are known; nor has what is read.
  for (const char* other : {"w[i /@2 m * (i %@2 m)]@1", "w[i %@2 m + i64(x[i])]@1"}) {
    Example checked(other);
    const auto kept = of_row(checked);
    ASSERT_TRUE(kept);
    EXPECT_NE(checked.text(result(kept->stm)).find("]@1"), std::string::npos);
  }
}

// An array of another shape is read at the point's number.
TEST(Quotients, AreNotNeeded) {
  soac::Program program = soac::parse(
      "program \"p\" (x: f32[n, m]) {\n  y: f32[n * m] = map (i < n * m) { x[i / m, i % m] }\n  return "
      "y\n}\n",
      "divided");
  scalar::Arena& arena = *program.arena;
  EXPECT_FALSE(inside(arena, program.body[0], {{}, arena.i64(0), arena.i64(9)}));
}

TEST(Inside, NoReads) {
  Example e("x[i] + w[i64(x[i])]@1");
  scalar::Arena& arena = *e.program.arena;
  EXPECT_FALSE(inside(arena, e.program.body[0], {{}, arena.i64(0), arena.i64(9)}));
}

}  // namespace
}  // namespace fulgurite::schedule
