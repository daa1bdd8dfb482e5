// Operators that keep the greater or the lesser of two floats, and pass over NaNs.
#include "soac/ordered_choice.h"

#include <gtest/gtest.h>

#include "scalar/print.h"
#include "soac/parse.h"

namespace fulgurite::soac {
namespace {

/// The operator of the only reduction of a program with this text of the condition.
std::optional<OrderedChoice> choice_of(const Program& program) {
  return ordered_choice(*program.arena, std::get<Soac>(program.body[0].op).reductions[0].op);
}

Program program_of(const std::string& condition, const std::string& results) {
  return parse(R"(program "p" (x: f32[n]) {
  v: f32, at: i64 = redomap (i < n) { x[i], i } reduce (a: f32, k: i64, b: f32, l: i64) {
    let c = )" +
               condition + "\n    return " + results + R"(
  } comm neutral f32:nan, 0
  return at
})");
}

TEST(OrderedChoice, OfTheGreaterComparesOnce) {
  const Program program = program_of("!(b <= a) & !isnan(b)", "select(c, b, a), select(c, l, k)");
  const auto choice = choice_of(program);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->value, 0u);
  EXPECT_EQ(scalar::describe(*program.arena, choice->worst), "f32:-inf");
  EXPECT_EQ(scalar::describe(*program.arena, choice->without_nans.results[0]), "select(a < b, b, a)");
  EXPECT_EQ(scalar::describe(*program.arena, choice->without_nans.results[1]), "select(a < b, l, k)");
}

TEST(OrderedChoice, OfTheLesserComparesTheOtherWayRound) {
  const Program program = program_of("!(a <= b) & !isnan(b)", "select(c, b, a), select(c, l, k)");
  const auto choice = choice_of(program);
  ASSERT_TRUE(choice);
  EXPECT_EQ(scalar::describe(*program.arena, choice->worst), "f32:inf");
  EXPECT_EQ(scalar::describe(*program.arena, choice->without_nans.results[1]), "select(b < a, l, k)");
}

TEST(OrderedChoice, IsNotOfOtherOperators) {
  EXPECT_FALSE(choice_of(program_of("!(b <= a) & !isnan(a)", "select(c, b, a), select(c, l, k)")));
  EXPECT_FALSE(choice_of(program_of("!(b <= a)", "select(c, b, a), select(c, l, k)")));
  EXPECT_FALSE(choice_of(program_of("!(b < a) & !isnan(b)", "select(c, b, a), select(c, l, k)")));
  EXPECT_FALSE(choice_of(program_of("!(b <= a) & !isnan(b)", "select(c, b, a), select(c, k, l)")));
  EXPECT_FALSE(choice_of(program_of("!(b <= a) & !isnan(b)", "select(c, a, b), select(c, l, k)")));
  EXPECT_FALSE(choice_of(program_of("!(b <= a) & !isnan(b)", "select(c, b, a), select(c, l, k) + 1")));
}

}  // namespace
}  // namespace fulgurite::soac
