#include "parts/fold.h"

#include <algorithm>

#include "parts/networks.h"

namespace fulgurite::parts {

namespace {

Team team_of(const Builder& b, const Block& block) {
  return {[b](int n, const std::function<void(Expr)>& body) {
            scalar::Arena& arena = b.arena();
            b.for_loop(arena.i64(0), arena.i64(n), arena.i64(1), "step", body);
          },
          [b, block](Expr n, const OfThread& body) {
            const Expr width = b.lower(n);
            par(b, block, [&](const Builder& of_thread, Expr t) {
              of_thread.if_then(of_thread.bind(t < width, "joins"), [&] { body(of_thread, t); });
            });
            sync(b);
          }};
}

/// Shared elements of an operator's components.
struct Elements {
  const Operator* by;
  std::span<const Var> buffers;
};

Meet meet_in(std::vector<Elements> all) {
  return [all = std::move(all)](const Builder& b, Expr to, Expr left, Expr right) {
    const Expr at = b.lower(to), first = b.lower(left), second = b.lower(right);
    for (const Elements& of : all) {
      const std::vector<Expr> values = load_all(b, of.buffers, first, "value");
      const std::vector<Expr> others = load_all(b, of.buffers, second, "value");
      store_all(b, of.buffers, at, of.by->apply(b, values, others));
    }
  };
}

class Tile {
 public:
  Tile(const Builder& b, const Block& block, int items, Expr n, std::span<const Ordered> all)
      : b_(b), arena_(b.arena()), block_(block), items_(items), n_(n), all_(all) {
    for (const Ordered& o : all_) {
      before_.push_back(snapshots(b_, o.so_far));
      std::vector<Var>& of_warps = of_warps_.emplace_back();
      if (warps_ == 1) continue;
      for (Var total : o.totals) of_warps.push_back(b_.allocate_shared(arena_.info(total).type.kind, warps_));
    }
  }

  std::vector<std::vector<Expr>> operator()(const FindBefore& find_before) {
    knows_before_ = !find_before;
    fold_runs();
    scan_warps();
    const Expr last = b_.lower((n_ - 1) / items_);
    std::vector<std::vector<Expr>> ends;
    for (std::size_t k = 0; k < all_.size(); ++k) {
      ends.push_back(total_up_to(b_, last, k));
      for (std::size_t c = 0; c < ends[k].size(); ++c)
        ends[k][c] = b_.lower(cast(ends[k][c], all_[k].so_far[c].kind()));
    }
    if (find_before) find_before(ends);
    for (std::size_t k = 0; k < all_.size(); ++k) {
      if (find_before || all_[k].in_tile) {
        before_[k] = snapshots(b_, all_[k].so_far);
        join(b_, all_[k].by, all_[k].so_far, ends[k]);
        continue;
      }
      for (std::size_t c = 0; c < ends[k].size(); ++c) b_.assign(all_[k].so_far[c], ends[k][c]);
    }
    if (std::ranges::any_of(all_, &Ordered::is_scan)) spread();
    return before_;
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }

  static const Operator& in_tile(const Ordered& o) { return o.in_tile ? *o.in_tile : o.by; }
  // Whether the first thread goes on from what is before the tile.
  bool goes_on(const Ordered& o) const { return knows_before_ && !o.in_tile; }

  std::vector<Expr> variables(const Builder& b, std::span<const Expr> values) {
    std::vector<Expr> all;
    for (Expr value : values) all.push_back(b.declare(value, "acc"));
    return all;
  }
  std::vector<Expr> snapshots(const Builder& b, std::span<const Expr> variables) {
    std::vector<Expr> all;
    for (Expr variable : variables) all.push_back(b.snapshot(variable, "acc"));
    return all;
  }
  // The first thread goes on from what was before the tile, where that is known.
  std::vector<Expr> first_or(const Builder& b, Expr t, std::span<const Expr> first,
                             std::span<const Expr> others) {
    Expr is_first = b.bind(equal(t, 0), "is_first");
    std::vector<Expr> values;
    for (std::size_t c = 0; c < first.size(); ++c)
      values.push_back(b.bind(select(is_first, first[c], others[c]), "start"));
    return values;
  }
  void for_run(const Builder& b, Expr t, const std::function<void(Expr at)>& body) {
    for_items(b, b.bind(t * items_, "first"), 1, items_, n_, body);
  }

  // Each of `width` neighbouring threads gets the join of what these have up to it.
  void scan_lanes(const Builder& b, Expr lane, int width, const Operator& by, std::span<const Expr> acc) {
    for (int apart = 1; apart < width; apart *= 2) {
      const Expr from = b.bind(max(lane - apart, 0), "from");
      std::vector<Expr> others;
      for (Expr own : snapshots(b, acc)) others.push_back(b.shuffle(own, from, width, "other"));
      b.if_then(b.bind(apart <= lane, "has_other"), [&] { join_behind(b, by, others, acc); });
    }
  }
  // accumulators = op(before, accumulators)
  void join_behind(const Builder& b, const Operator& by, std::span<const Expr> before,
                   std::span<const Expr> acc) {
    const std::vector<Expr> joined = by.apply(b, before, snapshots(b, acc));
    for (std::size_t c = 0; c < acc.size(); ++c) b.assign(acc[c], joined[c]);
  }

