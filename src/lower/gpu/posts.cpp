#include "lower/gpu/posts.h"

#include "lower/gpu/policy.h"
#include "walk/points.h"

namespace fulgurite::lower::gpu {

namespace {

class Threads {
 public:
  Threads(const Emitter& e, std::span<const Var> posted) : e_(e), arena_(e.arena()), posted_(posted) {}

  Expr i64(std::int64_t value) { return arena_.i64(value); }

  // body(t, place) in threads whose point has one.
  void with_place(Expr t, const std::function<void(Expr)>& body) {
    Expr mine = e_.load_plain(posted_[0], t, "place");
    e_.if_then(e_.bind(arena_.le(i64(0), mine), "has_place"), [&] { body(mine); });
  }
  // body(j) for the threads from `from` on in front of `to` that have the same place.
  void for_same(Expr mine, Expr from, Expr to, const std::function<void(Expr)>& body) {
    e_.for_loop(from, to, i64(1), "j", [&](Expr j) {
      Expr other = e_.load_plain(posted_[0], j, "place");
      e_.if_then(e_.bind(arena_.eq(other, mine), "same"), [&] { body(j); });
    });
  }
  // How many threads from `from` on in front of `to` have it.
  Expr count_same(Expr mine, Expr from, Expr to) {
    Expr variable = e_.declare(i64(0), "n");
    for_same(mine, from, to, [&](Expr) {
      Expr n = e_.snapshot(variable, "n");
      e_.assign(variable, e_.bind(arena_.add(n, i64(1)), "n"));
    });
    return e_.snapshot(variable, "n");
  }
  std::vector<Expr> values(Expr t) {
    std::vector<Expr> all;
    for (Var buffer : posted_.subspan(1)) all.push_back(e_.load_plain(buffer, t, "value"));
    return all;
  }

