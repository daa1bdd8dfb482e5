#include "lower/gpu/collective.h"

#include <algorithm>

#include "lower/networks.h"
#include "walk/control.h"
#include "walk/points.h"

namespace fulgurite::lower::gpu {

namespace {

std::vector<Expr> load_all(const Emitter& e, std::span<const Var> buffers, Expr at) {
  std::vector<Expr> values;
  for (Var buffer : buffers) values.push_back(e.load_plain(buffer, at, "value"));
  return values;
}

void store_all(const Emitter& e, std::span<const Var> buffers, Expr at, std::span<const Expr> values) {
  for (std::size_t k = 0; k < buffers.size(); ++k) e.store_plain(buffers[k], at, values[k]);
}

std::vector<Expr> joined(const Emitter& e, const soac::Reduction& r, std::vector<Expr> left,
                         std::span<const Expr> right) {
  left.insert(left.end(), right.begin(), right.end());
  return apply(e, r.op, left);
}

Team team_of(const Emitter& e, const Block& block) {
  scalar::Arena& arena = e.arena();
  return {[e, &arena](int n, const std::function<void(Expr)>& body) {
            e.for_loop(arena.i64(0), arena.i64(n), arena.i64(1), "step", body);
          },
          [e, &arena, block](Expr n, const std::function<void(const kernel::Builder&, Expr)>& body) {
            const Expr width = e.lower(n);
            par(e, block, [&](const Emitter& of_thread, Expr t) {
              of_thread.if_then(of_thread.bind(arena.lt(t, width), "joins"), [&] { body(of_thread, t); });
            });
            sync(e);
          }};
}

/// Shared elements of an operator's components.
struct Elements {
  const soac::Reduction* by;
  std::span<const Var> buffers;
};

Meet meet_in(const Emitter& of_block, std::vector<Elements> all) {
  return [of_block, all = std::move(all)](const kernel::Builder& of_thread, Expr to, Expr left, Expr right) {
    const Emitter e = of_block.in_context_of(of_thread);
    const Expr at = e.lower(to), first = e.lower(left), second = e.lower(right);
    for (const Elements& of : all) {
      std::vector<Expr> values = load_all(e, of.buffers, first);
      const std::vector<Expr> others = load_all(e, of.buffers, second);
      store_all(e, of.buffers, at, joined(e, *of.by, std::move(values), others));
    }
  };
}

class Tile {
 public:
  Tile(const Emitter& e, const Block& block, int items, Expr n, std::span<const Ordered> all)
      : e_(e), arena_(e.arena()), block_(block), items_(items), n_(n), all_(all) {
    for (const Ordered& o : all_) before_.push_back(snapshots(e_, o.so_far));
  }

  std::vector<std::vector<Expr>> operator()(const FindBefore& find_before) {
    knows_before_ = !find_before;
    fold_runs();
    scan_totals();
    Expr last_thread = arena_.div(arena_.sub(n_, i64(1)), i64(items_));
    const Expr last = e_.lower(last_thread);
    std::vector<std::vector<Expr>> ends;
    for (const Ordered& o : all_) ends.push_back(load_all(e_, o.totals, last));
    if (find_before) find_before(ends);
    for (std::size_t k = 0; k < all_.size(); ++k) {
      if (find_before) {
        before_[k] = snapshots(e_, all_[k].so_far);
        join(e_, *all_[k].reduction, all_[k].so_far, ends[k]);
        continue;
      }
      for (std::size_t c = 0; c < ends[k].size(); ++c) e_.assign(all_[k].so_far[c], ends[k][c]);
    }
    if (std::ranges::any_of(all_, &Ordered::is_scan)) spread();
    return before_;
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }

