// Elements read at computed indices (gather, backpermute), which are checked, and elements stored at computed
// places (scatter, permute, histogram), where values outside are dropped.
#include <fmt/format.h>
#include <fulgurite/staged_combinators.h>

#include "trace/operators.h"
#include "trace/store.h"

namespace fulgurite::trace {

namespace {

Expr as_index(Expr e) {
  return cast(e, scalar::Kind::i64);
}

// Reads that raise an IndexError of the operation.
Exprs checked_elements(Tracer& t, const Exprs& arrays, std::span<const Expr> indices, const char* origin,
                       const Here& where) {
  const Site site = t.index_site(
      fmt::format("{}: index {{0}} at position {{at}} is outside {{range}}", origin), indices, where);
  Exprs results;
  for (Expr array : arrays) results.push_back(t.arena().index(array, indices, site));
  return results;
}

}  // namespace
}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Values gather(std::span<const Value> parts, Value indices, Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs arrays = t.exprs(parts, where);
  const Expr from = t.expr(indices, where);
  return t.values(tabulate_all(t, shape_of(t, from), "gather", where, [&](const Exprs& at) {
    return checked_elements(t, arrays, Exprs{as_index(element(t, from, at))}, "gather", where);
  }));
}

Values backpermute(std::span<const Value> extents, Body f, std::span<const Value> parts, Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs arrays = t.exprs(parts, where), shape = t.settled(extents, where);
  check_sizes(t, "backpermute", shape, where);
  return t.values(tabulate_all(t, shape, "backpermute", where, [&](const Exprs& at) {
    const Exprs source = t.exprs(f(t.values(at)), where);
    return checked_elements(t, arrays, source, "backpermute", where);
  }));
}

Values scatter(std::span<const Value> destination, std::span<const Value> places,
               std::span<const Value> values, bool any_of_equal, Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs arrays = t.exprs(destination, where), to = t.exprs(places, where),
              from = t.exprs(values, where);
  std::vector<NamedOperand> operands{{"the array of values", from}};
  for (std::size_t k = 0; k < to.size(); ++k)
    operands.push_back(
        {to.size() == 1 ? "the array of indices" : fmt::format("the array of indices of axis {}", k),
         {&to[k], 1}});
  check_equal_shapes(t, "scatter", operands, where);
  soac::Scatter sink{shape_of(t, arrays[0]), same_as(t, arrays, "scatter", where)};
  if (any_of_equal) sink.of_equal = soac::OfEqual::any;
  return store(t, shape_of(t, from[0]), std::move(sink), "scatter", where, [&](const Exprs& at) {
    Stored stored;
    for (Expr e : to) stored.place.push_back(as_index(element(t, e, at)));
    stored.values = elements(t, from, at);
    return stored;
  });
}

Values permute(Body op, std::span<const Value> defaults, Body target, std::span<const Value> values,
               Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs arrays = t.exprs(defaults, where), from = t.exprs(values, where);
  soac::Scatter sink{shape_of(t, arrays[0]), same_as(t, arrays, "permute", where)};
  sink.combine.push_back(reduction(t, {op, "permute"}, kinds_of(arrays), {}, {}, where));
  return store(t, shape_of(t, from[0]), std::move(sink), "permute", where, [&](const Exprs& at) {
    Exprs place = t.exprs(target(t.values(at)), where);
    return Stored{std::move(place), elements(t, from, at)};
  });
}

Values histogram(Body op, std::span<const Value> neutral, Value size, Value bins,
                 std::span<const Value> values, Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs from = t.exprs(values, where), start = t.exprs(neutral, where);
  const Expr n_bins = t.settled(size, where), to = t.expr(bins, where);
  check_sizes(t, "histogram", {&n_bins, 1}, where);
  const NamedOperand operands[] = {{"the array of bins", {&to, 1}}, {"the array of values", from}};
  check_equal_shapes(t, "histogram", operands, where);
  soac::Scatter sink{{n_bins}, contents(t, 1, "histogram", where, [&](const Exprs&) { return start; })};
  soac::Reduction by = reduction(t, {op, "histogram"}, kinds_of(from), {}, {}, where);
  if (may_be_joined_again(t.arena(), by.op, start)) by.neutral = start;
  sink.combine.push_back(std::move(by));
  return store(t, shape_of(t, to), std::move(sink), "histogram", where, [&](const Exprs& at) {
    Exprs place{as_index(element(t, to, at))};
    return Stored{std::move(place), elements(t, from, at)};
  });
}

}  // namespace fulgurite::detail
