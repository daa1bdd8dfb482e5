#include "schedule/blocks/updates.h"

#include "schedule/nest.h"
#include "schedule/phases.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/slice.h"

namespace fulgurite::schedule::blocks {

// How the values of each get to their places; scatters after the original's come from partitions, whose
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
  add_atomic(std::get<Nest>(phase.walk), std::get<soac::Soac>(phase.computes.op), 0, phase.computes.names[0],
             0);
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
  const scalar::VarInfo& info = arena_.info(memory);
  const Var array = arena_.fresh_array(info.type.kind, shape, info.name).var();
  Phase& phase =
      at_.add_walk(std::move(name), {{array}, std::move(op), at_.lifted().where, at_.lifted().origin}, true);
  const auto& computes = std::get<soac::Soac>(phase.computes.op);
  auto& nest = std::get<Nest>(phase.walk);
  combine_in(nest, Combine::Part::scatter, 0).memory = {memory};
  scans_.go_on(computes, nest);
  return phase;
}

// How many points of each class each block has, and from that where the block's points of the class go. The
// counts of a class lie beside each other, in the order of the blocks.
void Updates::count(std::size_t g) {
  const soac::OutputView::Partitioned& partition = at_.outputs().partitions[g];
  const Expr classes = partition.classes, size = at_.blocks() * classes;
  const Var counts = at_.temporary(Kind::u32, size, "counts");
  const Var table = at_.temporary(Kind::i64, size, "table");
  tables_.push_back(table);
  const BlocksPolicy& by = at_.around().policy.blocks;
  const std::int64_t fit = by.shared_bin_bytes / static_cast<std::int64_t>(scalar::size_of(Kind::u32));
  const Expr none = arena_.constant(Kind::u32, 0), one = arena_.constant(Kind::u32, 1);
  const std::int64_t passes =
      classes.is_constant() && classes.bits() <= static_cast<std::uint64_t>(fit) ? 1 : by.shared_bin_passes;
  const Expr is_large = passes * fit < classes;
  if (const Expr guard = select(is_large, at_.i64(1), at_.i64(0)); !guard.is_constant(0))
    at_.add_filling(counts, size, none, guard).why.emplace_back("phase: so many counts are in global memory");
  Phase& phase = scatter_apart("count", counts, {classes}, reduction_by(arena_, scalar::Op::add, none), none,
                               {partition.point_class, one});
  phase.why.emplace_back("phase: from the points of each class of each block follows where they go");
  auto& nest = std::get<Nest>(phase.walk);
  nest.stages.push_back({phase.computes.names[0], 0, kernel::Space::shared, fit});
  combine_in(nest, Combine::Part::scatter, 0).levels = {{Unit::thread, Join::atomic, passes},
                                                        {Unit::grid, Join::bins}};
  sum_counts(g, counts, table);
}

// Where the block's points of the class go. Class c begins where the first block's points of it go.
void Updates::sum_counts(std::size_t g, Var counts, Var table) {
  const soac::OutputView::Partitioned& partition = at_.outputs().partitions[g];
  const Expr classes = partition.classes, size = at_.blocks() * classes;
  const soac::OutputView whole = soac::view_of(at_.lifted());
  std::size_t number = 0;  // of the original's partition
  while (whole.partitions[number].kept != partition.kept) ++number;
  const soac::Stm running = schedule::count(arena_, at_.s(), size, counts, table);
  const auto& over = std::get<soac::Soac>(running.op);
  const soac::Stm* scan = over.body.body.data();
  const Expr per_part = at_.part_of(over), parts = ceil_div(size, per_part);
  const std::vector<Var> partials{at_.temporary(Kind::i64, parts, "partial")};
  const std::vector<Var> carries{at_.temporary(Kind::i64, parts, "carry")};
  Phase& fold = at_.add_parts("fold", schedule::fold(arena_, running, {&scan, 1}, {}), per_part);
  add_grid_level(std::get<Nest>(fold.walk), Combine::Part::reduction, 0, Join::partials, partials);
  Phase& carry = at_.add_walk_by_one(
      "carry", schedule::carry(arena_, running, parts, {&scan, 1}, {&partials, 1}, {&carries, 1}));
  combine_in(std::get<Nest>(carry.walk), Combine::Part::scan, 0).ends = {{0, partition.offsets, classes},
                                                                         {0, at_.kept(number), at_.i64(0)}};
  Phase& sums = at_.add_parts("sums", running, per_part);
  add_grid_level(std::get<Nest>(sums.walk), Combine::Part::scan, 0, Join::carried, carries);
  const Expr c = arena_.fresh({Kind::i64}, "c"), at = c * at_.blocks();
  soac::Lambda first{{c.var()}, {}, {arena_.index(arena_.name(table), std::span(&at, 1))}};
  at_.add_map("offsets", {{partition.offsets},
                          soac::Soac{{classes}, std::move(first)},
                          at_.lifted().where,
                          at_.lifted().origin});
}

// Scatters whose blocks have bins in shared memory come first, if operations of memory fill them.
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
    const Join join = deals(at_.around(), op) ? Join::packed : Join::in_order;
    combine_in(nest, Combine::Part::partition, g).levels.push_back({Unit::thread, join});
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
