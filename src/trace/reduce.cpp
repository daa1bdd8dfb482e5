// Folds of arrays: the whole of one in a single Soac, or one axis in a Soac inside a map over the others.
#include <fmt/format.h>

#include <limits>

#include "scalar/value.h"
#include "trace/operators.h"
#include "trace/tracer.h"

namespace fulgurite::trace {

namespace {

// The reduction over all axes of `dims`; `body` computes its operands from indices.
template <class F>
Exprs fold_over(Tracer& t, Exprs dims, soac::Reduction reduction, const std::string& origin,
                const Here& where, F&& body) {
  Exprs names;
  for (Expr result : reduction.op.results) names.push_back(t.fresh(result.kind(), origin));
  Scope scope(t, origin, where);
  const Exprs indices = index_parameters(scope, dims.size());
  Exprs operands = body(indices);
  soac::Lambda lambda = scope.close(std::move(operands));
  t.add(names, soac::Soac{std::move(dims), std::move(lambda), {std::move(reduction)}}, origin, where);
  return names;
}

// `make` traces the operator in the scope it is called in.
template <class F>
Exprs fold_arrays(Tracer& t, const Exprs& arrays, std::optional<int> given_axis, const char* origin,
                  const Here& where, F&& make) {
  const Exprs shape(t.shape(arrays[0]).begin(), t.shape(arrays[0]).end());
  if (!given_axis)
    return fold_over(t, shape, make(), origin, where, [&](std::span<const Expr> indices) {
      Exprs elements;
      for (Expr array : arrays) elements.push_back(element(t, array, indices));
      return elements;
    });
  const auto axis = static_cast<std::ptrdiff_t>(axis_of(arrays[0], *given_axis, origin, where));
  Exprs outer = shape;
  outer.erase(outer.begin() + axis);
  Scope scope(t, origin, where);
  const Exprs indices = index_parameters(scope, outer.size());
  Exprs results = fold_over(t, {shape[static_cast<std::size_t>(axis)]}, make(), origin, where,
                            [&](std::span<const Expr> inner) {
                              Exprs all = indices;
                              all.insert(all.begin() + axis, inner[0]);
                              Exprs elements;
                              for (Expr array : arrays) elements.push_back(element(t, array, all));
                              return elements;
                            });
  soac::Lambda body = scope.close(results);
  Exprs names;
  for (Expr result : results) names.push_back(t.fresh_array(result.kind(), outer, origin));
  t.add(names, soac::Soac{outer, std::move(body), {}}, origin, where);
  return names;
}

// Each element of the result, where there are any, needs something along the axis.
void check_axis_not_empty(Tracer& t, std::span<const Expr> shape, std::size_t axis, std::string message,
                          const Here& where) {
  Arena& arena = t.arena();
  Exprs outer(shape.begin(), shape.end());
  outer.erase(outer.begin() + static_cast<std::ptrdiff_t>(axis));
  const Expr zero = arena.i64(0);
  const Expr needed = outer.empty() ? arena.boolean(true) : zero < product(arena, outer);
  t.check(logical_not(needed) | (zero < shape[axis]), std::move(message), {}, where);
}

// A reduction without a neutral element needs something to reduce.
void check_not_empty(Tracer& t, Expr array, std::optional<int> axis, const char* origin, const Here& where) {
  const std::span<const Expr> shape = t.shape(array);
  if (axis && shape.size() > 1) {
    const std::size_t along = axis_of(array, *axis, origin, where);
    check_axis_not_empty(
        t, shape, along,
        fmt::format("{} along axis {}, which is empty: give a neutral element", origin, along), where);
    return;
  }
  Arena& arena = t.arena();
  Expr some = arena.boolean(true);
  for (Expr extent : shape) some = some & (0 < extent);
  t.check(some, fmt::format("{} of an empty array: give a neutral element", origin), {}, where);
}

// A value that every element of the kind beats: a NaN, which NaNs equal, or the extreme.
Expr worst_of(Arena& arena, scalar::Kind kind, bool is_min) {
  if (kind == scalar::Kind::f32)
    return arena.constant(kind, scalar::to_bits(std::numeric_limits<float>::quiet_NaN()));
  if (kind == scalar::Kind::f64)
    return arena.constant(kind, scalar::to_bits(std::numeric_limits<double>::quiet_NaN()));
  return arena.constant(kind, is_min ? scalar::highest(kind) : scalar::lowest(kind));
}

// Whether b is better than a; NaNs are all alike, and worse than anything else. Of a the question is one
// comparison, which NaNs pass: a loop waits for it.
Expr is_better(Arena& arena, Expr b, Expr a, bool is_min) {
  if (!scalar::is_float(a.kind())) return is_min ? b < a : a < b;
  const Expr wins = logical_not(is_min ? a <= b : b <= a);
  const Expr is_number = logical_not(arena.apply(Op::isnan, {b}));
  return wins & is_number;
}

// The first index below `size` at which the element is least, or greatest. Pairs of an element and its index;
// of equal elements the one with the lower index wins, so that the order of combination does not matter.
template <class F>
Expr best_index(Tracer& t, scalar::Kind kind, Expr size, bool is_min, const std::string& origin,
                const Here& where, F&& element_at) {
  Arena& arena = t.arena();
  const scalar::Kind kinds[] = {kind, scalar::Kind::i64};
  const Expr none = arena.i64(std::numeric_limits<std::int64_t>::max());
  soac::Lambda op = operation(t, kinds, origin, where, [&](const Exprs& ab) {
    const Expr a = ab[0], a_index = ab[1], b = ab[2], b_index = ab[3];
    const Expr is_equal =
        scalar::is_float(kind) ? Expr(logical_not(is_better(arena, a, b, is_min))) : equal(a, b);
    const Expr tie = is_equal & (b_index < a_index);
    const Expr b_wins = is_better(arena, b, a, is_min) | tie;
    return Exprs{scalar::select(b_wins, b, a), scalar::select(b_wins, b_index, a_index)};
  });
  const auto operands = [&](std::span<const Expr> indices) {
    return Exprs{element_at(indices[0]), indices[0]};
  };
  const soac::Reduction best_of{std::move(op), {worst_of(arena, kind, is_min), none}, {}, true};
  const Exprs best = fold_over(t, {size}, best_of, origin, where, operands);
  return scalar::select(equal(best[1], none), 0, best[1]);
}

}  // namespace
}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Values reduce(const Fold& fold, Body op, std::span<const Value> parts, Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs arrays = t.exprs(parts, where);
  const Exprs neutral = t.exprs(fold.neutral, where), initial = t.exprs(fold.initial, where);
  if (neutral.empty() && initial.empty()) check_not_empty(t, arrays[0], fold.axis, fold.origin, where);
  const Operator given{op, fold.origin, fold.commutative};
  return t.values(fold_arrays(t, arrays, fold.axis, fold.origin, where, [&] {
    return reduction(t, given, kinds_of(arrays), neutral, initial, where);
  }));
}

