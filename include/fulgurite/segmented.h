// Folds and scans of segments: consecutive elements that belong together, as the rows of a sparse matrix.
// They lie along the innermost axis of an array, or the axis given; of an array of higher rank each line has
// the same segments. Segments are described by lengths, offsets, flags, or one length for all; a description
// that does not fit the axis raises ShapeError. Operators as for reduce and scan. Costs as much as one fold
// or scan of all elements, however they are divided: threads share elements, not segments.
#pragma once

#include <fulgurite/scan.h>

#pragma GCC visibility push(default)

namespace fulgurite {

/// lengths(ls): segment s has ls[s] elements, or none; they sum to the number of elements.
template <detail::Integer I>
detail::Segments lengths(const Vec<I>& xs) {
  return {detail::SegmentsBy::lengths, xs.value()};
}
/// offsets(os): segment s is elements os[s] to below os[s + 1]; one more offset than segments, ascending from
/// 0 to the number of elements (the row starts of a matrix in CSR form).
template <detail::Integer I>
detail::Segments offsets(const Vec<I>& xs) {
  return {detail::SegmentsBy::offsets, xs.value()};
}
/// flags(fs): a segment starts where fs holds, and at element 0; as many flags as elements.
inline detail::Segments flags(const Vec<bool>& xs) {
  return {detail::SegmentsBy::flags, xs.value()};
}
/// regular(length): segments of one length from 1, which divides the number of elements.
inline detail::Segments regular(Index length) {
  return {detail::SegmentsBy::regular, length.value};
}

namespace detail {

template <class T, int N, class Op>
Acc<T, N> segments_folded(const Segments& segments, const Fold& how, const Op& op, const Acc<T, N>& xs,
                          Here where) {
  const OperatorOn<T, Op> body{op};
  return unflattened<Acc<T, N>>(segmented_reduce(segments, how, Body(body), xs.parts(), where));
}
template <class T, int N, class Op>
Values scan_segments_with(const Segments& segments, const Scanning& how, const Op& op, const Acc<T, N>& xs,
                          Here where) {
  const OperatorOn<T, Op> body{op};
  return segmented_scan(segments, how, Body(body), xs.parts(), where);
}
template <class T, int N, class Op>
Acc<T, N> segments_scanned(const Segments& segments, const Scanning& how, const Op& op, const Acc<T, N>& xs,
                           Here where) {
  return unflattened<Acc<T, N>>(scan_segments_with(segments, how, op, xs, where));
}
template <class T, int N, class Op>
std::tuple<Acc<T, N>, Acc<T, N>> segments_scanned_with_totals(const Segments& segments, const Scanning& how,
                                                              const Op& op, const Acc<T, N>& xs, Here where) {
  const Values results = scan_segments_with(segments, how, op, xs, where);
  Unflatten values(results);
  return {values.next<Acc<T, N>>(), values.next<Acc<T, N>>()};
}

}  // namespace detail

/// The fold of each segment, as reduce gives it: of an empty one, neutral, which must be neutral.
template <class Op, class T, int N>
Acc<T, N> segmented_reduce(const Op& op, const std::type_identity_t<Exp<T>>& neutral,
                           const detail::Segments& segments, const Acc<T, N>& xs, Axis axis = {-1},
                           detail::Here where = detail::Here::current()) {
  return detail::segments_folded(
      segments,
      {.origin = "segmented_reduce", .neutral = neutral.parts(), .initial = {}, .axis = axis.number}, op, xs,
      where);
}
/// Without a neutral element. Raises ShapeError for an empty segment.
template <class Op, class T, int N>
Acc<T, N> segmented_reduce(const Op& op, const detail::Segments& segments, const Acc<T, N>& xs,
                           Axis axis = {-1}, detail::Here where = detail::Here::current()) {
  return detail::segments_folded(
      segments, {.origin = "segmented_reduce", .neutral = {}, .initial = {}, .axis = axis.number}, op, xs,
      where);
}
/// As fold gives it: each begins with initial, which is any value.
template <class Op, class T, int N>
Acc<T, N> segmented_fold(const Op& op, const std::type_identity_t<Exp<T>>& initial,
                         const detail::Segments& segments, const Acc<T, N>& xs, Axis axis = {-1},
                         detail::Here where = detail::Here::current()) {
  return detail::segments_folded(
      segments, {.origin = "segmented_fold", .neutral = {}, .initial = initial.parts(), .axis = axis.number},
      op, xs, where);
}

/// The scan of each segment by itself, as scan gives it; the shape of xs.
template <class Op, class T, int N>
Acc<T, N> segmented_scan(const Op& op, const std::type_identity_t<Exp<T>>& neutral,
                         const detail::Segments& segments, const Acc<T, N>& xs, Axis axis = {-1},
                         detail::Here where = detail::Here::current()) {
  return detail::segments_scanned(
      segments, {.origin = "segmented_scan", .neutral = neutral.parts(), .initial = {}, .axis = axis.number},
      op, xs, where);
}
/// Without a neutral element.
template <class Op, class T, int N>
Acc<T, N> segmented_scan(const Op& op, const detail::Segments& segments, const Acc<T, N>& xs,
                         Axis axis = {-1}, detail::Here where = detail::Here::current()) {
  return detail::segments_scanned(
      segments, {.origin = "segmented_scan", .neutral = {}, .initial = {}, .axis = axis.number}, op, xs,
      where);
}
/// As exclusive_scan gives it: each segment begins with initial, which is any value.
template <class Op, class T, int N>
Acc<T, N> segmented_exclusive_scan(const Op& op, const std::type_identity_t<Exp<T>>& initial,
                                   const detail::Segments& segments, const Acc<T, N>& xs, Axis axis = {-1},
                                   detail::Here where = detail::Here::current()) {
  return detail::segments_scanned(segments,
                                  {.origin = "segmented_exclusive_scan",
                                   .inclusive = false,
                                   .neutral = {},
                                   .initial = initial.parts(),
                                   .axis = axis.number},
                                  op, xs, where);
}

/// As scan_right gives it.
template <class Op, class T, int N>
Acc<T, N> segmented_scan_right(const Op& op, const std::type_identity_t<Exp<T>>& neutral,
                               const detail::Segments& segments, const Acc<T, N>& xs, Axis axis = {-1},
                               detail::Here where = detail::Here::current()) {
  return detail::segments_scanned(segments,
                                  {.origin = "segmented_scan_right",
                                   .from_right = true,
                                   .neutral = neutral.parts(),
                                   .initial = {},
                                   .axis = axis.number},
                                  op, xs, where);
}
template <class Op, class T, int N>
Acc<T, N> segmented_scan_right(const Op& op, const detail::Segments& segments, const Acc<T, N>& xs,
                               Axis axis = {-1}, detail::Here where = detail::Here::current()) {
  return detail::segments_scanned(segments,
                                  {.origin = "segmented_scan_right",
                                   .from_right = true,
                                   .neutral = {},
                                   .initial = {},
                                   .axis = axis.number},
                                  op, xs, where);
}
/// As exclusive_scan_right gives it: the last element of each segment is initial, which is any value.
template <class Op, class T, int N>
Acc<T, N> segmented_exclusive_scan_right(const Op& op, const std::type_identity_t<Exp<T>>& initial,
                                         const detail::Segments& segments, const Acc<T, N>& xs,
                                         Axis axis = {-1}, detail::Here where = detail::Here::current()) {
  return detail::segments_scanned(segments,
                                  {.origin = "segmented_exclusive_scan_right",
                                   .inclusive = false,
                                   .from_right = true,
                                   .neutral = {},
                                   .initial = initial.parts(),
                                   .axis = axis.number},
                                  op, xs, where);
}

/// The exclusive scan of each segment from the neutral element, and the fold of each: std::tuple{prefixes,
/// totals}. The totals have the shape of xs, but for one element for each segment along the axis.
template <class Op, class T, int N>
std::tuple<Acc<T, N>, Acc<T, N>> segmented_scan_with_totals(const Op& op,
                                                            const std::type_identity_t<Exp<T>>& neutral,
                                                            const detail::Segments& segments,
                                                            const Acc<T, N>& xs, Axis axis = {-1},
                                                            detail::Here where = detail::Here::current()) {
  return detail::segments_scanned_with_totals(segments,
                                              {.origin = "segmented_scan_with_totals",
                                               .inclusive = false,
                                               .totals = true,
                                               .neutral = neutral.parts(),
                                               .initial = {},
                                               .axis = axis.number},
                                              op, xs, where);
}
/// segmented_scan_with_totals() from the right.
template <class Op, class T, int N>
std::tuple<Acc<T, N>, Acc<T, N>> segmented_scan_right_with_totals(
    const Op& op, const std::type_identity_t<Exp<T>>& neutral, const detail::Segments& segments,
    const Acc<T, N>& xs, Axis axis = {-1}, detail::Here where = detail::Here::current()) {
  return detail::segments_scanned_with_totals(segments,
                                              {.origin = "segmented_scan_right_with_totals",
                                               .inclusive = false,
                                               .from_right = true,
                                               .totals = true,
                                               .neutral = neutral.parts(),
                                               .initial = {},
                                               .axis = axis.number},
                                              op, xs, where);
}

}  // namespace fulgurite

#pragma GCC visibility pop
