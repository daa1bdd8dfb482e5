// What tracing records of branches and loops over arrays, of joined arrays, stencils, sorts and folds of
// slices: which extents are state, and where the branches stand. Their results are the business of
// tests/public.
#include <fulgurite/fulgurite.h>

#include <gtest/gtest.h>

#include "soac/check.h"
#include "soac/count.h"
#include "soac/print.h"
#include "trace/traced.h"

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec, fg::i64;
using fg::soac::If, fg::soac::Loop, fg::soac::Soac, fg::soac::Sort, fg::soac::Stm;

namespace {

template <class F>
fg::soac::Program traced(F f) {
  fg::soac::Program program = fg::detail::trace("p", fg::detail::make_traceable(std::move(f)), nullptr, false,
                                                fg::detail::Here::current())
                                  ->program();
  fg::soac::check(program, "trace");
  return program;
}

// The only statement of its kind at the top of the program.
template <class Operation>
const Operation& only(const fg::soac::Program& program) {
  const Operation* found = nullptr;
  for (const Stm& stm : program.body)
    if (const auto* operation = std::get_if<Operation>(&stm.op)) {
      EXPECT_EQ(found, nullptr) << "two of them in\n" << fg::soac::print(program);
      found = operation;
    }
  if (found == nullptr) ADD_FAILURE() << "none in\n" << fg::soac::print(program);
  static const Operation none{};
  return found == nullptr ? none : *found;
}

TEST(TracedControl, ExtentsThatNeverChangeAreNotState) {
  const auto steady = traced([](Mat<float> u, Exp<int> n) {
    return fg::iterate(
        n, [](Mat<float> v, Exp<int> k) { return std::tuple{fg::transpose(fg::transpose(v)) * 2.0f, k + 1}; },
        u, 0);
  });
  EXPECT_EQ(only<Loop>(steady).initial.size(), 2U);
  const auto rows_kept = traced([](Mat<float> u, Exp<int> n) {
    return fg::iterate(n, [](Mat<float> v) { return fg::concat(fg::axis(1), v, v); }, u);
  });
  EXPECT_EQ(only<Loop>(rows_kept).initial.size(), 2U) << "the columns, the matrix";
  const auto joined_again = traced([](Vec<float> u, Exp<int> n) {
    return fg::iterate(n, [](Vec<float> v) { return fg::concat(fg::drop(v, 1), fg::take(v, 1)); }, u);
  });
  EXPECT_EQ(only<Loop>(joined_again).initial.size(), 1U);
}

TEST(TracedControl, ExtentsMayChangePlaces) {
  const auto swap = [](auto a, auto b) { return std::tuple{b, a}; };
  const auto equal = traced([&](Vec<int> x, Exp<int> n) {
    auto [a, b] = fg::iterate(n, [&](Vec<int> p, Vec<int> q) { return swap(p, q); }, x, x + 1);
    return a + b;
  });
  EXPECT_EQ(only<Loop>(equal).initial.size(), 2U) << "both have the size of x for ever";
  const auto different = traced([&](Vec<int> x, Vec<int> y, Exp<int> n) {
    auto [a, b] = fg::iterate(n, [&](Vec<int> p, Vec<int> q) { return swap(p, q); }, x, y);
    return fg::sum(a) - fg::sum(b);
  });
  EXPECT_EQ(only<Loop>(different).initial.size(), 4U);
}

TEST(TracedControl, ComponentsShareTheirExtents) {
  using Pair = std::tuple<int, float>;
  const auto program = traced([](Vec<Pair> x) {
    return fg::while_loop([](Vec<Pair> v) { return v.size() > 3; },
                          [](Vec<Pair> v) { return fg::drop(v, 2); }, x);
  });
  const Loop& loop = only<Loop>(program);
  EXPECT_EQ(loop.initial.size(), 3U);
  EXPECT_EQ(loop.condition.params.size(), 3U);
  EXPECT_EQ(loop.body.results.size(), 3U);
}

TEST(TracedControl, BranchesOfOneSizeNeedNoExtent) {
  const auto same = traced([](Exp<bool> c, Vec<int> x) { return fg::cond(c, [&] { return x + 1; }, x); });
  EXPECT_EQ(only<If>(same).then_branch.results.size(), 1U);
  const auto other = traced([](Exp<bool> c, Vec<int> x, Vec<int> y) { return fg::cond(c, x, y); });
  EXPECT_EQ(only<If>(other).then_branch.results.size(), 2U);
}

TEST(TracedArrange, OneMapWithABranchForEachArrayButOne) {
  const auto program = traced([](Vec<int> x, Vec<int> y, Vec<int> z) { return fg::concat(x, y, z); });
  const fg::soac::Counts counts = fg::soac::count(program);
  EXPECT_EQ(counts.soac, 1);
  EXPECT_EQ(counts.branch, 2);
  EXPECT_EQ(counts.check, 0);
}

TEST(TracedStencil, OneMapWithOneBranch) {
  const auto five = [](auto u) { return u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1); };
  const auto clamped = traced([&](Mat<float> m) { return fg::stencil(five, fg::boundary::clamp, m); });
  EXPECT_EQ(fg::soac::count(clamped).soac, 1);
  EXPECT_EQ(fg::soac::count(clamped).branch, 1);
  // Four neighbours, each of which may be the one outside.
  const auto zero = traced([&](Mat<float> m) { return fg::stencil(five, fg::boundary::constant(0.0f), m); });
  EXPECT_EQ(fg::soac::count(zero).branch, 5);
}

