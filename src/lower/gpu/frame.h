// A launch in the making: the Soac that it computes, how its space is cut into blocks, its phases and their
// memory.
#pragma once

#include <map>

#include "lower/gpu/ranks.h"
#include "lower/gpu/walk.h"
#include "lower/results.h"

namespace fulgurite::lower::gpu {

class Frame {
  std::map<int, Expr> residents_;  // how many blocks run at once, by their threads; `cut` asks for it

 public:
  Frame(Launches&, const soac::Stm& original);
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  Launches& launches;
  scalar::Arena& arena;
  const Emitter e;
  const soac::Stm lifted;  // the original with neutral elements
  const Ranks ranks;
  const soac::Stm& s;  // of `ranks`, and its parts
  const soac::Soac& op;
  const soac::Layout layout;
  Results results;
  const bool looks_back;  // the Scans are made in the launch's one walk over the space (look_back.h)
  const Policy policy;
  const std::int32_t kernel_number;
  std::vector<Var> temporaries;  // memory of the launch alone
  std::vector<Expr> tasks;       // of each phase

  /// Runs of points, one for each block.
  struct Cut {
    Expr n, per_block, blocks;
  };
  const Cut cut;  // of the whole space; at least one block

  Expr i64(std::int64_t value) { return arena.i64(value); }
  std::span<const Var> names(const soac::Layout::Part&) const;
  std::span<const Expr> results_of(const soac::Layout::Part&) const;
  soac::Layout lifted_layout() const { return soac::layout_of(std::get<soac::Soac>(lifted.op)); }
  Var temporary(Kind, Expr size, std::string name);
  /// Whether the scatter, one of a partition's values, goes to places without gaps.
  bool is_dense(std::size_t scatter) const {
    return scatter >= ranks.n_scatters && ranks.partitions[scatter - ranks.n_scatters].counts.size() == 1;
  }
  /// How many points the original's partition keeps.
  Var kept(std::size_t partition) const { return kept_[partition]; }
  const std::vector<Var>& all_kept() const { return kept_; }

  /// What the phases make, with memory for it; once.
  void launch(kernel::Block phases, LaunchNote);

  using OfBlock = std::function<void(const Emitter& e, const Block&)>;
  void phase(Expr n_tasks, int threads, const OfBlock& body);
  /// A phase in which the blocks walk the whole space: of a statement over it. Nothing where `if_one` is 0.
  /// Blocks that look back take their numbers from element 0 of the `state` of what they publish.
  using Start = std::function<Entry(const Emitter& task)>;
  using Finish = std::function<void(const Emitter&, const Block&, const Ends&)>;
  void walk_all(const soac::Stm&, const Start&, const Sinks&, const Finish&, Expr if_one);
  /// One block walks a space.
  void walk_by_one(const soac::Stm&, const Start&, const Finish&);
  /// A phase that computes arrays of elements of their places; nothing where `if_one` is 0.
  void map(const soac::Lambda& f, const std::vector<Expr>& shape, std::vector<Var> arrays, Expr if_one);
  void fill_with(Var array, Expr n, Expr value);

 private:
  Cut cut_of(Expr n, const Policy&, Expr own);
  Expr resident(int threads);
  Cut whole();
  bool may_look_back() const;
  Policy choose_policy() const;
  std::int64_t posted_bytes() const;
  Run run_of(const Emitter& task, const Cut&);
  Block dealt(const Emitter& task, const Block& launched, Var next);

  std::vector<Var> kept_;
};

}  // namespace fulgurite::lower::gpu
