// Sorting by radix, least significant digit first: for each byte of the key, from the lowest, the elements
// are partitioned into 256 classes in their order, so that after the last byte they are in the order of the
// whole key. A key of several components is sorted by the last one first. What is sorted travels along; the
// digits are computed from the key itself in every pass.
#include <fulgurite/staged_layout.h>

#include <algorithm>
#include <unordered_map>

#include "scalar/value.h"
#include "trace/comparison.h"

namespace fulgurite::trace {

namespace {

using scalar::Kind;

Kind unsigned_of(std::size_t bytes) {
  return bytes == 1 ? Kind::u8 : bytes == 2 ? Kind::u16 : bytes == 4 ? Kind::u32 : Kind::u64;
}

// One of the vectors as a key. As a comparison sees it: -0 and +0 are equal.
struct Key {
  std::size_t vector;
  bool descends = false;
  bool as_compared = false;
};

// An unsigned integer for each value, in the same order. Of a float: negative ones with all bits flipped,
// others with the sign set, so that -0 < +0; NaNs, whatever their sign, come last.
Expr ordered_bits(Arena& arena, Expr x) {
  const Kind kind = x.kind();
  if (kind == Kind::boolean) return arena.cast(x, Kind::u8);
  const std::size_t bytes = scalar::size_of(kind);
  const Kind bits_kind = unsigned_of(bytes);
  if (kind == bits_kind) return x;
  const Expr bits = arena.bitcast(x, bits_kind);
  const Expr sign = arena.constant(bits_kind, std::uint64_t{1} << (8 * bytes - 1));
  if (!scalar::is_float(kind)) return arena.apply(Op::bit_xor, {bits, sign});
  const Expr ordered = arena.apply(Op::select, {arena.lt(bits, sign), arena.apply(Op::bit_or, {bits, sign}),
                                                arena.apply(Op::bit_not, {bits})});
  const Expr last = arena.constant(bits_kind, scalar::highest(bits_kind));
  return arena.apply(Op::select, {arena.apply(Op::isnan, {x}), last, ordered});
}

Expr bits_of(Arena& arena, const Key& key, Expr x) {
  if (key.as_compared && scalar::is_float(x.kind())) {
    const Expr zero = arena.constant(x.kind(), 0);
    x = arena.apply(Op::select, {arena.eq(x, zero), zero, x});
  }
  const Expr bits = ordered_bits(arena, x);
  return key.descends ? arena.apply(Op::bit_not, {bits}) : bits;
}

// The vectors by one byte of one of them: number `digit` from the lowest.
Exprs by_digit(Tracer& t, const Exprs& vectors, const Key& key, Expr digit, const char* origin,
               const Here& where) {
  Arena& arena = t.arena();
  const Expr size = t.shape(vectors[0])[0];
  const bool is_bool = vectors[key.vector].kind() == Kind::boolean;
  const std::int64_t classes = is_bool ? 2 : 256;
  Scope scope(t, origin, where);
  const Exprs given = elements(t, vectors, index_parameters(scope, 1));
  const Expr bits = bits_of(arena, key, given[key.vector]);
  const Expr shift = arena.cast(arena.mul(digit, arena.i64(8)), bits.kind());
  const Expr byte = arena.apply(
      Op::bit_and, {arena.apply(Op::shr, {bits, shift}), arena.constant(bits.kind(), is_bool ? 1 : 255)});
  Exprs results{arena.cast(byte, Kind::i64)};
  results.insert(results.end(), given.begin(), given.end());
  soac::Soac soac{{size}, scope.close(std::move(results))};
  soac.partitions.push_back({arena.i64(classes), vectors.size()});
  // Every element has a class, so that as many come out as go in.
  Exprs sorted,
      names{t.fresh(Kind::i64, "kept"), t.fresh_array(Kind::i64, {arena.i64(classes + 1)}, "offsets")};
  for (Expr v : vectors) sorted.push_back(t.fresh_array(v.kind(), {size}, origin));
  names.insert(names.end(), sorted.begin(), sorted.end());
  t.add(names, std::move(soac), origin, where);
  return sorted;
}

Exprs by_key(Tracer& t, Exprs vectors, const Key& key, const char* origin, const Here& where) {
  const std::size_t bytes = scalar::size_of(vectors[key.vector].kind());
  if (bytes == 1) return by_digit(t, vectors, key, t.arena().i64(0), origin, where);
  const Exprs shape{t.shape(vectors[0])[0]};
  Scope scope(t, origin, where);
  const Expr digit = scope.parameter(Kind::i64, "digit");
  Exprs state, names;
  for (Expr v : vectors) state.push_back(scope.parameter(v.kind(), shape, "s"));
  soac::Lambda body = scope.close(by_digit(t, state, key, digit, origin, where));
  for (Expr v : vectors) names.push_back(t.fresh_array(v.kind(), shape, origin));
  const Expr trips = t.arena().i64(static_cast<std::int64_t>(bytes));
  t.add(names, soac::Loop{std::move(vectors), trips, {}, std::move(body)}, origin, where);
  return names;
}

}  // namespace

Exprs sorted(Tracer& t, Exprs vectors, const KeyOrder& order, const char* origin, const Here& where) {
  const auto component =
      std::ranges::find_if(order.element, [&](Var v) { return order.key.is_name() && order.key.var() == v; });
  if (component != order.element.end()) {
    const auto number = static_cast<std::size_t>(component - order.element.begin());
    return by_key(t, std::move(vectors), {number, order.descends, true}, origin, where);
  }
  // The key is computed once and travels along.
  const Exprs keys =
      tabulate_all(t, {t.shape(vectors[0])[0]}, origin, where, [&](std::span<const Expr> indices) {
        std::unordered_map<Var, Expr> element;
        for (std::size_t i = 0; i < order.element.size(); ++i)
          element.emplace(order.element[i], trace::element(t, vectors[i], indices));
        return Exprs{scalar::substitute(t.arena(), order.key, element)};
      });
  vectors.push_back(keys[0]);
  const Key last{vectors.size() - 1, order.descends, true};
  vectors = by_key(t, std::move(vectors), last, origin, where);
  vectors.pop_back();
  return vectors;
}

}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Values sort(std::span<const Value> vectors, std::size_t n_keys, const char* origin, Here where) {
  Tracer& t = Tracer::current(where);
  Exprs sorted = t.exprs(vectors, where);
  for (std::size_t key = n_keys; key-- > 0;) sorted = by_key(t, std::move(sorted), Key{key}, origin, where);
  return t.values(sorted);
}

}  // namespace fulgurite::detail
