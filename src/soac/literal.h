// Arrays of few elements, each of which is an expression of its own: a Soac over a constant number of points
// whose function chooses the element by its number. Nothing else makes such an array of scalars of a point.
#pragma once

#include <optional>
#include <span>

#include "soac/ir.h"

namespace fulgurite::soac {

/// A literal has at most this many elements.
inline constexpr std::int64_t most_of_literal = 64;

/// How many elements constant extents make; absent: an extent is not constant, or they are more than
/// `most_of_literal`.
std::optional<std::int64_t> few_points(std::span<const Expr> dims);

/// A statement that makes an array of this shape (row-major), under a fresh name.
Stm literal(Arena&, Kind, std::span<const Expr> shape, std::span<const Expr> elements, const Location&);
/// Whether the statement is a map over few points whose function is only expressions: a literal, or as good
/// as one.
bool is_literal(const Stm&);
/// The points of such a statement, in row-major order: what each of them gives for each result.
std::vector<std::vector<Expr>> points_of(Arena&, const Soac&);

}  // namespace fulgurite::soac
