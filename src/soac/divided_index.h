// Points that divide their index by numbers which are the same for all of them: its quotient and its
// remainder become indices of two axes, and no point divides.
#pragma once

#include <vector>

#include "soac/ir.h"

namespace fulgurite::soac {

/// What the function divides the index by, as it is written, in the order in which it is met.
std::vector<Expr> divisors_of(const Lambda&, Expr index);

/// What `of` is times `by`, as it is written; null: it is no such product.
Expr multiple(Arena&, Expr of, Expr by);

/// What an index is divided by: as it is written, and as something that cannot fail.
struct Divisor {
  Expr written, value;
};
/// A divisor that is a multiple of the length of rows, and how many rows it is.
struct Multiple {
  Expr written, value, times;
};
/// How points are rows: their length is null if no divisor is given.
struct Rows {
  Expr length;
  std::vector<Multiple> multiples;
};
/// Rows of this length.
Rows rows_of(Arena&, Expr length, const std::vector<Divisor>&);
/// The divisor of which most others are multiples, the first one of several, is the length of rows.
Rows rows_of(Arena&, const std::vector<Divisor>&);

/// Replaces the index of a function by quotient * length + remainder, and what divides it by what follows.
void divide(Arena&, Lambda&, Expr index, const Rows&, Expr quotient, Expr remainder);

}  // namespace fulgurite::soac
