#include "lower/ordered_stores.h"

#include <algorithm>
#include <unordered_map>

#include "lower/carry.h"
#include "schedule/rewrites/narrow.h"
#include "soac/walk.h"

namespace fulgurite::lower {

namespace {

constexpr ScatterPolicy policy_of_all{};

// Of a space of one point there is nothing to order.
bool is_ordered(const soac::Soac& op, const soac::Scatter& scatter) {
  const bool is_one_point = std::ranges::all_of(op.dims, [](Expr n) { return n.is_constant(1); });
  return scatter.combine.empty() && !is_one_point && !scatter.stores_in_any_order();
}

}  // namespace

OrderedStores::OrderedStores(Launches& launches, const soac::Stm& s)
    : launches_(launches), arena_(launches.arena()), posting_(s) {
  const auto& op = std::get<soac::Soac>(s.op);
  n_points_ = launches_.product(op.dims);
  are_few_ = arena_.apply(Op::select, {arena_.le(n_points_, i64(policy_of_all.few)), i64(1), i64(0)});
  if (op.dims.size() == 1) point_ = arena_.name(op.body.params[0]);
  soac::Outputs outputs = soac::outputs_of(s);
  std::vector<soac::Outputs::Scattered> in_any_order;
  for (soac::Outputs::Scattered& scattered : outputs.scatters) {
    if (!is_ordered(op, scattered.to)) {
      in_any_order.push_back(std::move(scattered));
      continue;
    }
    Group group;
    group.arrays = scattered.arrays;
    group.size = launches_.product(scattered.to.shape);
    const bool is_place_readable = scattered.place.size() == 1 && is_readable(op, scattered.place[0]);
    const Expr place = is_place_readable ? scattered.place[0] : place_of(scattered.to, scattered.place);
    group.place = post(place, is_place_readable, outputs.mapped);
    for (Expr value : scattered.values)
      group.values.push_back(post(value, is_readable(op, value), outputs.mapped));
    groups_.push_back(std::move(group));
  }
  outputs.scatters = std::move(in_any_order);
  posting_ = soac::with_outputs(std::move(posting_), std::move(outputs));
}

// Whether later phases can compute it of the point's number: of elements with this number, and of what does
// not differ from point to point. What the statement makes or updates is not for later phases to read, and
// reads behind a Check of the body stay there.
bool OrderedStores::is_readable(const soac::Soac& op, Expr value) const {
  if (value.is_constant()) return true;
  if (!op.body.body.empty()) return false;
  if (value.op() == Op::cast) return is_readable(op, value.arg(0));
  const std::vector<Var>& params = op.body.params;
  const bool is_row_major = op.dims.size() == 1;
  if (value.is_name())
    return value.type().rank == 0 && (is_row_major || std::ranges::find(params, value.var()) == params.end());
  return is_row_major && value.op() == Op::index && value.site() == 0 && value.args().size() == 2 &&
         value.arg(1) == point_ &&
         std::ranges::find(posting_.names, value.arg(0).var()) == posting_.names.end();
}

OrderedStores::Posted OrderedStores::post(Expr value, bool may_read, std::vector<soac::Mapped>& mapped) {
  if (may_read) return {{}, value};
  const Var array = arena_.fresh_array(value.kind(), {n_points_}, "posted").var();
  posted_.push_back(array);
  mapped.push_back({value, array});
  return {array, {}};
}

// Its row-major number; what is not in the array below 0 or beyond it.
Expr OrderedStores::place_of(const soac::Scatter& scatter, std::span<const Expr> indices) {
  if (indices.size() == 1) {
    const Expr key = schedule::narrow_index(indices[0]);
    return key ? key : indices[0];
  }
  Expr number = i64(0), inside = arena_.boolean(true);
  for (std::size_t d = 0; d < indices.size(); ++d) {  // no extent is negative
    number = arena_.add(arena_.mul(number, scatter.shape[d]), indices[d]);
    const Expr index = arena_.cast(indices[d], Kind::u64);
    const Expr extent = arena_.cast(scatter.shape[d], Kind::u64);
    inside = arena_.logical_and(inside, arena_.lt(index, extent));
  }
  return arena_.apply(Op::select, {inside, number, i64(-1)});
}

bool OrderedStores::posts_something() const {
  return groups_.empty() || !posting_.names.empty() || !std::get<soac::Soac>(posting_.op).body.body.empty();
}

std::optional<ScatterPolicy> OrderedStores::policy() const {
  return groups_.empty() ? std::nullopt : std::optional(policy_of_all);
}

void OrderedStores::start(Frame& at) {
  for (Var array : posted_) {
    at.temporaries.push_back(array);
    at.e.set_destination(array, {array, {}});
  }
}

void OrderedStores::phases(Frame& at) {
  for (Group& group : groups_) {
    in_one_task(at, group);
    if (are_few_.is_constant(1)) continue;
    const Ranges ranges = ranges_of(group);
    const Expr many = arena_.sub(i64(1), are_few_),
               tiles = launches_.ceil_div(n_points_, i64(policy_of_all.tile));
    const Expr row = arena_.add(ranges.count, i64(1));
    group.table = at.temporary(Kind::i64, arena_.mul(many, arena_.mul(tiles, row)), "table");
    group.places = at.temporary(Kind::u32, arena_.mul(many, n_points_), "places");
    for (Var array : group.arrays)
      group.sorted.push_back(
          at.temporary(arena_.info(array).type.kind, arena_.mul(many, n_points_), "sorted"));
    sort_tiles(at, group, ranges);
    store_ranges(at, group, ranges);
  }
}

// Ranges of a power of two of elements, at least as many as never share a cache line, at most as many as can
// be counted in 32 bits.
OrderedStores::Ranges OrderedStores::ranges_of(const Group& group) {
  const Expr last = arena_.max(arena_.sub(group.size, i64(1)), i64(1));
  const Expr bits = arena_.sub(i64(64), arena_.apply(Op::clz, {last}));
  const Expr wanted = arena_.sub(bits, i64(policy_of_all.range_bits));
  const Expr shift = arena_.min(arena_.max(wanted, i64(policy_of_all.least_shift)), i64(32));
  return {shift, arena_.add(arena_.apply(Op::shr, {last, shift}), i64(1))};
}

Expr OrderedStores::value_of(const Emitter& e, const Posted& posted, Expr j) {
  if (posted.array) return e.load_plain(*posted.array, j, "posted");
  if (!point_) return e.lower(posted.expression);
  return e.lower(scalar::substitute(arena_, posted.expression, {{point_.var(), j}}));
}

// Calls body for the points of [begin, end) whose place is in the array, in their order.
void OrderedStores::for_points(const Emitter& e, const Group& group, Expr begin, Expr end,
                               const std::function<void(Expr j, Expr place)>& body) {
  const Expr size = e.lower(arena_.cast(group.size, Kind::u64));
  e.for_loop(begin, end, i64(1), "j", [&](Expr j) {
    const Expr place = e.bind(arena_.cast(value_of(e, group.place, j), Kind::i64), "place");
    const Expr number = e.bind(arena_.cast(place, Kind::u64), "number");
    e.if_then(e.bind(arena_.lt(number, size), "inside"), [&] { body(j, place); });
  });
}

void OrderedStores::in_one_task(Frame& at, const Group& group) {
  at.phase(are_few_, [&](const Emitter& e) {
    for_points(e, group, i64(0), e.lower(n_points_), [&](Expr j, Expr place) {
      for (std::size_t k = 0; k < group.arrays.size(); ++k)
        e.store_plain(e.destination(group.arrays[k]).buffer, place, value_of(e, group.values[k], j));
    });
  });
}

// Counts the points of each range, adds up where those of each begin, and moves them there. Then an entry of
// the table, where the next point of its range would go, is where the next range begins.
void OrderedStores::sort_tiles(Frame& at, const Group& group, const Ranges& ranges) {
  const Expr tile = i64(policy_of_all.tile), one = i64(1);
  const Expr many = arena_.sub(one, are_few_);
  const Expr tiles = arena_.mul(many, launches_.ceil_div(n_points_, tile));
  at.phase(tiles, [&](const Emitter& e) {
    const Expr task = e.context().task, begin = e.lower(arena_.mul(task, tile));
    const Expr end = e.lower(arena_.min(arena_.add(begin, tile), n_points_));
    const Expr row = e.lower(arena_.mul(task, arena_.add(ranges.count, one)));
    const Expr first = e.lower(arena_.add(row, one)), shift = e.lower(ranges.shift);
    const Expr mask = e.lower(arena_.sub(arena_.apply(Op::shl, {one, shift}), one));
    const auto entry_of = [&](Expr place) {
      const Expr range = e.bind(arena_.apply(Op::shr, {place, shift}), "range");
      return e.bind(arena_.add(first, range), "entry");
    };
    const auto increase = [&](Expr entry, Expr by) {
      e.store_plain(group.table, entry, e.bind(arena_.add(by, one), "next"));
    };
    clear(e, ranges.count, {group.table, first});
    for_points(e, group, begin, end, [&](Expr, Expr place) {
      const Expr entry = entry_of(place);
      increase(entry, e.load_plain(group.table, entry, "count"));
    });
    e.store_plain(group.table, row, begin);
    const Expr so_far = e.declare(begin, "so_far");
    e.for_loop(first, e.lower(arena_.add(first, ranges.count)), one, "entry", [&](Expr entry) {
      const Expr count = e.load_plain(group.table, entry, "count"), now = e.snapshot(so_far, "now");
      e.store_plain(group.table, entry, now);
      e.assign(so_far, e.bind(arena_.add(now, count), "next"));
    });
    for_points(e, group, begin, end, [&](Expr j, Expr place) {
      const Expr entry = entry_of(place), to = e.load_plain(group.table, entry, "to");
      increase(entry, to);
      const Expr in_range = e.bind(arena_.apply(Op::bit_and, {place, mask}), "in_range");
      e.store_plain(group.places, to, e.bind(arena_.cast(in_range, Kind::u32), "in_range"));
      for (std::size_t k = 0; k < group.sorted.size(); ++k)
        e.store_plain(group.sorted[k], to, value_of(e, group.values[k], j));
    });
  });
}

void OrderedStores::store_ranges(Frame& at, const Group& group, const Ranges& ranges) {
  const Expr one = i64(1), tiles = launches_.ceil_div(n_points_, i64(policy_of_all.tile));
  at.phase(arena_.mul(arena_.sub(one, are_few_), ranges.count), [&](const Emitter& e) {
    const Expr range = e.context().task, first = e.lower(arena_.apply(Op::shl, {range, ranges.shift}));
    const Expr columns = e.lower(arena_.add(ranges.count, one));
    e.for_loop(i64(0), e.lower(tiles), one, "tile", [&](Expr tile) {
      const Expr entry = e.bind(arena_.add(e.bind(arena_.mul(tile, columns), "row"), range), "entry");
      const Expr from = e.load_plain(group.table, entry, "from");
      const Expr to = e.load_plain(group.table, e.bind(arena_.add(entry, one), "behind"), "to");
      e.for_loop(from, to, one, "j", [&](Expr j) {
        const Expr in_range = e.load_plain(group.places, j, "in_range");
        const Expr place = e.bind(arena_.add(first, e.bind(arena_.cast(in_range, Kind::i64), "t")), "place");
        for (std::size_t k = 0; k < group.arrays.size(); ++k)
          e.store_plain(e.destination(group.arrays[k]).buffer, place,
                        e.load_plain(group.sorted[k], j, "value"));
      });
    });
  });
}

}  // namespace fulgurite::lower
