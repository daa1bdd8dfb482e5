// Where an axis is cut, and what is left of the branches on either side.
#include "schedule/rewrites/splits.h"

#include <gtest/gtest.h>

#include "scalar/print.h"
#include "soac/parse.h"
#include "soac/walk.h"

namespace fulgurite::schedule {
namespace {

struct Cutting {
  soac::Program program;
  explicit Cutting(const std::string& body)
      : program(soac::parse(
            "program \"p\" (x: f32[n], y: f32[m], k: i64) {\n  r: f32[n + m] = map (i < n + m) {\n" + body +
                "\n    return e\n  }\n  return r\n}\n",
            "pieces")) {}
  std::optional<Pieces> run() { return split(*program.arena, program.body[0], nullptr); }
  std::string text(scalar::Expr e) { return scalar::describe(*program.arena, e); }
};

std::size_t n_branches(const soac::Stm& stm) {
  std::size_t n = 0;
  for (const soac::Stm& s : std::get<soac::Soac>(stm.op).body.body)
    n += std::holds_alternative<soac::If>(s.op);
  return n;
}
scalar::Expr result(const soac::Stm& stm) {
  return std::get<soac::Soac>(stm.op).body.results[0];
}

TEST(Pieces, JoinedArrays) {
  Cutting c("    e: f32 = if i < n { x[i] } else { y[i - n] }");
  const auto pieces = c.run();
  ASSERT_TRUE(pieces);
  EXPECT_EQ(c.text(pieces->at), "n");
  EXPECT_EQ(n_branches(pieces->before), 0u);
  EXPECT_EQ(n_branches(pieces->behind), 0u);
  EXPECT_EQ(c.text(result(pieces->before)), "x[i]");
  EXPECT_EQ(c.text(result(pieces->behind)), "y[i - n]");
}

TEST(Pieces, TheBoundIsIncludedOrNot) {
  const auto check = [](const std::string& condition, const std::string& at, const std::string& before,
                        const std::string& behind) {
    SCOPED_TRACE(condition);
    Cutting c("    e: f32 = if " + condition + " { 1f } else { 2f }");
    const auto pieces = c.run();
    ASSERT_TRUE(pieces);
    EXPECT_EQ(c.text(pieces->at), at);
    EXPECT_EQ(c.text(result(pieces->before)), before);
    EXPECT_EQ(c.text(result(pieces->behind)), behind);
  };
  check("i < k", "k", "1f", "2f");
  check("i <= k", "k + 1", "1f", "2f");
  check("k < i", "k + 1", "2f", "1f");
  check("k <= i", "k", "2f", "1f");
}

TEST(Pieces, OneBranchInAnother) {
  Cutting c(
      "    e: f32 = if i < n {\n      return x[i]\n    } else {\n      f: f32 = if i - n < k { 0f } else { "
      "y[i - n] }\n"
      "      return f * 2f\n    }");
  const auto pieces = c.run();
  ASSERT_TRUE(pieces);
  EXPECT_FALSE(split(*c.program.arena, pieces->before, nullptr));
  const auto more = split(*c.program.arena, pieces->behind, nullptr);
  ASSERT_TRUE(more);
  EXPECT_EQ(c.text(more->at), c.text(c.program.arena->name(c.program.params[2]) +
                                     c.program.arena->info(c.program.params[0]).shape[0]));
  EXPECT_FALSE(split(*c.program.arena, more->before, nullptr));
  EXPECT_FALSE(split(*c.program.arena, more->behind, nullptr));
}

TEST(Pieces, BothSidesOfAnInterior) {
  Cutting c("    e: f32 = if 1 <= i & i < n - 1 { x[i] } else { 0f }");
  const auto pieces = c.run();
  ASSERT_TRUE(pieces);
  const bool low_first = n_branches(pieces->before) == 0;
  EXPECT_EQ(c.text(pieces->at), low_first ? "1" : "n - 1");
  EXPECT_EQ(n_branches(low_first ? pieces->behind : pieces->before), 1u);
  const auto rest = split(*c.program.arena, low_first ? pieces->behind : pieces->before, nullptr);
  ASSERT_TRUE(rest);
  EXPECT_EQ(n_branches(rest->before) + n_branches(rest->behind), 0u);
}

TEST(Pieces, ConditionsOnElementsAreLeftAlone) {
  EXPECT_FALSE(Cutting("    e: f32 = if 0f < x[i] { x[i] } else { y[i] }").run());
  EXPECT_FALSE(Cutting("    e: f32 = if i < i64(x[i]) { x[i] } else { y[i] }").run());
  EXPECT_FALSE(Cutting("    e: f32 = if i * i < n { x[i] } else { y[i] }").run());
}

}  // namespace
}  // namespace fulgurite::schedule
