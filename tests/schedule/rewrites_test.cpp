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

}  // namespace
}  // namespace fulgurite::schedule
