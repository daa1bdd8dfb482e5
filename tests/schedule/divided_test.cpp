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
  EXPECT_EQ(e.text(map->holds), "0 < m & n % max(m, 1) == 0");
  EXPECT_EQ(e.text(result(map->stm)), "x[column + m * row] * w[column]@1 + w[row]@1");
  const auto& op = std::get<soac::Soac>(map->stm.op);
  EXPECT_EQ(e.text(op.dims[0]), "n / max(m, 1)");
  EXPECT_EQ(e.text(op.dims[1]), "m");
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
  // The remainder is not linear; what divides it is not 0 along the row.
  EXPECT_EQ(e.text(result(row->stm)), "x[i] + w[k + i * m] + w[k + i * m + 1] + w[i % m]@1");
  const std::string text = e.text(row->holds);
  for (const char* wanted : {"m != 0", "0 <= m * 3 + k", "m * 3 + k < l", "m * 40 + k + 1 < l"})
    EXPECT_NE(text.find(wanted), text.npos) << text;
}

TEST(Inside, NoReads) {
  Example e("x[i] + w[i64(x[i])]@1");
  scalar::Arena& arena = *e.program.arena;
  EXPECT_FALSE(inside(arena, e.program.body[0], {{}, arena.i64(0), arena.i64(9)}));
}

}  // namespace
}  // namespace fulgurite::schedule
