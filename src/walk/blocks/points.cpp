#include "walk/blocks/points.h"

#include <algorithm>

#include "base/check.h"
#include "parts/fold.h"
#include "parts/shared_bins.h"
#include "schedule/nest.h"
#include "schedule/rewrites/operators.h"
#include "soac/outputs.h"
#include "walk/blocks/row_major.h"
#include "walk/blocks/sinks.h"
#include "walk/blocks/wide.h"
#include "walk/operators.h"

namespace fulgurite::walk::blocks {

namespace {

class Walk {
 public:
  Walk(const Emitter& e, const soac::Stm& s, const schedule::Nest& nest, const Block& block,
       const Range& range, std::span<const parts::Published> published)
      : e_(e),
        arena_(e.arena()),
        s_(s),
        op_(std::get<soac::Soac>(s.op)),
        nest_(nest),
        numbers_(numbers_of(nest)),
        block_(block),
        range_(range),
        published_(published),
        dims_(e.lower(op_.dims)),
        is_small_(e.lower(schedule::product(arena_, op_.dims) < std::int64_t{1} << 32)) {}

  Ends operator()(const Running::Groups& entry) {
    const std::vector<Update> updates = updates_of(s_, nest_);
    const Steps steps(e_, s_, block_, numbers_.items, entry, updates);
    for (const Posts& posts : steps.last().posts)
      FULGURITE_CHECK(numbers_.items == 1 || (posts.is_partition && is_dealt(nest_, posts.number)),
                      "a thread posts {} points", numbers_.items);
    Sinks sinks(e_, s_, nest_, block_, range_, steps);
    parts::fill(e_, block_, sinks.shared_bins(),
                [&] { numbers_.has_tiles ? tiled(steps, sinks) : unordered(steps, sinks); });
    return ends(steps);
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }

  Ends ends(const Steps& steps) {
    Ends ends;
    std::size_t next = 0, group = 0;
    for (const soac::Reduction& r : op_.reductions) {
      for (std::size_t k = 0; k < r.op.results.size(); ++k)
        ends.totals.push_back(schedule::in_order(r) ? e_.snapshot(steps.folded()[group].so_far[k], "total")
                                                    : e_.load_plain(totals_[next++], i64(0), "total"));
      if (schedule::in_order(r)) ++group;
    }
    for (const auto& variables : steps.scanned()) {
      ends.scans.emplace_back();
      for (Expr variable : variables) ends.scans.back().push_back(e_.snapshot(variable, "so_far"));
    }
    return ends;
  }

  // ---- points

  void at_point(const Emitter& of_thread, const soac::Stm& s, Expr number, const Running& running) {
    std::vector<Expr> indices(dims_.size());
    const Emitter e = of_thread.at_element(number);
    if (dims_.size() > 1 && numbers_.by_number) {
      for (Expr& index : indices) index = e.placeholder();
      return point(e.with_identity({indices, number}), s, indices, number, running);
    }
    if (dims_.size() == 1) indices[0] = number;
    if (dims_.size() > 1) indices = indices_of(e, number, dims_, is_small_);
    point(e, s, indices, number, running);
  }

  Running start(const Emitter& of_thread, const Steps& steps, const Sinks& sinks) {
    Running running{walk::start(of_thread, steps.last_op()), {}, 0, {}};
    running.update = [&sinks](const Emitter& e, std::size_t scatter, Expr number, Running::Elements elements,
                              std::span<const Expr> values) {
      sinks.update(e, scatter, number, elements, values);
    };
    return running;
  }

  // ---- what threads have of the reductions in any order

  void join_totals(const Steps& steps) {
    if (totals_.empty()) return;
    sync(e_);
    parts::join_all(e_, block_, operators_of(e_, steps.last_op().reductions), totals_);
  }

  // ---- in any order

  void unordered(const Steps& steps, const Sinks& sinks) {
    totals_ = shared_values(e_, steps.last_op().reductions, block_.threads);
    par(e_, block_, [&](const Emitter& e, Expr t) {
      const Running running = start(e, steps, sinks);
      if (numbers_.chain > 0)
        in_chains(e, t, steps, sinks, running);
      else
        stride(e, t, steps, range_, running);
      save(e, running.reductions, totals_, t);
    });
    join_totals(steps);
  }

  // Every n-th point of a range, for n threads.
  void stride(const Emitter& e, Expr t, const Steps& steps, const Range& range, const Running& into) {
    const soac::Stm& s = steps.last().stm;
    const auto point = [&](Expr i) { at_point(e, s, i, into); };
    if (takes_neighbours(s))
      return in_runs(e, block_, static_cast<int>(numbers_.neighbours), t, range.begin, range.end, point);
    const Expr first = e.bind(range.begin + t, "first");
    e.for_loop(first, range.end, i64(block_.threads), "i", point);
  }

  // A float accumulator takes this many additions before it is added to another one: errors grow with the sum
  // of the two lengths instead of their product.
  void in_chains(const Emitter& e, Expr t, const Steps& steps, const Sinks& sinks, const Running& running) {
    const Expr step = i64(numbers_.chain * block_.threads);
    e.for_loop(range_.begin, range_.end, step, "from", [&](Expr from) {
      Expr to = e.bind(min(from + step, range_.end), "to");
      Running inner = start(e, steps, sinks);
      stride(e, t, steps, {from, to}, inner);
      join(e, steps.last_op().reductions, running.reductions, inner.reductions);
    });
  }

