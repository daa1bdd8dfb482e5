#include "parts/deal.h"

#include "parts/fold.h"

namespace fulgurite::parts {

namespace {

Expr u32(scalar::Arena& arena, std::uint64_t value) {
  return arena.constant(Kind::u32, value);
}

Operator sum(scalar::Arena& arena) {
  return {{arena.constant(Kind::i32, 0)},
          [](const Builder& b, std::span<const Expr> left, std::span<const Expr> right) {
            return std::vector{b.bind(left[0] + right[0], "sum")};
          },
          true};
}

Expr lane_of(Expr t) {
  return t & (warp - 1);
}

// Two numbers below 2^16 in one.
Expr packed(const Builder& b, Expr high, Expr low) {
  return b.bind(cast(high << 16 | low, Kind::u32), "packed");
}
struct Unpacked {
  Expr high, low;
};
Unpacked unpacked(const Builder& b, Expr both) {
  const Expr high = b.bind(cast(both >> u32(b.arena(), 16), Kind::i64), "high");
  return {high, b.bind(cast(both & u32(b.arena(), 0xffff), Kind::i64), "low")};
}

std::int64_t classes_of_thread(std::int64_t classes, int threads) {
  return (classes + threads - 1) / threads;
}

}  // namespace

Deal::Deal(const Builder& of_block, const Block& block, std::int64_t classes, int items, Var table,
           std::span<const Var> arrays)
    : classes_(classes),
      threads_(block.threads),
      items_(items),
      arrays_(arrays.begin(), arrays.end()),
      next_(of_block.allocate_shared(Kind::i64, classes)),
      shift_(of_block.allocate_shared(Kind::i64, classes)),
      counts_(of_block.allocate_shared(Kind::i32, classes * threads_ / warp)),
      masks_(of_block.allocate_shared(Kind::u32, classes * threads_ / warp)),
      starts_(of_block.allocate_shared(Kind::i32, threads_ * classes_of_thread(classes, threads_))),
      totals_(of_block.allocate_shared(Kind::i32, threads_)),
      news_(of_block.allocate_shared(Kind::u32, threads_)),
      source_(of_block.allocate_shared(Kind::u32, std::int64_t{threads_} * items)) {
  scalar::Arena& arena = of_block.arena();
  par(of_block, block, [&](const Builder& b, Expr t) {
    clear(b, t, counts_);
    clear(b, t, masks_);
    b.store_plain(news_, t, u32(arena, 0));
  });
  each_class(of_block, block, [&](const Builder& b, Expr c) {
    const Expr entry = b.bind(c * block.tasks + block.task, "entry");
    b.store_plain(next_, c, b.load_plain(table, entry, "first"));
  });
  sync(of_block);
}

void Deal::clear(const Builder& b, Expr t, Var counters) const {
  scalar::Arena& arena = b.arena();
  b.for_loop(t, arena.i64(classes_ * threads_ / warp), arena.i64(threads_), "i",
             [&](Expr i) { b.store_plain(counters, i, arena.constant(arena.info(counters).type.kind, 0)); });
}

void Deal::each_class(const Builder& of_block, const Block& block, const OfClass& body) const {
  scalar::Arena& arena = of_block.arena();
  par(of_block, block, [&](const Builder& b, Expr t) {
    b.for_loop(t, arena.i64(classes_), arena.i64(threads_), "class", [&](Expr c) { body(b, c); });
  });
}

// body(point in the tile, class, counter of the class of its warp) for the point that a thread takes in a
// step, if it has a class.
void Deal::point(const Builder& b, Expr t, Expr step, Var classes, const OfPoint& body) const {
  const Expr number = b.bind(t >> 5, "warp");
  const Expr first = b.bind(number * (warp * items_) + lane_of(t), "first");
  const Expr at = b.bind(step * warp + first, "at");
  const Expr mine = b.bind(cast(b.load_plain(classes, at, "class"), Kind::i64), "class");
  b.if_then(b.bind(0 <= mine, "has_class"),
            [&] { body(at, mine, b.bind(number * classes_ + mine, "counter")); });
}

void Deal::tile(const Builder& of_block, const Block& block, std::span<const Var> posted) const {
  scalar::Arena& arena = of_block.arena();
  const Expr steps = arena.i64(items_), zero = arena.i64(0), one = arena.i64(1);
  par(of_block, block, [&](const Builder& b, Expr t) {
    b.for_loop(zero, steps, one, "step", [&](Expr step) {
      point(b, t, step, posted[0], [&](Expr, Expr, Expr counter) {
        b.atomic(
            {{}, kernel::Atomic::What::add, {counts_, counter, one, {}}, arena.constant(Kind::i32, 1), {}});
      });
    });
  });
  sync(of_block);
  const Expr n_dealt = find_starts(of_block, block);
  of_block.for_loop(zero, steps, one, "step",
                    [&](Expr step) { rank_step(of_block, block, step, posted[0]); });
  sync(of_block);
  par(of_block, block, [&](const Builder& b, Expr t) {
    b.for_loop(t, n_dealt, arena.i64(threads_), "place", [&](Expr place) {
      const auto [mine, at] = unpacked(b, b.load_plain(source_, place, "source"));
      const Expr to = b.bind(b.load_plain(shift_, mine, "shift") + place, "to");
      store_all(b, arrays_, to, load_all(b, posted.subspan(1), at, "value"));
    });
    clear(b, t, counts_);
  });
  sync(of_block);
}

// From the counts of each warp: where its points of each class begin in the sorted tile, and where the
// classes go. The result is how many points have a class.
Expr Deal::find_starts(const Builder& of_block, const Block& block) const {
  scalar::Arena& arena = of_block.arena();
  const std::int64_t warps = threads_ / warp;
  const Expr none = arena.constant(Kind::i32, 0);
  const auto counter = [&](const Builder& b, Expr c, std::int64_t w) {
    return b.bind(c + w * classes_, "counter");
  };
  each_class(of_block, block, [&](const Builder& b, Expr c) {
    Expr total = none;
    for (std::int64_t w = 0; w < warps; ++w)
      total = b.bind(total + b.load_plain(counts_, counter(b, c, w), "count"), "total");
    b.store_plain(starts_, c, total);
  });
  sync(of_block);
  const Expr so_far = of_block.declare(none, "so_far");
  const Ordered scan{sum(arena), {so_far}, {starts_}, {totals_}, true, false};
  const auto items = static_cast<int>(classes_of_thread(classes_, threads_));
  fold_tile(of_block, block, items, arena.i64(classes_), {&scan, 1});
  each_class(of_block, block, [&](const Builder& b, Expr c) {
    const Expr start = b.load_plain(starts_, c, "start");
    Expr end = start;
    for (std::int64_t w = 0; w < warps; ++w) {
      const Expr at = counter(b, c, w), n = b.load_plain(counts_, at, "count");
      b.store_plain(counts_, at, end);
      end = b.bind(end + n, "end");
    }
    const Expr next = b.load_plain(next_, c, "next");
    b.store_plain(shift_, c, b.bind(next - cast(start, Kind::i64), "shift"));
    b.store_plain(next_, c, b.bind(next + cast(end - start, Kind::i64), "next"));
  });
  sync(of_block);
  return of_block.bind(cast(of_block.snapshot(so_far, "n_dealt"), Kind::i64), "n_dealt");
}

// A warp's points of one class in one step: each goes after the points of the class so far, by how many
// lanes before its own have the class, and the last one says for how many there are then.
void Deal::rank_step(const Builder& of_block, const Block& block, Expr step, Var classes) const {
  scalar::Arena& arena = of_block.arena();
  const Expr one = arena.i64(1), bit = u32(arena, 1);
  const auto in_warps = [&](const OfThread& body) {
    par(of_block, block, body);
    of_block.append(kernel::Sync{kernel::Level::warp});
  };
  in_warps([&](const Builder& b, Expr t) {
    point(b, t, step, classes, [&](Expr, Expr, Expr counter) {
      const Expr mine = b.bind(bit << cast(lane_of(t), Kind::u32), "bit");
      b.atomic({{}, kernel::Atomic::What::bit_or, {masks_, counter, one, {}}, mine, {}});
    });
  });
  in_warps([&](const Builder& b, Expr t) {
    point(b, t, step, classes, [&](Expr at, Expr mine, Expr counter) {
      const Expr lane = b.bind(cast(lane_of(t), Kind::u32), "lane");
      const Expr mask = b.load_plain(masks_, counter, "mask");
      const Expr before = arena.apply(Op::popcount, {mask & ((bit << lane) - bit)});
      const Expr first = cast(b.load_plain(counts_, counter, "first"), Kind::i64);
      const Expr place = b.bind(first + cast(before, Kind::i64), "place");
      b.store_plain(source_, place, packed(b, mine, at));
      b.if_then(b.bind(equal(mask >> lane, bit), "is_last"),
                [&] { b.store_plain(news_, t, packed(b, counter, place + 1)); });
    });
  });
  in_warps([&](const Builder& b, Expr t) {
    const Expr none = u32(arena, 0), news = b.load_plain(news_, t, "news");
    b.if_then(b.bind(none < news, "is_last"), [&] {
      const auto [counter, next] = unpacked(b, news);
      b.store_plain(news_, t, none);
      b.store_plain(counts_, counter, b.bind(cast(next, Kind::i32), "next"));
      b.store_plain(masks_, counter, none);
    });
  });
}

}  // namespace fulgurite::parts
