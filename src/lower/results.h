// What the launch of a combinator makes: arrays, some of which begin as a copy of another and may take its
// memory, and scalars that come back. Shared by the schedules.
#pragma once

#include "lower/launches.h"
#include "soac/layout.h"

namespace fulgurite::lower {

/// The statement with its reads of arrays that it may update in place made reads of what they become: of the
/// same elements, as no point reads where another one stores.
soac::Stm reading_what_it_updates(scalar::Arena&, const soac::Stm&);

/// The statement without these of its reductions.
soac::Stm without_reductions(soac::Stm, const std::vector<bool>& dropped);

/// What a launch is called: "map", "reduce", "filter" ...
std::string name_of_launch(const soac::Soac&);

class Results {
 public:
  /// `s` is `original` with neutral elements (lift.h). From here on what the code of `e` stores to the arrays
  /// of `s` that `original` binds goes to their memory.
  Results(Launches&, const Emitter& e, const soac::Stm& original, const soac::Stm& s);
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  bool is_original(Var name) const;
  /// Of the shapes that they are declared with; partitions make others, of as many elements as points.
  const std::vector<Var>& arrays() const { return arrays_; }
  Expr bytes_written() const { return written_; }
  /// At most; how many of them are written the elements decide.
  Expr bytes_filtered() const { return filtered_; }

  /// map(f, shape, arrays, if_one) adds a phase that makes arrays element by element where `if_one` is 1.
  using Map = std::function<void(const soac::Lambda& f, const std::vector<Expr>& shape,
                                 std::vector<Var> arrays, Expr if_one)>;
  /// The contents of scatters without an operator, before.
  void fill(const Map& map);

  /// The launch, with memory for the results and for `temporaries`.
  void launch(kernel::Block phases, std::span<const Expr> tasks, std::span<const Var> temporaries,
              LaunchNote note);
  /// Element 0 of each: the reductions' results, in their order, and how many points each partition keeps.
  void bind_scalars(std::span<const Var> totals, std::span<const Var> kept);

 private:
  struct Copy {  // an array that begins as one of another, element by element
    Var array, from;
    Expr fresh;  // 0: it has its memory
  };

  Expr i64(std::int64_t value) { return arena_.i64(value); }
  std::span<const Var> names(const soac::Layout::Part& part) const {
    return std::span(s_.names).subspan(part.name, part.n_names);
  }
  bool is_copy(const soac::Scatter&, Expr element);
  void allocate(std::span<const Var> temporaries);

  Launches& launches_;
  scalar::Arena& arena_;
  Host& host_;
  const Emitter e_;
  const soac::Stm& original_;
  const soac::Stm& s_;
  const soac::Soac& op_;
  const soac::Layout layout_;
  std::vector<Var> arrays_, sorted_;
  std::vector<Copy> copies_;
  Expr written_, filtered_;
};

}  // namespace fulgurite::lower
