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

}  // namespace
}  // namespace fulgurite::simplify
