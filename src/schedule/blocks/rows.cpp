#include "schedule/blocks/rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/match.h"
#include "schedule/nest.h"
#include "schedule/rewrites/partial_rows.h"
#include "schedule/rewrites/ragged.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rows.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::schedule::blocks {

namespace {

const soac::Soac& reduction_of(const soac::Lambda& body) {
  return std::get<soac::Soac>(body.body[0].op);
}

}  // namespace

Rows::Rows(Frame& frame, Expr elsewhere)
    : at_(frame), by_threads_(frame.i64(1)), by_blocks_(frame.i64(0)), by_tiles_(frame.i64(0)) {
  are_ragged_ = reduces_ragged_rows(at_.arena(), at_.s()).has_value();
  if (are_ragged_) {
    by_threads_ = at_.i64(0);
    return;
  }
  if (!reduces_rows(at_.around(), at_.op())) return;
  body_ = with_neutral(at_.arena(), at_.op());
  rows_ = at_.product(at_.op().dims);
  lie_along_ = reads_along_rows(at_.op());
  lie_along_ ? choose_version() : choose_parts();
  for (Expr* way : {&by_threads_, &by_blocks_, &by_tiles_}) *way = *way * (1 - elsewhere);
  std::vector<Expr> shape{by_blocks_ * tiles_};
  if (lie_along_)
    shape[0] = shape[0] * rows_;
  else
    shape.insert(shape.end(), at_.op().dims.begin(), at_.op().dims.end());
  for (const soac::Reduction& r : reduction_of(body_).reductions)
    for (Expr neutral : r.neutral) partials_.push_back(at_.temporary(neutral.kind(), shape, "partial"));
}

void Rows::choose_version() {
  const BlocksPolicy& by = at_.around().policy.blocks;
  const soac::Soac& inner = reduction_of(body_);
  const Expr one = at_.i64(1);
  columns_ = at_.product(inner.dims);
  const Expr most = max(by.filling_blocks / max(rows_, one), one);
  const Expr least = max(ceil_div(columns_, most), by.row_part);
  const Expr threads = at_.i64(points_of(at_.around(), inner).threads);
  tile_ = ceil_div(least, threads) * threads;
  tiles_ = max(ceil_div(columns_, tile_), one);
  by_blocks_ = select(by.short_row <= columns_, one, 0);
  by_tiles_ = one - by_blocks_;
  by_threads_ = at_.i64(0);
}

// As many threads as fill any device, and no more parts of a row than one thread joins.
void Rows::choose_parts() {
  const BlocksPolicy& by = at_.around().policy.blocks;
  const std::vector<Expr>& dims = reduction_of(body_).dims;
  const Expr one = at_.i64(1);
  columns_ = dims.empty() ? one : dims[0];
  const Expr others = dims.empty() ? one : at_.product(std::span(dims).subspan(1));
  const Expr filling = by.filling_blocks * by.block_threads / max(rows_, one);
  const Expr most = max(min(filling, by.filling_blocks), one);
  const Expr least = max(by.column_part / max(others, one), one);
  tile_ = max(ceil_div(columns_, most), least);
  tiles_ = max(ceil_div(columns_, tile_), one);
  by_blocks_ = dims.empty() ? at_.i64(0) : select(one < tiles_, one, 0);
  by_threads_ = one - by_blocks_;
}

void Rows::add_phases() {
  if (are_ragged_) return add_ragged();
  if (by_threads_.is_constant(1)) return;
  if (!by_tiles_.is_constant(0)) add_tiles();
  if (by_blocks_.is_constant(0)) return;
  lie_along_ ? add_partials() : add_parts();
  add_join();
}

// The tile of a block fits into shared memory: for each element its components and whether a row begins
// there, and the same twice for threads.
void Rows::add_ragged() {
  scalar::Arena& arena = at_.arena();
  const BlocksPolicy& by = at_.around().policy.blocks;
  const soac::Lambda body = with_neutral(arena, at_.op());
  std::int64_t items = by.ragged_items;
  auto bytes = static_cast<std::int64_t>(size_of(Kind::i32));
  for (const soac::Reduction& r : reduction_of(body).reductions)
    for (Expr value : r.neutral) bytes += static_cast<std::int64_t>(size_of(value.kind()));
  const std::int64_t threads = by.ragged_threads;
  const auto shared = [&] { return (items + 2) * threads * bytes + threads * std::int64_t{8}; };
  while (shared() > most_of_tiles(at_.around()) && items > 1) items -= 2;
  const Expr all = at_.op().dims[0];
  const Expr per_block = ragged_rows_of_a_block(arena, all, by.filling_blocks, threads);
  Skeleton skeleton{"ragged rows",
                    {{"threads", threads}, {"items", items}, {"blocks", by.filling_blocks}},
                    ceil_div(all, per_block)};
  Phase& phase = at_.add("rows", at_.s(), std::move(skeleton));
  phase.why = {
      fmt::format("tasks: blocks of up to {} rows, in tiles of {} elements (ragged_items, filling_blocks)",
                  threads, threads * items),
      "threads: they share elements whosever rows these are, so long rows are work for all (ragged_threads)"};
}