  std::vector<Expr> variables(const Emitter& e, std::span<const Expr> values) {
    std::vector<Expr> all;
    for (Expr value : values) all.push_back(e.declare(value, "acc"));
    return all;
  }
  std::vector<Expr> snapshots(const Emitter& e, std::span<const Expr> variables) {
    std::vector<Expr> all;
    for (Expr variable : variables) all.push_back(e.snapshot(variable, "acc"));
    return all;
  }
  // The first thread goes on from what was before the tile, where that is known.
  std::vector<Expr> first_or(const Emitter& e, Expr t, std::span<const Expr> first,
                             std::span<const Expr> others) {
    Expr is_first = e.bind(arena_.eq(t, i64(0)), "is_first");
    std::vector<Expr> values;
    for (std::size_t c = 0; c < first.size(); ++c)
      values.push_back(e.bind(arena_.apply(Op::select, {is_first, first[c], others[c]}), "start"));
    return values;
  }
  void for_run(const Emitter& e, Expr t, const std::function<void(Expr at)>& body) {
    Expr first = e.bind(arena_.mul(t, i64(items_)), "first");
    if (items_ == 1) return e.if_then(e.bind(arena_.lt(first, n_), "is_point"), [&] { body(first); });
    Expr end = e.bind(arena_.min(arena_.add(first, i64(items_)), n_), "end");
    e.for_loop(first, end, i64(1), "at", body);
  }

  // Threads behind the last point apply operators to neutral elements, for nobody.
  void fold_runs() {
    par(e_, block_, [&](const Emitter& e, Expr t) {
      for (std::size_t k = 0; k < all_.size(); ++k) {
        const Ordered& o = all_[k];
        const std::vector<Expr> neutral = e.lower(o.reduction->neutral);
        const std::vector<Expr> acc =
            variables(e, knows_before_ ? first_or(e, t, before_[k], neutral) : neutral);
        for_run(e, t, [&](Expr at) { join(e, *o.reduction, acc, load_all(e, o.values, at)); });
        store_all(e, o.totals, t, snapshots(e, acc));
      }
    });
    sync(e_);
  }

  void scan_totals() {
    std::vector<Elements> elements;
    for (const Ordered& o : all_) elements.push_back({o.reduction, o.totals});
    block_parts().scan(arena_, team_of(e_, block_), block_.threads, meet_in(e_, std::move(elements)));
  }

  void spread() {
    par(e_, block_, [&](const Emitter& e, Expr t) {
      Expr before = e.bind(arena_.max(arena_.sub(t, i64(1)), i64(0)), "before");
      for (std::size_t k = 0; k < all_.size(); ++k) {
        const Ordered& o = all_[k];
        if (!o.is_scan) continue;
        std::vector<Expr> others = load_all(e, o.totals, before);
        if (!knows_before_) others = joined(e, *o.reduction, before_[k], others);
        const std::vector<Expr> acc = variables(e, first_or(e, t, before_[k], others));
        for_run(e, t, [&](Expr at) {
          const std::vector<Expr> operands = load_all(e, o.values, at);
          const std::vector<Expr> exclusive = snapshots(e, acc);
          join(e, *o.reduction, acc, operands);
          store_all(e, o.values, at, o.inclusive ? snapshots(e, acc) : exclusive);
        });
      }
    });
    sync(e_);
  }

  const Emitter e_;
  scalar::Arena& arena_;
  const Block& block_;
  const int items_;
  const Expr n_;
  const std::span<const Ordered> all_;
  std::vector<std::vector<Expr>> before_;
  bool knows_before_ = true;  // what is before the tile is known from the start
};

}  // namespace

void par(const Emitter& e, const Block& block, const OfThread& body) {
  scalar::Arena& arena = e.arena();
  const Expr n = arena.i64(block.threads);
  e.par(kernel::Level::block, n, "t", [&](Expr t) {
    const Expr threads = arena.mul(block.tasks, n), first = arena.mul(block.task, n);
    body(e.of_task(arena.add(first, t), threads, true), t);
  });
}

void sync(const Emitter& e) {
  e.append(kernel::Sync{kernel::Level::block});
}

void join_all(const Emitter& e, const Block& block, const soac::Soac& reductions,
              std::span<const Var> buffers) {
  std::vector<Elements> elements;
  for (const soac::Reduction& r : reductions.reductions) {
    elements.push_back({&r, buffers.first(r.neutral.size())});
    buffers = buffers.subspan(r.neutral.size());
  }
  block_parts().reduce(e.arena(), team_of(e, block), block.threads, meet_in(e, std::move(elements)));
}

std::vector<std::vector<Expr>> fold_tile(const Emitter& e, const Block& block, int items, Expr n,
                                         std::span<const Ordered> all, const FindBefore& find_before) {
  return Tile(e, block, items, n, all)(find_before);
}

}  // namespace fulgurite::lower::gpu
