// Smart constructors: what they fold, that folding changes no bit and hides no failure.
#include <fulgurite/error.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "random_expr.h"
#include "scalar/print.h"

namespace fulgurite::scalar {
namespace {

TEST(Fold, PropertyChangesNoBit) {
  const bool held = rc::check("folded and unfolded expressions agree", [] {
    Arena arena;
    test::RandomExprs random(arena, *rc::gen::arbitrary<std::uint64_t>());
    for (int i = 0; i < 120; ++i) random.grow(true);
    for (int sample = 0; sample < 4; ++sample) {
      std::unordered_map<Var, Bits> values;
      for (Expr v : random.vars) values[v.var()] = random.value(v.kind());
      for (const test::Pair& p : random.pool) {
        const test::Outcome exact = test::evaluate_all(p.exact, values),
                            folded = test::evaluate_all(p.folded, values);
        const std::string texts = describe(arena, p.exact) + "  ->  " + describe(arena, p.folded);
        if (exact.failed != folded.failed) RC_FAIL("failure lost or invented: " + texts);
        // A value that failed means nothing; bits of a NaN that were looked into by bitcast cannot occur:
        // none is drawn.
        if (!exact.failed && !test::same(p.exact.kind(), exact.bits, folded.bits))
          RC_FAIL("another value: " + texts);
      }
    }
  });
  EXPECT_TRUE(held);
}

class FoldTest : public testing::Test {
 protected:
  Arena a;
  Expr n = a.fresh({}, "n"), m = a.fresh({}, "m"), i = a.fresh({}, "i");
  Expr x = a.fresh({Kind::f32, 0, 1}, "x"), y = a.fresh({Kind::f32, 0, 1}, "y");
  Expr k = a.fresh({Kind::i32, 0, 1}, "k");
  Expr p = a.fresh({Kind::boolean, 0, 1}, "p"), q = a.fresh({Kind::boolean, 0, 1}, "q");

