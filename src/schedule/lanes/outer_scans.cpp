#include "schedule/lanes/outer_scans.h"

#include <algorithm>

#include "schedule/nest.h"
#include "schedule/phases.h"
#include "schedule/rewrites/partial_rows.h"
#include "schedule/rewrites/scanned.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rows.h"

namespace fulgurite::schedule {

namespace {

/// The statement, in which the Scans of the lines have neutral elements.
struct Lines {
  soac::Stm map;

  explicit Lines(const Building& at) : map(at.posting) {
    std::get<soac::Soac>(map.op).body = with_neutral(at.arena, at.op());
  }
  const soac::Soac& op() const { return std::get<soac::Soac>(map.op); }
  const soac::Stm& inside() const { return op().body.body[0]; }
  const soac::Soac& line() const { return std::get<soac::Soac>(inside().op); }
};

/// How tasks share the space. Where rows are short they take some rows each, all columns of them, and turns;
/// where rows are long, some columns each, all rows of them.
struct Shares {
  Expr rows, columns;  // that there are
  Expr outer;          // rows of the map's other axes; absent: it has one axis
  Expr rows_each, columns_each, outer_each;
  Expr n_parts;  // of the rows of a column
  Expr n_tasks;
};

Shares shares_of(const Building& at, const Lines& lines) {
  const LanesPolicy& by = at.lanes.by;
  const std::vector<Expr>& dims = at.op().dims;
  Shares shares;
  shares.rows = lines.line().dims[0];
  shares.columns = dims.back();
  const Expr row_bytes = shares.columns * bytes_scanned(lines.line());
  const Expr rows = max(shares.rows, 1);
  // What tasks keep of their columns shares no cache line with what others keep.
  constexpr std::int64_t line = 64;
  const Expr columns = ceil_div(max(shares.columns, 1), at.i64(line)) * line;
  const Expr are_long = by.outer_scan_long_row <= row_bytes;
  const Expr of_block = at.i64(by.outer_scan_block) / max(row_bytes, 1);
  shares.rows_each = select(are_long, rows, max(of_block, by.outer_scan_least_rows));
  shares.columns_each = select(are_long, at.i64(by.fold_columns), columns);
  // Where there are totals, there is a task even if there are no rows.
  shares.n_parts = ceil_div(rows, shares.rows_each);
  shares.n_tasks = shares.n_parts * ceil_div(shares.columns, shares.columns_each);
  if (dims.size() > 1) {
    shares.outer = product(at.arena, std::span(dims).first(dims.size() - 1));
    shares.outer_each = max(of_block / rows, 1);
    shares.n_tasks = ceil_div(shares.outer, shares.outer_each) * shares.n_tasks;
  }
  return shares;
}

void add_lanes(const Building& at, const LaneLoops& loops, Expr together, Nest& nest) {
  const std::size_t row = nest.axes.size() - 1, column = row - 1;
  nest.cuts.push_back({row, together, Unit::sequence});
  nest.cuts.push_back(
      {column, at.i64(loops.lanes), Unit::lane, Tail::apart, std::min(loops.lanes, loops.tail_lanes)});
}

// Rows of few bytes are walked together within a lane, which keeps its running values in registers. Longer
// rows are walked one by one, so that whole cache lines are stored past the caches.
void add_cuts(const Building& at, const Lines& lines, const Shares& shares, const LaneLoops& loops,
              Nest& nest) {
  const std::size_t row = nest.axes.size() - 1, column = row - 1;
  if (shares.outer) nest.cuts.push_back({0, shares.outer_each, Unit::grid});
  nest.cuts.push_back({column, shares.columns_each, Unit::grid});
  nest.cuts.push_back({row, shares.rows_each, Unit::turn});
  const Expr row_bytes = shares.columns * bytes_scanned(lines.line());
  const Expr are_short = row_bytes < at.lanes.by.outer_scan_short_row;
  add_lanes(at, loops, select(are_short, shares.rows_each, at.i64(1)), nest);
}

// What tasks do before their turn comes.
void add_fold(const Building& at, const Lines& lines, const Shares& shares, const LaneLoops& loops,
              Nest& nest) {
  const LanesPolicy& by = at.lanes.by;
  Nest inside = nest_with_inner(at.arena, lines.op(), 1, lines.inside(), Axis::Role::fold);
  const Expr together = max(by.fold_block / max(shares.columns, 1), by.fold_chain);
  add_lanes(at, loops, min(together, shares.rows_each), inside);
  nest.inner.push_back({0, std::move(inside)});
}

void add_combines(Building& at, const Lines& lines, const Shares& shares, Var turn, Nest& nest) {
  const Expr are_shared = select(1 < shares.n_parts, at.i64(1), 0);
  const Expr n_so_far = shares.n_tasks * shares.columns_each, n_carries = are_shared * shares.columns;
  std::size_t which = 0;
  for (const soac::Stm* scan : scans_of(lines.line().body)) {
    std::vector<Var> memory;
    for (const auto& [n, name] : {std::pair(n_so_far, "so_far"), std::pair(n_carries, "carry")})
      for (Expr x : std::get<soac::Scan>(scan->op).operands) memory.push_back(at.memory(x.kind(), n, name));
    memory.push_back(turn);
    add_level(nest, Combine::Part::scan, which++, {Unit::turn, Join::handed_on}, std::move(memory));
  }
}

void add_start(Building& at, const Shares& shares, Var turn) {
  const Expr t = at.arena.fresh({Kind::i64}, "t");
  soac::Soac op{{at.i64(1)}, {{t.var()}, {}, {at.i64(0)}}};
  Skeleton start{"start", {{"values together", 1}}, at.i64(1), {turn}};
  Phase& phase = at.add("start", {{turn}, std::move(op), at.posting.where, ""}, std::move(start));
  phase.guard = select(1 < shares.n_parts, at.i64(1), 0);
  phase.why = {
      "tasks: one, which says whose turn it is first",
      "version: tasks take turns where several of them share the rows of a column (outer_scan_block)"};
}

}  // namespace

bool has_outer_scans(const Building& at) {
  return scans_outside(at.around, at.arena, at.posting);
}

void add_outer_scans(Building& at) {
  const Lines lines(at);
  const Shares shares = shares_of(at, lines);
  const soac::Stm folded = fold(at.arena, lines.inside(), scans_of(lines.line().body), {});
  const auto& op = std::get<soac::Soac>(folded.op);
  const LaneLoops loops = choose(at.arena, op, at.lanes);
  const Var turn = at.memory(Kind::i64, at.i64(1), "turn");
  add_start(at, shares, turn);
  Nest nest = nest_with_inner(at.arena, lines.op(), 1, lines.inside(), Axis::Role::scan);
  add_cuts(at, lines, shares, loops, nest);
  add_combines(at, lines, shares, turn, nest);
  add_fold(at, lines, shares, loops, nest);
  nest.traffic.streaming = loops.streaming;
  const bool has_totals = !lines.line().reductions.empty();
  Phase& phase = at.add("main", lines.map, std::move(nest));
  phase.at_least_one = has_totals;
  phase.why = {
      "tasks: where rows are short, some rows each, which stay in the second cache from when they are folded "
      "to when they are scanned; else some columns each (outer_scan_block, outer_scan_long_row, "
      "outer_scan_least_rows, fold_columns)",
      "loops: short rows are walked together within a lane, others one by one; they are folded some at a "
      "time "
      "(outer_scan_short_row, fold_block, fold_chain)",
      why_lanes(at.arena, op, loops, at.lanes)};
}

}  // namespace fulgurite::schedule
