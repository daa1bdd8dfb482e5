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

}  // namespace
}  // namespace fulgurite::simplify
