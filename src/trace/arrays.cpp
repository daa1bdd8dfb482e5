// Arrays made element by element, their elements and sizes; the checks of shapes that all array operations
// share.
#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"
#include "scalar/type.h"
#include "trace/items.h"

namespace fulgurite::trace {

namespace {

// "f32[{2}, {3}] (argument 1)" where `first` is 2: the extents are operands of the check from there on.
std::string describe(const Tracer& t, std::span<const Expr> parts, std::size_t first) {
  std::string kinds =
      base::join(parts, ", ", [](Expr part) { return std::string(scalar::name_of(part.kind())); });
  if (parts.size() > 1) kinds = "(" + kinds + ")";
  std::string extents;
  for (std::size_t k = 0; k < parts[0].type().rank; ++k)
    extents += fmt::format("{}{{{}}}", k == 0 ? "" : ", ", first + k);
  return fmt::format("{}[{}]{}", kinds, extents, t.argument_text(parts[0]));
}

// Row i of a ragged array, whose offsets stand before its values.
Exprs row_at(Tracer& t, const Exprs& parts, Expr i, const Here& where) {
  const auto [first, end] = ends_of(t, parts[0], i);
  return span_of(t, std::span(parts).subspan(1), first, end, where);
}

// Ends a map: its results become arrays with `dims` as first axes.
Values mapped(Tracer& t, Scope& scope, Exprs dims, const Values& results, const char* origin,
              const Here& where) {
  const Exprs given = t.exprs(results, where);
  for (Expr e : given) {
    if (e.type().rank == 0) continue;
    for (Expr extent : t.shape(e))
      if (!t.is_outer(t.unsettled(extent)))
        throw ShapeError(fmt::format("the function given to {} returns arrays of different sizes: an array's "
                                     "rows are equally long, so the size may not depend on the function's "
                                     "arguments; to get a Ragged, return fg::Row(v){}",
                                     origin, t.giver_text(extent)),
                         where);
  }
  soac::Lambda body = scope.close(given);
  Exprs names;
  for (Expr e : given) {
    Exprs shape = dims;
    if (e.type().rank > 0)
      for (Expr extent : t.shape(e)) shape.push_back(t.settled(t.unsettled(extent), where));
    names.push_back(t.fresh_array(e.kind(), std::move(shape), origin));
  }
  t.add(names, soac::Soac{std::move(dims), std::move(body), {}}, origin, where);
  return t.values(names);
}

}  // namespace

Exprs outer_extents(Tracer& t, Expr array, const detail::Operand& operand, const Here& where) {
  const std::span<const Expr> shape = t.shape(array);
  switch (operand.pass) {
    case detail::Pass::elements: return Exprs(shape.begin(), shape.end());
    case detail::Pass::rows: return Exprs(shape.begin(), shape.end() - 1);
    case detail::Pass::slices: return {shape[axis_of(array, operand.axis, "slices", where)]};
    case detail::Pass::ragged: return {shape[0] - 1};
  }
  return {};
}

Expr argument(Tracer& t, Expr array, const detail::Operand& operand, std::span<const Expr> indices,
              const Here& where) {
  if (operand.pass == detail::Pass::elements) return element(t, array, indices);
  Exprs inner(t.shape(array).begin(), t.shape(array).end());
  if (operand.pass == detail::Pass::rows)
    return tabulate(t, {inner.back()}, "row", "row", where, [&](std::span<const Expr> last) {
      Exprs all(indices.begin(), indices.end());
      all.push_back(last[0]);
      return element(t, array, all);
    });
  const auto axis = static_cast<std::ptrdiff_t>(axis_of(array, operand.axis, "slices", where));
  inner.erase(inner.begin() + axis);
  const char* what = inner.size() > 1 ? "slice" : axis == 0 ? "row" : "column";
  return tabulate(t, std::move(inner), what, what, where, [&](std::span<const Expr> others) {
    Exprs all(others.begin(), others.end());
    all.insert(all.begin() + axis, indices[0]);
    return element(t, array, all);
  });
}

Values arguments(Tracer& t, std::span<const detail::Operand> operands, std::span<const Expr> indices,
                 const Here& where) {
  Values all;
  for (const detail::Operand& operand : operands) {
    if (operand.pass == detail::Pass::ragged) {
      const Values row = t.values(row_at(t, t.exprs(operand.parts, where), indices[0], where));
      all.insert(all.end(), row.begin(), row.end());
      continue;
    }
    for (const Value& part : operand.parts)
      all.push_back(t.value(argument(t, t.expr(part, where), operand, indices, where)));
  }
  return all;
}

Exprs index_parameters(Scope& scope, std::size_t rank) {
  constexpr const char* names[] = {"i", "j", "k", "l"};
  Exprs indices;
  for (std::size_t k = 0; k < rank; ++k)
    indices.push_back(scope.parameter(scalar::Kind::i64, k < 4 ? names[k] : fmt::format("i{}", k)));
  return indices;
}

Expr element(Tracer& t, Expr array, std::span<const Expr> indices) {
  return t.arena().index(array, indices);
}

Exprs elements(Tracer& t, std::span<const Expr> arrays, std::span<const Expr> indices) {
  Exprs results;
  for (Expr array : arrays) results.push_back(element(t, array, indices));
  return results;
}

Expr modulo(Expr x, Expr modulus) {
  const Expr rest = x % modulus;
  return scalar::select(rest < 0, rest + modulus, rest);
}

Expr product(Arena& arena, std::span<const Expr> extents) {
  Expr result = arena.i64(1);
  for (Expr extent : extents) result = result * extent;
  return result;
}

void check_sizes(Tracer& t, const char* what, std::span<const Expr> extents, const Here& where) {
  Arena& arena = t.arena();
  Expr fits = arena.boolean(true);
  Expr room = arena.i64(most_elements);
  for (Expr extent : extents) {
    const Expr has_room = extent <= room, is_size = 0 <= extent;
    fits = fits & (is_size & has_room);
    room = room / scalar::max(extent, 1);
  }
  std::string sizes;
  for (std::size_t k = 0; k < extents.size(); ++k) sizes += fmt::format("{}{{{}}}", k == 0 ? "" : " x ", k);
  t.check(fits, fmt::format("{}: a size is from 0 to 2^47 elements, not {}", what, sizes),
          Exprs(extents.begin(), extents.end()), where);
}

void check_equal_shapes(Tracer& t, const std::string& what, std::span<const NamedOperand> operands,
                        const Here& where) {
  Arena& arena = t.arena();
  const NamedOperand& first = operands[0];
  for (const NamedOperand& other : operands.subspan(1)) {
    const std::span<const Expr> a = t.shape(first.parts[0]), b = t.shape(other.parts[0]);
    FULGURITE_CHECK(a.size() == b.size(), "{} of ranks {} and {}", what, a.size(), b.size());
    Expr agree = arena.boolean(true);
    for (std::size_t k = 0; k < a.size(); ++k) agree = agree & equal(a[k], b[k]);
    Exprs extents(a.begin(), a.end());
    extents.insert(extents.end(), b.begin(), b.end());
    t.check(agree,
            fmt::format("{} needs equal shapes: {} is {}, {} is {}", what, first.name,
                        describe(t, first.parts, 0), other.name, describe(t, other.parts, a.size())),
            std::move(extents), where);
  }
}

void check_fits_axis(Tracer& t, const char* what, Expr vector, Expr array, std::size_t axis,
                     const Here& where) {
  const Expr given = t.shape(vector)[0], wanted = t.shape(array)[axis];
  t.check(equal(given, wanted),
          fmt::format("{} needs a vector as long as the axis: the vector has {{0}} elements{}, axis {} has "
                      "{{1}}{}",
                      what, t.argument_text(vector), axis, t.argument_text(array)),
          {given, wanted}, where);
}

}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Value extent(Value array, int axis, Here where) {
  Tracer& t = Tracer::current(where);
  const Expr from = t.expr(array, where);
  return t.value(t.shape(from)[axis_of(from, axis, "size", where)]);
}

