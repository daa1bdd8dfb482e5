#include "schedule/lanes/loops.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "base/match.h"
#include "schedule/lanes/costs.h"
#include "schedule/rewrites/by_order.h"
#include "schedule/rewrites/scanned.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rows.h"
#include "soac/kept_indices.h"
#include "soac/linear.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

using scalar::Op;

// The bytes of the widest kind that expressions compute with; index arithmetic does not count.
class Widest {
 public:
  void of(std::span<const Expr> results) {
    scalar::for_each_node(results, [&](Expr e) {
      if (e.op() == Op::index || is_float(e.kind()) || (e.kind() != Kind::i64 && e.kind() != Kind::boolean))
        bytes = std::max(bytes, size_of(e.kind()));
    });
    for (Expr e : results) bytes = std::max(bytes, size_of(e.kind()));
  }
  void of(const soac::Lambda& f) {
    of(f.results);
    statements(f.body);
  }
  void statements(const std::vector<soac::Stm>& body) {
    for (const soac::Stm& s : body)
      for (const auto& nested : soac::nested_in(s)) of(*nested.lambda);
  }

  std::size_t bytes = 1;
};

// What lanes compute of a point besides the operands of reductions. Of a class, where there are few, they
// only ask whether the point is of it.
std::vector<Expr> other_results(scalar::Arena& arena, const soac::Soac& soac, const soac::OutputView& outputs,
                                const LanesPolicy& by) {
  std::vector<Expr> results;
  const auto add = [&](std::span<const Expr> more) {
    results.insert(results.end(), more.begin(), more.end());
  };
  for (const auto& s : outputs.scatters) {
    if (!soac::stores_along_row(arena, soac, s)) add(s.place);
    add(s.values);
  }
  for (const auto& p : outputs.partitions) {
    const Expr of = p.point_class;
    if (!has_few_classes({p.classes, p.values.size()}, by.few_classes))
      results.push_back(of);
    else if (of.op() == Op::select && of.arg(1).is_constant() && of.arg(2).is_constant())
      results.push_back(of.arg(0));
    add(p.values);
  }
  for (const soac::Mapped& m : outputs.mapped) results.push_back(m.result);
  return results;
}

// The bytes of the widest kind that lanes compute with. Reductions that commute keep indices in 32 bits
// where there is nothing else (ascending.h).
std::size_t widest(scalar::Arena& arena, const soac::Soac& soac, const LanesPolicy& by) {
  const soac::OutputView outputs = soac::view_of(soac);
  Widest widest;
  std::vector<Expr> results = other_results(arena, soac, outputs, by);
  const bool only_reduces = results.empty() && commutes(soac);
  for (std::size_t g = 0; g < outputs.reductions.size(); ++g) {
    soac::Lambda op = outputs.reductions[g].by.op;
    for (std::size_t k = op.results.size(); k-- > 0;) {
      if (!only_reduces || !soac::keeps_index(soac, g, k)) {
        results.push_back(outputs.reductions[g].operands[k]);
        continue;
      }
      widest.bytes = std::max(widest.bytes, size_of(Kind::i32));
      op.results.erase(op.results.begin() + static_cast<std::ptrdiff_t>(k));
    }
    widest.of(op);
  }
  widest.of(results);
  widest.statements(soac.body.body);
  for (const auto& s : outputs.scatters)
    for (const soac::Reduction& r : s.to.combine) widest.of(r.op);
  return widest.bytes;
}

// Bytes of memory that a task wants for each point to pack it in.
std::int64_t bytes_packed(const soac::Soac& soac, const LanesPolicy& by) {
  std::size_t bytes = 0;
  for (const auto& p : soac::view_of(soac).partitions)
    for (Expr value : p.values)
      if (has_few_classes({p.classes, p.values.size()}, by.few_classes))
        bytes += size_of(value.kind()) * p.classes.bits();
  return static_cast<std::int64_t>(bytes);
}

int lanes_of(int vector, std::int64_t vectors) {
  return static_cast<int>(std::min(most_lanes, vector * vectors));
}

// Runs of an odd number of vectors: at the distance of a power of two what lanes read together would have few
// places in the cache to go to. They are long beside the number of lanes, whose results are joined one by
// one. A tile is a block of runs, and while it is folded the next one is fetched. One vector of lanes, and
// two where it has few: others have to wait less for the former step than for the units that they all want.
void choose_runs(LaneLoops& loops, const soac::Soac& soac, double work, const LanesPolicy& by) {
  std::int64_t components = 0;
  for (const soac::Reduction& r : soac.reductions)
    components += r.commutative ? 0 : static_cast<std::int64_t>(r.op.results.size());
  const bool are_narrow = components <= by.run_components && loops.tail_lanes <= by.run_lanes;
  loops.run_lanes = lanes_of(loops.tail_lanes, are_narrow ? by.run_vectors : 1);
  loops.run_steps = std::min(loops.tail_lanes, static_cast<int>(by.run_steps));
  const std::int64_t tile = work <= by.moderate_work ? by.run_tile : by.expensive_run_tile;
  const std::int64_t vectors = tile / loops.run_lanes / loops.run_steps;
  loops.run = std::max<std::int64_t>(vectors - 1 + vectors % 2, 1) * loops.run_steps;
  loops.ahead = loops.tile = loops.run * loops.run_lanes;
}

