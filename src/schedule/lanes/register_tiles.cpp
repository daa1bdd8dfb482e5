#include "schedule/lanes/register_tiles.h"

#include <algorithm>

#include "schedule/lanes/joined_parts.h"
#include "schedule/nest.h"
#include "schedule/packed_terms.h"
#include "schedule/rewrites/bytes.h"
#include "schedule/rewrites/rounding.h"
#include "soac/kept_indices.h"
#include "soac/symmetry.h"

namespace fulgurite::schedule {

namespace {

// Lanes of a vector. Indices that a reduction keeps have 32 bits in a piece of its points (ascending.h),
// which a lane takes in their order, so that the operator need not commute.
std::int64_t vector_lanes(const Building& at, const soac::Soac& inner) {
  soac::Soac of_lane = inner;
  bool has_index = false;
  for (std::size_t g = 0; g < inner.reductions.size(); ++g) {
    of_lane.reductions[g].commutative = true;
    for (std::size_t k = 0; k < inner.reductions[g].op.results.size(); ++k)
      has_index |= soac::keeps_index(inner, g, k);
  }
  const int lanes = at.loops.tail_lanes;
  return has_index ? std::max(lanes, choose(at.arena, of_lane, at.lanes).tail_lanes) : lanes;
}

// Accumulators of a tile, which partial results have a component each for, take most registers. A chain has
// an outer one for each.
struct TileSize {
  std::int64_t rows = 1, lanes = 1;
};
TileSize tile_of(const Building& at, const RegisterTiles& tiles, const soac::Soac& inner) {
  const LanesPolicy& by = at.lanes.by;
  const bool has_32_registers = at.lanes.device.vector_bytes >= 64, is_chained = any_rounds(inner);
  std::int64_t vectors = !has_32_registers ? by.tile_vectors_16_registers
                         : is_chained      ? by.tile_chained_vectors
                                           : by.tile_vectors;
  std::int64_t rows = !has_32_registers && is_chained ? by.tile_chained_rows_16_registers : by.tile_rows;
  for (std::size_t n = tiles.partials.size(); n > 1; n = (n + 1) / 2) {
    if (vectors > 1)
      vectors /= 2;
    else
      rows = std::max<std::int64_t>(rows / 2, 1);
  }
  return {rows, std::min<std::int64_t>(vectors * tiles.vector_lanes, most_lanes)};
}

// About `wanted` of them, a multiple of `step`, so that all pieces are nearly equal.
Expr even_pieces(scalar::Arena& arena, Expr n, Expr wanted, std::int64_t step) {
  const Expr pieces = max(ceil_div(n, wanted), 1);
  return max(ceil_div(ceil_div(n, pieces), arena.i64(step)), 1) * step;
}

// Terms that one operation takes: both operands are shared, so that they are packed once for many points.
std::int64_t most_together(const Building& at, const soac::Soac& inner, const SharedOperands& shared) {
  for (std::int64_t n = at.lanes.device.adds_quarters ? 4 : 2; n > 1; n /= 2) {
    const auto packed = packed_terms(at.arena, inner, n);
    if (n > at.lanes.by.tile_terms || !packed) continue;
    const std::vector<Expr> here{packed->first}, there{packed->second};
    if ((shared.by_rows == here && shared.by_columns == there) ||
        (shared.by_rows == there && shared.by_columns == here))
      return n;
  }
  return 1;
}

// What tasks stage is on the stacks of their threads.
constexpr std::int64_t most_staged_bytes = 1 << 18;

// Bytes of what columns share in a row, at least one, for one word of the reduction.
std::int64_t bytes_of_word(const SharedOperands& shared) {
  std::size_t bytes = 0;
  for (Expr operand : shared.by_columns) bytes += size_of(operand.kind());
  return static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1));
}

// Words of the reduction that are staged: of wide elements fewer, so that as many rows share a panel.
std::int64_t staged_depth(const LanesPolicy& by, const SharedOperands& shared) {
  const std::int64_t fit = most_staged_bytes / (by.tile_task_rows * bytes_of_word(shared));
  const std::int64_t chains = std::max<std::int64_t>(std::max<std::int64_t>(fit, 64) / by.fold_chain, 1);
  return std::min(by.tile_depth, chains * by.fold_chain);
}

}  // namespace

