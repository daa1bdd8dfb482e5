// Scatters whose last value stays (schedule/lanes/ordered_stores.h).
#include "schedule/lanes/ordered_stores.h"

#include <algorithm>

#include "schedule/nest.h"
#include "walk/lanes/counts.h"
#include "walk/lanes/skeletons.h"

namespace fulgurite::walk::lanes {

namespace {

/// What the points of such a phase have left for it.
class Points {
 public:
  Points(const Emitter& e, const schedule::Launch& launch, const schedule::Phase& phase)
      : e_(e), arena_(e.arena()), memory_(launch.memory), op_(std::get<soac::Soac>(phase.computes.op)) {}

  Expr count() const { return op_.dims[0]; }
  Expr size() const { return op_.scatters[0].shape[0]; }
  std::size_t n_values() const { return op_.body.results.size() - 1; }
  Expr value(std::size_t k, Expr j) const { return value_of(op_.body.results[1 + k], j); }

  /// Calls body for the points of [begin, end) whose place is in the array, in their order.
  void for_each(Expr begin, Expr end, const std::function<void(Expr j, Expr place)>& body) const {
    const Expr n = e_.lower(cast(size(), Kind::u64));
    e_.for_loop(begin, end, arena_.i64(1), "j", [&](Expr j) {
      const Expr place = e_.bind(place_of(j), "place");
      const Expr number = e_.bind(cast(place, Kind::u64), "number");
      e_.if_then(e_.bind(number < n, "inside"), [&] { body(j, place); });
    });
  }

 private:
  // A place that an earlier phase has left may be kept in fewer bits.
  Expr place_of(Expr j) const {
    const Expr place = op_.body.results[0];
    const bool is_narrow = place.op() == Op::cast && is_posted(place.arg(0));
    return cast(value_of(is_narrow ? place.arg(0) : place, j), Kind::i64);
  }
  bool is_posted(Expr value) const {
    return value.op() == Op::index && std::ranges::find(memory_, value.arg(0).var()) != memory_.end();
  }
  // An element with the number of the point that an earlier phase has left, or what can be read where it is.
  Expr value_of(Expr value, Expr j) const {
    if (is_posted(value)) return e_.load_plain(value.arg(0).var(), j, "posted");
    return e_.lower(scalar::substitute(arena_, value, {{op_.body.params[0], j}}));
  }

  const Emitter& e_;
  scalar::Arena& arena_;
  const std::vector<Var>& memory_;
  const soac::Soac& op_;
};

/// The ranges of the destination, and the arrays of the launch: where the points of range r of a tile begin,
/// table[tile * (ranges + 1) + r]; their places in the range; their values.
struct Tiles {
  Tiles(const Emitter& e, const schedule::Launch& launch, const schedule::Phase& phase)
      : skeleton(skeleton_of(phase)),
        points(e, launch, phase),
        ranges(schedule::ranges_of(e.arena(), points.size(), number_of(skeleton, "range bits"),
                                   number_of(skeleton, "least shift"))),
        tile(e.arena().i64(number_of(skeleton, "tile"))),
        table(skeleton.memory[0]),
        places(skeleton.memory[1]),
        sorted(std::span(skeleton.memory).subspan(2, points.n_values())) {}

