// What a walk over points computes in which step of a tile. Folds in the order of the points go level by
// level: their operands are computed, left in shared memory and folded there; operands of the next level may
// depend on the values of Scans of this level. The rest of the body is the last step.
#pragma once

#include "soac/outputs.h"
#include "walk/blocks/rest.h"

namespace fulgurite::walk::blocks {

/// Numbers of a walk over points, as its nest has them.
struct Numbers {
  bool by_number = false;       // points need no indices
  bool has_tiles = false;       // else a thread takes points that lie as far apart as there are threads
  int items = 1;                // neighbouring points of a tile that a thread folds
  std::int64_t neighbours = 1;  // points that a thread takes together
  std::int64_t chain = 0;       // additions to an accumulator before it is added to an outer one; 0: all
};
Numbers numbers_of(const schedule::Nest&);

class Steps {
 public:
  struct Level {
    std::vector<parts::Ordered> groups;
    std::vector<Expr> operands;            // of all of them; operands of reductions once
    std::vector<Var> buffers;              // where each of these is
    std::vector<std::vector<Expr>> names;  // of each group: what stands for a Scan's values in the body
  };

  /// With memory for tiles. `entry`: what each Scan of the body goes on from.
  Steps(const Emitter&, const soac::Stm&, const Block&, int items, const Running::Groups& entry,
        std::span<const Update>);
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  std::int64_t tile() const { return tile_; }
  const std::vector<Level>& levels() const { return levels_; }
  /// The last step. If nothing waits for a Scan, it computes what is folded in order as well.
  const Rest& last() const { return last_; }
  const soac::Soac& last_op() const { return std::get<soac::Soac>(last_.stm.op); }
  bool is_one_step() const { return !levels_.empty() && scanned_.empty(); }
  bool has_last_step() const {
    return levels_.empty() || (!is_one_step() && !last_op().body.results.empty());
  }
  /// The step that computes the operands of a level.
  soac::Stm operands_of(std::size_t level) const;

  /// From here on the operands that a level's step computes go to its tile: `base` is the negated number of
  /// the tile's first point.
  void place_operands(const Emitter&, const soac::Stm& step, std::size_t level, Expr base) const;
  /// Places in the tile what the last step posts, and also the operands if it is the only step.
  void place_last(const Emitter&, Expr base) const;
  /// The values before the tile, for each group and component of a level.
  using Before = std::vector<std::vector<Expr>>;
  /// At a place in the tile: the values of the Scans of the first levels, one for each `before`, and what was
  /// read for them.
  void bind_staged(const Emitter&, std::span<const Before> before, Expr at) const;

  /// Whether the group is this Scan of the body.
  bool is_scan(const parts::Ordered& group, std::size_t scan) const {
    return group.so_far[0] == scanned_[scan][0];
  }
  /// The value of each reduction in order, and the last value of each Scan, in variables.
  const std::vector<parts::Ordered>& folded() const { return folded_; }
  const Running::Groups& scanned() const { return scanned_; }

 private:
  struct Read {  // once, for several steps
    Expr element, name;
    Var buffer;
  };
  void read_once();
  void add_scans(const Running::Groups& entry);
  void add_reductions();
  void find_last(std::span<const Update>);
  Level& at(int level);
  void add(parts::Ordered&, Level&, std::span<const Expr> start, std::span<const Expr> operands);
  soac::Lambda part(std::vector<Expr> results, bool is_first) const;
  void name_staged(soac::Stm&, std::span<const Expr> values) const;
  void place(const Emitter&, std::span<const Var> names, std::size_t level, Expr base) const;

  const Emitter e_;
  scalar::Arena& arena_;
  const soac::Stm& s_;
  const soac::Soac& op_;
  const int threads_;
  const std::int64_t tile_;
  std::vector<Level> levels_;
  std::unordered_map<Var, int> level_of_scan_;            // by the first name that it binds
  std::vector<parts::Ordered> folded_;                    // the reductions among them
  std::unordered_map<std::uint32_t, Var> folded_values_;  // their values, by the operand's node
  Running::Groups scanned_;                               // what the Scans go on from
  std::unordered_map<Var, Expr> scan_values_;
  std::vector<Read> again_;
  std::unordered_map<std::uint32_t, std::size_t> again_by_node_;
  Rest last_;
  std::vector<soac::Mapped> early_;  // of the first step, where that is not all
};

}  // namespace fulgurite::walk::blocks
