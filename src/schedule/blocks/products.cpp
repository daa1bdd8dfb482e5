#include "schedule/blocks/products.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/nest.h"
#include "schedule/rewrites/partial_rows.h"
#include "schedule/rewrites/rounding.h"
#include "schedule/rows.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::schedule::blocks {

namespace {

constexpr const char* why_products =
    "version: points share operands, and rows, columns and points of the reduction are many enough for tiles "
    "(product_least)";

// Elements that a thread loads from shared memory in one access.
std::int64_t together(Expr operand) {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(kernel::wide_bytes / size_of(operand.kind())), 1,
                                  4);
}

// Removes the checks of reads whose indices are points of axes, and gives the condition on sizes that makes
// every such read lie inside its array. Absent where the host does not know the sizes.
std::optional<Expr> without_checks(const Surroundings& at, soac::Soac& op) {
  std::unordered_map<Var, Expr> extents;
  const auto add = [&](const soac::Soac& of) {
    for (std::size_t d = 0; d < of.dims.size(); ++d) extents.emplace(of.body.params[d], of.dims[d]);
  };
  add(op);
  add(reduction_of(op.body));
  Expr fits = at.arena.boolean(true);
  bool is_known = true;
  scalar::Substitution substitute(at.arena, [&](Expr e) {
    if (e.op() != scalar::Op::index || e.site() == 0) return Expr();
    const std::vector<Expr>& shape = at.arena.info(e.arg(0).var()).shape;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const Expr index = e.arg(d + 1);
      const auto extent = index.is_name() ? extents.find(index.var()) : extents.end();
      if (extent == extents.end())
        is_known = false;
      else
        fits = fits & (extent->second <= shape[d]);
    }
    return at.arena.index(e.arg(0), e.args().subspan(1));
  });
  soac::substitute_in(op.body, substitute);
  if (!is_known || !at.is_known(std::span(&fits, 1)) || soac::may_fail(op.body)) return {};
  return fits;
}

}  // namespace

Products::Products(Frame& frame) : at_(frame), by_(frame.around().policy.blocks), takes_all_(frame.i64(0)) {
  if (!reduces_rows(at_.around(), at_.op())) return;
  computes_ = at_.s();
  auto& op = std::get<soac::Soac>(computes_.op);
  op.body = with_neutral(at_.arena(), op);
  const std::optional<Expr> fits = without_checks(at_.around(), op);
  if (fits) shared_ = shared_operands(at_.around(), op);
  if (shared_.by_rows.empty()) return;
  op.body.body[0].nest = 1;
  choose_tile();
  choose_parts();
  const Expr least = at_.i64(by_.product_least), depth = reduction().dims[0];
  const Expr has_rows = least <= n_rows(), has_columns = least <= n_columns();
  Expr pays = has_rows & has_columns & (least <= depth) & *fits;
  // A longer sum would round more often than the bound of errors allows, where parts are joined.
  if (chain_ > 0) pays = pays & (depth <= depth_ * chain_ * chain_ * chain_);
  takes_all_ = select(pays, at_.i64(1), 0);
  const Expr has_parts = select(1 < parts_, takes_all_, 0);
  const Expr n = has_parts * (parts_ * at_.product(at_.op().dims));
  for (const soac::Reduction& r : reduction().reductions)
    for (Expr neutral : r.neutral) partials_.push_back(at_.temporary(neutral.kind(), n, "partial"));
}

const soac::Soac& Products::reduction() const {
  return reduction_of(std::get<soac::Soac>(computes_.op).body);
}

// Accumulators take most registers. Where operators round, each has an outer one, in shared memory.
void Products::choose_tile() {
  std::int64_t words = 0, kept = 0;
  for (const soac::Reduction& r : reduction().reductions) {
    for (Expr neutral : r.neutral) words += size_of(neutral.kind()) > 4 ? 2 : 1;
    kept += bytes_of(r.neutral);
  }
  const bool is_chained = any_rounds(reduction());
  rows_ = by_.product_rows, columns_ = by_.product_columns;
  while (rows_ * columns_ * words > by_.product_words && rows_ * columns_ > 1)
    (columns_ < rows_ ? rows_ : columns_) /= 2;
  depth_ = by_.product_depth;
  if (is_chained) chain_ = by_.thread_chain, depth_ = std::min(depth_, chain_);
  threads_ = by_.product_threads;
  const auto bytes = [&] {
    threads_across_ = 1;
    while (threads_across_ * threads_across_ * columns_ < threads_ * rows_) threads_across_ *= 2;
    const std::int64_t down = threads_ / threads_across_ * rows_, across = threads_across_ * columns_;
    const std::int64_t of_row = bytes_of(shared_.by_columns), of_column = bytes_of(shared_.by_rows);
    const std::int64_t staged = (down + 4) * of_row + (across + 4) * of_column;
    return depth_ * staged + (is_chained ? down * across * kept : 0);
  };
  const std::int64_t most = most_of_tiles(at_.around());
  while (bytes() > most && threads_ > warp) threads_ /= 2;
  while (bytes() > most && depth_ > 1) depth_ /= 2;
}