RegisterTiles register_tiles_of(Building& at, Expr otherwise) {
  RegisterTiles tiles;
  tiles.shared = shared_operands(at.around, at.op());
  if (tiles.shared.by_rows.empty()) return tiles;
  soac::Stm map = at.posting;
  std::get<soac::Soac>(map.op).body = with_neutral(at.arena, at.op());
  tiles.computes = in_bytes(at.arena, map);
  if (tiles.computes != map)
    tiles.shared = shared_operands(at.around, std::get<soac::Soac>(tiles.computes.op));
  const LanesPolicy& by = at.lanes.by;
  const soac::Soac& inner = reduction_of(std::get<soac::Soac>(tiles.computes.op).body);
  const std::vector<Expr>& dims = at.op().dims;
  tiles.points = product(at.arena, dims);
  tiles.rows = dims[dims.size() - 2];
  tiles.columns = dims.back();
  tiles.depth = inner.dims[0];
  tiles.vector_lanes = vector_lanes(at, inner);
  Expr is_tiled = (by.tile_least_rows <= tiles.rows) & (tiles.vector_lanes <= tiles.columns) &
                  (by.tile_least_depth <= tiles.depth);
  if (otherwise) is_tiled = is_tiled & logical_not(otherwise);
  if (is_tiled.is_constant(0)) return tiles;
  tiles.is_tiled = is_tiled;
  const bool is_symmetric =
      soac::is_map(at.op()) && soac::is_symmetric(at.arena, std::get<soac::Soac>(tiles.computes.op));
  tiles.is_mirrored = at.arena.boolean(false);
  if (is_symmetric) tiles.is_mirrored = by.mirror_depth <= tiles.depth;
  const std::int64_t most = by.fold_chain * by.fold_chain * by.fold_chain;
  tiles.depth_per_task = any_rounds(inner) ? at.i64(most) : max(tiles.depth, 1);
  tiles.together = most_together(at, inner, tiles.shared);
  const std::int64_t words = staged_depth(by, tiles.shared);
  tiles.depth_at_once = any_rounds(inner) ? std::min(words, most) : words * tiles.together;
  tiles.parts = max(ceil_div(tiles.depth, tiles.depth_per_task), 1);
  if (any_rounds(inner)) tiles.has_parts = 1 < tiles.parts;
  const Expr is_in_pieces = is_tiled & (tiles.depth_at_once < tiles.depth);
  const Expr n = select(is_in_pieces, at.i64(1), 0) * (tiles.parts * tiles.points);
  tiles.partials = memory_of_parts(at, inner, n);
  return tiles;
}

