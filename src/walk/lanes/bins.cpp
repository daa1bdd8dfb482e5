#include "walk/lanes/bins.h"

#include "schedule/lanes/bins.h"
#include "schedule/lanes/nests.h"
#include "schedule/nest.h"
#include "soac/outputs.h"
#include "soac/read_along.h"
#include "walk/lanes/bin_updates.h"
#include "walk/lanes/range_of.h"

namespace fulgurite::walk::lanes {

namespace {

using schedule::bin_gap, schedule::Combine, schedule::Join;

/// What a walk in portions has so far, in variables of scalar code.
class State {
 public:
  State(const Emitter& e, const soac::Soac& op, const Entry& entry)
      : e_(e), op_(op), totals_(walk::start(e, op)), cursors_(entry.partitions) {
    for (const auto& group : entry.scans) {
      scans_.emplace_back();
      for (Expr value : group) scans_.back().push_back(e.declare(value, "so_far"));
    }
    for (Running::Cursor& cursor : cursors_)
      for (Expr& next : cursor.next) next = e.declare(next, "next");
  }

  /// What the walk over a portion begins with.
  Entry now() const {
    Entry now;
    for (const auto& group : scans_) now.scans.push_back(values_of(group));
    now.partitions = cursors_;
    for (Running::Cursor& cursor : now.partitions) cursor.next = values_of(cursor.next);
    return now;
  }
  /// What it ended with, the next one goes on from.
  void join(const Ends& ends) const {
    std::size_t k = 0;
    for (std::size_t g = 0; g < totals_.size(); ++g) {
      const std::span operands(ends.totals.data() + k, totals_[g].size());
      walk::join(e_, op_.reductions[g], totals_[g], operands);
      k += totals_[g].size();
    }
    for (std::size_t g = 0; g < scans_.size(); ++g)
      for (std::size_t c = 0; c < scans_[g].size(); ++c) e_.assign(scans_[g][c], ends.scans[g][c]);
    for (std::size_t g = 0; g < cursors_.size(); ++g)
      for (std::size_t c = 0; c < cursors_[g].next.size(); ++c)
        e_.assign(cursors_[g].next[c], ends.partitions[g][c]);
  }
  Ends ends() const {
    Ends ends;
    for (const auto& group : totals_)
      for (Expr value : values_of(group)) ends.totals.push_back(value);
    for (const auto& group : scans_) ends.scans.push_back(values_of(group));
    for (const Running::Cursor& cursor : cursors_) ends.partitions.push_back(values_of(cursor.next));
    return ends;
  }

 private:
  std::vector<Expr> values_of(const std::vector<Expr>& variables) const { return e_.snapshots(variables); }

  const Emitter& e_;
  const soac::Soac& op_;
  const Running::Groups totals_;
  Running::Groups scans_;
  std::vector<Running::Cursor> cursors_;
};

class BinWalk {
 public:
  BinWalk(const Emitter& e, const schedule::Phase& phase)
      : e_(e),
        arena_(e.arena()),
        s_(phase.computes),
        op_(std::get<soac::Soac>(s_.op)),
        nest_(std::get<schedule::Nest>(phase.walk)) {
    for (std::size_t g = 0; g < op_.scatters.size(); ++g) {
      const soac::Scatter& scatter = op_.scatters[g];
      if (scatter.combine.empty()) continue;
      const Combine& combine = *schedule::combine_of(nest_, Combine::Part::scatter, g);
      groups_.push_back({scatter,
                         combine,
                         schedule::product(arena_, scatter.shape),
                         schedule::bin_stride(arena_, scatter),
                         {}});
    }
  }

  Ends run(const Entry& entry) {
    for (BinGroup& group : groups_) start(group);
    const Range range = range_of(e_, nest_, op_);
    if (nest_.traffic.portion > 0) {
      Ends ends = in_portions(range, entry);
      for (const BinGroup& group : groups_) join_copies(group);
      return ends;
    }
    const soac::OutputView outputs = soac::view_of(s_);
    for (const BinGroup& group : groups_) {
      const auto& arrays = outputs.scatters[group.combine.which].arrays;
      for (std::size_t k = 0; k < arrays.size(); ++k)
        e_.set_destination(arrays[k], {group.combine.memory[k], group.first});
    }
    return walk_range(e_, s_, range, {nest_}, entry);
  }

 private:
  Expr i64(std::int64_t value) const { return arena_.i64(value); }

  using InLane = std::function<void(const Emitter& lane, Expr t)>;
  void in_lanes(const BinGroup& group, const InLane& body) const {
    const Emitter lane = e_.in_lanes();
    lane.par(kernel::Level::block, i64(lanes_of(group)), "t", [&](Expr t) { body(lane, t); });
  }
  static std::int64_t lanes_of(const BinGroup& group) { return group.level(Join::bins)->n; }

