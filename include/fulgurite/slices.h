// Folds and scans whose operator works on arrays: the rows of a matrix, or the slices of any array, combined.
// As for elements, the operator is associative, up to rounding. Costs one reading of the array.
#pragma once

#include <fulgurite/map.h>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace detail {

template <class X>
concept Sliced =
    Mappable<X> && StagedArray<typename MapOperand<X>::Argument> && requires(const X& xs) { xs.array; };

// The operator as the tracer calls it. Refers to `op`.
template <class Slice, class Op>
auto operator_on_slices(const Op& op) {
  static_assert(
      std::is_invocable_r_v<Slice, const Op&, Slice, Slice>,
      "the operator of a reduction or scan of slices takes two arrays of their type and returns one");
  return [&op](std::span<const Value> operands) {
    const std::size_t n = operands.size() / 2;
    return flattened(Slice(op(unflattened<Slice>(operands.first(n)), unflattened<Slice>(operands.last(n)))));
  };
}

}  // namespace detail

/// reduce(op, neutral, fg::rows(m)), also of fg::columns and fg::slices: x0 op x1 op ... for the rows x0, x1
/// ...; of none, neutral. op takes two arrays and returns one: of the size of a row, or of any size, then
/// also neutral may be of any. An operator that works element by element is applied to all columns in
/// parallel, others row by row. Raises ShapeError if op keeps the rows' shape and neutral has another.
template <class Op, detail::Sliced X>
auto reduce(const Op& op, const typename detail::MapOperand<X>::Argument& neutral, const X& xs,
            detail::Here where = detail::Here::current()) {
  using Slice = typename detail::MapOperand<X>::Argument;
  const auto body = detail::operator_on_slices<Slice>(op);
  return detail::unflattened<Slice>(
      detail::reduce(detail::Body(body), neutral.parts(), detail::MapOperand<X>::operand(xs), where));
}

/// scan(op, neutral, fg::rows(m)), also of fg::columns and fg::slices: an array like m with x0, x0 op x1,
/// x0 op x1 op x2 ... in place of its rows x0, x1 ... . As reduce, but op keeps the rows' shape. Raises
/// ShapeError if it does not, and if neutral has another.
template <class Op, detail::Sliced X>
auto scan(const Op& op, const typename detail::MapOperand<X>::Argument& neutral, const X& xs,
          detail::Here where = detail::Here::current()) {
  const auto body = detail::operator_on_slices<typename detail::MapOperand<X>::Argument>(op);
  return detail::unflattened<std::decay_t<decltype(xs.array)>>(
      detail::scan(detail::Body(body), neutral.parts(), detail::MapOperand<X>::operand(xs), where));
}

}  // namespace fulgurite

#pragma GCC visibility pop