 private:
  const Emitter e_;
  scalar::Arena& arena_;
  const std::span<const Var> posted_;
};

Expr size_of_bins(const Emitter& e, const soac::Scatter& scatter) {
  Expr size = e.arena().i64(1);
  for (Expr extent : scatter.shape) size = e.arena().mul(size, extent);
  return e.lower(size);
}

}  // namespace

Expr place_of(const Emitter& e, std::span<const Expr> indices, std::span<const Expr> shape) {
  scalar::Arena& arena = e.arena();
  Expr inside = arena.boolean(true);
  for (std::size_t d = 0; d < shape.size(); ++d) {  // no extent is negative
    const Expr extent = arena.cast(shape[d], Kind::u64), index = arena.cast(indices[d], Kind::u64);
    inside = arena.logical_and(inside, arena.lt(index, extent));
  }
  return arena.apply(Op::select, {inside, linear(e, indices.first(shape.size()), shape), arena.i64(-1)});
}

OwnBins::OwnBins(const Emitter& e, const Block& block, const soac::Scatter& scatter,
                 std::span<const Var> bins, bool may_share)
    : by_(scatter.combine[0]), bins_(bins.begin(), bins.end()), size_(size_of_bins(e, scatter)) {
  scalar::Arena& arena = e.arena();
  first_ = e.lower(arena.mul(block.task, size_));
  const std::vector<Expr> neutral = e.lower(by_.neutral);
  std::int64_t bytes = 0;
  for (Expr value : neutral) bytes += static_cast<std::int64_t>(size_of(value.kind()));
  const std::int64_t most = may_share ? bin_bytes / bytes : 0;
  are_shared_ = e.lower(arena.le(size_, arena.i64(most)));
  if (may_share)
    for (Expr value : neutral) shared_.push_back(e.allocate_shared(value.kind(), most));
  each(e, block, [&](Expr place, Expr) {
    where_they_are(e, [&](std::span<const Var> all, Expr first) {
      const Expr at = e.bind(arena.add(first, place), "at");
      for (std::size_t k = 0; k < all.size(); ++k) e.store_plain(all[k], at, neutral[k]);
    });
  });
  sync(e);
}

void OwnBins::where_they_are(const Emitter& e,
                             const std::function<void(std::span<const Var>, Expr)>& body) const {
  if (shared_.empty()) return body(bins_, first_);
  e.if_then_else(are_shared_, [&] { body(shared_, e.arena().i64(0)); }, [&] { body(bins_, first_); });
}

void OwnBins::each(const Emitter& e, const Block& block,
                   const std::function<void(Expr place, Expr number)>& body) const {
  scalar::Arena& arena = e.arena();
  par(e, block, [&](const Emitter&, Expr t) {
    e.for_loop(t, size_, arena.i64(block.threads), "i",
               [&](Expr i) { body(i, e.bind(arena.add(first_, i), "number")); });
  });
}

// The first of the threads that have a place takes the values of all of them.
void OwnBins::combine(const Emitter& e, const Block& block, std::span<const Var> posted) const {
  scalar::Arena& arena = e.arena();
  par(e, block, [&](const Emitter& of_thread, Expr t) {
    Threads threads(of_thread, posted);
    threads.with_place(t, [&](Expr mine) {
      Expr n_before = threads.count_same(mine, arena.i64(0), t);
      e.if_then(e.bind(arena.eq(n_before, arena.i64(0)), "is_first"), [&] {
        where_they_are(e, [&](std::span<const Var> bins, Expr first) {
          Expr at = e.bind(arena.add(first, mine), "at");
          std::vector<Expr> acc;
          for (Var bin : bins) acc.push_back(e.declare(e.load_plain(bin, at, "bin"), "acc"));
          threads.for_same(mine, t, arena.i64(block.threads), [&](Expr j) {
            const std::vector<Expr> values = threads.values(j);
            join(of_thread, by_, acc, values);
          });
          for (std::size_t k = 0; k < bins.size(); ++k) e.store_plain(bins[k], at, e.snapshot(acc[k], "acc"));
        });
      });
    });
  });
  sync(e);
}

void OwnBins::flush(const Emitter& e, const Block& block) const {
  if (shared_.empty()) return;
  each(e, block, [&](Expr place, Expr number) {
    e.if_then(are_shared_, [&] {
      for (std::size_t k = 0; k < bins_.size(); ++k)
        e.store_plain(bins_[k], number, e.load_plain(shared_[k], place, "bin"));
    });
  });
}

// A point goes as far behind the task's next place of its class as there are threads of that class before;
// the last of them says where the next tile goes on.
void deal(const Emitter& e, const Block& block, std::span<const Var> posted, Var table,
          std::span<const Var> arrays) {
  scalar::Arena& arena = e.arena();
  const Var next = e.allocate_shared(Kind::i64, block.threads);
  const Expr one = arena.i64(1), none = arena.i64(-1), n = arena.i64(block.threads);
  auto entry = [&](Expr mine) {
    return e.bind(arena.add(arena.mul(mine, block.tasks), block.task), "entry");
  };
  par(e, block, [&](const Emitter& of_thread, Expr t) {
    Threads threads(of_thread, posted);
    of_thread.store_plain(next, t, none);
    threads.with_place(t, [&](Expr mine) {
      Expr before = threads.count_same(mine, arena.i64(0), t);
      Expr behind = threads.count_same(mine, e.bind(arena.add(t, one), "from"), n);
      Expr first = e.load_plain(table, entry(mine), "first");
      Expr at = e.bind(arena.add(first, before), "at");
      const std::vector<Expr> values = threads.values(t);
      for (std::size_t k = 0; k < arrays.size(); ++k) e.store_plain(arrays[k], at, values[k]);
      e.if_then(e.bind(arena.eq(behind, arena.i64(0)), "is_last"),
                [&] { e.store_plain(next, t, e.bind(arena.add(at, one), "next")); });
    });
  });
  sync(e);
  par(e, block, [&](const Emitter&, Expr t) {
    Expr to = e.load_plain(next, t, "next");
    e.if_then(e.bind(arena.le(arena.i64(0), to), "is_last"), [&] {
      Expr mine = e.load_plain(posted[0], t, "place");
      e.store_plain(table, entry(mine), to);
    });
  });
  sync(e);
}

}  // namespace fulgurite::lower::gpu