// There are enough blocks to keep a device busy, but each has a part of the reduction that is worth its
// partial results.
void Products::choose_parts() {
  const Expr depth = reduction().dims[0];
  const std::vector<Expr>& dims = at_.op().dims;
  const Expr outer = at_.product(std::span(dims).first(dims.size() - 2));
  const Expr down = ceil_div(n_rows(), at_.i64(threads_ / threads_across_ * rows_));
  const Expr tiles = max(outer * (down * ceil_div(n_columns(), at_.i64(threads_across_ * columns_))), 1);
  Expr wanted = min(by_.product_blocks / tiles, depth / by_.product_part);
  if (chain_ > 0) {
    const std::int64_t most = depth_ * chain_ * chain_;
    wanted = max(min(wanted, chain_), ceil_div(depth, at_.i64(most)));
  }
  const Expr of_each = ceil_div(depth, max(wanted, 1));
  part_ = max(ceil_div(of_each, at_.i64(depth_)), 1) * depth_;
  parts_ = max(ceil_div(depth, part_), 1);
}

void Products::add_stage(Nest& nest, Expr operand, bool by_rows) const {
  const soac::Lambda& map = std::get<soac::Soac>(computes_.op).body;
  const Var axis = by_rows ? map.params.back() : map.params[map.params.size() - 2];
  const std::int64_t length = by_rows ? threads_across_ * columns_ : threads_ / threads_across_ * rows_;
  Stage stage;
  stage.array = first_array(operand);
  stage.at = nest.cuts.size() - 1;
  stage.read = operand;
  stage.crosswise =
      lies_along(at_.arena(), operand, reduction().body.params[0]) && !lies_along(at_.arena(), operand, axis);
  stage.size = depth_ * (length + (stage.crosswise ? together(operand) : 0));
  nest.stages.push_back(stage);
}

Nest Products::nest() const {
  scalar::Arena& arena = at_.arena();
  const std::vector<Expr>& dims = at_.op().dims;
  const std::size_t n_outer = dims.size() - 2;
  Nest nest;
  if (n_outer > 0)
    nest.axes.push_back({Axis::Role::free, 0, n_outer, at_.product(std::span(dims).first(n_outer))});
  const std::size_t row = nest.axes.size(), column = row + 1, depth = row + 2;
  nest.axes.push_back({Axis::Role::free, n_outer, 1, n_rows()});
  nest.axes.push_back({Axis::Role::free, n_outer + 1, 1, n_columns()});
  nest.axes.push_back({Axis::Role::fold, 0, 1, reduction().dims[0], false, 1});
  const auto cut = [&](std::size_t axis, Expr size, Unit unit) { nest.cuts.push_back({axis, size, unit}); };
  const std::int64_t down = threads_ / threads_across_;
  const Expr across = arena.i64(threads_across_ * columns_);
  cut(depth, part_, Unit::grid);
  if (n_outer > 0) nest.cuts.push_back({0, arena.i64(1), Unit::grid, Tail::exact});
  cut(row, arena.i64(down * rows_), Unit::grid);
  cut(column, across, Unit::grid);
  cut(depth, arena.i64(depth_), Unit::sequence);
  for (Expr operand : shared_.by_columns) add_stage(nest, operand, false);
  cut(column, across, Unit::sequence);
  for (Expr operand : shared_.by_rows) add_stage(nest, operand, true);
  cut(row, arena.i64(down), Unit::thread);
  cut(column, arena.i64(threads_across_), Unit::thread);
  cut(row, arena.i64(rows_), Unit::registers);
  cut(column, arena.i64(columns_), Unit::registers);
  auto partials = std::span(partials_);
  for (std::size_t g = 0; g < reduction().reductions.size(); ++g) {
    Combine& combine = combine_in(nest, Combine::Part::reduction, g);
    if (chain_ > 0)
      for (const std::int64_t n : {depth_, depth_ * chain_})
        combine.levels.push_back({Unit::thread, Join::chain, n});
    const auto of_group = partials.first(reduction().reductions[g].neutral.size());
    add_grid_level(nest, Combine::Part::reduction, g, Join::partials, {of_group.begin(), of_group.end()});
    partials = partials.subspan(of_group.size());
  }
  return nest;
}

void Products::add_phases() {
  if (takes_all_.is_constant(0)) return;
  const Expr n_points = at_.product(at_.op().dims);
  Phase& phase = at_.add("tiles", computes_, nest(), takes_all_);
  phase.why = {
      fmt::format("tasks: tiles of {} rows by {} columns, of parts of the reduction where they are few "
                  "(product_blocks, product_part)",
                  threads_ / threads_across_ * rows_, threads_across_ * columns_),
      fmt::format("threads: {} of a block, as many as shared memory has room for (product_threads)",
                  threads_),
      fmt::format("threads: {} rows by {} columns each, whose accumulators take most registers "
                  "(product_rows, product_columns, product_words)",
                  rows_, columns_),
      why_products};
  if (parts_.is_constant(1)) return;
  const PartialRows parts{partials_, parts_, at_.i64(1), n_points};
  const Expr has_parts = select(1 < parts_, takes_all_, 0);
  at_.add_map("join tiles", joined(at_.arena(), computes_, parts), has_parts).why.emplace_back(why_products);
}

}  // namespace fulgurite::schedule::blocks
