// Formulas become nodes from left to right, and numbers constants of what stands beside them.
#include "scalar/formula.h"

#include <gtest/gtest.h>

#include "scalar/value.h"

namespace fulgurite::scalar {
namespace {

class FormulaTest : public testing::Test {
 protected:
  Arena a;
  Expr x = a.fresh({Kind::i64}, "x"), y = a.fresh({Kind::i64}, "y"), f = a.fresh({Kind::f32}, "f");
};

TEST_F(FormulaTest, OperandsAreMadeFromLeftToRight) {
  const Expr sum = y * 5 + x * 7;
  EXPECT_LT(Expr(y * 5).id(), Expr(x * 7).id());
  EXPECT_EQ(sum, x * 7 + y * 5);
  const Expr chosen = select(y < 8, min(x, 9), max(x, 10));
  EXPECT_LT(Expr(y < 8).id(), Expr(min(x, 9)).id());
  EXPECT_LT(Expr(min(x, 9)).id(), Expr(max(x, 10)).id());
  EXPECT_EQ(chosen.op(), Op::select);
  const Expr both = equal(cast(y, Kind::i32), 3) & equal(cast(x, Kind::i32), 3);
  EXPECT_EQ(both.arg(0), equal(cast(y, Kind::i32), 3));
}

TEST_F(FormulaTest, OperatorsAreTheOperationsOfTheirNames) {
  EXPECT_EQ(x - y, a.apply(Op::sub, {x, y}));
  EXPECT_EQ(x / y, a.apply(Op::div, {x, y}));
  EXPECT_EQ(x % y, a.apply(Op::rem, {x, y}));
  EXPECT_EQ(x << y, a.apply(Op::shl, {x, y}));
  EXPECT_EQ(x >> y, a.apply(Op::shr, {x, y}));
  EXPECT_EQ(x | y, a.apply(Op::bit_or, {x, y}));
  EXPECT_EQ(x <= y, a.apply(Op::le, {x, y}));
  EXPECT_EQ(differs(x, y), a.apply(Op::ne, {x, y}));
  EXPECT_EQ(logical_not(x < y), a.apply(Op::bit_not, {a.apply(Op::lt, {x, y})}));
}

TEST_F(FormulaTest, NumbersAreOfTheKindBesideThem) {
  EXPECT_EQ(f * 2, f * a.constant(Kind::f32, to_bits(2.f)));
  EXPECT_EQ(1 - x, a.i64(1) - x);
  EXPECT_EQ(select(x < y, 0, f), select(x < y, a.constant(Kind::f32, 0), f));
  EXPECT_EQ(select(x < y, f, 0), select(x < y, f, a.constant(Kind::f32, 0)));
  const Expr lanes = splat(x, 4);
  EXPECT_EQ(lanes + 1, lanes + splat(a.i64(1), 4));
}

}  // namespace
}  // namespace fulgurite::scalar
