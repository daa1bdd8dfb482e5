// Folds and scans of the segments of a vector: consecutive elements that belong together, as rows of a sparse
// matrix. Segments are described by lengths, offsets, flags, or one length for all; a description that does
// not fit the vector raises ShapeError. Operators as for reduce and scan.
#pragma once

#include <fulgurite/results.h>
#include <fulgurite/staged_combinators.h>

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

/// The fold of each segment, as reduce gives it: of an empty one, neutral, which must be neutral.
template <class Op, class T>
Vec<T> segmented_reduce(const Op& op, const std::type_identity_t<Exp<T>>& neutral,
                        const detail::Segments& segments, const Vec<T>& xs,
                        detail::Here where = detail::Here::current()) {
  const detail::OperatorOn<T, Op> body{op};
  return detail::unflattened<Vec<T>>(
      detail::segmented_reduce(segments, detail::Body(body), neutral.parts(), xs.parts(), where));
}
/// The scan of each segment by itself, as scan gives it; as many elements as xs.
template <class Op, class T>
Vec<T> segmented_scan(const Op& op, const std::type_identity_t<Exp<T>>& neutral,
                      const detail::Segments& segments, const Vec<T>& xs,
                      detail::Here where = detail::Here::current()) {
  const detail::OperatorOn<T, Op> body{op};
  return detail::unflattened<Vec<T>>(
      detail::segmented_scan(segments, true, detail::Body(body), neutral.parts(), xs.parts(), where));
}
/// As exclusive_scan gives it: each segment begins with initial, which is any value.
template <class Op, class T>
Vec<T> segmented_exclusive_scan(const Op& op, const std::type_identity_t<Exp<T>>& initial,
                                const detail::Segments& segments, const Vec<T>& xs,
                                detail::Here where = detail::Here::current()) {
  const detail::OperatorOn<T, Op> body{op};
  return detail::unflattened<Vec<T>>(
      detail::segmented_scan(segments, false, detail::Body(body), initial.parts(), xs.parts(), where));
}

}  // namespace fulgurite

#pragma GCC visibility pop