  // The task's bins hold neutral elements, also where nothing reads them.
  void start(BinGroup& group) const {
    group.first = e_.lower(schedule::first_bin(arena_, group.scatter, e_.context().task));
    const Combine::Level* copied = group.level(Join::copies);
    if (copied)
      for (Var bins : group.combine.memory)
        group.copies.push_back(e_.allocate_shared(arena_.info(bins).type.kind, copied->n * copied->room));
    group.where_few(
        e_,
        [&] {
          for (std::int64_t c = 0; c < copied->n; ++c)
            fill(group, group.copies, i64(c * copied->room), e_.lower(group.stride));
        },
        [&] {
          const Expr stride = e_.lower(group.stride);
          fill(group, group.combine.memory, e_.lower(group.first - bin_gap), stride);
        });
  }

  void fill(const BinGroup& group, const std::vector<Var>& bins, Expr first, Expr n) const {
    const std::vector<Expr> neutral = e_.lower(group.by().neutral);
    in_lanes(group, [&](const Emitter& lane, Expr t) {
      lane.for_loop(i64(0), n, i64(lanes_of(group)), "j", [&](Expr j) {
        const Expr at = lane.bind(first + j + t, "at");
        for (std::size_t k = 0; k < neutral.size(); ++k) lane.store_plain(bins[k], at, neutral[k]);
      });
    });
  }

  // for (from ...) { walk over a portion; update }
  Ends in_portions(const Range& range, const Entry& entry) const {
    const std::int64_t length = nest_.traffic.portion;
    const schedule::BinPosting posting = schedule::post_bins(arena_, s_);
    std::vector<std::vector<Var>> buffers;
    for (const schedule::BinPosts& posts : posting.posts)
      for (buffers.emplace_back(); Var name : posts.names)
        buffers.back().push_back(e_.allocate_shared(arena_.info(name).type.kind, length));
    const State state(e_, std::get<soac::Soac>(posting.stm.op), entry);
    e_.for_loop(range.begin, range.end, i64(length), "from", [&](Expr from) {
      Range part;
      part.is_points = true;
      part.begin = from;
      part.end = e_.bind(min(e_.bind(from + length, "to"), range.end), "to");
      const Expr base = e_.bind(0 - from, "base");
      for (std::size_t g = 0; g < buffers.size(); ++g)
        for (std::size_t k = 0; k < buffers[g].size(); ++k)
          e_.set_destination(posting.posts[g].names[k], {buffers[g][k], base});
      state.join(walk_range(e_, posting.stm, part, {made_nest()}, state.now()));
      const Expr n = e_.bind(part.end - from, "n");
      for (std::size_t g = 0; g < groups_.size(); ++g)
        update_bins(e_, groups_[g],
                    {from, n, i64(length), posting.posts[g], buffers[g],
                     soac::read_in_step(op_, schedule::loops_of(nest_).linear)});
    });
    return state.ends();
  }
  // The nest of the statement that posts, the last one that the walk makes.
  const schedule::Nest& made_nest() const {
    const schedule::Nest* found = nullptr;
    for (const schedule::Inner& inner : nest_.inner)
      if (inner.number == 0) found = &inner.nest;
    return *found;
  }

  // In lanes, into the task's bins; over a whole number of vectors, for a gap follows.
  void join_copies(const BinGroup& group) const {
    const Combine::Level* copied = group.level(Join::copies);
    if (!copied) return;
    e_.if_then(e_.lower(copied->condition), [&] {
      in_lanes(group, [&](const Emitter& e, Expr t) {
        e.for_loop(i64(0), e.lower(group.size), i64(lanes_of(group)), "j", [&](Expr j) {
          const Expr place = e.bind(j + t, "place");
          std::vector<Expr> so_far;
          for (std::int64_t c = 0; c < copied->n; ++c) {
            const Expr at = e.bind(bin_gap + c * copied->room + place, "at");
            for (Var array : group.copies) so_far.push_back(e.load_plain(array, at, "copy"));
            if (c > 0) so_far = apply(e, group.by().op, so_far);
          }
          const Expr at = e.bind(group.first + place, "at");
          for (std::size_t k = 0; k < so_far.size(); ++k)
            e.store_plain(group.combine.memory[k], at, so_far[k]);
        });
      });
    });
  }

  const Emitter& e_;
  scalar::Arena& arena_;
  const soac::Stm& s_;
  const soac::Soac& op_;
  const schedule::Nest& nest_;
  std::vector<BinGroup> groups_;
};

}  // namespace

Ends walk_with_bins(const Emitter& e, const schedule::Phase& phase, const Entry& entry) {
  return BinWalk(e, phase).run(entry);
}

}  // namespace fulgurite::walk::lanes
