// Random expressions for property tests, each made twice: exactly as drawn, and by the smart constructors.
#pragma once

#include <cmath>
#include <random>
#include <unordered_map>
#include <vector>

#include "scalar/formula.h"
#include "scalar/intern.h"
#include "scalar/value.h"

namespace fulgurite::scalar::test {

inline constexpr Kind all_kinds[] = {Kind::boolean, Kind::i8,  Kind::i16, Kind::i32, Kind::i64, Kind::u8,
                                     Kind::u16,     Kind::u32, Kind::u64, Kind::f32, Kind::f64};

struct Pair {
  Expr exact, folded;
};

class RandomExprs {
 public:
  RandomExprs(Arena& arena, std::uint64_t seed) : arena_(arena), random_(seed) {
    for (Kind kind : all_kinds)
      for (int i = 0; i < 2; ++i) {
        vars.push_back(arena_.fresh({kind, 0, 1}, "x"));
        pool.push_back({vars.back(), vars.back()});
      }
  }

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  /// Values at which operations behave unusually, and any others.
  Bits value(Kind kind) {
    const Bits special[] = {zero(kind),
                            one(kind),
                            lowest(kind),
                            highest(kind),
                            evaluate(Op::cast, Kind::i64, kind, 2),
                            evaluate(Op::cast, Kind::i64, kind, 7),
                            evaluate(Op::cast, Kind::i64, kind, static_cast<Bits>(-1))};
    if (is_float(kind)) {
      const double floats[] = {-0.0,  NAN,   0.5,      1e-40,   5e-324, 1e38,
                               -3.75, 1e300, 0x1p-126, 0x1p100, 300,    -1e10};
      if (below(2) == 0)
        return evaluate(Op::cast, Kind::f64, kind, to_bits(floats[below(std::size(floats))]));
    }
    if (below(2) == 0) return special[below(std::size(special))];
    return evaluate(Op::bitcast, kind, kind, random_());
  }

  Pair pick(Kind kind) {
    for (int tries = 0; tries < 30; ++tries) {
      const Pair& p = pool[below(pool.size())];
      if (p.exact.kind() == kind) return p;
    }
    const Expr c = arena_.constant(kind, value(kind));
    return {c, c};
  }

  /// One more expression in the pool; `transcendental`: of all operations.
  void grow(bool transcendental) {
    Interner in(arena_);
    if (below(6) == 0) {
      const Kind kind = all_kinds[below(n_kinds)];
      const Expr c = arena_.constant(kind, value(kind));
      pool.push_back({c, c});
      return;
    }
    if (below(5) == 0) {
      const Kind to = all_kinds[below(n_kinds)];
      const Pair from = pool[below(pool.size())];
      if (from.exact.kind() != to)
        pool.push_back({in.intern(Op::cast, {to, 0, 1}, {from.exact}), cast(from.folded, to)});
      return;
    }
    const Op op = static_cast<Op>(below(all_ops().size()));
    const OpInfo& row = info(op);
    if (row.has('v') || row.rule == Rule::leaf || row.rule == Rule::special || row.rule == Rule::convert ||
        (row.has('$') && !transcendental))
      return;
    // Sums of i64 have rules of their own: draw them often.
    const Kind kind = below(3) == 0 ? Kind::i64 : all_kinds[below(n_kinds)];
    std::vector<Expr> exact, folded;
    for (int i = 0; i < row.arity; ++i) {
      const Pair p = pick(row.rule == Rule::select && i == 0 ? Kind::boolean : kind);
      exact.push_back(p.exact);
      folded.push_back(p.folded);
    }
    const Site site = row.has('!') && !is_float(kind) ? 1 : 0;
    if (!misuse(op, exact, site).empty()) return;
    pool.push_back({in.intern(op, result_type(op, exact), site, exact), arena_.apply(op, folded, site)});
  }

  std::vector<Expr> vars;
  std::vector<Pair> pool;

 private:
  Arena& arena_;
  std::mt19937_64 random_;
};

struct Outcome {
  Bits bits = 0;
  bool failed = false;
};

/// Evaluates everything below `root`; fails if a fallible operation does.
inline Outcome evaluate_all(Expr root, const std::unordered_map<Var, Bits>& values) {
  std::unordered_map<const Node*, Bits> bits;
  bool failed = false;
  for_each_node(std::span(&root, 1), [&](Expr e) {
    Bits args[3] = {};
    for (std::size_t i = 0; i < e.args().size(); ++i) args[i] = bits[e.arg(i).node()];
    if (e.is_name())
      bits[e.node()] = values.at(e.var());
    else if (e.is_constant())
      bits[e.node()] = e.bits();
    else {
      failed = failed || (e.site() != 0 && args[1] == 0);
      bits[e.node()] =
          evaluate(e.op(), e.arg(e.op() == Op::select ? 1 : 0).kind(), e.kind(), args[0], args[1], args[2]);
    }
  });
  return {bits[root.node()], failed};
}

/// Equal bits, or both NaN: which NaN is not specified.
inline bool same(Kind kind, Bits a, Bits b) {
  if (a == b) return true;
  return is_float(kind) && evaluate(Op::isnan, kind, Kind::boolean, a) &&
         evaluate(Op::isnan, kind, Kind::boolean, b);
}

}  // namespace fulgurite::scalar::test