  Expr c(std::int64_t v) { return a.i64(v); }
  Expr f(float v) { return a.constant(Kind::f32, to_bits(v)); }
  std::string text(Expr e) { return describe(a, e); }
};

TEST_F(FoldTest, SizesMeet) {
  EXPECT_EQ(a.sub(a.sub(n, c(1)), c(0)), a.sub(n, c(1)));
  EXPECT_EQ(a.sub(a.add(n, c(3)), c(4)), a.sub(n, c(1)));
  EXPECT_EQ(a.sub(a.sub(n, c(14)), a.sub(c(1), c(15))), n);
  EXPECT_EQ(a.add(a.sub(n, m), m), n);
  EXPECT_EQ(a.add(n, m), a.add(m, n));
  EXPECT_EQ(a.sub(a.add(a.add(n, m), i), a.add(i, n)), m);
  EXPECT_EQ(a.mul(a.add(i, c(1)), c(4)), a.add(a.mul(c(4), i), c(4)));
  EXPECT_EQ(a.sub(n, n), c(0));
  EXPECT_EQ(a.mul(n, c(0)), c(0));
  EXPECT_EQ(a.add(n, n), a.mul(n, c(2)));
  EXPECT_EQ(a.apply(Op::neg, {a.sub(n, m)}), a.sub(m, n));
}

TEST_F(FoldTest, QuotientAndRemainderJoin) {
  EXPECT_EQ(a.add(a.mul(a.div(i, m), m), a.rem(i, m)), i);
  EXPECT_EQ(a.add(a.mul(a.div(i, c(4)), c(4)), a.rem(i, c(4))), i);
  EXPECT_EQ(a.add(a.mul(a.div(a.add(i, n), m), m), a.rem(a.add(i, n), m)), a.add(i, n));
  EXPECT_EQ(a.div(i, c(1)), i);
  EXPECT_EQ(a.rem(i, c(1)), c(0));
}

TEST_F(FoldTest, EqualitiesOfSums) {
  EXPECT_EQ(a.eq(a.sub(n, c(1)), a.sub(m, c(1))), a.eq(n, m));
  EXPECT_EQ(a.eq(m, n), a.eq(n, m));
  EXPECT_TRUE(a.eq(a.sub(a.add(n, c(1)), c(1)), n).is_constant(1));
  EXPECT_TRUE(a.eq(a.add(n, c(1)), n).is_constant(0));
  EXPECT_TRUE(a.apply(Op::ne, {n, n}).is_constant(0));
  EXPECT_TRUE(a.le(n, n).is_constant(1));
  EXPECT_TRUE(a.lt(n, n).is_constant(0));
}

TEST_F(FoldTest, FailuresStay) {
  const Expr quotient = a.apply(Op::div, {n, m}, 7);
  EXPECT_TRUE(can_fail(quotient));
  EXPECT_TRUE(can_fail(a.sub(quotient, quotient)));
  EXPECT_TRUE(can_fail(a.mul(quotient, c(0))));
  EXPECT_TRUE(can_fail(a.eq(quotient, quotient)));
  EXPECT_TRUE(can_fail(a.apply(Op::select, {a.boolean(true), n, quotient})));
  EXPECT_TRUE(can_fail(a.apply(Op::div, {c(1), c(0)}, 7)));
  EXPECT_FALSE(can_fail(a.apply(Op::div, {n, c(3)}, 7)));
  EXPECT_EQ(a.apply(Op::div, {n, c(3)}, 7), a.div(n, c(3)));
  EXPECT_EQ(a.apply(Op::ceil_div, {n, c(1)}, 7), n);
  EXPECT_EQ(a.apply(Op::ceil_div, {n, c(-1)}, 7), a.apply(Op::neg, {n}));
  EXPECT_EQ(a.apply(Op::ceil_div, {c(-7), c(2)}), c(-3));
  EXPECT_TRUE(can_fail(a.apply(Op::ceil_div, {n, m}, 7)));
}

TEST_F(FoldTest, FloatsKeepTheirBits) {
  EXPECT_EQ(a.mul(x, f(1)), x);
  EXPECT_EQ(a.sub(x, f(0)), x);
  EXPECT_EQ(a.add(x, f(-0.0f)), x);
  EXPECT_NE(a.add(x, f(0)), x);
  EXPECT_NE(a.sub(x, f(-0.0f)), x);
  EXPECT_FALSE(a.sub(x, x).is_constant());
  EXPECT_FALSE(a.mul(x, f(0)).is_constant());
  EXPECT_FALSE(a.eq(x, x).is_constant());
  EXPECT_EQ(a.div(x, f(4)), a.mul(x, f(0.25f)));
  EXPECT_NE(a.div(x, f(3)).op(), Op::mul);
  EXPECT_NE(a.div(x, f(0x1p-127f)).op(), Op::mul) << "the reciprocal is fine, the divisor is denormal";
  EXPECT_EQ(a.add(f(1), f(2)), f(3));
  EXPECT_EQ(a.apply(Op::exp, {f(1)}).op(), Op::exp) << "engines differ in the last bit";
  EXPECT_EQ(a.apply(Op::sqrt, {f(9)}), f(3));
  EXPECT_NE(a.add(a.add(x, y), f(1)), a.add(x, a.add(y, f(1)))) << "not reassociated";
  EXPECT_NE(a.min(x, y), a.min(y, x)) << "equal zeros differ in sign";
}

TEST_F(FoldTest, Logic) {
  EXPECT_EQ(a.logical_not(a.logical_not(p)), p);
  EXPECT_EQ(a.logical_not(a.lt(n, m)), a.le(m, n));
  EXPECT_EQ(a.logical_not(a.lt(x, y)).op(), Op::bit_not) << "NaN";
  EXPECT_EQ(a.logical_and(p, a.boolean(true)), p);
  EXPECT_TRUE(a.logical_and(p, a.boolean(false)).is_constant(0));
  EXPECT_TRUE(a.logical_and(p, a.logical_not(p)).is_constant(0));
  EXPECT_TRUE(a.apply(Op::bit_or, {a.logical_not(p), p}).is_constant(1));
  EXPECT_EQ(a.apply(Op::select, {p, a.boolean(true), a.boolean(false)}), p);
  EXPECT_EQ(a.apply(Op::select, {p, x, x}), x);
  EXPECT_EQ(a.apply(Op::select, {a.logical_not(p), x, y}), a.apply(Op::select, {p, y, x}));
}

TEST_F(FoldTest, Casts) {
  EXPECT_EQ(a.cast(a.cast(k, Kind::i64), Kind::i32), k);
  EXPECT_EQ(a.cast(a.cast(k, Kind::f64), Kind::i32), k);
  EXPECT_EQ(a.cast(a.cast(k, Kind::f64), Kind::f32), a.cast(k, Kind::f32));
  EXPECT_NE(a.cast(a.cast(k, Kind::f64), Kind::i8), a.cast(k, Kind::i8)) << "saturates on the way";
  EXPECT_NE(a.cast(a.cast(k, Kind::f32), Kind::i32), k);
  EXPECT_EQ(a.cast(a.cast(n, Kind::i32), Kind::i8), a.cast(n, Kind::i8));
  EXPECT_EQ(a.cast(x, Kind::f32), x);
  for (Bits bit : {0, 1}) {  // whether a condition as a number is 1 is the condition
    const Expr number = a.cast(p, Kind::i32), wanted = a.constant(Kind::i32, bit);
    EXPECT_EQ(a.eq(number, wanted), bit != 0 ? p : a.apply(Op::bit_not, {p}));
    EXPECT_EQ(a.apply(Op::ne, {number, wanted}), bit != 0 ? a.apply(Op::bit_not, {p}) : p);
  }
}

TEST_F(FoldTest, SplatsMoveOutward) {
  EXPECT_EQ(a.add(a.splat(x, 16), a.splat(y, 16)), a.splat(a.add(x, y), 16));
  const Expr lanes = a.lane(Kind::i64, 8);
  EXPECT_EQ(a.add(lanes, a.splat(c(0), 8)), lanes);
  EXPECT_EQ(a.any(a.splat(p, 8)), p);
}

TEST_F(FoldTest, NodesAreInterned) {
  EXPECT_EQ(a.add(x, y), a.add(y, x));
  EXPECT_EQ(a.i64(5), a.i64(5));
  EXPECT_NE(a.constant(Kind::i32, 5), a.i64(5));
  EXPECT_FALSE(a.constant(Kind::u64, ~std::uint64_t{0}).is_constant(-1));
  EXPECT_TRUE(a.i64(-1).is_constant(-1));
}

TEST_F(FoldTest, MisuseIsABug) {
  EXPECT_THROW(a.add(n, x), InternalError);
  EXPECT_THROW(a.apply(Op::exp, {n}), InternalError);
  EXPECT_THROW(a.apply(Op::add, {n}), InternalError);
  EXPECT_THROW(a.apply(Op::add, {n, n}, 3), InternalError);
  EXPECT_THROW(a.apply(Op::select, {n, x, y}), InternalError);
  EXPECT_THROW(a.bitcast(x, Kind::i64), InternalError);
  const Expr xs = a.fresh_array(Kind::f32, {n}, "xs");
  EXPECT_THROW(a.index(xs, std::vector<Expr>{i, i}), InternalError);
  EXPECT_THROW(a.index(n, std::vector<Expr>{i}), InternalError);
}

}  // namespace
}  // namespace fulgurite::scalar
