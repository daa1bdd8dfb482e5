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
  std::optional<Pieces> run() { return split(*program.arena, {program.body[0]}, nullptr); }
  std::string text(scalar::Expr e) { return scalar::describe(*program.arena, e); }
};

std::size_t n_branches(const Region& part) {
  std::size_t n = 0;
  for (const soac::Stm& s : std::get<soac::Soac>(part.stm.op).body.body)
    n += std::holds_alternative<soac::If>(s.op);
  return n;
}
scalar::Expr result(const Region& part) {
  return std::get<soac::Soac>(part.stm.op).body.results[0];
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
  check("i < n", "n", "1f", "2f");
  check("i <= n", "n + 1", "1f", "2f");
  check("n < i", "n + 1", "2f", "1f");
  check("n <= i", "n", "2f", "1f");
}

// k + 1 wraps around where k is the greatest number, of which no size is.
TEST(Pieces, BoundsThatAreNoSizesAreSaturated) {
  const std::string k = "min(max(k, -2305843009213693952), 2305843009213693952)";
  for (const auto& [condition, at] : {std::pair{"i <= k", k + " + 1"}, std::pair{"k <= i + 2", k + " - 2"}}) {
    Cutting c(std::string("    e: f32 = if ") + condition + " { 1f } else { 2f }");
    const auto pieces = c.run();
    ASSERT_TRUE(pieces) << condition;
    EXPECT_EQ(c.text(pieces->at), at);
  }
  Cutting wraps("    e: f32 = if i + k < n { 1f } else { 2f }");
  EXPECT_FALSE(wraps.run());
}

// i - 2^63 < 0 holds for every i, and 0 - (-2^63) is -2^63.
TEST(Pieces, NumbersWhoseSumsWrapAroundAreLeftAlone) {
  for (const char* condition :
       {"i + -9223372036854775808 < 0", "i - 9223372036854775807 < 0", "k < i + 4611686018427387904"}) {
    Cutting c(std::string("    e: f32 = if ") + condition + " { 1f } else { 2f }");
    EXPECT_FALSE(c.run()) << condition;
  }
}