Value reduce(const char* op_name, const char* origin, Value array, std::optional<int> axis, Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs arrays{t.expr(array, where)};
  const Op op = scalar::op_named(op_name).value();
  return t.value(fold_arrays(t, arrays, axis, origin, where,
                             [&] { return known_reduction(t, op, arrays[0].kind(), origin, where); })[0]);
}

Value arg_reduce(const char* order, const char* origin, Value array, int axis, Here where) {
  Tracer& t = Tracer::current(where);
  const Expr from = t.expr(array, where);
  const Exprs shape(t.shape(from).begin(), t.shape(from).end());
  const std::size_t along = axis_of(from, axis, origin, where);
  const Expr size = shape[along];
  Exprs outer = shape;
  outer.erase(outer.begin() + static_cast<std::ptrdiff_t>(along));
  check_axis_not_empty(t, shape, along, fmt::format("{} of an empty array", origin), where);
  const auto best = [&](std::span<const Expr> indices) {
    return best_index(t, from.kind(), size, std::string_view(order) == "lt", origin, where, [&](Expr i) {
      Exprs all(indices.begin(), indices.end());
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(along), i);
      return element(t, from, all);
    });
  };
  if (outer.empty()) return t.value(best({}));
  return t.value(tabulate(t, std::move(outer), origin, origin, where, best));
}

}  // namespace fulgurite::detail