TEST(TracedSort, OneStatementForEachComponentOfTheKey) {
  const auto program = traced([](Vec<double> x) { return fg::sort(x); });
  const Sort& sort = only<Sort>(program);
  EXPECT_EQ(sort.arrays.size(), 1U);
  EXPECT_EQ(sort.key.results.at(0).kind(), fg::scalar::Kind::u64);
  const auto bytes = traced([](Vec<fg::u8> x, Vec<double> y) { return std::get<1>(fg::sort_by_key(x, y)); });
  EXPECT_EQ(only<Sort>(bytes).arrays.size(), 2U);
  const auto pairs = traced([](Vec<std::tuple<fg::i8, float>> x) { return fg::sort(x); });
  EXPECT_EQ(fg::soac::count(pairs).sort, 2);
}

TEST(TracedSort, ComparisonsOfAKeyAreRadixSorts) {
  const auto sorted = [](auto less) {
    return fg::soac::count(traced([less](Vec<float> x) { return fg::sort(less, x); }));
  };
  EXPECT_EQ(sorted([](Exp<float> a, Exp<float> b) { return a < b; }).sort, 1);
  EXPECT_EQ(sorted([](Exp<float> a, Exp<float> b) { return b * b < a * a; }).sort, 1);
  EXPECT_EQ(sorted([](Exp<float> a, Exp<float> b) { return a < b * 2.0f; }).sort, 0);
  EXPECT_EQ(sorted([](Exp<float> a, Exp<float> b) { return a <= b; }).sort, 0);
  EXPECT_EQ(sorted([](Exp<float> a, Exp<float> b) { return a < b && a * a < b * b; }).sort, 0);
}

TEST(TracedSlices, ElementwiseOperatorsChangePlacesWithTheFold) {
  const auto fold = [](auto op) {
    return traced([op](Mat<float> m) { return fg::reduce(op, fg::replicate(m.size(1), 0.0f), fg::rows(m)); });
  };
  const auto sum = fold([](Vec<float> a, Vec<float> b) { return b + a; });
  EXPECT_EQ(fg::soac::count(sum).loop, 0);
  EXPECT_NE(fg::soac::print(sum).find("reduce add comm"), std::string::npos) << fg::soac::print(sum);
  const auto two_steps = fold([](Vec<float> a, Vec<float> b) { return a * 0.5f + fg::sqrt(b); });
  EXPECT_EQ(fg::soac::count(two_steps).loop, 0);
  const auto weighted =
      fold([](Vec<float> a, Vec<float> b) { return a + b * fg::cast<float>(fg::iota(a.size())); });
  EXPECT_EQ(fg::soac::count(weighted).loop, 0) << "an operator for each place";
  const auto turned = fold([](Vec<float> a, Vec<float> b) { return fg::reverse(a) + b; });
  EXPECT_EQ(only<Loop>(turned).initial.size(), 1U);
  const auto dependent = fold([](Vec<float> a, Vec<float> b) { return a * fg::sum(b); });
  EXPECT_EQ(fg::soac::count(dependent).loop, 1);
}

TEST(TracedSlices, ScansByOneOperatorAreScansAlongTheAxis) {
  const auto program = traced([](fg::Acc<int, 3> x) {
    const auto zeros = fg::replicate({x.size(0), x.size(2)}, 0);
    return fg::scan([](Mat<int> a, Mat<int> b) { return a + b; }, zeros, fg::slices(x, fg::axis(1)));
  });
  EXPECT_EQ(fg::soac::count(program).loop, 0);
  EXPECT_EQ(fg::soac::count(program).scan, 1);
}

}  // namespace
