// The boundary (see staged.h) of scans, segmented operations, filters, scatters and updates. An array is the
// list of its components everywhere. Nothing here is for users.
#pragma once

#include <fulgurite/staged.h>

#pragma GCC visibility push(default)

namespace fulgurite::detail {

/// How to scan arrays of equal shapes along an axis. `neutral` and `initial` as in Fold; exclusive scans need
/// one of them.
struct Scanning {
  const char* origin;
  bool inclusive = true;
  bool from_right = false;
  bool totals = false;  // the folds of the whole lines come after the scanned arrays
  std::span<const Value> neutral;
  std::span<const Value> initial;
  int axis = 0;
};
Values scan(const Scanning&, Body op, std::span<const Value> parts, Here where);

/// Consecutive elements of an axis, taken together.
/// `known_offsets`: offsets that are known to ascend from 0 to the number of elements.
enum class SegmentsBy : std::uint8_t { lengths, offsets, flags, regular, known_offsets };
struct Segments {
  SegmentsBy by;
  Value value;  // a vector; regular: the length of all
};
/// The folds of the segments of an axis, the innermost unless the fold has one. Without a neutral element and
/// an initial value an empty segment is an error.
Values segmented_reduce(Segments, const Fold&, Body op, std::span<const Value> parts, Here where);
/// The scan of each segment of an axis by itself; totals: then their folds, the axis having an element for
/// each segment.
Values segmented_scan(Segments, const Scanning&, Body op, std::span<const Value> parts, Here where);

/// The offsets of segments of vectors of one length, one more than there are segments: i64, checked.
Value offsets_of(Segments, std::span<const Value> parts, Here where);
/// Row `number` of vectors that are taken apart by offsets, which are known to be right.
Values ragged_row(Value offsets, std::span<const Value> parts, Value number, Here where);
/// The segment of each of n elements.
Value segment_of_each(Value offsets, Value n, Here where);
/// Rows have one axis, which is 1 or -1; throws ShapeError for another.
void require_axis_of_rows(const char* what, int axis, Here where);
/// That a number of elements of each row, which `what` takes, is not negative.
void require_number_of_elements(const char* what, Value n, Here where);
/// That ragged arrays, of which these are the offsets, have rows of the same lengths.
void require_equal_rows(const char* what, std::span<const Value> offsets, Here where);

/// From each element of the vectors several: as many as size_of says, which element_of gives from the element
/// and from a number that counts from 0. The offsets, then what they are.
Values expand(Body size_of, Body element_of, std::span<const Value> parts, const char* origin, Here where);
/// The folds of these, one for each element of the vectors.
Values expand_reduce(const Fold&, Body op, Body size_of, Body element_of, std::span<const Value> parts,
                     Here where);
/// Each element of the vectors as often as its segment is long.
Values replicate(Segments, std::span<const Value> parts, Here where);

Values filter(Body predicate, std::span<const Value> parts, Here where);
/// What a vector of booleans holds for, along an axis.
Values filter(Value mask, std::span<const Value> parts, int axis, Here where);
/// The elements for which it holds, then the others.
Values partition(Body predicate, std::span<const Value> parts, Here where);
/// The elements by class, then the places where classes begin.
Values partition(Value classes, Body class_of, std::span<const Value> parts, Here where);

Values gather(std::span<const Value> parts, Value indices, Here where);
Values backpermute(std::span<const Value> extents, Body f, std::span<const Value> parts, Here where);
/// `places`: a vector of indices for each axis of the destination. Of several values for one place the last
/// stays, or any.
Values scatter(std::span<const Value> destination, std::span<const Value> places,
               std::span<const Value> values, bool any_of_equal, Here where);
Values permute(Body op, std::span<const Value> defaults, Body target, std::span<const Value> values,
               Here where);
Values histogram(Body op, std::span<const Value> neutral, Value size, Value bins,
                 std::span<const Value> values, Here where);

/// The array with one element, or the elements of a slice, replaced.
Values with(std::span<const Value> parts, std::span<const Value> indices, std::span<const Value> element,
            Here where);
Values with(std::span<const Value> parts, std::span<const Bounds> axes, std::span<const Value> values,
            Here where);

}  // namespace fulgurite::detail

#pragma GCC visibility pop
