// Rows without gaps, one a lane: vectors that are loaded or stored one after the other hold all of their
// elements, and Permutes put the lanes in place.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernel/ir.h"

namespace fulgurite::tidy {

using kernel::Block, kernel::Expr, kernel::Var;

/// A sum of multiples of other expressions, by their numbers, and a constant.
struct Sum {
  std::map<std::uint32_t, std::pair<Expr, std::int64_t>> terms;
  std::int64_t constant = 0;

  /// Adds `times` e, in which names stand for what they are defined as.
  void add(Expr e, std::int64_t times, const std::map<Var, Expr>& definitions);
};

/// Accesses of a block with one buffer, stride and index but for a constant: where they stand, by constants.
struct Row {
  Var buffer;
  Expr stride;
  Sum index;
  std::map<std::int64_t, std::vector<std::size_t>> places;
};

/// The sum and a constant, as an expression.
Expr index_of(kernel::Arena&, const Sum&, std::int64_t constant);

/// The statements that are put before a statement, and whether that one goes.
struct Change {
  Block before;
  bool is_gone = false;
};

/// Rows of fewer elements are not transposed as pieces.
inline constexpr std::int64_t least_stride = 4;

/// Whether every element of the rows is there, and they are few enough for Permutes, but no power of two of
/// wide ones, which transpose quicker.
bool is_dense(const kernel::Arena&, const Row&);
/// Loads, or stores, dense rows of the block `body` as whole vectors.
void load_dense(kernel::Arena&, const Row&, Block& body, std::vector<Change>&);
void store_dense(kernel::Arena&, const Row&, const Block& body, std::vector<Change>&);

/// Whether lanes lie so close together that whole vectors, with what is between the lanes, are loaded quicker
/// than each lane. What is between two elements of an array is in the array.
bool is_close(const Row&);
/// Loads each element's vector of a row with gaps as whole vectors from its first lane to its last.
void load_close(kernel::Arena&, const Row&, Block& body, std::vector<Change>&);

}  // namespace fulgurite::tidy
