// Finding the rewrite behind a wrong result, with a pass that makes one.
#include "tool/bisect.h"

#include <gtest/gtest.h>

#include "../soac/values.h"
#include "fuse/fuse.h"
#include "soac/parse.h"

namespace fulgurite::tool {
namespace {

constexpr const char* chain = R"(program "chain" (x: f32[n]) {
  a: f32[n] = map (i < n) { x[i] + 1f }
  b: f32[n] = map (i < n) { a[i] * 2f }
  c: f32[n] = map (i < n) { b[i] - 3f }
  s: f32 = redomap (i < n) { c[i] } reduce add comm neutral 0f
  return s
})";

// Fuses as it should; where it could spend three units of gas, the sum is one of squares.
soac::Program wrong(soac::Program program, soac::PassContext& context) {
  const std::int64_t before = *context.gas;
  program = fuse::fuse.run(std::move(program), context);
  if (before - *context.gas < 3) return program;
  auto& soac = std::get<soac::Soac>(program.body.back().op);
  soac.body.results[0] =
      program.arena->add(soac.body.results[0], program.arena->constant(scalar::Kind::f32, 0));
  soac.body.results[0] = program.arena->mul(soac.body.results[0], soac.body.results[0]);
  return program;
}
const soac::Pass wrong_pass{"wrong", "a pass that is wrong", wrong};

const soac::Program program = soac::parse(chain, "chain.soac");
const std::vector<soac::Value> arguments = {soac::array_value<float>({1.f, 2.f, 3.f})};
const Runner interpreter = [](const soac::Program& p) { return soac::interpret(p, arguments); };

TEST(Bisect, FindsTheRewrite) {
  const soac::Pass* passes[] = {&wrong_pass};
  const auto culprit = bisect(program, passes, interpreter(program), interpreter, 1e-6);
  ASSERT_TRUE(culprit);
  EXPECT_EQ(culprit->gas, 3);
  ASSERT_TRUE(culprit->rewrite);
  EXPECT_EQ(culprit->rewrite->kind, soac::Event::Kind::fused);
  EXPECT_EQ(culprit->difference.find("element 0 of result 1 is "), 0u) << culprit->difference;
  EXPECT_EQ(culprit->before.body.size(), 2u);
  EXPECT_EQ(culprit->after.body.size(), 1u);
}

TEST(Bisect, NothingToFind) {
  const soac::Pass* passes[] = {&fuse::fuse};
  EXPECT_FALSE(bisect(program, passes, interpreter(program), interpreter, 1e-6));
}

TEST(Bisect, WrongFromTheStart) {
  const soac::Pass* passes[] = {&fuse::fuse};
  const Runner broken = [](const soac::Program&) -> Outcome { throw ShapeError("no"); };
  const auto culprit = bisect(program, passes, interpreter(program), broken, 1e-6);
  ASSERT_TRUE(culprit);
  EXPECT_EQ(culprit->gas, 0);
  EXPECT_NE(culprit->difference.find("it fails"), std::string::npos);
}

TEST(Bisect, Differences) {
  const Outcome a = {soac::array_value<float>({1.f, 2.f})}, b = {soac::array_value<float>({1.f, 2.0001f})},
                c = {soac::array_value<float>({1.f})};
  EXPECT_EQ(difference(a, b, 1e-3), "");
  EXPECT_NE(difference(a, b, 1e-6), "");
  const Outcome one = {soac::array_value<int>({1, 2})}, other = {soac::array_value<int>({1, 3})};
  EXPECT_NE(difference(one, other, 1), "") << "integers are equal or not";
  EXPECT_EQ(difference(a, c, 1), "result 1 has the shape [1] instead of [2]");
}

}  // namespace
}  // namespace fulgurite::tool
