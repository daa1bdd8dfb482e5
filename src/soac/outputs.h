// What a Soac's statement makes, output by output: each has its operator, the results of the body that are
// its operands, and the names that the statement binds for it. The IR keeps operands in one list, the results
// of the body, and names in another; only outputs.cpp knows which of them belong together.
//
// A pass that drops, adds or reorders outputs takes them out of the statement, edits them and puts them back:
//
//   Outputs outputs = take_outputs(stm);
//   std::erase_if(outputs.reductions, is_unused);
//   stm = with_outputs(std::move(stm), std::move(outputs));
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::soac {

/// An array of one element for each point, and the result of the body that is the element.
struct Mapped {
  Expr result;
  Var array{};
  bool operator==(const Mapped&) const = default;
};

struct Outputs {
  struct Reduced {
    Reduction by;
    std::vector<Expr> operands;
    std::vector<Var> names;
    bool operator==(const Reduced&) const = default;
  };
  struct Scattered {
    Scatter to;
    std::vector<Expr> place, values;
    std::vector<Var> arrays;
    bool operator==(const Scattered&) const = default;
  };
  struct Partitioned {
    Expr classes;      // how many there are
    Expr point_class;  // the class of the point
    std::vector<Expr> values;
    Var kept{}, offsets{};
    std::vector<Var> arrays;  // one for each value
    bool operator==(const Partitioned&) const = default;
  };
  std::vector<Reduced> reductions;
  std::vector<Scattered> scatters;
  std::vector<Partitioned> partitions;
  std::vector<Mapped> mapped;
  bool operator==(const Outputs&) const = default;
};

/// The outputs of a Soac statement.
Outputs outputs_of(const Stm&);
/// Moves the outputs out of the statement, which has none then.
Outputs take_outputs(Stm&);
/// The Soac statement with these outputs in place of its own. Its space, the parameters and statements of its
/// body, its location and its origin stay. Inverse of outputs_of.
Stm with_outputs(Stm, Outputs);

/// The outputs of a Soac statement for readers, in spans of the lists that the statement owns. Where the body
/// gives too few results, which the checker refuses, operands are missing.
struct OutputView {
  struct Reduced {
    const Reduction& by;
    std::span<const Expr> operands;
    std::span<const Var> names;
  };
  struct Scattered {
    const Scatter& to;
    std::span<const Expr> place, values;
    std::span<const Var> arrays;
  };
  struct Partitioned {
    Expr classes, point_class;
    std::span<const Expr> values;
    Var kept{}, offsets{};
    std::span<const Var> arrays;
  };
  std::vector<Reduced> reductions;
  std::vector<Scattered> scatters;
  std::vector<Partitioned> partitions;
  std::vector<Mapped> mapped;
};
OutputView view_of(const Stm&);
/// The view with other results in place of the body's own: with its results at one point, say.
OutputView view_of(const Stm&, std::span<const Expr> results);
/// The view without names, as only the statement has them.
OutputView view_of(const Soac&);

/// Which of the scatters are needed where these arrays are: what a scatter goes on from is needed with it.
std::vector<bool> needed_scatters(const OutputView&, const std::function<bool(Var)>& is_needed);

/// The arrays of scatters that go on, each with the array in whose memory it is: that of the first of them.
std::vector<std::pair<Var, Var>> in_memory_of_others(const Stm&);

/// If points give arrays: the number of the first axis of the mapped array that is not an axis of the space.
std::size_t first_axis_of_results(const Soac&);

/// The result of the body that becomes the elements of an array that a Soac statement maps; absent: the
/// statement is no Soac, or does not map the array.
Expr mapped_result(const Stm&, Var array);

}  // namespace fulgurite::soac
