// Where the parts that several expressions of a program share get names of their own (`let t = ...`), so that
// text is linear in the size of the expressions as a graph. A shared part is named in the innermost block
// that covers its uses, before the first statement that needs it; parts of very deep expressions are named
// too. Depends on the structure of the program only.
#pragma once

#include <unordered_map>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::soac {

/// A statement of a block (or, past the last, its results). Blocks are numbered in the order of the text: the
/// program's is 0, then the blocks of nested_in, depth first.
struct Place {
  int block = 0;
  int statement = 0;
  friend bool operator==(Place, Place) = default;
};

class Sharing {
 public:
  explicit Sharing(const Program&);
  /// The expressions that get names before this statement, operands first.
  const std::vector<Expr>& at(Place) const;

 private:
  std::vector<std::vector<std::vector<Expr>>> named_;  // by block, by statement
};

}  // namespace fulgurite::soac
