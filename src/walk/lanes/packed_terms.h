// Words of the terms of a sum of products (schedule/packed_terms.h).
#pragma once

#include "schedule/packed_terms.h"
#include "walk/emitter.h"

namespace fulgurite::walk::lanes {

/// The points [begin, end) of a reduction in words of `together` neighbouring points each: words number
/// [first, last), of which the last may have fewer points. If `together` is 1, each point is a word with its
/// own number.
struct Words {
  std::int64_t together = 1;
  Expr begin, end;
  Expr first, last;
  /// Its first point.
  Expr point(Expr number) const { return together == 1 ? number : begin + number * together; }
};
Words words_of(const Emitter&, std::int64_t together, Expr begin, Expr end);

/// An operand at a point of the reduction, in code that is given.
using OperandAt = std::function<Expr(const Emitter&, Expr point)>;
/// The word of an operand, whose points are all there.
Expr whole_word(const Emitter&, const Words&, Expr number, const OperandAt&);

/// The part of a word, not in lanes, whose points exist; the others are 0.
struct WordParts {
  std::vector<Expr> points, masks;
};
WordParts parts_of_word(const Emitter&, const Words&, Expr number, Kind);
Expr word(const Emitter&, const WordParts&, const OperandAt&);

}  // namespace fulgurite::walk::lanes
