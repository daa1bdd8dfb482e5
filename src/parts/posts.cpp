#include "parts/posts.h"

namespace fulgurite::parts {

namespace {

class Threads {
 public:
  Threads(const Builder& b, std::span<const Var> posted) : b_(b), arena_(b.arena()), posted_(posted) {}

  Expr i64(std::int64_t value) { return arena_.i64(value); }

  // body(t, place) in threads whose point has one.
  void with_place(Expr t, const std::function<void(Expr)>& body) {
    Expr mine = place(t);
    b_.if_then(b_.bind(0 <= mine, "has_place"), [&] { body(mine); });
  }
  // body(j) for the threads from `from` on, before `to`, that have the same place.
  void for_same(Expr mine, Expr from, Expr to, const std::function<void(Expr)>& body) {
    b_.for_loop(from, to, i64(1), "j", [&](Expr j) {
      Expr other = place(j);
      b_.if_then(b_.bind(equal(other, mine), "same"), [&] { body(j); });
    });
  }
  // How many threads from `from` on, before `to`, have it.
  Expr count_same(Expr mine, Expr from, Expr to) {
    Expr variable = b_.declare(i64(0), "n");
    for_same(mine, from, to, [&](Expr) {
      Expr n = b_.snapshot(variable, "n");
      b_.assign(variable, b_.bind(n + 1, "n"));
    });
    return b_.snapshot(variable, "n");
  }
  Expr place(Expr t) { return b_.bind(cast(b_.load_plain(posted_[0], t, "place"), Kind::i64), "place"); }
  std::vector<Expr> values(Expr t) { return load_all(b_, posted_.subspan(1), t, "value"); }

 private:
  const Builder b_;
  scalar::Arena& arena_;
  const std::span<const Var> posted_;
};

}  // namespace

Expr place_of(const Builder& b, std::span<const Expr> indices, std::span<const Expr> shape) {
  scalar::Arena& arena = b.arena();
  Expr inside = arena.boolean(true);
  for (std::size_t d = 0; d < shape.size(); ++d) {  // no extent is negative
    const Expr extent = cast(shape[d], Kind::u64), index = cast(indices[d], Kind::u64);
    inside = inside & (index < extent);
  }
  return select(inside, linear(b, indices.first(shape.size()), shape), -1);
}

OwnBins::OwnBins(const Builder& b, const Block& block, Operator by, Expr size, std::span<const Var> bins,
                 std::int64_t most_bytes)
    : by_(std::move(by)), bins_(bins.begin(), bins.end()), size_(b.lower(size)) {
  first_ = b.lower(block.task * size_);
  const std::vector<Expr> neutral = b.lower(by_.neutral);
  std::int64_t bytes = 0;
  for (Expr value : neutral) bytes += static_cast<std::int64_t>(size_of(value.kind()));
  const std::int64_t most = most_bytes / bytes;
  are_shared_ = b.lower(size_ <= most);
  if (most_bytes > 0)
    for (Expr value : neutral) shared_.push_back(b.allocate_shared(value.kind(), most));
  each(b, block, [&](const Builder& of_thread, Expr place, Expr) {
    where_they_are(of_thread, [&](std::span<const Var> all, Expr first) {
      store_all(of_thread, all, of_thread.bind(first + place, "at"), neutral);
    });
  });
  sync(b);
}

void OwnBins::where_they_are(const Builder& b,
                             const std::function<void(std::span<const Var>, Expr)>& body) const {
  if (shared_.empty()) return body(bins_, first_);
  b.if_then_else(are_shared_, [&] { body(shared_, b.arena().i64(0)); }, [&] { body(bins_, first_); });
}

void OwnBins::each(const Builder& b, const Block& block, const OfBin& body) const {
  scalar::Arena& arena = b.arena();
  par(b, block, [&](const Builder& of_thread, Expr t) {
    of_thread.for_loop(t, size_, arena.i64(block.threads), "i",
                       [&](Expr i) { body(of_thread, i, of_thread.bind(first_ + i, "number")); });
  });
}

// The first of the threads that have a place takes the values of all of them.
void OwnBins::combine(const Builder& of_block, const Block& block, std::span<const Var> posted) const {
  scalar::Arena& arena = of_block.arena();
  par(of_block, block, [&](const Builder& b, Expr t) {
    Threads threads(b, posted);
    threads.with_place(t, [&](Expr mine) {
      Expr n_before = threads.count_same(mine, arena.i64(0), t);
      b.if_then(b.bind(equal(n_before, 0), "is_first"), [&] {
        where_they_are(b, [&](std::span<const Var> bins, Expr first) {
          Expr at = b.bind(first + mine, "at");
          std::vector<Expr> acc;
          for (Var bin : bins) acc.push_back(b.declare(b.load_plain(bin, at, "bin"), "acc"));
          threads.for_same(mine, t, arena.i64(block.threads), [&](Expr j) {
            const std::vector<Expr> values = threads.values(j);
            join(b, by_, acc, values);
          });
          for (std::size_t k = 0; k < bins.size(); ++k) b.store_plain(bins[k], at, b.snapshot(acc[k], "acc"));
        });
      });
    });
  });
  sync(of_block);
}

void OwnBins::flush(const Builder& of_block, const Block& block) const {
  if (shared_.empty()) return;
  each(of_block, block, [&](const Builder& b, Expr place, Expr number) {
    b.if_then(are_shared_, [&] {
      for (std::size_t k = 0; k < bins_.size(); ++k)
        b.store_plain(bins_[k], number, b.load_plain(shared_[k], place, "bin"));
    });
  });
}

// A point goes as far after the task's next place of its class as there are threads of that class before;
// the last of them says where the next tile goes on.
void deal_in_turn(const Builder& of_block, const Block& block, std::span<const Var> posted, Var table,
                  std::span<const Var> arrays) {
  scalar::Arena& arena = of_block.arena();
  const Var next = of_block.allocate_shared(Kind::i64, block.threads);
  const Expr one = arena.i64(1), none = arena.i64(-1), n = arena.i64(block.threads);
  auto entry = [&](const Builder& b, Expr mine) { return b.bind(mine * block.tasks + block.task, "entry"); };
  par(of_block, block, [&](const Builder& b, Expr t) {
    Threads threads(b, posted);
    b.store_plain(next, t, none);
    threads.with_place(t, [&](Expr mine) {
      Expr before = threads.count_same(mine, arena.i64(0), t);
      Expr behind = threads.count_same(mine, b.bind(t + one, "from"), n);
      Expr first = b.load_plain(table, entry(b, mine), "first");
      Expr at = b.bind(first + before, "at");
      const std::vector<Expr> values = threads.values(t);
      for (std::size_t k = 0; k < arrays.size(); ++k) b.store_plain(arrays[k], at, values[k]);
      b.if_then(b.bind(equal(behind, 0), "is_last"),
                [&] { b.store_plain(next, t, b.bind(at + one, "next")); });
    });
  });
  sync(of_block);
  par(of_block, block, [&](const Builder& b, Expr t) {
    Expr to = b.load_plain(next, t, "next");
    b.if_then(b.bind(0 <= to, "is_last"),
              [&] { b.store_plain(table, entry(b, Threads(b, posted).place(t)), to); });
  });
  sync(of_block);
}

}  // namespace fulgurite::parts