Value size(Value array, Here where) {
  Tracer& t = Tracer::current(where);
  return t.value(product(t.arena(), t.shape(t.expr(array, where))));
}

Value index(Value array, std::span<const Value> indices, Here where) {
  Tracer& t = Tracer::current(where);
  const Expr from = t.expr(array, where);
  const Exprs outer = t.exprs(indices, where);
  const Site site = t.index_site("index {0} at position {at} is outside {range}", outer, where);
  if (outer.size() == from.type().rank) return t.value(t.arena().index(from, outer, site));
  const std::span<const Expr> shape = t.shape(from);
  return t.value(tabulate(t, Exprs(shape.begin() + static_cast<std::ptrdiff_t>(outer.size()), shape.end()),
                          "part", "[i]", where, [&](std::span<const Expr> inner) {
                            Exprs all = outer;
                            all.insert(all.end(), inner.begin(), inner.end());
                            return t.arena().index(from, all, site);
                          }));
}

Values map(std::span<const Operand> operands, Body f, Here where) {
  Tracer& t = Tracer::current(where);
  require_equal_shapes("map", operands, where);
  Exprs dims = outer_extents(t, t.expr(operands[0].parts[0], where), operands[0], where);
  Scope scope(t, "map", where);
  const Exprs indices = index_parameters(scope, dims.size());
  return mapped(t, scope, std::move(dims), f(arguments(t, operands, indices, where)), "map", where);
}

