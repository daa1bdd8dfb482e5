// Segments of an axis, given by lengths, offsets, flags or one length for all: where each begins, how long it
// is. Descriptions that do not fit the axis raise ShapeError.
#pragma once

#include <fulgurite/staged_combinators.h>

#include <functional>

#include "trace/tracer.h"

namespace fulgurite::trace {

struct Spans {
  Expr count;
  std::function<Expr(Expr segment)> start, length;
};
/// Of the arrays, which have one shape, along an axis.
Spans spans_of(Tracer&, const detail::Segments&, const Exprs& arrays, std::size_t axis, const char* origin,
               const Here& where);
void check_no_segment_is_empty(Tracer&, const detail::Segments&, const Spans&, const char* origin,
                               const Here& where);

/// Whether a segment starts at an element, as a function of the element's index on the axis.
using Marks = std::function<Expr(Expr index)>;
Marks starts_by_flags(Tracer&, const detail::Segments&, const Exprs& arrays, std::size_t axis,
                      const char* origin, const Here& where);
/// On an axis of n elements.
Marks starts_by_spans(Tracer&, const Spans&, Expr n, const char* origin, const Here& where);

}  // namespace fulgurite::trace
