// Which indices determine every point around a read.
#include "fuse/repeats.h"

#include <gtest/gtest.h>

namespace fulgurite::fuse {
namespace {

using scalar::Expr;

TEST(Repeats, QuotientsAndRemaindersDetermineTheirDividends) {
  scalar::Arena arena;
  const Expr i = arena.fresh({}, "i"), j = arena.fresh({}, "j"), n = arena.fresh({}, "n"),
             m = arena.fresh({}, "m");
  const auto determine = [&](std::vector<Expr> indices) {
    return is_injective(arena, std::move(indices), {{i.var(), n}, {j.var(), m}});
  };
  const Expr three = arena.i64(3), five = arena.i64(5);
  EXPECT_TRUE(determine({i, j}));
  EXPECT_TRUE(determine({i / three, i % three, j}));
  EXPECT_TRUE(determine({i / three, i % three, j / five, j % five}));
  EXPECT_TRUE(determine({i % three, i / three, j / five, j % five}));
  EXPECT_FALSE(determine({i / three, i % three, j / five}));
  EXPECT_FALSE(determine({i / three, i % five, j}));
  EXPECT_FALSE(determine({i / three, j % three, j}));
}

}  // namespace
}  // namespace fulgurite::fuse