// Runs of lanes pay where a scan across lanes applies the operator so much more often that this is more work
// than to store the values of all points and to transpose them. A piece of runs stays in the first cache.
int scan_steps(const scalar::Arena& arena, const soac::Soac& soac, const LanesPolicy& by, int lanes) {
  const int steps = static_cast<int>(by.scan_steps);
  if (lanes < by.least_scan_lanes || lanes > steps || !has_scan(soac.body)) return 0;
  std::size_t components = 0;
  for (const soac::Stm* s : scans_of(soac.body)) components += std::get<soac::Scan>(s->op).operands.size();
  const int more = static_cast<int>(std::bit_width(static_cast<unsigned>(lanes))) - 2;
  const bool pays = Costs(by).of_operators(soac) * more >= by.cost_move * static_cast<double>(components);
  const bool fits = bytes_scanned(soac) * lanes * steps <= by.scan_run_bytes;
  return pays && fits && scans_in_runs(arena, soac) ? steps : 0;
}

}  // namespace

bool lanes_scan(const scalar::Arena& arena, const soac::Soac& soac, const LaneLoops& loops,
                const Lanes& lanes) {
  return loops.scan_lanes >= lanes.by.least_scan_lanes &&
         scans_in_lanes(arena, soac, lanes.device.vector_bytes, loops.tail_lanes);
}

namespace {

// Independent vectors side by side hide latency: several for short bodies, fewer where many values are alive
// at once. Points that give arrays have many, each element being one. Of longer bodies only those that store
// nothing gain by several, which take longer to compile. Nor do bodies with several accumulators, which make
// chains enough by themselves and fill registers.
std::int64_t vectors_of(const soac::Soac& soac, const Costs& costs, double work, bool stores,
                        const Device& device, const LanesPolicy& by) {
  const bool has_32_registers = device.vector_bytes >= 64;
  if (gives_arrays(soac)) return 1;
  if (costs.waits_for_itself(soac.body))
    return has_32_registers ? by.waiting_vectors : by.waiting_vectors_16_registers;
  const double short_work = !has_32_registers ? by.short_work_16_registers
                            : stores          ? by.short_work_stores
                                              : by.short_work;
  const std::int64_t vectors = work <= short_work       ? by.short_vectors
                               : work <= by.medium_work ? by.medium_vectors
                                                        : 1;
  std::int64_t accumulators = 0;
  for (const soac::Reduction& r : soac.reductions)
    accumulators += std::ranges::count_if(r.op.results, [](Expr e) { return e.kind() != Kind::boolean; });
  return accumulators > by.few_accumulators && !stores ? std::min(vectors, by.medium_vectors) : vectors;
}

// Points of a task. Tiles begin where vectors are aligned, so that they are no smaller than a vector.
std::int64_t points_in_task(scalar::Arena& arena, const soac::Soac& soac, double work, bool scans_in_runs,
                            const LanesPolicy& by) {
  std::int64_t tile = work <= by.cheap_work      ? by.cheap_tile
                      : work <= by.moderate_work ? by.moderate_tile
                                                 : by.expensive_tile;
  if (has_scan(soac.body) && work <= by.cheap_work) tile *= by.scan_tiles;
  if (has_bins(soac) && work <= by.cheap_work) tile *= by.bin_tiles;
  // A point with many elements counts as many points.
  const std::int64_t elements = soac::elements_of_results(arena, soac.body);
  for (const std::int64_t most = tile; tile > by.least_tile && tile * elements > most;) tile /= 2;
  // What a task packs stays in a cache of its own.
  if (const std::int64_t bytes = bytes_packed(soac, by); bytes > 0)
    while (tile > by.least_tile && tile * bytes > by.packed_bytes) tile /= 2;
  // So do the values that it has scanned, as long as it waits for its turn.
  if (scans_in_runs)
    while (tile > most_lanes && tile * bytes_scanned(soac) > by.scanned_bytes) tile /= 2;
  return tile;
}

// The most points that the loops inside of a function take, one in another, if they are constants.
std::optional<std::int64_t> constant_row(const soac::Lambda& f) {
  std::int64_t longest = 1;
  for (const soac::Stm& s : f.body) {
    if (base::as<soac::Sort>(s.op) || base::as<soac::Loop>(s.op)) return {};
    std::int64_t times = 1;
    if (const auto* op = base::as<soac::Soac>(s.op))
      for (Expr extent : op->dims) {
        if (!extent.is_constant() || extent.bits() >= 1 << 20) return {};
        times = std::min<std::int64_t>(times * static_cast<std::int64_t>(extent.bits()), 1 << 20);
      }
    for (const auto& nested : soac::nested_in(s)) {
      if (nested.role == soac::Role::operation) continue;
      const std::optional<std::int64_t> points = constant_row(*nested.lambda);
      if (!points) return {};
      longest = std::max(longest, times * *points);
    }
  }
  return longest;
}

// Rows of a constant length that one lane walks.
bool are_short(scalar::Arena& arena, const soac::Soac& soac, const LanesPolicy& by) {
  const std::optional<std::int64_t> points = constant_row(soac.body);
  return !makes_arrays(soac) && points && *points <= most_in_lane(arena, soac, by);
}

}  // namespace

