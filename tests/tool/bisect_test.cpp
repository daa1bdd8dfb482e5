// Finding the rewrite that makes a result wrong, with a pass that makes one.
#include "tool/bisect.h"

#include <gtest/gtest.h>

#include "../soac/values.h"
#include "fuse/fuse.h"
#include "kernel/emulate.h"
#include "kernel/parse.h"
#include "kernel/print.h"
#include "soac/parse.h"
#include "tidy/dead.h"
#include "tidy/forward.h"
#include "tidy/passes.h"
#include "tidy/shared_layout.h"
#include "tidy/thread_forms.h"

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
  soac.body.results[0] = soac.body.results[0] + 0;
  soac.body.results[0] = soac.body.results[0] * soac.body.results[0];
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

// Adds twice where it should add once, if it may.
kernel::Kernel doubled(kernel::Kernel kernel, const kernel::PassOptions&) {
  kernel::Block& body = std::get<kernel::Par>(kernel.body[0].op).body;
  auto& store = std::get<kernel::Store>(std::get<kernel::Par>(body.back().op).body.back().op);
  store.value = store.value + store.value;
  return kernel;
}
const kernel::Pass doubles{
    .name = "doubles", .description = "a pass that is wrong", .run = doubled, .is_optional = true};

// What the emulator makes of a kernel after these passes.
KernelRunner emulator(std::vector<const kernel::Pass*> passes) {
  return [passes = std::move(passes)](kernel::PassContext& context) -> Outcome {
    kernel::Kernel made = kernel::parse(
        "kernel k(out y: i32[])\npar grid task < 1 {\n  par block t < 4 {\n    let u = t * 1\n"
        "    store y[t] = i32(u)\n  }\n}\n");
    made = tidy::run(passes, std::move(made), {}, context);
    std::vector<std::int32_t> y(4);
    const std::vector<kernel::BufferArgument> buffers = {{std::as_writable_bytes(std::span(y)), false}};
    kernel::emulate(made, buffers, {});
    return {soac::array_value<std::int32_t>(y)};
  };
}

TEST(Bisect, FindsTheKernelPass) {
  const Outcome expected = {soac::array_value<std::int32_t>({0, 1, 2, 3})};
  const auto culprit = bisect_kernels(
      expected, emulator({&tidy::thread_forms, &tidy::lay_out, &tidy::remove_dead, &doubles, &tidy::forward}),
      0);
  ASSERT_TRUE(culprit);
  EXPECT_EQ(culprit->gas, 3);
  EXPECT_EQ(culprit->difference, "element 1 of result 1 is 2 instead of 1");
  ASSERT_TRUE(culprit->application);
  EXPECT_EQ(culprit->application->pass, &doubles);
  EXPECT_NE(kernel::print(culprit->application->before), kernel::print(culprit->application->after));
  EXPECT_FALSE(bisect_kernels(expected, emulator({&tidy::thread_forms, &tidy::forward}), 0));
}

TEST(Bisect, FindsTheRewriteForASchedule) {
  scalar::Arena& arena = *program.arena;
  const soac::Stm before = program.body[0], after = program.body[1];
  const Outcome right = {soac::array_value<std::int32_t>({1})},
                wrong = {soac::array_value<std::int32_t>({2})};
  const RewriteRunner run = [&](const schedule::KeepsRewrite& keeps) {
    keeps(schedule::rewrite::pieces, before, before);
    const bool is_wrong = keeps(schedule::rewrite::narrow, before, after);
    keeps(schedule::rewrite::ascending, before, before);
    return is_wrong ? wrong : right;
  };
  const auto culprit = bisect_rewrites(arena, right, run, 0);
  ASSERT_TRUE(culprit);
  EXPECT_EQ(culprit->gas, 2);
  EXPECT_EQ(culprit->rewrite, &schedule::rewrite::narrow);
  EXPECT_EQ(culprit->difference, "element 0 of result 1 is 2 instead of 1");
  EXPECT_NE(culprit->before, culprit->after);
  EXPECT_FALSE(bisect_rewrites(arena, right, [&](const schedule::KeepsRewrite&) { return right; }, 0));
  EXPECT_EQ(bisect_rewrites(arena, right, [&](const schedule::KeepsRewrite&) { return wrong; }, 0)->gas, 0);
}

TEST(Bisect, AKernelThatIsWrongWithoutOptionalPasses) {
  const auto culprit =
      bisect_kernels({soac::array_value<std::int32_t>({1, 1, 2, 3})}, emulator({&tidy::thread_forms}), 0);
  ASSERT_TRUE(culprit);
  EXPECT_EQ(culprit->gas, 0);
  EXPECT_FALSE(culprit->application);
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
