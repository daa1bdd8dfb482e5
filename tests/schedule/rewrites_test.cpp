// Rewrites of statements for schedules: their names, and what is said of one that makes no legal statement.
#include "schedule/rewrites/rewrite.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/check.h"
#include "schedule/rewrites/ascending.h"
#include "schedule/rewrites/lift.h"
#include "soac/parse.h"

namespace fulgurite::schedule {
namespace {

soac::Program parsed(const std::string& body) {
  return soac::parse("program \"p\" (x: f32[n]) {\n" + body + "}", "p.soac");
}

TEST(Rewrites, HaveNamesOfTheirOwnInOrder) {
  const std::span<const Rewrite* const> all = rewrites();
  const auto is_before = [](const Rewrite* a, const Rewrite* b) { return a->name < b->name; };
  EXPECT_TRUE(std::ranges::is_sorted(all, is_before));
  EXPECT_EQ(std::ranges::adjacent_find(all, {}, &Rewrite::name), all.end());
}

TEST(Rewrites, AreNamedWhereTheyMakeNoLegalStatement) {
  const soac::Program program = parsed("  y: f32[n] = map (i < n) { x[i] }\n  return y\n");
  soac::Stm wrong = program.body[0];
  std::get<soac::Soac>(wrong.op).body.results = {program.arena->i64(1)};
  try {
    made_by(rewrite::lift, *program.arena, wrong);
    FAIL() << "an f32[n] of integers";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("after lift"), std::string::npos) << error.what();
  }
  EXPECT_EQ(made_by(rewrite::lift, *program.arena, program.body[0]), program.body[0]);
}

TEST(Rewrites, ArePrintedUnderTheirNames) {
  const soac::Program program = parsed("  s: f32 = redomap (i < n) { x[i] } reduce max comm\n  return s\n");
  setenv("FULGURITE_DUMP", "lift", 1);
  testing::internal::CaptureStderr();
  const soac::Stm lifted = lift_missing_neutral(*program.arena, program.body[0]);
  const std::string printed = testing::internal::GetCapturedStderr();
  unsetenv("FULGURITE_DUMP");
  EXPECT_EQ(printed.find("---- lift\n"), 0u) << printed;
  EXPECT_EQ(std::get<soac::Soac>(lifted.op).reductions[0].neutral.size(), 2u);
}

// Operations in what operators give, after the first point.
std::size_t count_behind(const soac::Program& program, scalar::Op op) {
  const auto behind = behind_first(*program.arena, program.body[0], true);
  const soac::Stm& stm = behind ? *behind : program.body[0];
  std::size_t n = 0;
  scalar::for_each_node(std::get<soac::Soac>(stm.op).reductions[0].op.results,
                        [&](scalar::Expr e) { n += static_cast<std::size_t>(e.op() == op); });
  return n;
}

TEST(Ascending, SeveralPlacesThatBeginNegativeComeFirst) {
  const soac::Program program = parsed(R"(  a: f32, p: i64, b: f32, q: i64 = redomap (i < n) {
    return x[i], i, 0f, -1
  } reduce (a0: f32, p0: i64, a1: f32, p1: i64, b0: f32, q0: i64, b1: f32, q1: i64) {
    let s = 0 <= q0 & (b0 < a0 | b0 == a0 & q0 < p0)
    let t = 0 <= q0 & (b0 < a1 | b0 == a1 & q0 < p1)
    return select(s, b0, a0), select(s, q0, p0), select(t, select(s, a0, b0), a1), select(t, select(s, p0, q0), p1)
  } comm neutral 0f, -1, 0f, -1
  return a, p, b, q
)");
  EXPECT_EQ(count_behind(program, scalar::Op::eq), 0U);
  EXPECT_EQ(count_behind(program, scalar::Op::le), 0U);
  EXPECT_EQ(count_behind(program, scalar::Op::lt), 2U);
}

// In 32 bits what a tile's points have ascends, and may be negative.
TEST(Ascending, IndicesOfASmallerKindMayBeNegative) {
  const soac::Program program = parsed(
      R"(  a: f32, p: i32 = redomap (i < n) { x[i], i32(i) } reduce (a0: f32, p0: i32, b0: f32, q0: i32) {
    let s = 0i32 <= q0 & (b0 < a0 | b0 == a0 & q0 < p0)
    return select(s, b0, a0), select(s, q0, p0)
  } comm neutral 0f, 7i32
  return a, p
)");
  EXPECT_EQ(count_behind(program, scalar::Op::eq), 0U);
  EXPECT_EQ(count_behind(program, scalar::Op::le), 1U);
}

// A piece of constant elements does not know that the values before it are others.
TEST(Ascending, PiecesKnowWhatIsSoOfAllPoints) {
  const soac::Program whole = parsed(
      "  m: f32 = redomap (i < n) { select(i < 3, x[i], 2f) } reduce max comm neutral 0f\n  return m\n");
  const soac::Program constant =
      parsed("  m: f32 = redomap (i < n) { 2f } reduce max comm neutral 0f\n  return m\n");
  scalar::Arena& arena = *constant.arena;
  EXPECT_TRUE(behind_first(arena, constant.body[0], false));
  soac::Stm all = constant.body[0];
  auto& body = std::get<soac::Soac>(all.op).body;
  body.results = {scalar::cast(arena.name(body.params[0]), scalar::Kind::f32)};
  EXPECT_FALSE(piece_after_first(arena, all, constant.body[0], false));
  const auto known = piece_after_first(arena, constant.body[0], constant.body[0], false);
  ASSERT_TRUE(known);
  EXPECT_EQ(*known, *behind_first(arena, constant.body[0], false));
  EXPECT_FALSE(behind_first(*whole.arena, whole.body[0], false));
}

}  // namespace
}  // namespace fulgurite::schedule