  // Each thread leaves the total of its warp up to itself. Threads after the last point apply operators to
  // neutral elements, which nothing reads.
  void fold_runs() {
    par(b_, block_, [&](const Builder& b, Expr t) {
      const Expr lane = b.bind(t & (lanes_ - 1), "lane");
      for (std::size_t k = 0; k < all_.size(); ++k) {
        const Ordered& o = all_[k];
        const std::vector<Expr> neutral = b.lower(in_tile(o).neutral);
        const std::vector<Expr> acc =
            variables(b, goes_on(o) ? first_or(b, t, before_[k], neutral) : neutral);
        for_run(b, t, [&](Expr at) { join(b, in_tile(o), acc, load_all(b, o.values, at, "value")); });
        if (has_shuffles_) scan_lanes(b, lane, lanes_, in_tile(o), acc);
        store_all(b, o.totals, t, snapshots(b, acc));
      }
    });
    sync(b_);
  }

  // What all threads of the warps up to each have. Where there are no shuffles, all threads are one warp.
  void scan_warps() {
    if (!has_shuffles_) {
      std::vector<Elements> elements;
      for (const Ordered& o : all_) elements.push_back({&in_tile(o), o.totals});
      return block_parts().scan(arena_, team_of(b_, block_), block_.threads, meet_in(std::move(elements)));
    }
    if (warps_ == 1) return;
    par(b_, {block_.task, block_.tasks, warps_}, [&](const Builder& b, Expr t) {
      const Expr last = b.bind(t * lanes_ + (lanes_ - 1), "last");
      for (std::size_t k = 0; k < all_.size(); ++k) {
        const std::vector<Expr> acc = variables(b, load_all(b, all_[k].totals, last, "value"));
        scan_lanes(b, t, warps_, in_tile(all_[k]), acc);
        store_all(b, of_warps_[k], t, snapshots(b, acc));
      }
    });
    sync(b_);
  }

  // acc, the total of the threads of this warp so far, becomes the total of all threads so far.
  void join_warps(const Builder& b, Expr thread, std::size_t k, std::span<const Expr> acc) {
    const Expr before = b.bind(thread / lanes_ - 1, "before");
    b.if_then(b.bind(0 <= before, "has_warps"),
              [&] { join_behind(b, in_tile(all_[k]), load_all(b, of_warps_[k], before, "value"), acc); });
  }
  std::vector<Expr> total_up_to(const Builder& b, Expr thread, std::size_t k) {
    const std::vector<Expr> own = load_all(b, all_[k].totals, thread, "value");
    if (warps_ == 1) return own;
    const std::vector<Expr> acc = variables(b, own);
    join_warps(b, thread, k, acc);
    return snapshots(b, acc);
  }

  void spread() {
    par(b_, block_, [&](const Builder& b, Expr t) {
      Expr before = b.bind(max(t - 1, 0), "before");
      for (std::size_t k = 0; k < all_.size(); ++k) {
        const Ordered& o = all_[k];
        if (!o.is_scan) continue;
        std::vector<Expr> others = total_up_to(b, before, k);
        if (!knows_before_ && !o.in_tile) others = o.by.apply(b, before_[k], others);
        const std::vector<Expr> first = o.in_tile ? b.lower(o.in_tile->neutral) : before_[k];
        const std::vector<Expr> acc = variables(b, first_or(b, t, first, others));
        for_run(b, t, [&](Expr at) {
          const std::vector<Expr> operands = load_all(b, o.values, at, "value");
          const std::vector<Expr> exclusive = snapshots(b, acc);
          join(b, in_tile(o), acc, operands);
          store_all(b, o.values, at, o.inclusive ? snapshots(b, acc) : exclusive);
        });
      }
    });
    sync(b_);
  }

  const Builder b_;
  scalar::Arena& arena_;
  const Block& block_;
  const int items_;
  const bool has_shuffles_ = b_.context().has_shuffles;
  const int lanes_ = has_shuffles_ ? std::min(block_.threads, int{warp}) : block_.threads;
  const int warps_ = block_.threads / lanes_;
  const Expr n_;
  const std::span<const Ordered> all_;
  std::vector<std::vector<Var>> of_warps_;  // shared: the total of each warp and the ones before it
  std::vector<std::vector<Expr>> before_;
  bool knows_before_ = true;  // what is before the tile is known from the start
};

}  // namespace

void join_all(const Builder& b, const Block& block, std::span<const Operator> operators,
              std::span<const Var> buffers) {
  std::vector<Elements> elements;
  for (const Operator& op : operators) {
    elements.push_back({&op, buffers.first(op.neutral.size())});
    buffers = buffers.subspan(op.neutral.size());
  }
  block_parts().reduce(b.arena(), team_of(b, block), block.threads, meet_in(std::move(elements)));
}

std::vector<std::vector<Expr>> fold_tile(const Builder& b, const Block& block, int items, Expr n,
                                         std::span<const Ordered> all, const FindBefore& find_before) {
  return Tile(b, block, items, n, all)(find_before);
}

}  // namespace fulgurite::parts
