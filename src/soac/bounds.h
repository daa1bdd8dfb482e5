// Between which values integers of a program lie. Where an array is made for each element, this tells how
// many elements it can have before any element is computed: bounds are expressions of what is known then.
//
// A walk over a program tells what it passes: names that statements bind (learn), indices and their limits
// (set_below), and conditions that hold (assume), which it takes back where their scope ends (mark, forget).
// A loop's state is bounded by induction: an iteration may give at most the former value, at most the largest
// former value of all components, or at most some number, whatever the former value was.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "soac/interval.h"
#include "soac/ir.h"

namespace fulgurite::soac {

class Bounds {
 public:
  using Knows = std::function<bool(Expr)>;
  /// `knows`: the expression has a value before what is asked about is computed.
  Bounds(const Program&, Knows knows);

  /// Where the values of the integer expression lie.
  Interval of(Expr);
  /// of() where only what was assumed before the mark holds.
  Interval of(Expr, std::size_t mark);
  /// Whether a <= b is proven; of i64 expressions.
  bool at_most(Expr a, Expr b) { return at_most(a, b, 0); }
  /// Whether the expression has a value before (`knows`), and evaluating it cannot fail.
  bool known(Expr);

  void set(Var name, const Interval&);
  /// 0 <= name < limit
  void set_below(Var name, Expr limit);
  /// Learns bounds of the names that the statement binds, and what holds after it.
  void learn(const Stm&);
  /// Takes it that the condition holds, or does not.
  void assume(Expr condition, bool holds = true);
  std::size_t mark() const { return facts_.size(); }
  void forget(std::size_t mark);

 private:
  struct Name {
    Interval interval;
    Expr limit = {};        // 0 <= name <= limit, or < limit
    bool is_below = false;  // the latter
    Expr neutral = {};      // not in the interval, but the value as well: of a reduction of nothing
  };
  struct Fact {  // a <= b, or a < b
    Expr a, b;
    bool strict;
    Expr difference;  // b - a
  };
  struct Choice {  // of a boolean: condition ? yes : no
    Expr condition, yes, no;
  };
  struct State {  // a component of a loop's state that is an integer
    std::size_t number;
    Expr now;  // the body's parameter
    Interval initial;
    bool is_extent;
    bool is_positive = false;                  // or 0
    bool is_below_beginning = false;           // or at most 0
    bool has_least = false, has_most = false;  // of what is found
    bool adds_up = false;                      // the most is of all steps together
    Interval found = {};
    Expr more = {}, less = {};  // than it was, after an iteration
  };

  using Made = std::unordered_map<Var, const Stm*>;

  bool at_most(Expr a, Expr b, int depth);
  Interval of_node(Expr);
  Interval of_name(Expr);
  Interval of_elements(Expr array);
  Interval of_result(Expr);
  Interval without_neutral(Expr e, const Interval&);
  Interval with_facts(Expr, Interval);
  Interval with_partial_sums(Expr, Interval);
  Interval with_rounding(Expr, Interval);
  bool has_value(Expr);
  Expr safe(Expr);
  void set_extent(Var);
  void count_extents(const std::vector<Stm>&);
  void extents_of(std::span<const Var> names);
  void clip_extents(std::span<const Var> names);
  void learn_soac(const Stm&, const Soac&);
  void learn_reduction(std::span<const Var> names, const Reduction&, std::span<const Interval> operands,
                       const Interval& points);
  void learn_scatter(std::span<const Var> names, const Scatter&, std::span<const Interval> values,
                     const Interval& points);
  void learn_scan(const Stm&, const Scan&);
  void learn_sort(const Stm&, const Sort&);
  void set_elements(Var array, const Interval&);
  Interval reduced(const Lambda& op, std::span<const Interval> starts, const Interval& operand,
                   const Interval& points);
  void learn_if(const Stm&, const If&);
  void learn_loop(const Stm&, const Loop&);
  void keep_elements(const Stm&, const Loop&);
  std::vector<Interval> results_of(const Lambda&, Expr condition, bool holds);
  std::vector<Interval> one_iteration(const Loop&);
  void compare_with_former(const Loop&, std::vector<State>&);
  Expr increase(Expr value, Expr former, scalar::Op extreme);
  void add_steps(const Loop&, std::vector<State>&);
  void limit_sums(const Loop&, std::vector<State>&);
  void compare_with_beginning(const Loop&, std::vector<State>&);
  void compare_with_all(const Loop&, std::vector<State>&);
  bool take_whatever_it_was(const Loop&, std::vector<State>&);
  void set_state(const std::vector<State>&);
  Interval unknown(const State&);
  void add_fact(Expr a, Expr b, bool strict);
  void add_fact(const Fact&);
  void assume(const Choice&, bool holds);
  void equate(std::span<const Expr> shape, std::span<const Expr> extents);

  Arena& arena_;
  Knows knows_;
  Intervals intervals_;
  std::unordered_map<Var, Name> names_;
  std::vector<Fact> facts_;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> facts_on_;  // by node id: numbers of facts
  std::vector<std::size_t> of_sums_;                                      // facts, by number
  std::unordered_map<Var, Choice> choices_;
  std::unordered_map<Var, Interval> elements_;  // of arrays of integers
  Made made_;        // by statements of the program, which are learned when asked for
  Interval points_;  // how many points the Soac has whose body is being learned
  int arrays_ = 0;   // of made_ whose statements are being learned
  std::unordered_map<std::uint32_t, Interval> memo_;  // by node id, while facts and names stay
  std::unordered_map<std::uint32_t, bool> known_;     // by node id
  std::unordered_set<std::uint32_t> asked_;           // whose facts are being asked for
  int loops_ = 0;                                     // around the statement that is being learned
};

}  // namespace fulgurite::soac
