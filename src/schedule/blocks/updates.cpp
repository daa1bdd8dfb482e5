#include "schedule/blocks/updates.h"

#include "schedule/phases.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/slice.h"

namespace fulgurite::schedule::blocks {

// How the values of each get to their places; those behind the original's come from partitions, whose
// points have places of their own.
Updates::Updates(Frame& frame, const Scans& scans) : at_(frame), arena_(frame.arena()), scans_(scans) {
  for (std::size_t g = 0; g < at_.op().scatters.size(); ++g) {
    const soac::Scatter& scatter = at_.op().scatters[g];
    how_.push_back(g >= at_.ranks().n_scatters     ? Join::ranked
                   : atomic_of(scatter)            ? Join::atomic
                   : !scatter.combine.empty()      ? Join::bins
                   : scatter.stores_in_any_order() ? Join::exchange
                                                   : Join::winner);
    std::vector<Var>& memory = memory_.emplace_back();
    if (how_[g] == Join::bins) {
      const Expr n = at_.blocks() * size_of(g);
      for (Var array : at_.outputs().scatters[g].arrays)
        memory.push_back(at_.temporary(arena_.info(array).type.kind, n, "bins"));
    } else if (how_[g] == Join::winner) {
      memory.push_back(at_.temporary(Kind::i64, size_of(g), "winners"));
    }
  }
}

void Updates::clear() {
  for (std::size_t g = 0; g < at_.op().scatters.size(); ++g) {
    if (how_[g] == Join::atomic)
      at_.add_map("clear", contents(at_.s(), g));
    else if (how_[g] == Join::winner)
      at_.add_filling(memory_[g][0], size_of(g), at_.i64(-1));
  }
}

void Updates::look_first() {
  for (std::size_t g = 0; g < how_.size(); ++g)
    if (how_[g] == Join::winner) find_winners(g);
  for (std::size_t g = 0; g < at_.op().partitions.size(); ++g) count(g);
}

// winners[place] = the last point that has the place
void Updates::find_winners(std::size_t g) {
  const auto given = at_.outputs().scatters[g].place;
  std::vector<Expr> wanted(given.begin(), given.end());
  Expr number = at_.i64(0);
  for (std::size_t d = 0; d < at_.op().dims.size(); ++d)
    number = number * at_.op().dims[d] + arena_.name(at_.op().body.params[d]);
  wanted.push_back(number);
  Phase& phase = scatter_apart("winners", memory_[g][0], at_.op().scatters[g].shape, integer_max(arena_),
                               at_.i64(-1), std::move(wanted));
  phase.why.emplace_back("phase: of several points with one place the last one's values stay, all of them");
}

// A phase that combines values of the points by an operation of memory: places, then the value.
Phase& Updates::scatter_apart(std::string name, Var memory, const std::vector<Expr>& shape,
                              const soac::Reduction& by, Expr before, std::vector<Expr> results) {
  soac::Soac op{at_.op().dims, slice(arena_, at_.op().body, std::move(results))};
  soac::Scatter scatter{shape, {{}, {}, {before}}, {by}};
  for (std::size_t d = 0; d < shape.size(); ++d)
    scatter.initial.params.push_back(arena_.fresh({Kind::i64}, "place").var());
  op.scatters.push_back(std::move(scatter));
  const Var array = arena_.fresh_array(Kind::i64, shape, arena_.info(memory).name).var();
  Phase& phase =
      at_.add_walk(std::move(name), {{array}, std::move(op), at_.lifted().where, at_.lifted().origin}, true);
  const auto& computes = std::get<soac::Soac>(phase.computes.op);
  auto& nest = std::get<Nest>(phase.walk);
  add_atomic(nest, computes, 0, array, 0);
  combine_in(nest, Combine::Part::scatter, 0).memory = {memory};
  scans_.go_on(computes, nest);
  return phase;
}

// How many points of each class each block has, and from that where the block's points of the class go.
void Updates::count(std::size_t g) {
  const soac::OutputView::Partitioned& partition = at_.outputs().partitions[g];
  const Expr classes = partition.classes, size = at_.blocks() * classes;
  const Var counts = at_.temporary(Kind::i64, size, "counts");
  const Var table = at_.temporary(Kind::i64, size, "table");
  tables_.push_back(table);
  at_.add_filling(counts, size, at_.i64(0));
  std::optional<Var>& task = at_.launch().task;
  if (!task) task = arena_.fresh({Kind::i64}, "block").var();
  const Expr of = partition.point_class;
  const Expr n_classes = cast(classes, Kind::u64);
  const Expr inside = cast(of, Kind::u64) < n_classes;
  const Expr place = of * at_.blocks() + arena_.name(*task);
  const Expr stored_at = select(inside, place, -1);
  scatter_apart("count", counts, {size}, integer_sum(arena_), at_.i64(0), {stored_at, at_.i64(1)})
      .why.emplace_back("phase: from the points of each class of each block follows where they go");
  sum_counts(g, counts, table);
}

// Where the block's points of the class go, and where class c begins: where the first block's points of it
// go.
void Updates::sum_counts(std::size_t g, Var counts, Var table) {
  const soac::OutputView::Partitioned& partition = at_.outputs().partitions[g];
  const Expr classes = partition.classes, size = at_.blocks() * classes;
  const soac::OutputView whole = soac::view_of(at_.lifted());
  std::size_t number = 0;  // of the original's partition
  while (whole.partitions[number].kept != partition.kept) ++number;
  Phase& sums = at_.add_walk_by_one("sums", schedule::count(arena_, at_.s(), size, counts, table));
  combine_in(std::get<Nest>(sums.walk), Combine::Part::scan, 0).ends = {{0, partition.offsets, classes},
                                                                        {0, at_.kept(number), at_.i64(0)}};
  const Expr c = arena_.fresh({Kind::i64}, "c"), at = c * at_.blocks();
  soac::Lambda first{{c.var()}, {}, {arena_.index(arena_.name(table), std::span(&at, 1))}};
  at_.add_map("offsets", {{partition.offsets},
                          soac::Soac{{classes}, std::move(first)},
                          at_.lifted().where,
                          at_.lifted().origin});
}

// Scatters whose blocks have bins in shared memory come first: those of operations of memory.
void Updates::combine(const soac::Soac& op, Nest& nest) const {
  std::int64_t n_shared = 0;
  for (std::size_t g = 0; g < how_.size(); ++g)
    if (how_[g] == Join::atomic) add_atomic(nest, op, g, at_.outputs().scatters[g].arrays[0], n_shared++);
  for (std::size_t g = 0; g < how_.size(); ++g) {
    if (how_[g] == Join::atomic) continue;
    if (how_[g] == Join::bins) add_bins(nest, g, n_shared++);
    if (how_[g] == Join::ranked && at_.is_dense(g))
      combine_in(nest, Combine::Part::scatter, g).levels.push_back({Unit::thread, Join::packed, scan_of(g)});
    add_grid_level(nest, Combine::Part::scatter, g, how_[g], memory_[g]);
  }
  for (std::size_t g = 0; g < tables_.size(); ++g) {
    combine_in(nest, Combine::Part::partition, g).levels.push_back({Unit::thread, Join::in_order});
    add_grid_level(nest, Combine::Part::partition, g, Join::counted, {tables_[g]});
  }
}

// `n_shared`: how many scatters before it have bins in shared memory.
void Updates::add_atomic(Nest& nest, const soac::Soac& op, std::size_t g, Var array,
                         std::int64_t n_shared) const {
  const BlocksPolicy& by = at_.around().policy.blocks;
  Combine& of_scatter = combine_in(nest, Combine::Part::scatter, g);
  if (n_shared < by.shared_bins) {
    const auto bytes =
        static_cast<std::int64_t>(scalar::size_of(op.scatters[g].combine[0].op.results[0].kind()));
    const Points points = points_of(at_.around(), op);
    of_scatter.levels.push_back({Unit::thread, Join::atomic, points.bin_passes});
    nest.stages.push_back({array, 0, kernel::Space::shared, by.shared_bin_bytes / bytes});
  }
  of_scatter.levels.push_back(
      {Unit::grid, Join::atomic, n_shared < by.shared_bins ? by.shared_bin_points : 0});
}

void Updates::add_bins(Nest& nest, std::size_t g, std::int64_t n_shared) const {
  const BlocksPolicy& by = at_.around().policy.blocks;
  combine_in(nest, Combine::Part::scatter, g).levels.push_back({Unit::thread, Join::in_order});
  if (n_shared >= by.shared_bins) return;
  std::int64_t bytes = 0;
  for (Expr value : at_.op().scatters[g].combine[0].neutral)
    bytes += static_cast<std::int64_t>(scalar::size_of(value.kind()));
  nest.stages.push_back(
      {at_.outputs().scatters[g].arrays[0], 0, kernel::Space::shared, by.shared_bin_bytes / bytes});
}

// The Scan that counts the points before one that has a place.
std::int64_t Updates::scan_of(std::size_t g) const {
  const Var count = at_.ranks().partitions[g - at_.ranks().n_scatters].counts[0].var();
  const std::vector<const soac::Stm*> scans = scans_of(at_.op().body);
  std::int64_t number = 0;
  while (scans[static_cast<std::size_t>(number)]->names[0] != count) ++number;
  return number;
}

// element = initial op bins[0][place] op bins[1][place] ...
void Updates::join_places() {
  for (std::size_t g = 0; g < at_.op().scatters.size(); ++g) {
    if (how_[g] != Join::bins) continue;
    const auto bin = [&](Expr task, Expr place) { return task * size_of(g) + place; };
    at_.add_map("places", schedule::places(arena_, at_.s(), g, at_.blocks(), memory_[g], bin,
                                           [&](Var array) { return at_.is_made(array); }));
  }
}

}  // namespace fulgurite::schedule::blocks
