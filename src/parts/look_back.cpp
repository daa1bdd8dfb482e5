#include "parts/look_back.h"

#include <algorithm>

namespace fulgurite::parts {

namespace {

using kernel::Atomic;

enum Progress : std::int32_t { nothing = 0, has_totals = 1, has_prefix = 2 };

class Search {
 public:
  Search(const Builder& b, const Block& block, const Published& published, std::span<const Ordered> groups)
      : b_(b),
        arena_(b.arena()),
        block_(block),
        published_(published),
        groups_(groups.first(published.totals.size())),
        window_{block.task, block.tasks, std::min(published.at_once, block.threads)},
        has_before_(b.bind(0 < block.task, "has_tiles_before")) {}

  void publish(Progress state, const std::vector<std::vector<Var>>& arrays,
               const std::vector<std::vector<Expr>>& values) {
    for (std::size_t k = 0; k < arrays.size(); ++k)
      for (std::size_t c = 0; c < arrays[k].size(); ++c)
        b_.store_plain(arrays[k][c], block_.task, values[k][c]);
    Atomic set{{}, Atomic::What::exchange, state_of(block_.task), i32(state), {}};
    set.release = true;
    b_.atomic(std::move(set));
  }

  // The first tile goes the same way and finds nothing: a branch around barriers would be a trial for
  // compilers that run the threads of a block in a loop (PoCL's does not end).
  void operator()(const std::vector<std::vector<Expr>>& totals) {
    b_.if_then(has_before_, [&] { publish(has_totals, published_.totals, totals); });
    // One thread waits for the neighbour: earlier ones have mostly come as far by then.
    const Expr neighbour = b_.bind(max(block_.task - 1, 0), "neighbour");
    b_.while_loop(
        [&] {
          const Expr is_nothing = equal(read(neighbour, "state"), nothing);
          return b_.bind(has_before_ & is_nothing, "waits");
        },
        [] {});
    const Expr nearest = find_prefix();
    b_.if_then(has_before_, [&] {
      for (std::size_t k = 0; k < groups_.size(); ++k)
        for (std::size_t c = 0; c < groups_[k].so_far.size(); ++c)
          b_.assign(groups_[k].so_far[c], b_.load_plain(published_.prefixes[k][c], nearest, "prefix"));
    });
    join_behind(nearest);
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }
  Expr i32(std::int64_t value) { return cast(i64(value), Kind::i32); }

  kernel::Access state_of(Expr tile) {
    return {published_.state, b_.lower(published_.first + tile), i64(1), {}};
  }
  Expr read(Expr tile, std::string_view name) {
    Atomic get{{}, Atomic::What::add, state_of(tile), i32(0), {}};
    get.acquire = true;
    return b_.atomic(std::move(get), name);
  }

  // The nearest tile whose prefix is there. The first tile's is. -1 if there is none before.
  Expr find_prefix() {
    const Var shared = b_.allocate_shared(Kind::i32, 1);
    const Expr far = b_.declare(block_.task, "far"), none = i32(-1), at = i64(0);
    b_.while_loop(
        [&] {
          const Expr end = b_.snapshot(far, "end");
          b_.store_plain(shared, at, none);
          sync(b_);
          par(b_, window_, [&](const Builder&, Expr t) {
            const Expr tile = b_.bind(end - 1 - t, "tile");
            b_.if_then(b_.bind(at <= tile, "is_tile"), [&] {
              const Expr state = b_.declare(i32(nothing), "state");
              b_.while_loop(
                  [&] {
                    const Expr now = read(tile, "now");
                    b_.assign(state, now);
                    return b_.bind(equal(now, nothing), "waits");
                  },
                  [] {});
              const Expr last = b_.snapshot(state, "state");
              b_.if_then(b_.bind(equal(last, has_prefix), "has_prefix"), [&] {
                const Expr number = b_.bind(cast(tile, Kind::i32), "number");
                b_.atomic({{}, Atomic::What::max, {shared, at, i64(1), {}}, number, {}});
              });
            });
          });
          sync(b_);
          const Expr found = b_.load_plain(shared, at, "found");
          sync(b_);
          b_.assign(far, b_.bind(end - window_.threads, "far"));
          return b_.bind(has_before_ & equal(found, none), "goes_on");
        },
        [] {});
    return b_.bind(cast(b_.load_plain(shared, at, "nearest"), Kind::i64), "nearest");
  }

  // so_far = so_far op totals[nearest + 1] op ... op totals[task - 1]
  void join_behind(Expr nearest) {
    std::vector<Ordered> windows;
    for (const Ordered& o : groups_) {
      Ordered& window = windows.emplace_back(Ordered{o.by, o.so_far, {}, {}});
      for (Expr variable : o.so_far) {
        window.values.push_back(b_.allocate_shared(variable.kind(), window_.threads));
        if (is_exact(o)) window.totals.push_back(b_.allocate_shared(variable.kind(), window_.threads));
      }
    }
    const Expr step = i64(window_.threads);
    const Expr first = b_.bind(nearest + 1, "first");
    b_.for_loop(first, block_.task, step, "from", [&](Expr from) {
      const Expr n = b_.bind(min(block_.task - from, step), "n");
      par(b_, window_, [&](const Builder&, Expr t) {
        b_.if_then(b_.bind(t < n, "is_tile"), [&] {
          const Expr tile = b_.bind(from + t, "tile");
          for (std::size_t k = 0; k < windows.size(); ++k)
            for (std::size_t c = 0; c < windows[k].values.size(); ++c)
              b_.store_plain(windows[k].values[c], t, b_.load_plain(published_.totals[k][c], tile, "total"));
        });
      });
      sync(b_);
      std::vector<Ordered> exact;
      for (const Ordered& window : windows)
        if (window.totals.empty())
          join_in_turn(window, n);
        else
          exact.push_back(window);
      if (!exact.empty()) fold_tile(b_, window_, 1, n, exact);
      sync(b_);
    });
  }

  void join_in_turn(const Ordered& window, Expr n) {
    b_.for_loop(i64(0), n, i64(1), "i",
                [&](Expr i) { join(b_, window.by, window.so_far, load_all(b_, window.values, i, "total")); });
  }

  static bool is_exact(const Ordered& o) {
    return std::ranges::none_of(o.so_far, [](Expr variable) { return is_float(variable.kind()); });
  }

  const Builder b_;
  scalar::Arena& arena_;
  const Block& block_;
  const Published& published_;
  const std::span<const Ordered> groups_;
  const Block window_;
  const Expr has_before_;
};

}  // namespace

void look_back(const Builder& b, const Block& block, const Published& published,
               std::span<const Ordered> groups, const std::vector<std::vector<Expr>>& totals) {
  Search search(b, block, published, groups);
  search(totals);
  std::vector<std::vector<Expr>> prefixes;
  for (std::size_t k = 0; k < published.totals.size(); ++k) {
    std::vector<Expr> so_far;
    for (Expr variable : groups[k].so_far) so_far.push_back(b.snapshot(variable, "so_far"));
    prefixes.push_back(groups[k].by.apply(b, so_far, totals[k]));
  }
  search.publish(has_prefix, published.prefixes, prefixes);
}

}  // namespace fulgurite::parts