namespace {

constexpr const char* why_together =
    "terms: factors have few bits, so that one operation adds the products of several (tile_terms)";

// Rows of a task, of which it stages what columns share.
std::int64_t rows_of_task(const Building& at, const RegisterTiles& tiles) {
  const std::int64_t bytes_of_row = tiles.depth_at_once / tiles.together * bytes_of_word(tiles.shared);
  return std::clamp<std::int64_t>(most_staged_bytes / bytes_of_row, 1, at.lanes.by.tile_task_rows);
}

// What the pieces of the last cut so far read, before they do.
void add_stage(Expr operand, std::int64_t size, bool crosswise, Nest& nest) {
  Stage stage;
  stage.array = first_array(operand);
  stage.at = nest.cuts.size() - 1;
  stage.size = size;
  stage.read = operand;
  stage.crosswise = crosswise;
  nest.stages.push_back(stage);
}

// Elements more of a line of rows, so that the lines of a tile lie in different sets of the first cache.
constexpr std::int64_t pad_of_line = 16;

// What columns share of `n` rows, for `words` of the reduction: row after row, or, where rows are neighbours
// in memory and what is folded is not, line after line.
void add_row_stages(const Building& at, const RegisterTiles& tiles, std::int64_t n, std::int64_t words,
                    Nest& nest) {
  const auto& map = std::get<soac::Soac>(tiles.computes.op);
  const Var row = map.body.params[map.dims.size() - 2], folded = reduction_of(map.body).body.params[0];
  for (Expr operand : tiles.shared.by_columns) {
    const bool crosswise =
        tiles.together == 1 && lies_along(at.arena, operand, row) && !lies_along(at.arena, operand, folded);
    add_stage(operand, (n + (crosswise ? pad_of_line : 0)) * words, crosswise, nest);
  }
}

void add_cuts(const Building& at, const RegisterTiles& tiles, const soac::Soac& inner, Nest& nest) {
  const LanesPolicy& by = at.lanes.by;
  const std::size_t depth = nest.axes.size() - 1, column = depth - 1, row = depth - 2;
  const TileSize tile = tile_of(at, tiles, inner);
  const std::int64_t task_rows = rows_of_task(at, tiles);
  nest.cuts.push_back({depth, tiles.depth_per_task, Unit::grid});
  if (row > 0) {
    const Expr of_one = max(tiles.rows * tiles.columns, 1) * max(tiles.depth, 1);
    const std::int64_t of_task = task_rows * by.tile_task_columns * by.tile_least_depth;
    nest.cuts.push_back({0, max(of_task / of_one, 1), Unit::grid});
  }
  const Expr most_rows = at.i64(task_rows), row_tasks = max(ceil_div(tiles.rows, most_rows), 1);
  const Expr columns = tiles.columns / max(by.tile_least_tasks / row_tasks, 1);
  const Expr most_columns = max(min(columns, by.tile_task_columns), by.tile_least_task_columns);
  nest.cuts.push_back({row, even_pieces(at.arena, tiles.rows, most_rows, tile.rows), Unit::grid});
  nest.cuts.push_back({column, even_pieces(at.arena, tiles.columns, most_columns, tile.lanes), Unit::grid});
  nest.cuts.push_back({depth, at.i64(tiles.depth_at_once), Unit::sequence});
  const std::int64_t staged_rows = (task_rows + tile.rows - 1) / tile.rows * tile.rows;
  const std::int64_t words = tiles.depth_at_once / tiles.together;
  add_row_stages(at, tiles, staged_rows, words, nest);
  const std::int64_t strip = std::max(by.tile_strip_columns / tile.lanes, std::int64_t{1}) * tile.lanes;
  nest.cuts.push_back({column, at.i64(strip), Unit::sequence});
  for (Expr operand : tiles.shared.by_rows) add_stage(operand, words * strip, false, nest);
  nest.cuts.push_back({column, at.i64(tile.lanes), Unit::lane, Tail::apart, tiles.vector_lanes});
  nest.cuts.push_back({row, at.i64(tile.rows), Unit::registers});
  if (tiles.together > 1) nest.cuts.push_back({depth, at.i64(tiles.together), Unit::registers});
  if (!any_rounds(inner)) return;
  nest.cuts.push_back({depth, at.i64(std::min(by.fold_chain, tiles.depth_at_once)), Unit::sequence});
}

constexpr const char* why_mirrored =
    "version: the matrix is symmetric, so that what lies below its diagonal is stored with what lies above "
    "it "
    "(mirror_depth)";

void add_tiles(Building& at, const RegisterTiles& tiles, bool is_mirrored, Expr guard) {
  if (guard.is_constant(0)) return;
  const soac::Stm reduction = std::get<soac::Soac>(tiles.computes.op).body.body[0];
  const auto& inner = std::get<soac::Soac>(reduction.op);
  Nest nest = nest_with_inner(at.arena, at.op(), 2, reduction, Axis::Role::fold);
  nest.axes[nest.axes.size() - 2].mirrored = is_mirrored;
  add_cuts(at, tiles, inner, nest);
  leave_parts(at, inner, tiles.partials, true, nest);
  Phase& phase = at.add(is_mirrored ? "mirrored tiles" : "tiles", tiles.computes, std::move(nest));
  phase.guard = select(guard, at.i64(1), 0);
  phase.why = {
      "tasks: rows enough to be worth a panel, and few enough that what they read stays in the second cache "
      "(tile_task_rows, tile_task_columns, tile_least_tasks, tile_least_task_columns, tile_depth, "
      "tile_strip_columns)",
      "lanes: vectors side by side and rows whose accumulators take most registers (tile_rows, tile_vectors, "
      "tile_chained_vectors, tile_vectors_16_registers, tile_chained_rows_16_registers)",
      why_tiled};
  if (tiles.together > 1) phase.why.emplace_back(why_together);
  if (!tiles.is_mirrored.is_constant(0)) phase.why.emplace_back(why_mirrored);
}

}  // namespace

void add_register_tiles(Building& at, const RegisterTiles& tiles) {
  if (!tiles.is_tiled) return;
  add_tiles(at, tiles, false, tiles.is_tiled & logical_not(tiles.is_mirrored));
  add_tiles(at, tiles, true, tiles.is_tiled & tiles.is_mirrored);
  if (!tiles.has_parts) return;
  const PartialRows rows{tiles.partials, tiles.parts, at.i64(1), tiles.points};
  Phase& last = add_joined_parts(at, "join parts", rows, 1);
  last.guard = select(tiles.is_tiled & tiles.has_parts, at.i64(1), 0);
  last.why = {
      "tasks: of neighbouring points, in scalar code: each point sums so long a row that vector code here "
      "would take longer to compile than it saves (fold_joined)",
      "version: sums are so long that parts of them are joined neighbours first (fold_chain)"};
}

}  // namespace fulgurite::schedule
