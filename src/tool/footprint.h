// Which part of an array a statement reads: the elements that its index expressions reach, each once, as a
// number in terms of sizes. Indices that are computed from elements reach what nobody knows before: at most
// one element for each time that they are evaluated, and at most all.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "soac/equal_sizes.h"
#include "soac/walk.h"

namespace fulgurite::tool {

struct Footprint {
  soac::Expr elements;
  bool at_most = false;
  /// How often the statement goes through the elements; absent: once.
  soac::Expr times = {};
  bool often = false;  // an unknown number of times
};

/// The size in the oldest names. Absent if it depends on elements, or on a name in `bound`: on a point.
soac::Expr known_size(const soac::EqualSizes&, const soac::Vars& bound, soac::Expr size);

class Footprints {
 public:
  /// Footprints of the points of a Soac, and of its updates; `sizes` are the ones of the program around it.
  Footprints(scalar::Arena&, const soac::EqualSizes& sizes, const soac::Stm&);
  Footprints(const Footprints&) = delete;

  /// Nothing if no index of the statement mentions the array.
  std::optional<Footprint> of(soac::Var array) const;
  /// Points of the statement.
  soac::Expr points() const { return points_; }

 private:
  using Expr = soac::Expr;
  using Var = soac::Var;

  struct Span {  // every `step`-th number from low to high
    Expr low, high;
    std::int64_t step = 1;
    Expr count = {};        // absent: by the others
    bool is_fixed = false;  // no matter which point
  };
  struct Read {
    std::vector<std::optional<Span>> spans;  // of each axis; none: of all of it, for all that is known
    // How many values the names in its indices take together; absent: unknown.
    Expr indices;
    bool at_most;
    const soac::Stm* loop;  // the innermost statement whose points it is in
    Expr again;             // for as many values of names that are not in its indices: the same
  };
  void function(const soac::Lambda&, bool in_branch, const soac::Stm* loop);
  void statement(const soac::Stm&, bool in_branch, const soac::Stm* loop);
  void roots(const std::vector<Expr>&, bool in_branch, const soac::Stm* loop);
  void read(Expr index, bool in_branch, const soac::Stm* loop);
  std::optional<Span> span(Expr);
  std::optional<Span> affine(Expr);
  std::optional<Span> hull(const std::optional<Span>&, const std::optional<Span>&) const;
  Expr count(const Span&) const;
  Expr extent(Var array, std::size_t axis) const;
  Expr elements_of(Var array, const Read&) const;

  scalar::Arena& arena_;
  const soac::EqualSizes& sizes_;
  std::unordered_map<Var, Expr> ranges_;  // the extents of the ranges in open_; absent: unknown
  std::vector<Var> open_;                 // ranges around the current place, in order
  std::unordered_map<Var, Expr> lets_;
  soac::Vars bound_;  // by the statement: unknown values, unless they are a range
  std::unordered_map<Var, std::vector<Read>> reads_;
  Expr points_;
};

}  // namespace fulgurite::tool