TEST(Pieces, OneBranchInAnother) {
  Cutting c(
      "    e: f32 = if i < n {\n      return x[i]\n    } else {\n      f: f32 = if i - n < n { 0f } else { "
      "y[i - n] }\n"
      "      return f * 2f\n    }");
  const auto pieces = c.run();
  ASSERT_TRUE(pieces);
  EXPECT_FALSE(split(*c.program.arena, pieces->before, nullptr));
  const auto more = split(*c.program.arena, pieces->behind, nullptr);
  ASSERT_TRUE(more);
  EXPECT_EQ(c.text(more->at), "n * 2");
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

// A program of one map over (i < n, j < m), and the ways of its rows.
struct Rows {
  soac::Program program;
  explicit Rows(const std::string& body)
      : program(
            soac::parse("program \"p\" (x: f32[n, m], k: i64) {\n  r: f32[n, m] = map (i < n, j < m) {\n" +
                            body + "\n  }\n  return r\n}\nsites {\n  1 index @\"rows\":1 \"{0} of {1}\"\n}\n",
                        "rows")) {}
  Region whole() const { return {program.body[0]}; }
  std::optional<RowPieces> run() { return split_rows(*program.arena, whole(), nullptr, true); }
  std::optional<Pieces> columns(const Region& region) { return split(*program.arena, region, nullptr); }
  std::string text(scalar::Expr e) { return scalar::describe(*program.arena, e); }
};

TEST(RowPieces, AllEndsAreOneWay) {
  Rows c("    return select(i == 0 | i == n - 1 | j < 2, x[i, j], x[i - 1, j])");
  const auto rows = c.run();
  ASSERT_TRUE(rows);
  EXPECT_TRUE(rows->are_ends);
  ASSERT_EQ(rows->sides.size(), 2u);
  EXPECT_EQ(c.text(rows->sides[0].at), "1");
  EXPECT_EQ(c.text(rows->sides[1].at), "n - 1");
  EXPECT_EQ(c.text(result(rows->inside)), "select(j < 2, x[i, j], x[i - 1, j])");
  EXPECT_FALSE(split_rows(*c.program.arena, rows->inside, nullptr, true));
  EXPECT_FALSE(split_rows(*c.program.arena, rows->others, nullptr, true));
  const auto columns = c.columns(rows->inside);
  ASSERT_TRUE(columns);
  EXPECT_EQ(c.text(columns->at), "2");
  EXPECT_EQ(most_columns(*c.program.arena, columns->before), 2);
  EXPECT_FALSE(most_columns(*c.program.arena, columns->behind));
  EXPECT_EQ(c.text(result(columns->behind)), "x[i - 1, j]");
}

TEST(RowPieces, TwoPartsOfAnAxisAreTwoWays) {
  Rows c("    return select(i < k, x[i, j], 1f)");
  const auto rows = c.run();
  ASSERT_TRUE(rows);
  EXPECT_FALSE(rows->are_ends);
  EXPECT_EQ(c.text(result(rows->inside)), "x[i, j]");
  EXPECT_EQ(c.text(result(rows->others)), "1f");
  EXPECT_FALSE(split_rows(*c.program.arena, c.whole(), nullptr, false));
}

TEST(Pieces, ClampedIndicesAndEqualities) {
  Rows c("    return x[i, min(m - 1, j + 3)] + x[i, max(j - 2, 0)] + select(j == 1, 0f, 1f)");
  const auto first = c.columns(c.whole());
  ASSERT_TRUE(first);
  EXPECT_EQ(c.text(first->at), "2");
  const auto last = c.columns(first->behind);
  ASSERT_TRUE(last);
  EXPECT_EQ(c.text(last->at), "m - 3");
  EXPECT_EQ(c.text(result(last->before)).find("m"), std::string::npos) << c.text(result(last->before));
  EXPECT_FALSE(c.columns(last->before));
  EXPECT_FALSE(c.columns(last->behind)) << "ends are not split again";
}

TEST(Pieces, ChecksOfIndices) {
  Rows c("    return x[i, j - 1]@1");
  const auto pieces = c.columns(c.whole());
  ASSERT_TRUE(pieces);
  EXPECT_EQ(c.text(pieces->at), "1");
  EXPECT_TRUE(scalar::can_fail(result(pieces->before)));
  EXPECT_FALSE(scalar::can_fail(result(pieces->behind)));
}

// Conditions depend on the index of a reduction inside.
TEST(Pieces, TheEndsOfWindows) {
  Rows c(R"(    s: f32 = redomap (l < k) {
      v: f32 = if 0 <= j + l - 2 { x[i, j + l - 2] } else { 0f }
      return v
    } reduce add comm neutral 0f
    return s)");
  const auto pieces = c.columns(c.whole());
  ASSERT_TRUE(pieces);
  EXPECT_EQ(c.text(pieces->at), "2");
  const auto inner = [](const Region& region) {
    return std::get<soac::Soac>(std::get<soac::Soac>(region.stm.op).body.body[0].op).body.body.size();
  };
  EXPECT_EQ(inner(pieces->before), 1u);
  EXPECT_EQ(inner(pieces->behind), 0u);
}

// Points that ask on which side of the middle both of their indices are, and whether they are at an end.
TEST(SplitsOf, KeepTextWithinItsBudget) {
  const soac::Program program = soac::parse(R"(program "p" (x: f32[n, m], k: i64) {
  r: f32[n, m] = map (i < n, j < m) {
    side: f32 = if i < k { exp(x[i, j]) } else { sin(x[i, j]) + 1f }
    half: f32 = if j < k { cos(x[i, j]) } else { x[i, j] * x[i, j] }
    end: f32 = if 1 <= j { x[i, j - 1] } else { 0f }
    return side + half + end
  }
  return r
})",
                                            "budget");
  const auto conditions = [&](std::int64_t text) {
    std::vector<std::string> found;
    for (const Split& split : splits_of(*program.arena, program.body[0], {7, 2, text, 1}))
      found.push_back(scalar::describe(*program.arena, split.condition));
    return found;
  };
  using Conditions = std::vector<std::string>;
  EXPECT_EQ(conditions(100), (Conditions{"i < k", "1 <= j", "j < k"}));
  EXPECT_EQ(conditions(3), (Conditions{"1 <= j", "j < k"})) << "rows are not halved any more";
  EXPECT_EQ(conditions(2), Conditions{"1 <= j"}) << "the end is left, as most points lie behind it";
  EXPECT_EQ(conditions(1), Conditions());
}

}  // namespace
}  // namespace fulgurite::schedule