void Rows::add_tiles() {
  const BlocksPolicy& by = at_.around().policy.blocks;
  std::int64_t rows = by.row_tile_rows, columns = by.row_tile_columns, bytes = 0;
  for (Expr operand : reduction_of(body_).body.results)
    bytes += static_cast<std::int64_t>(size_of(operand.kind()));
  const std::int64_t most = most_of_tiles(at_.around());
  while (rows * (columns + 2) * bytes > most && columns > by.least_row_tile_columns) columns /= 2;
  while (rows * (columns + 2) * bytes > most && rows > warp) rows /= 2;
  soac::Stm map = at_.s();
  std::get<soac::Soac>(map.op).body = body_;
  Skeleton skeleton{
      "rows by tiles", {{"threads", rows}, {"columns", columns}}, ceil_div(rows_, at_.i64(rows))};
  Phase& phase = at_.add("short rows", std::move(map), std::move(skeleton), by_tiles_);
  phase.why = {
      fmt::format("tasks: blocks of {} rows, one for each thread, whose next {} columns are in shared memory "
                  "(row_tile_rows, row_tile_columns, least_row_tile_columns)",
                  rows, columns),
      why_version};
}

void Rows::add_partials() {
  const soac::Soac& inner = reduction_of(body_);
  Points points = points_of(at_.around(), inner);
  points.neighbours = 1;  // a row begins anywhere
  Nest part = nest_over_points(at_.around(), inner, points, tile_);
  std::size_t next = 0;
  for (std::size_t g = 0; g < inner.reductions.size(); ++g) {
    const auto memory = std::span(partials_).subspan(next, inner.reductions[g].neutral.size());
    add_grid_level(part, Combine::Part::reduction, g, Join::partials, {memory.begin(), memory.end()});
    next += memory.size();
  }
  Nest nest;
  nest.axes.push_back({Axis::Role::free, 0, at_.op().dims.size(), rows_});
  nest.cuts.push_back({0, at_.i64(1), Unit::grid, Tail::exact});
  nest.inner.push_back({1, std::move(part), 0, true});
  soac::Lambda body = body_;
  body.body[0].nest = 1;
  body.results = at_.arena().names(body.body[0].names);
  std::vector<Var> totals;
  for (Expr result : body.results)
    totals.push_back(at_.arena().fresh_array(result.kind(), at_.op().dims, "total").var());
  Phase& phase = at_.add("partials", map_of(std::move(body), totals), std::move(nest), by_blocks_);
  phase.why = {"tasks: blocks of a row, or of a part where rows are few (row_part, filling_blocks)"};
  add_why_threads(inner, points, phase.why);
  if (phase.guard) phase.why.emplace_back(why_version);
}

void Rows::add_parts() {
  scalar::Arena& arena = at_.arena();
  const Expr part = arena.fresh({Kind::i64}, "part"), first = part * tile_;
  soac::Lambda f = body_;
  auto& inner = std::get<soac::Soac>(f.body[0].op);
  std::vector<Expr> indices;
  std::vector<Var> params;
  for (Var index : inner.body.params) {
    indices.push_back(arena.fresh({Kind::i64}, arena.info(index).name));
    params.push_back(indices.back().var());
  }
  indices[0] = first + indices[0];
  soac::Applied applied = soac::apply(arena, inner.body, indices);
  inner.body = {std::move(params), std::move(applied.body), std::move(applied.results)};
  inner.dims[0] = min(columns_ - first, tile_);
  for (soac::Reduction& r : inner.reductions) r.initial.clear();  // it comes before all parts, once
  f.params.insert(f.params.begin(), part.var());
  f.results.clear();
  for (Var name : f.body[0].names) f.results.push_back(arena.name(name));
  soac::Stm map = map_of(std::move(f), partials_);
  std::get<soac::Soac>(map.op).dims = arena.info(partials_[0]).shape;
  at_.add_map("partials", std::move(map), by_blocks_).why.emplace_back(why_version);
}

void Rows::add_join() {
  scalar::Arena& arena = at_.arena();
  soac::Lambda f = body_;
  auto& inner = std::get<soac::Soac>(f.body[0].op);
  const Expr t = arena.fresh({Kind::i64}, "t");
  std::vector<Expr> indices{t};
  Expr row = at_.i64(0);
  for (std::size_t d = 0; d < at_.op().dims.size(); ++d) {
    indices.push_back(arena.name(f.params[d]));
    row = row * at_.op().dims[d] + indices.back();
  }
  if (lie_along_) indices = {row * tiles_ + t};
  inner.dims = {tiles_};
  inner.body = {{t.var()}, {}, {}};
  for (Var partial : partials_) inner.body.results.push_back(arena.index(arena.name(partial), indices));
  f.body[0].origin = "";
  std::vector<Var> arrays;
  for (const soac::Mapped& mapped : at_.outputs().mapped) arrays.push_back(mapped.array);
  Phase& phase = at_.add_map("rows", map_of(std::move(f), arrays), by_blocks_);
  if (phase.guard) phase.why.emplace_back(why_version);
}

soac::Stm Rows::map_of(soac::Lambda f, std::span<const Var> arrays) const {
  return {{arrays.begin(), arrays.end()},
          soac::Soac{at_.op().dims, std::move(f)},
          at_.lifted().where,
          at_.lifted().origin};
}

}  // namespace fulgurite::schedule::blocks
