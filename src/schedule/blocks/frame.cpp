#include "schedule/blocks/frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/nest.h"
#include "schedule/rewrites/lift.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rewrites/updates.h"

namespace fulgurite::schedule::blocks {

namespace {

Launch launch_of(scalar::Arena& arena, const soac::Stm& original) {
  Launch launch;
  launch.statement = lift_missing_neutral(arena, with_neutral_for_atomics(arena, original));
  launch.in_place = updated_in_place(arena, original);
  launch.name = name_of_launch(std::get<soac::Soac>(launch.statement.op));
  return launch;
}

}  // namespace

Frame::Frame(const Surroundings& around, const soac::Stm& original)
    : around_(around),
      original_(original),
      launch_(launch_of(around.arena, original)),
      ranks_(rank(around.arena, launch_.statement, around.policy.blocks.ranked_classes)),
      outputs_(soac::view_of(ranks_.s)),
      looks_back_(may_look_back()),
      points_(choose_points()) {
  const Expr own = own_elements();
  const Expr n = product(op().dims);
  per_block_ = points_of_a_block(around_, n, points_, resident(points_), own);
  // So that a block's count of a class fits into 32 bits.
  if (!op().partitions.empty()) per_block_ = min(per_block_, std::int64_t{1} << 31);
  blocks_ = max(ceil_div(n, per_block_), 1);
  const soac::OutputView whole = soac::view_of(launch_.statement);
  for (std::size_t g = 0; g < whole.partitions.size(); ++g)
    kept_.push_back(temporary(Kind::i64, i64(1), "kept"));
}

Expr Frame::product(std::span<const Expr> factors) const {
  return schedule::product(arena(), factors);
}

bool Frame::is_dense(std::size_t scatter) const {
  return scatter >= ranks_.n_scatters && ranks_.partitions[scatter - ranks_.n_scatters].counts.size() == 1;
}

bool Frame::is_made(Var array) const {
  return std::ranges::find(original_.names, array) != original_.names.end();
}

// Blocks look back where they may wait for each other, and where nothing has to be known of the Scans before
// the walk: a partition needs to know where its second class begins, a scatter that keeps the last value
// which point that is. Points make no arrays, as each of the many blocks would need memory for them.
bool Frame::may_look_back() const {
  if (!around_.device.blocks_wait || !has_scan(op().body) || makes_arrays(op())) return false;
  if (!op().partitions.empty()) return false;
  for (const Ranks::Partition& p : ranks_.partitions)
    if (p.counts.size() > 1) return false;
  const auto scatters = std::span(op().scatters).first(ranks_.n_scatters);
  return std::ranges::all_of(scatters,
                             [](const soac::Scatter& s) { return s.stores_in_any_order() || atomic_of(s); });
}

// The bytes that a point keeps in its tile until its place is known.
std::int64_t Frame::posted_bytes() const {
  std::int64_t bytes = 0;
  for (std::size_t g = 0; g < op().scatters.size(); ++g)
    for (Var array : outputs_.scatters[g].arrays)
      if (is_dense(g)) bytes += static_cast<std::int64_t>(size_of(arena().info(array).type.kind));
  return bytes;
}

Points Frame::choose_points() const {
  Points points = points_of(around_, op(), posted_bytes());
  if (looks_back_) points.points = points.tile(), points.most_blocks = 0, points.are_resident = false;
  return points;
}

// Elements that each block has for itself, 0 if none.
Expr Frame::own_elements() const {
  Expr own = i64(0);
  for (const soac::Scatter& scatter : op().scatters) {
    if (scatter.combine.empty()) continue;
    Expr size = product(scatter.shape);
    // Atomic bins are a block's own if they lie in shared memory.
    if (atomic_of(scatter)) {
      if (looks_back_) continue;
      const auto bytes = static_cast<std::int64_t>(size_of(scatter.combine[0].op.results[0].kind()));
      const Expr fit = i64(points_.bin_passes * (around_.policy.blocks.shared_bin_bytes / bytes));
      size = select(size <= fit, size, 0);
    }
    own = own + size;
  }
  // Blocks that sort their tiles by class keep no counts beyond a tile.
  if (!deals(around_, op()))
    for (const soac::Partition& p : op().partitions) own = own + p.classes;
  return own;
}

Expr Frame::resident(const Points& points) {
  if (!points.are_resident) return {};
  const auto known = std::ranges::find(launch_.residents, points.threads, &Resident::threads);
  if (known != launch_.residents.end()) return arena().name(known->name);
  const Expr name = arena().fresh({Kind::i64}, "resident");
  launch_.residents.push_back({name.var(), points.threads});
  return name;
}

Var Frame::temporary(Kind kind, Expr size, std::string name) {
  return temporary(kind, std::vector<Expr>{size}, std::move(name));
}

Var Frame::temporary(Kind kind, std::vector<Expr> shape, std::string name) {
  launch_.memory.push_back(arena().fresh_array(kind, std::move(shape), std::move(name)).var());
  return launch_.memory.back();
}

Phase& Frame::add(std::string name, soac::Stm computes, std::variant<Nest, Skeleton> walk, Expr guard,
                  std::vector<std::string> why) {
  const auto is_same = [&](const Phase& phase) {
    return phase.name == name || phase.name.starts_with(name + " ");
  };
  const auto n = std::ranges::count_if(launch_.phases, is_same);
  if (n > 0) name = fmt::format("{} {}", name, n + 1);
  if (guard && guard.is_constant(1)) guard = {};
  launch_.phases.push_back(
      {std::move(name), std::move(computes), std::move(walk), guard, false, false, std::move(why)});
  // Operands of a commutative operation stand in the order in which they are made, so a phase's number of
  // tasks is made before the names of later phases.
  tasks_of(arena(), launch_.phases.back());
  return launch_.phases.back();
}

Phase& Frame::add_main(soac::Stm computes, Expr guard) {
  const Points by =
      looks_back_ ? points_ : points_of(around_, std::get<soac::Soac>(computes.op), posted_bytes());
  return walk("main", std::move(computes), by, looks_back_ ? Unit::turn : Unit::grid, guard);
}

Phase& Frame::add_walk(std::string name, soac::Stm computes, bool posts) {
  const Points by = points_of(around_, std::get<soac::Soac>(computes.op), posts ? posted_bytes() : 0);
  return walk(std::move(name), std::move(computes), by, Unit::grid, {});
}

Phase& Frame::walk(std::string name, soac::Stm computes, const Points& by, Unit taker, Expr guard) {
  const auto& soac = std::get<soac::Soac>(computes.op);
  Nest nest = nest_over_points(around_, soac, by, per_block_, taker);
  std::vector<std::string> why = why_blocks(op(), points_);
  add_why_threads(soac, by, why);
  Phase& phase = add(std::move(name), std::move(computes), std::move(nest), guard, std::move(why));
  phase.at_least_one = true;
  return phase;
}

Phase& Frame::add_walk_by_one(std::string name, soac::Stm computes) {
  const auto& soac = std::get<soac::Soac>(computes.op);
  Points by = points_of(around_, soac);
  // One block takes no time to load and store, so vector accesses gain nothing.
  by.neighbours = 1;
  Nest nest = nest_over_points(around_, soac, by, {});
  std::vector<std::string> why{"tasks: one block, as there is one value for each block of another phase"};
  add_why_threads(soac, by, why);
  return add(std::move(name), std::move(computes), std::move(nest), {}, std::move(why));
}

Expr Frame::part_of(const soac::Soac& soac) {
  const Points by = points_of(around_, soac);
  const Expr n_points = product(soac.dims), residents = resident(by);
  return points_of_a_block(around_, n_points, by, residents, i64(0));
}

Phase& Frame::add_parts(std::string name, soac::Stm computes, Expr per_part, Expr guard) {
  const auto& soac = std::get<soac::Soac>(computes.op);
  const Points by = points_of(around_, soac);
  Nest nest = nest_over_points(around_, soac, by, per_part);
  std::vector<std::string> why = why_blocks(soac, by);
  add_why_threads(soac, by, why);
  return add(std::move(name), std::move(computes), std::move(nest), guard, std::move(why));
}

Phase& Frame::add_map(std::string name, soac::Stm computes, Expr guard) {
  const Expr per_part = part_of(std::get<soac::Soac>(computes.op));
  return add_parts(std::move(name), std::move(computes), per_part, guard);
}

Phase& Frame::add_filling(Var array, Expr n, Expr value, Expr guard) {
  const Expr i = arena().fresh({Kind::i64}, "i");
  return add_map(
      "clear", {{array}, soac::Soac{{n}, {{i.var()}, {}, {value}}}, lifted().where, lifted().origin}, guard);
}

}  // namespace fulgurite::schedule::blocks
