// Strips of a space whose points read around them:
//
//   for (from = first row; from < end; from += rows at once)
//     stage the rows of [from + low, to + high] that are not there yet
//     barrier; points of the rows [from, to); barrier
#include "parts/fold.h"
#include "schedule/blocks/points.h"
#include "schedule/nest.h"
#include "walk/blocks/windows.h"
#include "walk/operators.h"

namespace fulgurite::walk::blocks {

using schedule::Unit;
using schedule::warp;

namespace {

class Strips {
 public:
  explicit Strips(const Phase& phase)
      : at_(phase),
        arena_(phase.arena()),
        windows_(schedule::windows_of(arena_, phase.op(), phase.nest().stages)) {}

  void operator()() {
    const auto threads = static_cast<int>(schedule::size_by(at_.nest(), Unit::thread, 1));
    for_tasks(at_, threads, [&](const Emitter& e, const Block& block) {
      open_totals(e, block);
      if (at_.op().dims.size() < 2)
        lines(e, block);
      else
        rows(e, block);
      store_partials(e, at_.nest(), joined(e, block));
    });
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }
  const std::vector<Expr>& dims() const { return at_.op().dims; }

  // ---- what the threads have folded

  void open_totals(const Emitter& of_block, const Block& block) {
    totals_ = shared_values(of_block, at_.op().reductions, block.threads);
    if (totals_.empty()) return;
    par(of_block, block, [&](const Emitter& e, Expr t) { save(e, start(e, at_.op()), totals_, t); });
  }

  // points(running) folds some points, which join the earlier ones: chains of floats stay short.
  void fold(const Emitter& e, Expr t, const std::function<void(const Running&)>& points) {
    const Running running{start(e, at_.op()), {}, 0, {}};
    points(running);
    std::size_t next = 0;
    for (std::size_t g = 0; g < running.reductions.size(); ++g) {
      std::vector<Expr> so_far, more;
      const std::size_t first = next;
      for (Expr variable : running.reductions[g]) {
        so_far.push_back(e.declare(e.load_plain(totals_[next++], t, "total"), "so_far"));
        more.push_back(e.snapshot(variable, "more"));
      }
      join(e, at_.op().reductions[g], so_far, more);
      for (std::size_t k = 0; k < so_far.size(); ++k)
        e.store_plain(totals_[first + k], t, e.snapshot(so_far[k], "total"));
    }
  }

  std::vector<Expr> joined(const Emitter& e, const Block& block) {
    if (totals_.empty()) return {};
    sync(e);
    parts::join_all(e, block, operators_of(e, at_.op().reductions), totals_);
    return parts::load_all(e, totals_, i64(0), "total");
  }

  void point(const Emitter& e, const soac::Stm& s, const Strip& strip, Expr row, Expr column,
             const Running& running) {
    std::vector<Expr> indices = strip.outer;
    if (row) indices.push_back(row);
    indices.push_back(column);
    const Expr number = e.bind(linear(e, indices, dims_), "number");
    walk::point(e.at_element(number), s, indices, number, running);
  }

  // The columns of a block from the first one on, at most `width`.
  Strip strip_of(const Emitter& e, std::vector<Expr> outer, Expr first_column, Expr width) {
    return {std::move(outer), first_column, e.lower(min(width, dims_.back() - first_column))};
  }

  // ---- one axis

  void lines(const Emitter& e, const Block& block) {
    const Expr run = schedule::outermost(at_.nest(), Unit::grid)->size;
    const Expr columns = schedule::outermost(at_.nest(), Unit::sequence)->size;
    const Expr first = e.lower(block.task * run);
    const Expr end = e.lower(min(first + run, dims().back()));
    if (run == columns) return line(e, block, first, columns);
    e.for_loop(first, end, columns, "from", [&](Expr from) { line(e, block, from, columns); });
  }

