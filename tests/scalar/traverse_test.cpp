// Traversals: substitution, affine forms; expressions of ten thousand levels.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "random_expr.h"

namespace fulgurite::scalar {
namespace {

TEST(Traverse, SubstituteRefolds) {
  Arena a;
  const Expr n = a.fresh({}, "n"), m = a.fresh({}, "m");
  const Expr e = n - m + 3;
  EXPECT_EQ(substitute(a, e, {{n.var(), m}}), a.i64(3));
  EXPECT_EQ(substitute(a, e, {}), e);
  EXPECT_TRUE(mentions(e, n.var()));
  EXPECT_FALSE(mentions(substitute(a, e, {{n.var(), a.i64(1)}}), n.var()));
}

TEST(Traverse, SubstitutionAsksBeforeItLooksInside) {
  Arena a;
  const Expr n = a.fresh({}, "n"), i = a.fresh({}, "i");
  const Expr xs = a.fresh_array(Kind::f32, {n}, "xs"), ys = a.fresh_array(Kind::f32, {n}, "ys");
  auto at = [&](Expr array, Expr k) { return a.index(array, std::span(&k, 1)); };
  // xs[k] -> ys[k] * 2, where k holds an xs of its own.
  const Expr inner = cast(at(xs, i), Kind::i64);
  Substitution replace(a, [&](Expr e) -> Expr {
    if (e.op() != Op::index || e.arg(0) != xs) return {};
    return at(ys, e.arg(1)) * a.constant(Kind::f32, to_bits(2.f));
  });
  EXPECT_EQ(replace(at(xs, i)), at(ys, i) * a.constant(Kind::f32, to_bits(2.f)));
  EXPECT_EQ(replace(at(xs, inner)), at(ys, inner) * a.constant(Kind::f32, to_bits(2.f)))
      << "the replacement is final";
}

TEST(Traverse, VisitsEachNodeOnceChildrenFirst) {
  Arena a;
  Expr e = a.fresh({Kind::f32, 0, 1}, "x");
  for (int i = 0; i < 50; ++i) e = e + e;  // 2^50 paths
  int n_visits = 0;
  std::uint32_t last = 0;
  for_each_node(std::span(&e, 1), [&](Expr node) {
    EXPECT_TRUE(n_visits == 0 || node.id() > last);
    last = node.id();
    ++n_visits;
  });
  EXPECT_EQ(n_visits, 51);
}

TEST(Traverse, TenThousandLevels) {
  Arena a;
  const Expr x = a.fresh({Kind::f32, 0, 1}, "x"), y = a.fresh({Kind::f32, 0, 1}, "y");
  Expr left = x, right = x;
  for (int i = 0; i < 10000; ++i) {
    const Expr term = a.fresh({Kind::f32, 0, 1}, "t");
    left = left + term;
    right = term - right;
  }
  for (Expr e : {left, right}) {
    EXPECT_TRUE(mentions(e, x.var()));
    const Expr other = substitute(a, e, {{x.var(), y}});
    EXPECT_TRUE(mentions(other, y.var()));
    EXPECT_FALSE(mentions(other, x.var()));
    EXPECT_EQ(substitute(a, other, {{y.var(), x}}), e);
  }
  Expr sum = a.fresh({}, "n");
  const Expr first = sum;
  for (int i = 0; i < 10000; ++i) sum = sum + a.fresh({}, "k");
  EXPECT_TRUE(mentions(sum, first.var()));
  EXPECT_TRUE(affine_in(a, sum, first.var()).has_value());
}

TEST(Traverse, AffineForms) {
  Arena a;
  const Expr i = a.fresh({}, "i"), n = a.fresh({}, "n"), m = a.fresh({}, "m");
  const auto row = affine_in(a, i * m + (n - i), i.var());
  ASSERT_TRUE(row);
  EXPECT_EQ(row->base, n);
  EXPECT_EQ(row->coefficient, m - 1);
  const auto reversed = affine_in(a, n - 1 - i, i.var());
  ASSERT_TRUE(reversed);
  EXPECT_EQ(reversed->coefficient, a.i64(-1));
  EXPECT_FALSE(affine_in(a, i * i, i.var()));
  EXPECT_FALSE(affine_in(a, i % n, i.var()));
  EXPECT_FALSE(affine_in(a, a.fresh({Kind::i32, 0, 1}, "k"), i.var()));
  const auto free = affine_in(a, n % m, i.var());
  ASSERT_TRUE(free);
  EXPECT_TRUE(free->coefficient.is_constant(0));
}

TEST(Traverse, PropertyAffineFormsAreExact) {
  const bool held = rc::check("base + coefficient * x == e", [] {
    Arena arena;
    test::RandomExprs random(arena, *rc::gen::arbitrary<std::uint64_t>());
    for (int i = 0; i < 150; ++i) random.grow(false);
    std::unordered_map<Var, Bits> values;
    for (Expr v : random.vars) values[v.var()] = random.value(v.kind());
    for (Expr x : random.vars) {
      if (x.type() != Type{}) continue;
      for (const test::Pair& p : random.pool) {
        const auto affine = affine_in(arena, p.folded, x.var());
        if (!affine) continue;
        RC_ASSERT(!mentions(affine->base, x.var()) && !mentions(affine->coefficient, x.var()));
        const test::Outcome whole = test::evaluate_all(p.folded, values);
        const Bits base = test::evaluate_all(affine->base, values).bits;
        const Bits coefficient = test::evaluate_all(affine->coefficient, values).bits;
        if (!whole.failed) RC_ASSERT(base + coefficient * values[x.var()] == whole.bits);
      }
    }
  });
  EXPECT_TRUE(held);
}

TEST(Types, NamesRoundTrip) {
  for (Kind kind : test::all_kinds) EXPECT_EQ(kind_named(name_of(kind)), kind);
  EXPECT_FALSE(kind_named("f16"));
  EXPECT_EQ(to_string(Type{Kind::f32, 2, 1}), "f32[,]");
  EXPECT_EQ(to_string(Type{Kind::f32, 0, 16}), "f32x16");
  EXPECT_EQ(to_string(Type{Kind::boolean, 1, 1}), "bool[]");
}

TEST(Ops, TableIsConsistent) {
  for (const OpInfo& row : all_ops()) {
    const auto op = op_named(row.name);
    ASSERT_TRUE(op);
    EXPECT_EQ(info(*op).name, row.name);
    EXPECT_FALSE(row.description.empty());
    if (row.has('c')) {
      EXPECT_EQ(row.arity, 2) << row.name;
    }
  }
  EXPECT_FALSE(op_named("nonsense"));
}

}  // namespace
}  // namespace fulgurite::scalar
