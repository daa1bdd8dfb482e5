// Segments of an axis, given by lengths, offsets, flags or one length for all: where each begins, how long it
// is. Descriptions that do not fit the axis raise ShapeError.
#pragma once

#include <fulgurite/staged_combinators.h>

#include <functional>
#include <limits>
#include <utility>

#include "trace/operators.h"

namespace fulgurite::trace {

/// The least, or the greatest, of the integers that `of` gives at the points of {n}.
template <class F>
Expr extreme(Tracer& t, Op min_or_max, Expr n, const char* name, const char* origin, const Here& where,
             F&& of) {
  soac::Reduction by = known_reduction(t, min_or_max, scalar::Kind::i64, origin, where);
  const Expr result = t.fresh(scalar::Kind::i64, name);
  Scope scope(t, origin, where);
  const Expr s = index_parameters(scope, 1)[0];
  t.add({result}, soac::Soac{{n}, scope.close({of(s)}), {std::move(by)}}, origin, where);
  return result;
}

/// The least of what `bad_at` finds wrong at the points of {n}: each time a place, or `nowhere`.
inline constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();
template <class F>
Expr first_bad(Tracer& t, Expr n, const char* origin, const Here& where, F&& bad_at) {
  return extreme(t, Op::min, n, "first_bad", origin, where, std::forward<F>(bad_at));
}

struct Spans {
  Expr count;
  std::function<Expr(Expr segment)> start, length;
};
/// The spans of the arrays, which have one shape, along an axis.
Spans spans_of(Tracer&, const detail::Segments&, const Exprs& arrays, std::size_t axis, const char* origin,
               const Here& where);
/// The spans of an axis of n elements, and as many flags.
Spans spans_of(Tracer&, const detail::Segments&, Expr n, const Here& where);
void check_no_segment_is_empty(Tracer&, const detail::Segments&, const Spans&, const char* origin,
                               const Here& where);

/// Whether a segment starts at an element, as a function of the element's index on the axis.
using Marks = std::function<Expr(Expr index)>;
Marks starts_by_flags(Tracer&, const detail::Segments&, const Exprs& arrays, std::size_t axis,
                      const char* origin, const Here& where);
/// On an axis of n elements.
Marks starts_by_spans(Tracer&, const Spans&, Expr n, const char* origin, const Here& where);

/// Elements first to below end of vectors, known to be there.
Exprs span_of(Tracer&, std::span<const Expr> vectors, Expr first, Expr end, const Here& where);

}  // namespace fulgurite::trace
