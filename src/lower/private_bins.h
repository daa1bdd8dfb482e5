// Scatters with an operator (histograms, permutations with one): the bins that the tasks of a launch have for
// themselves.
//
// A task walks its points in portions. Lanes compute the places and values of a portion and leave them in
// small buffers, a place outside the array as the number of a bin that nobody reads; scalar code then puts
// them into the bins one by one, without a branch but for one that is foretold. Where bins are few,
// neighbouring points use different copies of them on the stack, so that an update of a bin seldom waits for
// the one before to be stored; copies are joined when the task ends. That reorders the values of a place, so
// only operators that commute have copies.
#pragma once

#include "lower/frame.h"

namespace fulgurite::lower {

class PrivateBins {
 public:
  explicit PrivateBins(Frame&);

  bool empty() const { return groups_.empty(); }
  /// Lowers the walk over the task's points, with everything else that the points make. The task's bins hold
  /// the values of its points afterwards.
  Ends walk(const Emitter& task, const soac::Stm&, const Entry&);
  /// What a task has for a place of a scatter: an element for each component.
  std::vector<Expr> elements(std::size_t scatter, Expr task, Expr place);

 private:
  struct Group {  // a scatter
    std::size_t scatter;
    std::vector<Var> bins;                 // of all tasks, for each component
    Expr size, stride;                     // bins; from those of a task to those of the next
    Expr are_few;                          // whether this launch makes copies; absent: none ever does
    Expr first;                            // of the task
    std::int64_t n_copies = 0, apart = 0;  // from one copy to the next
    std::vector<Var> copies;               // for each component
  };
  struct Posts {               // of a group's points, in lanes
    std::vector<Var> names;    // of the place, then of the values that differ from point to point
    std::vector<Var> buffers;  // of each name
    std::vector<Expr> values;  // absent where they are in a buffer: uniform, or elements of arrays
    Var point;                 // whose number such elements have
  };
  /// Points of a portion: those from number `from` on. Where bins are many, elements of these arrays are
  /// asked for meanwhile, those of the next portion.
  struct Portion {
    Expr from, n;
    std::vector<Var> read_ahead;
  };

  Expr first_of(const Group&, Expr task);
  void start(const Emitter& task, Group&);
  void fill(const Emitter&, const Group&, const std::vector<Var>& bins, Expr first, Expr n);
  void where_few(const Emitter&, const Group&, const std::function<void()>& few,
                 const std::function<void()>& many);
  bool posts(const soac::Soac&) const;
  Ends walk_in_portions(const Emitter&, const soac::Stm&, const Range&, const Entry&);
  soac::Stm posting(const Emitter&, const soac::Stm&, std::vector<Posts>&);
  bool is_element(const soac::Soac&, Expr value) const;
  Expr place_of(const Emitter&, const soac::Scatter&, std::span<const Expr> indices);
  void update(const Emitter&, const Group&, const Posts&, const Portion&);
  /// What an operator that chooses one operand may do: store only where that is not what the bin holds.
  enum class Rounds : std::uint8_t { store_always, store_if_taken };
  void rounds(const Emitter&, const Group&, const Posts&, const std::vector<Var>& bins,
              std::span<const Expr> at, const Portion&, Rounds);
  void join_copies(const Emitter&, const Group&);
  void in_lanes(const Emitter&, const std::function<void(const Emitter& lane, Expr t)>&);

  Frame& at_;
  scalar::Arena& arena_;
  std::vector<Group> groups_;
  std::int64_t lanes_;
};

}  // namespace fulgurite::lower
