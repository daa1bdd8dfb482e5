// Arrays that take their elements from elsewhere along one axis: from one of several arrays or places, by a
// comparison of the index (a branch, not a selection, so that elements which are not taken are not read), or
// from places that a vector gives; and a function's results for the lines along an axis.
#include <fmt/format.h>
#include <fulgurite/staged_layout.h>

#include <algorithm>

#include "trace/tracer.h"

namespace fulgurite::trace {

namespace {

Exprs shifted(std::span<const Expr> indices, std::size_t axis, Expr by) {
  Exprs result(indices.begin(), indices.end());
  result[axis] = result[axis] + by;
  return result;
}

// The elements of the arrays from number k on, the first of which begins at `begin`.
Exprs piece(Tracer& t, const std::vector<Exprs>& arrays, std::size_t k, Expr begin, std::size_t axis,
            std::span<const Expr> indices, const Here& where) {
  const auto first = [&] { return elements(t, arrays[k], shifted(indices, axis, 0 - begin)); };
  if (k + 1 == arrays.size()) return first();
  const Expr end = begin + t.shape(arrays[k][0])[axis];
  return either(t, indices[axis] < end, "concat", where, first,
                [&] { return piece(t, arrays, k + 1, end, axis, indices, where); });
}

}  // namespace
}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Values concat(std::span<const Operand> operands, int axis, Here where) {
  Tracer& t = Tracer::current(where);
  Arena& arena = t.arena();
  std::vector<Exprs> arrays;
  for (const Operand& operand : operands) arrays.push_back(t.exprs(operand.parts, where));
  const std::size_t along = axis_of(arrays[0][0], axis, "concat", where);
  Exprs shape(t.shape(arrays[0][0]).begin(), t.shape(arrays[0][0]).end());
  for (std::size_t i = 1; i < arrays.size(); ++i) {
    const std::span<const Expr> other = t.shape(arrays[i][0]);
    for (std::size_t k = 0; k < shape.size(); ++k) {
      if (k == along) {
        shape[k] = shape[k] + other[k];
        continue;
      }
      t.check(equal(shape[k], other[k]),
              fmt::format(
                  "concat along axis {} needs arrays that agree in the other extents: along axis {} array "
                  "1 has {{0}}{}, array {} has {{1}}{}",
                  along, k, t.argument_text(arrays[0][0]), i + 1, t.argument_text(arrays[i][0])),
              {shape[k], other[k]}, where);
    }
  }
  return t.values(tabulate_all(t, std::move(shape), "concat", where, [&](std::span<const Expr> indices) {
    return piece(t, arrays, 0, arena.i64(0), along, indices, where);
  }));
}

void require_fits_axis(const char* what, Value vector, Value array, int axis, Here where) {
  Tracer& t = Tracer::current(where);
  const Expr given = t.expr(vector, where), of = t.expr(array, where);
  check_fits_axis(t, what, given, of, axis_of(of, axis, what, where), where);
}

Values at_places(std::span<const Value> parts, Value places, int axis, const char* origin, Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs arrays = t.exprs(parts, where);
  const Expr from = t.expr(places, where);
  const std::size_t along = axis_of(arrays[0], axis, origin, where);
  Exprs shape(t.shape(arrays[0]).begin(), t.shape(arrays[0]).end());
  shape[along] = t.shape(from)[0];
  return t.values(tabulate_all(t, std::move(shape), origin, where, [&](Exprs indices) {
    indices[along] = element(t, from, {&indices[along], 1});
    return elements(t, arrays, indices);
  }));
}

Values on_lines(std::span<const Value> parts, int axis, Body f, const char* origin, Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs arrays = t.exprs(parts, where);
  const Exprs shape(t.shape(arrays[0]).begin(), t.shape(arrays[0]).end());
  const std::size_t along = axis_of(arrays[0], axis, origin, where);
  const auto at_axis = static_cast<std::ptrdiff_t>(along);
  Exprs others = shape;
  others.erase(others.begin() + at_axis);
  Scope scope(t, origin, where);
  const Exprs outer = index_parameters(scope, others.size());
  const Exprs line = tabulate_all(t, {shape[along]}, origin, where, [&](std::span<const Expr> i) {
    Exprs at = outer;
    at.insert(at.begin() + at_axis, i[0]);
    return elements(t, arrays, at);
  });
  soac::Lambda body = scope.close(t.exprs(f(t.values(line)), where));
  Exprs extents = others, results;
  extents.push_back(shape[along]);
  for (Expr e : body.results) results.push_back(t.fresh_array(e.kind(), extents, origin));
  t.add(results, soac::Soac{others, std::move(body)}, origin, where);
  if (along + 1 == shape.size()) return t.values(results);
  return t.values(tabulate_all(t, shape, origin, where, [&](Exprs indices) {
    std::rotate(indices.begin() + at_axis, indices.begin() + at_axis + 1, indices.end());
    return elements(t, results, indices);
  }));
}

Values rotate(std::span<const Value> parts, Value by, int axis, Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs arrays = t.exprs(parts, where);
  const std::size_t along = axis_of(arrays[0], axis, "rotate", where);
  Exprs shape(t.shape(arrays[0]).begin(), t.shape(arrays[0]).end());
  const Expr size = shape[along], modulus = scalar::max(size, 1);
  // This gives 0 <= shift < modulus.
  const Expr shift = trace::modulo(t.expr(by, where), modulus);
  const Expr n_first = size - shift;  // the elements that come before the wrap
  return t.values(tabulate_all(t, std::move(shape), "rotate", where, [&](std::span<const Expr> indices) {
    return either(
        t, indices[along] < n_first, "rotate", where,
        [&] { return elements(t, arrays, shifted(indices, along, shift)); },
        [&] { return elements(t, arrays, shifted(indices, along, 0 - n_first)); });
  }));
}

}  // namespace fulgurite::detail