  bool takes_neighbours(const soac::Stm& s) const {
    std::vector<Var> made;
    for (const soac::Mapped& mapped : soac::view_of(s).mapped) made.push_back(mapped.array);
    return numbers_.neighbours > 1 && (dims_.size() == 1 || numbers_.by_number) &&
           lie_at_their_numbers(e_, made);
  }

  // ---- tile by tile

  void tiled(const Steps& steps, Sinks& sinks) {
    totals_ = shared_values(e_, steps.last_op().reductions, block_.threads);
    if (!totals_.empty())
      par(e_, block_,
          [&](const Emitter& e, Expr t) { save(e, walk::start(e, steps.last_op()), totals_, t); });
    sinks.open();
    std::vector<soac::Stm> operands;
    for (std::size_t l = 0; l < steps.levels().size() && !steps.is_one_step(); ++l)
      operands.push_back(steps.operands_of(l));
    e_.for_loop(range_.begin, range_.end, i64(steps.tile()), "tile", [&](Expr from) {
      const Tile tile{from, e_.bind(0 - from, "base"), e_.bind(min(range_.end - from, steps.tile()), "n")};
      before_.clear();
      for (std::size_t l = 0; l < steps.levels().size(); ++l) {
        if (steps.is_one_step())
          last_step(steps, sinks, tile);
        else
          stage(steps, operands[l], l, tile);
        sync(e_);
        fold_level(steps, sinks, l, tile);
      }
      if (steps.has_last_step()) {
        last_step(steps, sinks, tile);
        sync(e_);
        sinks.store_packed();
      }
      sinks.store_posts();
    });
    sinks.close();
    join_totals(steps);
  }

  // The tile that begins at point `from`, of which there are n; base: -from.
  struct Tile {
    Expr from, base, n;
  };

  void fold_level(const Steps& steps, Sinks& sinks, std::size_t level, const Tile& tile) {
    const std::vector<parts::Ordered>& groups = steps.levels()[level].groups;
    parts::FindBefore find_before;
    if (level < published_.size())
      find_before = [&](const auto& totals) {
        parts::look_back(e_, block_, published_[level], groups, totals);
      };
    before_.push_back(parts::fold_tile(e_, block_, numbers_.items, tile.n, groups, find_before));
    sinks.begin_tile(groups, before_.back());
  }

  // body(place in the tile, number of the point) for the points of the tile.
  void for_tile(const Emitter& e, Expr t, const Tile& tile,
                const std::function<void(Expr at, Expr number)>& body) {
    parts::for_items(e, t, block_.threads, numbers_.items, tile.n,
                     [&](Expr at) { body(at, e.bind(tile.from + at, "number")); });
  }

  void stage(const Steps& steps, const soac::Stm& s, std::size_t level, const Tile& tile) {
    steps.place_operands(e_, s, level, tile.base);
    par(e_, block_, [&](const Emitter& e, Expr t) {
      for_tile(e, t, tile, [&](Expr at, Expr number) {
        steps.bind_staged(e, std::span(before_).first(level), at);
        at_point(e, s, number, {});
      });
    });
  }

  // The tile has nothing at its places after the last point.
  void post_none_behind(const Emitter& e, Expr t, const Steps& steps, const Tile& tile) {
    if (steps.last().posts.empty()) return;
    const Expr behind = e.bind(tile.n + t, "behind"), end = i64(steps.tile());
    e.for_loop(behind, end, i64(block_.threads), "at", [&](Expr at) {
      for (const Posts& posts : steps.last().posts) {
        const Var places = posts.buffers[0];
        e.store_plain(places, at, cast(i64(-1), arena_.info(places).type.kind));
      }
    });
  }

  void last_step(const Steps& steps, const Sinks& sinks, const Tile& tile) {
    steps.place_last(e_, tile.base);
    par(e_, block_, [&](const Emitter& e, Expr t) {
      Running running = start(e, steps, sinks);
      std::size_t next = 0;
      for (const auto& group : running.reductions)
        for (Expr variable : group) e.assign(variable, e.load_plain(totals_[next++], t, "acc"));
      post_none_behind(e, t, steps, tile);
      for_tile(e, t, tile, [&](Expr at, Expr number) {
        steps.bind_staged(e, before_, at);
        at_point(e, steps.last().stm, number, running);
      });
      save(e, running.reductions, totals_, t);
    });
  }

  const Emitter e_;
  scalar::Arena& arena_;
  const soac::Stm& s_;
  const soac::Soac& op_;
  const schedule::Nest& nest_;
  const Numbers numbers_;
  const Block& block_;
  const Range& range_;
  const std::span<const parts::Published> published_;
  const std::vector<Expr> dims_;
  const Expr is_small_;                // every number of a point, and every extent, fits into 32 bits
  std::vector<Steps::Before> before_;  // the tile, of each level
  std::vector<Var> totals_;            // of the threads, for each component of the reductions in any order
};

}  // namespace

Ends walk_points(const Emitter& e, const soac::Stm& s, const schedule::Nest& nest, const Block& block,
                 const Range& range, const Running::Groups& entry,
                 std::span<const parts::Published> published) {
  return Walk(e, s, nest, block, range, published)(entry);
}

}  // namespace fulgurite::walk::blocks
