// Sorting by unsigned integers in the order of the keys. A key of several components is sorted by the last
// one first, for equal ones stay in their order. What is sorted travels along.
#include <fulgurite/staged_layout.h>

#include <algorithm>
#include <unordered_map>

#include "soac/sort_keys.h"
#include "trace/comparison.h"

namespace fulgurite::trace {

namespace {

// One of the vectors as a key. As a comparison sees it: -0 and +0 are equal.
struct Key {
  std::size_t vector;
  bool descends = false;
  bool as_compared = false;
};

Expr bits_of(Arena& arena, const Key& key, Expr x) {
  if (key.as_compared && scalar::is_float(x.kind())) {
    const Expr zero = arena.constant(x.kind(), 0);
    x = scalar::select(equal(x, zero), zero, x);
  }
  const Expr bits = soac::ordered_bits(arena, x);
  return key.descends ? logical_not(bits) : bits;
}

Exprs by_key(Tracer& t, Exprs vectors, const Key& key, Expr segments, const char* origin, const Here& where) {
  const Exprs shape{t.shape(vectors[0])[0]};
  Scope scope(t, origin, where);
  Exprs element, names;
  for (Expr v : vectors) element.push_back(scope.parameter(v.kind(), "x"));
  soac::Lambda order = scope.close({bits_of(t.arena(), key, element[key.vector])});
  for (Expr v : vectors) names.push_back(t.fresh_array(v.kind(), shape, origin));
  t.add(names, soac::Sort{std::move(vectors), std::move(order), segments}, origin, where);
  return names;
}

Exprs by_keys(Tracer& t, Exprs vectors, std::size_t n_keys, Expr segments, const char* origin,
              const Here& where) {
  for (std::size_t key = n_keys; key-- > 0;)
    vectors = by_key(t, std::move(vectors), Key{key}, segments, origin, where);
  return vectors;
}

}  // namespace

Exprs sorted(Tracer& t, Exprs vectors, const KeyOrder& order, Expr segments, const char* origin,
             const Here& where) {
  const auto component =
      std::ranges::find_if(order.element, [&](Var v) { return order.key.is_name() && order.key.var() == v; });
  if (component != order.element.end()) {
    const auto number = static_cast<std::size_t>(component - order.element.begin());
    return by_key(t, std::move(vectors), {number, order.descends, true}, segments, origin, where);
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
  vectors = by_key(t, std::move(vectors), last, segments, origin, where);
  vectors.pop_back();
  return vectors;
}

}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Values sort(std::span<const Value> vectors, std::size_t n_keys, const char* origin, Here where) {
  Tracer& t = Tracer::current(where);
  return t.values(by_keys(t, t.exprs(vectors, where), n_keys, Expr(), origin, where));
}

Values sort_rows(std::span<const Value> vectors, std::size_t n_keys, Value offsets, const char* origin,
                 Here where) {
  Tracer& t = Tracer::current(where);
  return t.values(by_keys(t, t.exprs(vectors, where), n_keys, t.expr(offsets, where), origin, where));
}

}  // namespace fulgurite::detail
