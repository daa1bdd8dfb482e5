// A row of elements sorted by one task, in its cache.
//
// By digits, the least significant first, but only by the highest bits in which the keys differ, enough of
// them for few elements to have equal ones; an element still out of order is so near to its place that
// insertion puts it there. Where that turns out to be much work, as many keys differ in lower bits only, the
// row is sorted again by all bits. The place of each of few elements is how many stand before it, which lanes
// count: no branch is guessed wrong.
//
//   least, most: of the keys; bits in which key - least can differ
//   need = min(bits, log2(n) + some)
//   while (not sorted) {
//     for each of the digits of the highest `need` bits, from the lowest: count, add up, move
//     insert one by one into the result; if that is too much work, need = bits
//   }
#pragma once

#include "schedule/ir.h"
#include "walk/emitter.h"

namespace fulgurite::walk::lanes {

class RowSort {
 public:
  /// In scalar code of a task, which gets memory for two rows of at most `longest` elements; with the numbers
  /// of the skeleton "sort rows".
  RowSort(const Emitter&, const soac::Stm& sort, Expr longest, const schedule::Skeleton&);

  /// n elements, which begin at element `begin` of the arrays, to the beginning of the results. Keys have
  /// more than 8 bits.
  void sort(Expr n, std::span<const Expr> arrays, Expr begin, const std::vector<Destination>& results);

 private:
  using Elements = std::vector<Expr>;
  void by_ranks();
  void by_digits();
  void range();
  Expr by_highest_bits();
  template <class F>
  void pass(Expr shift, Expr to, F&& element);
  Expr insert(Expr from);
  template <class F>
  void insert_one(Expr i, const Elements&, Expr greatest, F&& went_back);

  Expr i64(std::int64_t value) { return arena_.i64(value); }
  Expr bits(std::int64_t value) { return arena_.constant(kind_, static_cast<std::uint64_t>(value)); }
  Expr bound(Expr e, std::string_view name) { return e_.bind(e_.lower(e), name); }
  Expr key(const Elements&);
  Elements given(Expr number);
  static Elements at(const Emitter&, const std::vector<Destination>&, Expr number);
  static void put(const Emitter&, const std::vector<Destination>&, Expr number, const Elements&);

  const Emitter e_;
  scalar::Arena& arena_;
  const soac::Stm& s_;
  const soac::Sort& op_;
  const std::int64_t ranked_, least_digit_bits_, digit_bits_, beyond_bits_, insertion_steps_;
  const Kind kind_;
  const std::int64_t width_;
  const Expr longest_;
  Var counts_, keys_;               // of classes, and of the elements that are ranked
  std::vector<Destination> moved_;  // two halves, the second from element `longest` on
  std::span<const Expr> arrays_;
  std::vector<Destination> results_;
  Expr begin_, n_;
  Expr least_, bits_, need_;
  Expr digit_, low_, classes_;  // of the passes
};

/// Lowers a Sort statement met in scalar code of a task, with the numbers of "sort rows".
void inner_sort(const Emitter&, const soac::Stm&, const schedule::Skeleton&);

}  // namespace fulgurite::walk::lanes
