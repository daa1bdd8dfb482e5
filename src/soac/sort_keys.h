// The keys of the elements of a Sort: unsigned integers, in whose order the elements are sorted.
#pragma once

#include <span>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::soac {

/// An unsigned integer for each value of a number or boolean, in the order of the values; of floats -0 is
/// before +0, and the highest integer stands for every NaN.
Expr ordered_bits(Arena&, Expr value);
/// The float of this kind that has these bits, if it is no NaN.
Expr float_of_ordered_bits(Arena&, Expr bits, Kind);

/// The key of the elements that are there.
Expr key_of(Arena&, const Sort&, std::span<const Expr> elements);

/// The least and the greatest key (`least`, `most`) of n elements, from `begin` on, of arrays to be sorted.
Stm range_of_keys(Arena&, const Stm& sort, std::span<const Expr> arrays, Expr begin, Expr n, Var least,
                  Var most);

/// n elements, from `begin` on, of arrays to be sorted, and then their keys, as arrays of these names.
Stm with_keys(Arena&, const Stm& sort, std::span<const Expr> arrays, Expr begin, Expr n,
              std::vector<Var> names);
/// How many elements stand before element i, which has this key, in the order of their keys, as the name
/// `rank`. Keys of no element are the greatest, and stand after all elements.
Stm rank_of(Arena&, Expr keys, Expr i, Expr key, Var rank);

}  // namespace fulgurite::soac