bool has_few_classes(const soac::Partition& p, std::int64_t few_classes) {
  return p.classes.is_constant() && static_cast<std::int64_t>(p.classes.bits()) <= few_classes;
}

// One vector where points meet far lines several times: the lines of more points displace each other, as rows
// of a power of two are all at one place in the cache.
LaneLoops choose(scalar::Arena& arena, const soac::Soac& soac, const Lanes& lanes) {
  const LanesPolicy& by = lanes.by;
  LaneLoops loops;
  loops.chain = static_cast<int>(by.chain);
  loops.portion = by.portion;
  loops.alone = static_cast<int>(by.scalar_points);
  const Costs costs(by);
  const double work = costs.of_point(soac);
  const soac::OutputView outputs = soac::view_of(soac);
  const bool stores =
      !outputs.mapped.empty() || std::ranges::any_of(outputs.scatters, [&](const auto& scattered) {
        return soac::stores_along_row(arena, soac, scattered);
      });
  loops.tail_lanes = std::clamp(lanes.device.vector_bytes / static_cast<int>(widest(arena, soac, by)), 1,
                                static_cast<int>(most_lanes));
  loops.meets_far_lines = soac::meets_far_lines(arena, soac);
  loops.lanes = lanes_of(loops.tail_lanes,
                         loops.meets_far_lines ? 1 : vectors_of(soac, costs, work, stores, lanes.device, by));
  loops.scan_steps = scan_steps(arena, soac, by, loops.tail_lanes);
  const bool are_cheap = loops.scan_steps == 0 && costs.of_scans(soac) <= by.cheap_scan_work;
  loops.scan_lanes = are_cheap ? loops.lanes : loops.tail_lanes;
  loops.tile = points_in_task(arena, soac, work, loops.scan_steps > 0, by);
  loops.are_far = by.far_tile < loops.tile && soac::have_lines_of_their_own(arena, soac);
  if (loops.are_far) loops.tile = by.far_tile;
  loops.linear = soac.dims.size() > 1 && soac::is_linear(soac, arena, lanes.sizes);
  loops.rows = reads_along_rows(soac) && !are_short(arena, soac, by);
  loops.streaming = lanes.device.last_level_cache / 100 * by.streamed_percent;
  loops.touch = work <= by.cheap_work && !depends_on_order(soac) && !stores;
  if (!commutes(soac) && folds_in_runs(soac) && !loops.rows) choose_runs(loops, soac, work, by);
  return loops;
}

namespace {

bool only_counts(const soac::Soac& soac) {
  return soac.reductions.empty() && soac.scatters.empty() && soac.partitions.size() == 1 &&
         soac.partitions[0].classes.is_constant(1) && soac.body.results.size() == 1 && !has_scan(soac.body);
}

bool is_fitted(const soac::Soac& soac, const LaneLoops& loops) {
  if (loops.linear || soac.dims.empty() || !soac.dims.back().is_constant()) return false;
  if (!soac.scatters.empty() || (depends_on_order(soac) && !only_counts(soac))) return false;
  return soac.dims.back().bits() < static_cast<std::uint64_t>(loops.lanes);
}

}  // namespace

LaneLoops fitted(LaneLoops loops, const soac::Soac& soac) {
  if (!is_fitted(soac, loops)) return loops;
  const auto points = static_cast<unsigned>(std::max<std::uint64_t>(soac.dims.back().bits(), 1));
  loops.tail_lanes = std::min(loops.tail_lanes, static_cast<int>(std::bit_ceil(points)));
  loops.lanes = std::max(static_cast<int>(std::bit_floor(points)), loops.tail_lanes);
  return loops;
}

}  // namespace fulgurite::schedule
