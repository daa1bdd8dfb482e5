// Arrays that points make and whose sizes have no bound that is known before any point is computed
// (soac/bounds.h), and the sizes that would give them one.
#pragma once

#include <optional>
#include <vector>

#include "soac/walk.h"

namespace fulgurite::simplify {

/// A place in functions inside a combinator: in which function of the statement around it, in front of which
/// of the function's statements.
struct Step {
  std::size_t function, statement;
  bool repeats;       // the function runs more than once where its statement runs once
  bool is_condition;  // the function is the condition of a loop
};
using Path = std::vector<Step>;

/// A size without a bound, where it has a value. If it is no extent it may be negative.
struct Wanted {
  scalar::Expr size;
  Path path;
  bool is_extent;
  soac::Location where;
};

/// The first array, in the order of the program, without a bound; of a partition without a bound of its
/// classes the places where these begin.
struct Unbounded {
  scalar::Var array;
  std::vector<Wanted> wanted;  // the sizes that would bound it
};

/// Looks inside of a statement. `inside`: names bound inside combinators, to which it adds the names of
/// conditions that it looks at; `given_up`: arrays that it passes over.
std::optional<Unbounded> find_unbounded(const soac::Program&, const soac::Stm&, soac::Vars& inside,
                                        const soac::Vars& given_up = {});

}  // namespace fulgurite::simplify
