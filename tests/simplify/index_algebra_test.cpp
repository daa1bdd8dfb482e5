// What index algebra takes from conditions.
#include "simplify/index_algebra.h"

#include <gtest/gtest.h>

namespace fulgurite::simplify {
namespace {

using scalar::Expr;

// 0 <= e < limit, where e and their difference are small multiples of a place; of large ones sums might
// overflow.
TEST(IndexAlgebra, ConditionsOfSmallMultiplesAreFacts) {
  scalar::Arena arena;
  const Expr i = arena.fresh({}, "i"), n = arena.fresh({}, "n"), m = arena.fresh({}, "m");
  const auto is_known = [&](std::int64_t factor, std::int64_t of_limit) {
    IndexAlgebra algebra(arena);
    algebra.range(i.var(), n);
    algebra.size(n.var());
    algebra.size(m.var());
    const Expr e = i * factor + 1000;
    const Expr limit = m + i * of_limit;
    const IndexAlgebra::Assumption holds(algebra, (0 <= e) & (e < limit));
    return algebra.is_below(e, limit);
  };
  for (const std::int64_t factor : {1, -1, 16, -16}) EXPECT_TRUE(is_known(factor, 0)) << factor;
  for (const std::int64_t factor : {17, -17}) EXPECT_FALSE(is_known(factor, 0)) << factor;
  EXPECT_TRUE(is_known(15, -1));
  EXPECT_TRUE(is_known(-15, 1));
  EXPECT_FALSE(is_known(16, -1));
  EXPECT_FALSE(is_known(-16, 1));
}

// The places of a window: i + l < n where i < n - k + 1 and l < k.
TEST(IndexAlgebra, SeveralFactsProveABound) {
  scalar::Arena arena;
  const Expr n = arena.fresh({}, "n"), k = arena.fresh({}, "k");
  const Expr i = arena.fresh({}, "i"), l = arena.fresh({}, "l");
  IndexAlgebra algebra(arena);
  algebra.size(n.var());
  algebra.size(k.var());
  algebra.range(i.var(), n - k + 1);
  algebra.range(l.var(), k);
  EXPECT_TRUE(algebra.is_below(i + l, n));
  EXPECT_FALSE(algebra.is_below(i + l + 1, n));
  EXPECT_FALSE(algebra.is_below(i + l, k));
}

// An index that was met elsewhere may have no value.
TEST(IndexAlgebra, RangesOfOtherIndicesProveNothing) {
  scalar::Arena arena;
  const Expr n = arena.fresh({}, "n"), m = arena.fresh({}, "m");
  const Expr i = arena.fresh({}, "i"), j = arena.fresh({}, "j");
  IndexAlgebra algebra(arena);
  algebra.range(i.var(), n);
  algebra.range(j.var(), m);
  EXPECT_FALSE(algebra.is_below(arena.i64(0), m));
  EXPECT_TRUE(algebra.is_below(j, m));
}

// A number that need not be a size: where a point of n - w + 1 runs, i + w is at most n.
TEST(IndexAlgebra, WindowsOfAnyWidth) {
  scalar::Arena arena;
  const Expr n = arena.fresh({}, "n"), w = arena.fresh({}, "w");
  const Expr i = arena.fresh({}, "i"), l = arena.fresh({}, "l");
  IndexAlgebra algebra(arena);
  algebra.size(n.var());
  algebra.range(i.var(), n - w + 1);
  EXPECT_TRUE(algebra.simpler(i + w <= n).is_constant(1));
  EXPECT_FALSE(algebra.simpler(i + w + 1 <= n).is_constant(1));
  EXPECT_FALSE(algebra.simpler(i <= i + w).is_constant(1));
  EXPECT_EQ(algebra.simpler((i + w <= n) & (i <= i + w) & (0 <= i)), Expr(0 <= w));
  // w might be negative.
  EXPECT_FALSE(algebra.is_below(i + w, n + 1));
  algebra.range(l.var(), w);
  EXPECT_TRUE(algebra.is_below(i + l, n));
  EXPECT_FALSE(algebra.is_below(i + l + 1, n));
}

// With w near the greatest i64, n - w - 2 wraps around to a large extent.
TEST(IndexAlgebra, ExtentsThatMayWrapAroundAreNoFacts) {
  scalar::Arena arena;
  const Expr n = arena.fresh({}, "n"), w = arena.fresh({}, "w"), i = arena.fresh({}, "i");
  const auto is_known = [&](std::int64_t more) {
    IndexAlgebra algebra(arena);
    algebra.size(n.var());
    algebra.range(i.var(), n - w + more);
    return algebra.simpler(i + w <= n + more).is_constant(1);
  };
  EXPECT_TRUE(is_known(1));
  EXPECT_TRUE(is_known(-1));
  EXPECT_FALSE(is_known(-2));
}

// That w is the extent of what runs in one place says nothing of other places.
TEST(IndexAlgebra, SizesAreForgottenWithTheirScope) {
  scalar::Arena arena;
  const Expr n = arena.fresh({}, "n"), w = arena.fresh({}, "w");
  const Expr i = arena.fresh({}, "i"), j = arena.fresh({}, "j");
  IndexAlgebra algebra(arena);
  algebra.size(n.var());
  algebra.range(i.var(), n - w);
  {
    const IndexAlgebra::Scope inner(algebra);
    algebra.range(j.var(), w);
    EXPECT_TRUE(algebra.is_below(i + w, n));
  }
  EXPECT_FALSE(algebra.is_below(i + w, n));
}

// The trips of a loop may be any number; four times 2^62 is 0.
TEST(IndexAlgebra, TripsAreNoSizes) {
  scalar::Arena arena;
  const Expr n = arena.fresh({}, "n"), w = arena.fresh({}, "w");
  const Expr i = arena.fresh({}, "i"), k = arena.fresh({}, "k");
  IndexAlgebra algebra(arena);
  algebra.size(n.var());
  algebra.iterations(k.var(), w);
  algebra.range(i.var(), n - w * 4);
  EXPECT_FALSE(algebra.is_below(i + w * 3, n));
  // The loop may have no iterations, with w below 0.
  EXPECT_FALSE(algebra.simpler(0 <= w).is_constant(1));
}

// 2 * j + k < n where j < n / 2 and k < 2; i / 2 < n where i < 2 * n.
TEST(IndexAlgebra, QuotientsByConstants) {
  scalar::Arena arena;
  const Expr n = arena.fresh({}, "n"), i = arena.fresh({}, "i");
  const Expr j = arena.fresh({}, "j"), k = arena.fresh({}, "k");
  const Expr half = arena.apply(scalar::Op::div, {n, arena.i64(2)});
  IndexAlgebra algebra(arena);
  algebra.size(n.var());
  algebra.range(j.var(), half);
  algebra.range(k.var(), arena.i64(2));
  algebra.range(i.var(), n * 2);
  EXPECT_TRUE(algebra.is_below(j * 2 + k, n));
  EXPECT_FALSE(algebra.is_below(j * 2 + k + 1, n));
  EXPECT_TRUE(algebra.is_below(arena.apply(scalar::Op::div, {i, arena.i64(2)}), n));
  EXPECT_FALSE(algebra.is_below(arena.apply(scalar::Op::div, {i + 1, arena.i64(2)}), n));
}

// That q * 2 <= n - 1, for q = (n - 1) / 2, says nothing of whether n - 1 is negative.
TEST(IndexAlgebra, DividendsThatMayBeNegative) {
  scalar::Arena arena;
  const Expr n = arena.fresh({}, "n"), j = arena.fresh({}, "j");
  const Expr half = arena.apply(scalar::Op::div, {n - 1, arena.i64(2)});
  IndexAlgebra algebra(arena);
  algebra.size(n.var());
  algebra.range(j.var(), half);
  const IndexAlgebra::Assumption holds(algebra, half * 2 <= n - 1);
  EXPECT_FALSE(algebra.simpler(0 <= n - 1).is_constant(1));
}

// i < n for an element i of another array, inside of a condition that says so.
TEST(IndexAlgebra, ConditionsOfElements) {
  scalar::Arena arena;
  const Expr n = arena.fresh({}, "n"), i = arena.fresh({}, "i");
  const Expr xs = arena.fresh_array(scalar::Kind::i64, {n}, "xs");
  const Expr at = arena.index(xs, {&i, 1});
  IndexAlgebra algebra(arena);
  algebra.range(i.var(), n);
  EXPECT_FALSE(algebra.is_below(at, n));
  const IndexAlgebra::Assumption holds(algebra, (0 <= at) & (at < n));
  EXPECT_TRUE(algebra.is_below(at, n));
  EXPECT_FALSE(algebra.is_below(at + 1, n));
}

}  // namespace
}  // namespace fulgurite::simplify
