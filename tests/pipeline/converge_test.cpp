// Which loops end on the device, and what their plans look like.
#include <fulgurite/fulgurite.h>
#include <gtest/gtest.h>

#include "pipeline.h"
#include "plan/text.h"
#include "trace/traced.h"

namespace fulgurite {
namespace {

template <class F>
lower::Lowered lowered(F f, Engine engine) {
  return pipeline::compile(compile(f, {.engine = Engine::interpreter}).traced()->program(),
                           {.engine = engine})
      .lowered;
}

int count(const std::string& text, std::string_view part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

struct Loops {
  int n_while = 0, n_converge = 0, n_fetch = 0;  // in the plan
  bool operator==(const Loops&) const = default;
};
void PrintTo(const Loops& l, std::ostream* to) {
  *to << l.n_while << " while, " << l.n_converge << " converge, " << l.n_fetch << " fetch";
}

template <class F>
Loops loops_of(F f, Engine engine = Engine::emulator) {
  const lower::Lowered all = lowered(f, engine);
  EXPECT_EQ(all.kernels.size(), all.plan.kernels.size());
  EXPECT_EQ(all.kernels.size(), all.notes.size());
  for (std::size_t k = 0; k < all.notes.size(); ++k)
    EXPECT_EQ(all.notes[k].kernel, static_cast<std::int32_t>(k));
  const std::string text = plan::print(all.plan, false);
  EXPECT_EQ(count(text, " launch "), static_cast<int>(all.kernels.size())) << text;
  return {count(text, " while\n"), count(text, " converge\n"), count(text, " fetch ")};
}

std::tuple<Vec<float>, Exp<float>> relaxed(Vec<float> x, Exp<float> limit) {
  return while_loop([=](Vec<float>, Exp<float> change) { return change > limit; },
                    [](Vec<float> v, Exp<float>) {
                      auto next = stencil([](auto w) { return 0.5f * (w(-1) + w(1)); }, boundary::clamp, v);
                      return std::tuple{next, max(abs(next - v))};
                    },
                    x, 1.0f);
}

TEST(Converge, WhatTheDataDecideTheDeviceDecides) {
  EXPECT_EQ(loops_of(relaxed), (Loops{0, 1, 1}));  // the last change is a result
  // The host reads the device's memory.
  EXPECT_EQ(loops_of(relaxed, Engine::cpu), (Loops{1, 0, 1}));
}

TEST(Converge, WhatTheHostKnowsItDecides) {
  const auto f = [](Vec<float> x, Exp<int> n) {
    return std::get<0>(while_loop([&](Vec<float>, Exp<int> k) { return k < n; },
                                  [](Vec<float> v, Exp<int> k) { return std::tuple{v / sum(v), k + 1}; }, x,
                                  0));
  };
  EXPECT_EQ(loops_of(f), (Loops{1, 0, 0}));
}

TEST(Converge, SizesAreTheHosts) {
  const auto f = [](Vec<int> x) {
    return while_loop([](Vec<int> v) { return sum(v) > 10; },
                      [](Vec<int> v) { return filter([](Exp<int> a) { return a > 0; }, v - 1); }, x);
  };
  EXPECT_EQ(loops_of(f), (Loops{1, 0, 2}));  // the condition and how many are left
}

TEST(Converge, OfTwoLoopsTheInner) {
  const auto f = [](Vec<float> x) {
    return while_loop([](Vec<float> v) { return sum(v) > 1.0f; },
                      [](Vec<float> v) { return std::get<0>(relaxed(v * 0.5f, sum(v))); }, x);
  };
  EXPECT_EQ(loops_of(f), (Loops{1, 1, 1}));
}

TEST(Converge, BranchesOfTheHostMayBeInside) {
  const auto f = [](Vec<float> x, Exp<bool> twice) {
    return while_loop(
        [](Vec<float> v) { return sum(v) > 1.0f; },
        [&](Vec<float> v) {
          auto half = v * 0.5f;
          return cond(
              twice, [&] { return iterate(2, [](Vec<float> w) { return scan(plus, 0.0f, w); }, half); },
              half);
        },
        x);
  };
  EXPECT_EQ(loops_of(f), (Loops{1, 1, 0}));
}

}  // namespace
}  // namespace fulgurite