  // The points of a strip from this column on.
  void line(const Emitter& of_block, const Block& block, Expr from, Expr columns) {
    dims_ = of_block.lower(dims());
    const Strip strip = strip_of(of_block, {}, from, columns);
    const StagedWindows windows(of_block, at_, windows_, strip);
    const soac::Stm s = windows.reading();
    windows.stage_line(of_block, block);
    sync(of_block);
    par(of_block, block, [&](const Emitter& e, Expr t) {
      fold(e, t, [&](const Running& running) {
        share(e, block, t, from, strip.n_columns,
              [&](Expr x) { point(e, s, strip, {}, e.bind(from + x, "column"), running); });
      });
    });
    if (!totals_.empty()) sync(of_block);
  }

  // ---- rows

  // Blocks take columns that are as even as whole warps allow.
  void rows(const Emitter& e, const Block& block) {
    const std::size_t n_axes = dims().size();
    const auto [run, columns] = cuts();
    const Expr across = schedule::ceil_div(dims().back(), columns);
    const Expr down = schedule::ceil_div(dims()[n_axes - 2], run);
    const Expr even = schedule::ceil_div(dims().back(), max(across, 1));
    const Expr width = e.lower(schedule::ceil_div(even, i64(warp)) * warp);
    const Expr first_column = e.lower(block.task % across * width);
    const Expr left = e.lower(block.task / across);
    const Expr first = e.lower(left % down * run);
    const Expr number = e.lower(left / down);
    dims_ = e.lower(dims());
    std::vector<Expr> outer = indices_of(e, number, std::span(dims()).first(n_axes - 2));
    const Strip strip = strip_of(e, std::move(outer), first_column, width);
    const StagedWindows windows(e, at_, windows_, strip);
    const soac::Stm s = windows.reading();
    const Expr end = e.lower(min(first + run, dims()[n_axes - 2]));
    const Expr length = e.lower(pitch_of(strip.n_columns, dims_.back()));
    const Expr at_once = e.lower(windows.rows_at_once(length));
    e.for_loop(first, end, at_once, "from", [&](Expr from) {
      const Expr to = e.bind(min(from + at_once, end), "to");
      windows.stage_rows(e, block, first, from, to);
      sync(e);
      points_of_rows(e, block, s, strip, length, from, to);
      sync(e);
    });
  }

  // How many rows, and columns at most, a block takes.
  std::pair<Expr, Expr> cuts() const {
    Expr rows, columns;
    for (const schedule::Cut& cut : at_.nest().cuts)
      if (cut.unit == Unit::grid) rows = std::exchange(columns, cut.size);
    return {rows, columns};
  }

  void points_of_rows(const Emitter& of_block, const Block& block, const soac::Stm& s, const Strip& strip,
                      Expr length, Expr from, Expr to) {
    const auto narrow = [&](Expr x) { return cast(x, Kind::u32); };
    const auto wide = [&](Expr x) { return cast(x, Kind::i64); };
    const Expr start = of_block.bind(from * length, "start");
    const Expr n = of_block.bind((to - from) * length, "n");
    const Expr n_columns = of_block.lower(narrow(strip.n_columns));
    par(of_block, block, [&](const Emitter& e, Expr t) {
      fold(e, t, [&](const Running& running) {
        share_rows(e, block, t, start, n, length, [&](Expr, Expr row, Expr column) {
          e.if_then(e.bind(column < n_columns, "is_point"), [&] {
            const Expr of_point = e.bind(strip.first_column + wide(column), "column");
            point(e, s, strip, e.bind(from + wide(row), "row"), of_point, running);
          });
        });
      });
    });
  }

  const Phase& at_;
  scalar::Arena& arena_;
  const std::vector<schedule::Window> windows_;
  std::vector<Var> totals_;  // of the threads, for each component of the reductions
  std::vector<Expr> dims_;   // lowered
};

}  // namespace

void walk_strips(const Phase& phase) {
  Strips{phase}();
}

}  // namespace fulgurite::walk::blocks
