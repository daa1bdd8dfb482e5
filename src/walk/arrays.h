// Arrays that points make, in memory that each task has for itself, and how many elements they have.
#pragma once

#include "walk/emitter.h"

namespace fulgurite::walk {

/// How much memory an array is given: for `copies` times its elements, and for `n_after` elements that whole
/// vectors may overwrite after them.
struct Amount {
  int copies = 1;
  std::int64_t n_after = 0;
};
/// Memory for as many elements as `size` can be at most. Throws ShapeError at `where`, in which `what` names
/// the array, if no bound of the size is known outside.
Destination scratch(const Emitter&, Kind, Expr size, const soac::Location& where, Amount = {},
                    std::string_view what = "an array made for each element");
/// Gives the array memory unless it has a destination.
const Destination& place(const Emitter&, Var array, Expr size, const soac::Location& where, Amount = {});
/// Compares the size of an array with the room at its destination, unless it is proven to fit. If it does not
/// fit the element fails, and what follows makes no elements.
void fit(const Emitter&, Expr size, const Destination&, const soac::Location& where);

/// A number of points, lowered: 0 after a failed check, unless it is known outside.
Expr extent(const Emitter&, Expr size);
std::vector<Expr> extents(const Emitter&, std::span<const Expr> sizes);
/// The product of the array's extents, lowered.
Expr size(const Emitter&, Var array);

/// The array will be made at `to`; false if the body does not make it, or makes it elsewhere.
bool make_there(const Emitter&, const std::vector<soac::Stm>& body, Var array, const Destination& to);
/// Copies an array; in scalar code.
void copy(const Emitter&, Var from, const Destination& to, const soac::Location& where);

}  // namespace fulgurite::walk
