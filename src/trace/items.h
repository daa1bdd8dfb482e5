// Items that become several elements each, one after the other: where the elements of each begin, and which
// item an element belongs to (soac/items.h).
#pragma once

#include <fmt/format.h>

#include "trace/operators.h"
#include "trace/segments.h"

namespace fulgurite::trace {

inline Expr integer_at(Tracer& t, Expr array, Expr i) {
  return cast(element(t, array, {&i, 1}), scalar::Kind::i64);
}

/// The elements of an item or a row, from the offsets of all: from `first` to before `end`.
struct ItemEnds {
  Expr first, end;
};
inline ItemEnds ends_of(Tracer& t, Expr offsets, Expr item) {
  const Expr next = item + 1;
  return {element(t, offsets, {&item, 1}), element(t, offsets, {&next, 1})};
}

/// Whether it is negative, or more elements than an array has.
Expr is_no_size(Expr);
/// Raises ShapeError unless `bad`, the least item whose size is none, is nowhere.
void check_item_sizes(Tracer&, Expr bad, const std::string& origin, const Here& where);

/// Where the elements of k items begin, and after them the number of all: `size_of` gives how many item s
/// has. Raises ShapeError for a number that no array has, so that the sum of these is no smaller one.
template <class F>
Expr offsets_by_sizes(Tracer& t, Expr k, const char* origin, const Here& where, F&& size_of) {
  Arena& arena = t.arena();
  soac::Reduction sum = known_reduction(t, Op::add, scalar::Kind::i64, origin, where);
  soac::Reduction least = known_reduction(t, Op::min, scalar::Kind::i64, origin, where);
  const Expr offsets = t.fresh_array(scalar::Kind::i64, {k + 1}, "offsets");
  const Expr bad = t.fresh(scalar::Kind::i64, "first_bad");
  {
    Scope scope(t, origin, where);
    const Expr s = index_parameters(scope, 1)[0], start = t.fresh(scalar::Kind::i64, "start");
    const Expr size = either(
        t, s < k, origin, where, [&] { return Exprs{size_of(s)}; }, [&] { return Exprs{arena.i64(0)}; })[0];
    t.add({start}, soac::Scan{std::move(sum), {size}, false}, origin, where);
    soac::Outputs outputs;
    outputs.reductions.push_back(
        {std::move(least), {scalar::select(is_no_size(size), s, nowhere)}, {bad.var()}});
    outputs.mapped.push_back({start, offsets.var()});
    t.add({k + 1}, scope.close({}), std::move(outputs), origin, where);
  }
  check_item_sizes(t, bad, origin, where);
  return offsets;
}

/// Offsets of segments of n elements.
Expr offsets_by_spans(Tracer&, const detail::Segments&, const Spans&, Expr n, const char* origin,
                      const Here& where);
/// How many elements there are.
Expr number_of_elements(Tracer&, Expr offsets, const char* origin, const Here& where);
/// The item of each of n elements.
Expr item_of_each(Tracer&, Expr offsets, Expr n, const char* origin, const Here& where);

}  // namespace fulgurite::trace