Values generate(std::span<const Value> extents, Body f, const char* origin, Here where) {
  Tracer& t = Tracer::current(where);
  Exprs dims = t.settled(extents, where);
  check_sizes(t, origin, dims, where);
  Scope scope(t, origin, where);
  const Values indices = t.values(index_parameters(scope, dims.size()));
  return mapped(t, scope, std::move(dims), f(indices), origin, where);
}

Value iota(Value n, Kind kind, Here where) {
  Tracer& t = Tracer::current(where);
  const Expr extent = t.settled(n, where);
  check_sizes(t, "iota", {&extent, 1}, where);
  return t.value(tabulate(t, {extent}, "iota", "iota", where, [&](std::span<const Expr> indices) {
    return cast(indices[0], trace::kind_of(kind));
  }));
}

void require_equal_shapes(const char* what, std::span<const Operand> operands, Here where) {
  Tracer& t = Tracer::current(where);
  std::vector<Exprs> parts;
  std::vector<NamedOperand> named;
  bool whole = true;
  for (const Operand& operand : operands) {
    parts.push_back(t.exprs(operand.parts, where));
    whole = whole && operand.pass == Pass::elements;
  }
  if (whole) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      named.push_back({fmt::format("array {}", i + 1), parts[i]});
    check_equal_shapes(t, what, named, where);
    return;
  }
  // Rows and columns: only the axes that map runs over need agree.
  const Exprs first = outer_extents(t, parts[0][0], operands[0], where);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Exprs other = outer_extents(t, parts[i][0], operands[i], where);
    for (std::size_t k = 0; k < first.size(); ++k)
      t.check(equal(first[k], other[k]),
              fmt::format("{} needs as many rows, columns or elements everywhere: array 1 has {{0}}{}, array "
                          "{} has {{1}}{}",
                          what, t.argument_text(parts[0][0]), i + 1, t.argument_text(parts[i][0])),
              {first[k], other[k]}, where);
  }
}

void matches(const char* what, Value matrix, Value array, Here where) {
  Tracer& t = Tracer::current(where);
  const Expr a = t.expr(matrix, where), b = t.expr(array, where);
  const Expr columns = t.shape(a)[1], rows = t.shape(b)[0];
  t.check(equal(columns, rows),
          fmt::format("{}: the first operand has {{0}} columns{}, the second {{1}} {}{}", what,
                      t.argument_text(a), b.type().rank > 1 ? "rows" : "elements", t.argument_text(b)),
          {columns, rows}, where);
}

}  // namespace fulgurite::detail
