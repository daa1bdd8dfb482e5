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
    for (const Ordered& o : all_) before_.push_back(snapshots(b_, o.so_far));
  }

  std::vector<std::vector<Expr>> operator()(const FindBefore& find_before) {
    knows_before_ = !find_before;
    fold_runs();
    scan_totals();
    Expr last_thread = (n_ - 1) / items_;
    const Expr last = b_.lower(last_thread);
    std::vector<std::vector<Expr>> ends;
    for (const Ordered& o : all_) ends.push_back(load_all(b_, o.totals, last, "value"));
    if (find_before) find_before(ends);
    for (std::size_t k = 0; k < all_.size(); ++k) {
      if (find_before) {
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
    Expr first = b.bind(t * items_, "first");
    if (items_ == 1) return b.if_then(b.bind(first < n_, "is_point"), [&] { body(first); });
    Expr end = b.bind(min(first + items_, n_), "end");
    b.for_loop(first, end, i64(1), "at", body);
  }

  // Threads behind the last point apply operators to neutral elements, for nobody.
  void fold_runs() {
    par(b_, block_, [&](const Builder& b, Expr t) {
      for (std::size_t k = 0; k < all_.size(); ++k) {
        const Ordered& o = all_[k];
        const std::vector<Expr> neutral = b.lower(o.by.neutral);
        const std::vector<Expr> acc =
            variables(b, knows_before_ ? first_or(b, t, before_[k], neutral) : neutral);
        for_run(b, t, [&](Expr at) { join(b, o.by, acc, load_all(b, o.values, at, "value")); });
        store_all(b, o.totals, t, snapshots(b, acc));
      }
    });
    sync(b_);
  }

  void scan_totals() {
    std::vector<Elements> elements;
    for (const Ordered& o : all_) elements.push_back({&o.by, o.totals});
    block_parts().scan(arena_, team_of(b_, block_), block_.threads, meet_in(std::move(elements)));
  }

  void spread() {
    par(b_, block_, [&](const Builder& b, Expr t) {
      Expr before = b.bind(max(t - 1, 0), "before");
      for (std::size_t k = 0; k < all_.size(); ++k) {
        const Ordered& o = all_[k];
        if (!o.is_scan) continue;
        std::vector<Expr> others = load_all(b, o.totals, before, "value");
        if (!knows_before_) others = o.by.apply(b, before_[k], others);
        const std::vector<Expr> acc = variables(b, first_or(b, t, before_[k], others));
        for_run(b, t, [&](Expr at) {
          const std::vector<Expr> operands = load_all(b, o.values, at, "value");
          const std::vector<Expr> exclusive = snapshots(b, acc);
          join(b, o.by, acc, operands);
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
  const Expr n_;
  const std::span<const Ordered> all_;
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
