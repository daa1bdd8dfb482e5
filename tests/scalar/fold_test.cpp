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
  EXPECT_EQ(n - c(1) - c(0), n - c(1));
  EXPECT_EQ(n + c(3) - c(4), n - c(1));
  EXPECT_EQ(n - c(14) - (c(1) - c(15)), n);
  EXPECT_EQ(n - m + m, n);
  EXPECT_EQ(n + m, m + n);
  EXPECT_EQ(n + m + i - (i + n), m);
  EXPECT_EQ((i + c(1)) * c(4), c(4) * i + c(4));
  EXPECT_EQ(n - n, c(0));
  EXPECT_EQ(n * c(0), c(0));
  EXPECT_EQ(n + n, n * c(2));
  EXPECT_EQ(a.apply(Op::neg, {n - m}), m - n);
}

TEST_F(FoldTest, QuotientAndRemainderJoin) {
  EXPECT_EQ(i / m * m + i % m, i);
  EXPECT_EQ(i / c(4) * c(4) + i % c(4), i);
  EXPECT_EQ((i + n) / m * m + (i + n) % m, i + n);
  EXPECT_EQ(i / c(1), i);
  EXPECT_EQ(i % c(1), c(0));
}

TEST_F(FoldTest, EqualitiesOfSums) {
  EXPECT_EQ(equal(n - c(1), m - c(1)), equal(n, m));
  EXPECT_EQ(equal(m, n), equal(n, m));
  EXPECT_TRUE(Expr(equal(n + c(1) - c(1), n)).is_constant(1));
  EXPECT_TRUE(Expr(equal(n + c(1), n)).is_constant(0));
  EXPECT_TRUE(Expr(differs(n, n)).is_constant(0));
  EXPECT_TRUE(Expr(n <= n).is_constant(1));
  EXPECT_TRUE(Expr(n < n).is_constant(0));
}

TEST_F(FoldTest, FailuresStay) {
  const Expr quotient = a.apply(Op::div, {n, m}, 7);
  EXPECT_TRUE(can_fail(quotient));
  EXPECT_TRUE(can_fail(quotient - quotient));
  EXPECT_TRUE(can_fail(quotient * c(0)));
  EXPECT_TRUE(can_fail(equal(quotient, quotient)));
  EXPECT_TRUE(can_fail(select(a.boolean(true), n, quotient)));
  EXPECT_TRUE(can_fail(a.apply(Op::div, {c(1), c(0)}, 7)));
  EXPECT_FALSE(can_fail(a.apply(Op::div, {n, c(3)}, 7)));
  EXPECT_EQ(a.apply(Op::div, {n, c(3)}, 7), n / c(3));
  EXPECT_EQ(a.apply(Op::ceil_div, {n, c(1)}, 7), n);
  EXPECT_EQ(a.apply(Op::ceil_div, {n, c(-1)}, 7), a.apply(Op::neg, {n}));
  EXPECT_EQ(a.apply(Op::ceil_div, {c(-7), c(2)}), c(-3));
  EXPECT_TRUE(can_fail(a.apply(Op::ceil_div, {n, m}, 7)));
}

TEST_F(FoldTest, FloatsKeepTheirBits) {
  EXPECT_EQ(x * f(1), x);
  EXPECT_EQ(x - f(0), x);
  EXPECT_EQ(x + f(-0.0f), x);
  EXPECT_NE(x + f(0), x);
  EXPECT_NE(x - f(-0.0f), x);
  EXPECT_FALSE(Expr(x - x).is_constant());
  EXPECT_FALSE(Expr(x * f(0)).is_constant());
  EXPECT_FALSE(Expr(equal(x, x)).is_constant());
  EXPECT_EQ(x / f(4), x * f(0.25f));
  EXPECT_NE(Expr(x / f(3)).op(), Op::mul);
  EXPECT_NE(Expr(x / f(0x1p-127f)).op(), Op::mul) << "the reciprocal is fine, the divisor is denormal";
  EXPECT_EQ(f(1) + f(2), f(3));
  EXPECT_EQ(a.apply(Op::exp, {f(1)}).op(), Op::exp) << "engines differ in the last bit";
  EXPECT_EQ(a.apply(Op::sqrt, {f(9)}), f(3));
  EXPECT_NE(x + y + f(1), x + (y + f(1))) << "not reassociated";
  EXPECT_NE(min(x, y), min(y, x)) << "equal zeros differ in sign";
}

