// Filters and partitions: arrays of one shape and a function that gives each element its class in, arrays
// whose size is known only when the program runs out. That size is a name that the statement binds.
#include <fmt/format.h>
#include <fulgurite/staged_combinators.h>
#include <fulgurite/staged_layout.h>

#include "base/check.h"
#include "trace/tracer.h"

namespace fulgurite::trace {

namespace {

// The result of a user's function of one element that returns one scalar.
Expr of_element(Tracer& t, const detail::Body& f, const Exprs& element, const Here& where) {
  const Exprs results = t.exprs(f(t.values(element)), where);
  FULGURITE_CHECK(results.size() == 1, "{} results of a function of an element", results.size());
  return results[0];
}

struct Sorted {
  Expr offsets;
  Exprs arrays;
};

// The vectors' elements sorted once for each of `classes`: `class_of` gives the class in each of an element
// at an index.
template <class F>
std::vector<Sorted> sort_by_class(Tracer& t, const Exprs& arrays, const Exprs& classes, const char* origin,
                                  const Here& where, F&& class_of) {
  const Expr n_points = t.shape(arrays[0])[0];
  Scope scope(t, origin, where);
  const Exprs indices = index_parameters(scope, 1);
  const Exprs given = elements(t, arrays, indices);
  const Exprs of_classes = class_of(given, indices[0]);
  soac::Lambda points = scope.close({});
  soac::Outputs outputs;
  std::vector<Sorted> sorted;
  for (std::size_t p = 0; p < classes.size(); ++p) {
    const Expr total = t.fresh(scalar::Kind::i64, "n_kept");
    Sorted s{t.fresh_array(scalar::Kind::i64, {classes[p] + 1}, "offsets"), {}};
    for (Expr array : arrays) s.arrays.push_back(t.fresh_array(array.kind(), {total}, origin));
    outputs.partitions.push_back(
        {classes[p], of_classes[p], given, total.var(), s.offsets.var(), vars_of(s.arrays)});
    sorted.push_back(std::move(s));
  }
  t.add({n_points}, std::move(points), std::move(outputs), origin, where);
  return sorted;
}

}  // namespace
}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Values filter(Body predicate, std::span<const Value> parts, Here where) {
  Tracer& t = Tracer::current(where);
  Arena& arena = t.arena();
  const Expr zero = arena.i64(0), one = arena.i64(1);
  return t.values(sort_by_class(t, t.exprs(parts, where), {one}, "filter", where,
                                [&](const Exprs& element, Expr) {
                                  return Exprs{
                                      scalar::select(of_element(t, predicate, element, where), zero, one)};
                                })[0]
                      .arrays);
}

Values filter(Value mask, std::span<const Value> parts, int axis, Here where) {
  Tracer& t = Tracer::current(where);
  Arena& arena = t.arena();
  const Exprs arrays = t.exprs(parts, where);
  const Expr flags = t.expr(mask, where);
  const std::size_t along = axis_of(arrays[0], axis, "filter", where);
  check_fits_axis(t, "filter", flags, arrays[0], along, where);
  const auto kept = [&](const Exprs& vectors) {
    return sort_by_class(t, vectors, {arena.i64(1)}, "filter", where, [&](const Exprs&, Expr i) {
      return Exprs{scalar::select(element(t, flags, {&i, 1}), arena.i64(0), 1)};
    })[0];
  };
  if (t.shape(arrays[0]).size() == 1) return t.values(kept(arrays).arrays);
  const Expr numbers = t.expr(iota(t.value(t.shape(arrays[0])[along]), Kind::i64, where), where);
  return at_places(parts, t.value(kept({numbers}).arrays[0]), axis, "filter", where);
}

Values partition(Body predicate, std::span<const Value> parts, Here where) {
  Tracer& t = Tracer::current(where);
  Arena& arena = t.arena();
  const Expr zero = arena.i64(0), one = arena.i64(1);
  // Two results of their own sizes, written by one pass.
  const std::vector<Sorted> sorted = sort_by_class(
      t, t.exprs(parts, where), {one, one}, "partition", where, [&](const Exprs& element, Expr) {
        const Expr holds = of_element(t, predicate, element, where);
        const Expr yes = scalar::select(holds, zero, one);
        const Expr no = scalar::select(holds, one, zero);
        return Exprs{yes, no};
      });
  Exprs results = sorted[0].arrays;
  results.insert(results.end(), sorted[1].arrays.begin(), sorted[1].arrays.end());
  return t.values(results);
}

Values partition(Value classes, Body class_of, std::span<const Value> parts, Here where) {
  Tracer& t = Tracer::current(where);
  Arena& arena = t.arena();
  const Expr n = t.settled(classes, where), one = arena.i64(1);
  const Expr most = arena.i64(std::int64_t{1} << 32);
  const Expr some = one <= n, few = n <= most;
  t.check(some & few, "partition needs a number of classes from 1 to 2^32, not {0}", {n}, where);
  const Sorted sorted =
      sort_by_class(t, t.exprs(parts, where), {n}, "partition", where, [&](const Exprs& element, Expr) {
        return Exprs{cast(of_element(t, class_of, element, where), scalar::Kind::i64)};
      })[0];
  Exprs results = sorted.arrays;
  results.push_back(sorted.offsets);
  return t.values(results);
}

}  // namespace fulgurite::detail
