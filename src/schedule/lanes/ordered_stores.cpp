#include "schedule/lanes/ordered_stores.h"

#include <fmt/format.h>

#include "schedule/nest.h"

namespace fulgurite::schedule {

namespace {

// What stores the points: the posted places and values as a scatter over all points, into arrays of one axis.
soac::Stm scattered(Building& at, const OrderedPosts& posts) {
  scalar::Arena& arena = at.arena;
  const Expr place = arena.fresh({Kind::i64}, "place");
  soac::Scatter to{{posts.size}, {{place.var()}, {}, {}}};
  soac::Soac op{{product(arena, at.op().dims)}, {{posts.point.var()}, {}, {}}};
  op.body.results.push_back(cast(posts.place, Kind::i64));
  std::vector<Var> arrays;
  for (std::size_t k = 0; k < posts.values.size(); ++k) {
    const Kind kind = posts.values[k].kind();
    to.initial.results.push_back(arena.constant(kind, 0));
    op.body.results.push_back(posts.values[k]);
    arrays.push_back(arena.fresh_array(kind, {posts.size}, "stored").var());
  }
  op.scatters.push_back(std::move(to));
  return {std::move(arrays), std::move(op), at.lifted.where, ""};
}

void store_in_order(Building& at, const OrderedPosts& posts, Expr are_few) {
  Phase& phase =
      at.add("store", scattered(at, posts), Skeleton{"store in order", {}, at.i64(1), posts.arrays});
  phase.guard = are_few;
  phase.why = {"tasks: one, as the points are in order: the last of several values for one place stays",
               fmt::format("version: up to {} points (scatter_few)", at.lanes.by.scatter_few)};
}

void store_by_ranges(Building& at, const OrderedPosts& posts, Expr are_few) {
  scalar::Arena& arena = at.arena;
  const LanesPolicy& by = at.lanes.by;
  const Ranges ranges = ranges_of(arena, posts.size, by.scatter_range_bits, by.scatter_least_shift);
  const Expr many = 1 - are_few;
  const Expr n_points = product(arena, at.op().dims);
  const Expr tiles = ceil_div(n_points, at.i64(by.scatter_tile));
  const Expr row = ranges.count + 1;
  std::vector<Var> memory{at.memory(Kind::i64, many * (tiles * row), "table"),
                          at.memory(Kind::u32, many * n_points, "places")};
  for (Var array : posts.arrays)
    memory.push_back(at.memory(arena.info(array).type.kind, many * n_points, "sorted"));
  const std::vector<Skeleton::Number> numbers{{"tile", by.scatter_tile},
                                              {"range bits", by.scatter_range_bits},
                                              {"least shift", by.scatter_least_shift}};
  Phase& sort = at.add("sort tiles", scattered(at, posts), Skeleton{"sort tiles", numbers, tiles, memory});
  sort.guard = many;
  const std::string version = fmt::format("version: more than {} points (scatter_few)", by.scatter_few);
  sort.why = {
      fmt::format("tasks: {} points each, sorted by ranges of the destination in their order (scatter_tile)",
                  by.scatter_tile),
      version};
  memory.insert(memory.end(), posts.arrays.begin(), posts.arrays.end());
  Phase& store = at.add("store ranges", scattered(at, posts),
                        Skeleton{"store ranges", numbers, ranges.count, std::move(memory)});
  store.guard = many;
  store.why = {"tasks: a range each, which fits into a cache (scatter_range_bits, scatter_least_shift)",
               version};
}

}  // namespace

Ranges ranges_of(scalar::Arena& arena, Expr size, std::int64_t bits, std::int64_t least_shift) {
  const Expr one = arena.i64(1), last = max(size - one, one);
  const Expr wanted = 64 - arena.apply(scalar::Op::clz, {last}) - bits;
  const Expr shift = min(max(wanted, least_shift), 32);
  return {shift, (last >> shift) + one};
}

void add_ordered_stores(Building& at, const std::vector<OrderedPosts>& all) {
  const Expr few = at.i64(at.lanes.by.scatter_few);
  const Expr are_few = select(product(at.arena, at.op().dims) <= few, at.i64(1), 0);
  for (const OrderedPosts& posts : all) {
    store_in_order(at, posts, are_few);
    if (!are_few.is_constant(1)) store_by_ranges(at, posts, are_few);
  }
}

}  // namespace fulgurite::schedule