TEST_F(FoldTest, Logic) {
  EXPECT_EQ(logical_not(logical_not(p)), p);
  EXPECT_EQ(logical_not(n < m), m <= n);
  EXPECT_EQ(Expr(logical_not(x < y)).op(), Op::bit_not) << "NaN";
  EXPECT_EQ(p & a.boolean(true), p);
  EXPECT_TRUE(Expr(p & a.boolean(false)).is_constant(0));
  EXPECT_TRUE(Expr(p & logical_not(p)).is_constant(0));
  EXPECT_TRUE(Expr(logical_not(p) | p).is_constant(1));
  EXPECT_EQ(select(p, a.boolean(true), a.boolean(false)), p);
  EXPECT_EQ(select(p, x, x), x);
  EXPECT_EQ(select(logical_not(p), x, y), select(p, y, x));
}

TEST_F(FoldTest, Casts) {
  EXPECT_EQ(cast(cast(k, Kind::i64), Kind::i32), k);
  EXPECT_EQ(cast(cast(k, Kind::f64), Kind::i32), k);
  EXPECT_EQ(cast(cast(k, Kind::f64), Kind::f32), cast(k, Kind::f32));
  EXPECT_NE(cast(cast(k, Kind::f64), Kind::i8), cast(k, Kind::i8)) << "saturates on the way";
  EXPECT_NE(cast(cast(k, Kind::f32), Kind::i32), k);
  EXPECT_EQ(cast(cast(n, Kind::i32), Kind::i8), cast(n, Kind::i8));
  EXPECT_EQ(cast(x, Kind::f32), x);
  for (Bits bit : {0u, 1u}) {  // whether a condition as a number is 1 is the condition
    const Expr number = cast(p, Kind::i32), wanted = a.constant(Kind::i32, bit);
    EXPECT_EQ(equal(number, wanted), bit != 0 ? p : logical_not(p));
    EXPECT_EQ(differs(number, wanted), bit != 0 ? logical_not(p) : p);
  }
}

TEST_F(FoldTest, SplatsMoveOutward) {
  EXPECT_EQ(splat(x, 16) + splat(y, 16), splat(x + y, 16));
  const Expr lanes = a.lane(Kind::i64, 8);
  EXPECT_EQ(lanes + splat(c(0), 8), lanes);
  EXPECT_EQ(any(splat(p, 8)), p);
}

TEST_F(FoldTest, NodesAreInterned) {
  EXPECT_EQ(x + y, y + x);
  EXPECT_EQ(a.i64(5), a.i64(5));
  EXPECT_NE(a.constant(Kind::i32, 5), a.i64(5));
  EXPECT_FALSE(a.constant(Kind::u64, ~std::uint64_t{0}).is_constant(-1));
  EXPECT_TRUE(a.i64(-1).is_constant(-1));
}

TEST_F(FoldTest, MisuseIsABug) {
  EXPECT_THROW((void)Expr(n + x), InternalError);
  EXPECT_THROW(a.apply(Op::exp, {n}), InternalError);
  EXPECT_THROW(a.apply(Op::add, {n}), InternalError);
  EXPECT_THROW(a.apply(Op::add, {n, n}, 3), InternalError);
  EXPECT_THROW((void)Expr(select(n, x, y)), InternalError);
  EXPECT_THROW((void)Expr(bitcast(x, Kind::i64)), InternalError);
  const Expr xs = a.fresh_array(Kind::f32, {n}, "xs");
  EXPECT_THROW(a.index(xs, std::vector<Expr>{i, i}), InternalError);
  EXPECT_THROW(a.index(n, std::vector<Expr>{i}), InternalError);
}

}  // namespace
}  // namespace fulgurite::scalar