  const schedule::Skeleton& skeleton;
  const Points points;
  const schedule::Ranges ranges;
  const Expr tile;
  const Var table, places;
  const std::span<const Var> sorted;
};

// Adds up the counts of a tile's ranges, which gives where the points of each begin.
void add_up(const Emitter& e, const Tiles& tiles, Expr first, Expr begin) {
  scalar::Arena& arena = e.arena();
  const Expr so_far = e.declare(begin, "so_far");
  const Expr end = e.lower(first + tiles.ranges.count);
  e.for_loop(first, end, arena.i64(1), "entry", [&](Expr entry) {
    const Expr count = e.load_plain(tiles.table, entry, "count"), now = e.snapshot(so_far, "now");
    e.store_plain(tiles.table, entry, now);
    e.assign(so_far, e.bind(now + count, "next"));
  });
}

}  // namespace

void store_in_order(const Emitter& e, const schedule::Launch& launch, const schedule::Phase& phase) {
  const Points points(e, launch, phase);
  const std::vector<Var>& arrays = skeleton_of(phase).memory;
  points.for_each(e.arena().i64(0), e.lower(points.count()), [&](Expr j, Expr place) {
    for (std::size_t k = 0; k < arrays.size(); ++k)
      e.store_plain(e.destination(arrays[k]).buffer, place, points.value(k, j));
  });
}

// Counts the points of each range, adds up where the points of each begin, and moves them there. Then an
// entry of the table, where the next point of its range would go, is where the next range begins.
void sort_tiles(const Emitter& e, const schedule::Launch& launch, const schedule::Phase& phase) {
  scalar::Arena& arena = e.arena();
  const Tiles tiles(e, launch, phase);
  const Expr one = arena.i64(1), task = e.context().task;
  const Expr begin = e.lower(task * tiles.tile);
  const Expr n_points = tiles.points.count(), behind = begin + tiles.tile;
  const Expr end = e.lower(min(behind, n_points));
  const Expr row = e.lower(task * (tiles.ranges.count + one));
  const Expr first = e.lower(row + one), shift = e.lower(tiles.ranges.shift);
  const Expr mask = e.lower((one << shift) - one);
  const auto entry_of = [&](Expr place) {
    const Expr range = e.bind(place >> shift, "range");
    return e.bind(first + range, "entry");
  };
  const auto increase = [&](Expr entry, Expr by) {
    e.store_plain(tiles.table, entry, e.bind(by + one, "next"));
  };
  clear(e, tiles.ranges.count, {tiles.table, first});
  tiles.points.for_each(begin, end, [&](Expr, Expr place) {
    const Expr entry = entry_of(place);
    increase(entry, e.load_plain(tiles.table, entry, "count"));
  });
  e.store_plain(tiles.table, row, begin);
  add_up(e, tiles, first, begin);
  tiles.points.for_each(begin, end, [&](Expr j, Expr place) {
    const Expr entry = entry_of(place), to = e.load_plain(tiles.table, entry, "to");
    increase(entry, to);
    const Expr in_range = e.bind(place & mask, "in_range");
    e.store_plain(tiles.places, to, e.bind(cast(in_range, Kind::u32), "in_range"));
    for (std::size_t k = 0; k < tiles.sorted.size(); ++k)
      e.store_plain(tiles.sorted[k], to, tiles.points.value(k, j));
  });
}

void store_ranges(const Emitter& e, const schedule::Launch& launch, const schedule::Phase& phase) {
  scalar::Arena& arena = e.arena();
  const Tiles tiles(e, launch, phase);
  const std::span<const Var> arrays = std::span(tiles.skeleton.memory).subspan(2 + tiles.sorted.size());
  const Expr one = arena.i64(1), n_tiles = schedule::ceil_div(tiles.points.count(), tiles.tile);
  const Expr range = e.context().task;
  const Expr first = e.lower(range << tiles.ranges.shift);
  const Expr columns = e.lower(tiles.ranges.count + one);
  e.for_loop(arena.i64(0), e.lower(n_tiles), one, "tile", [&](Expr tile) {
    const Expr entry = e.bind(e.bind(tile * columns, "row") + range, "entry");
    const Expr from = e.load_plain(tiles.table, entry, "from");
    const Expr to = e.load_plain(tiles.table, e.bind(entry + one, "behind"), "to");
    e.for_loop(from, to, one, "j", [&](Expr j) {
      const Expr in_range = e.load_plain(tiles.places, j, "in_range");
      const Expr place = e.bind(first + e.bind(cast(in_range, Kind::i64), "t"), "place");
      for (std::size_t k = 0; k < arrays.size(); ++k)
        e.store_plain(e.destination(arrays[k]).buffer, place, e.load_plain(tiles.sorted[k], j, "value"));
    });
  });
}

}  // namespace fulgurite::walk::lanes
