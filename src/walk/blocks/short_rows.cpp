// Reductions of rows that are too short for a block each and lie along memory: a thread folds a row, and
// reads it from shared memory, where the block has put a few columns of its rows, neighbouring threads
// neighbouring elements.
#include "schedule/nest.h"
#include "walk/blocks/row_major.h"
#include "walk/blocks/rows.h"
#include "walk/control.h"

namespace fulgurite::walk::blocks {

namespace {

class ShortRows {
 public:
  explicit ShortRows(const Phase& phase)
      : at_(phase),
        arena_(phase.arena()),
        rows_(phase, phase.op().body),
        columns_(schedule::product(arena_, rows_.reduction().dims)),
        n_rows_(phase.number("threads")),
        width_(phase.number("columns")) {}

  void operator()() {
    for_tasks(at_, static_cast<int>(n_rows_), [&](const Emitter& e, const Block& block) {
      inner_dims_ = e.lower(rows_.reduction().dims);
      rows_.take(e, block, i64(n_rows_));
      const Expr columns = e.lower(columns_), width = e.lower(min(columns_, width_));
      for (Expr operand : rows_.reduction().body.results) {
        values_.push_back(e.allocate_shared(operand.kind(), n_rows_ * (width_ + 1)));
        totals_.push_back(e.allocate_shared(operand.kind(), n_rows_));
      }
      rows_.each(e, block, [&](const Emitter& of_thread, Expr t) {
        const Rows::Row row = rows_.row(of_thread, t);
        save(row.e, start(row.e, row.reduction()), totals_, t);
      });
      e.for_loop(i64(0), columns, i64(width_), "from", [&](Expr from) {
        Expr n = e.bind(min(columns - from, width), "n");
        stage(e, block, from, n);
        sync(e);
        rows_.each(e, block, [&](const Emitter& of_thread, Expr t) { fold(of_thread, t, n); });
        sync(e);
      });
      rows_.each(e, block, [&](const Emitter& of_thread, Expr t) {
        const Rows::Row row = rows_.row(of_thread, t);
        rows_.finish(row, parts::load_all(row.e, totals_, t, "total"));
        rows_.rest(row, row.e.bind(rows_.first() + t, "row"));
      });
    });
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }

  // Element k of the tile's rows, one after the other, is thread k's, k + n_rows's ...
  void stage(const Emitter& of_block, const Block& block, Expr from, Expr n) {
    const Expr all = of_block.bind(rows_.size() * n, "all");
    auto narrow = [&](Expr x) { return cast(x, Kind::u32); };
    par(of_block, block, [&](const Emitter& of_thread, Expr t) {
      of_thread.for_loop(t, all, i64(n_rows_), "k", [&](Expr k) {
        const Expr divisor = narrow(n);
        const Expr number = of_thread.bind(cast(narrow(k) / divisor, Kind::i64), "row");
        const Expr column = of_thread.bind(k - number * n, "column");
        const Rows::Row at_row = rows_.row(of_thread, number);
        const Emitter& e = at_row.e;
        const std::vector<Expr> indices =
            blocks::indices_of(e, e.bind(from + column, "number"), inner_dims_, arena_.boolean(true));
        const std::vector<Expr> operands = apply(e, at_row.reduction().body, indices);
        const Expr at = e.bind(number * (width_ + 1) + column, "at");
        for (std::size_t c = 0; c < operands.size(); ++c) e.store_plain(values_[c], at, operands[c]);
      });
    });
  }

  void fold(const Emitter& of_thread, Expr t, Expr n) {
    const Rows::Row row = rows_.row(of_thread, t);
    const Emitter& e = row.e;
    std::vector<Expr> so_far;
    for (Var total : totals_) so_far.push_back(e.declare(e.load_plain(total, t, "total"), "so_far"));
    const Expr first = e.bind(t * (width_ + 1), "first");
    e.for_loop(first, e.bind(first + n, "end"), i64(1), "at", [&](Expr at) {
      std::size_t next = 0;
      for (const soac::Reduction& r : row.reduction().reductions) {
        std::vector<Expr> accumulators, operands;
        for (std::size_t k = 0; k < r.neutral.size(); ++k, ++next) {
          accumulators.push_back(so_far[next]);
          operands.push_back(e.load_plain(values_[next], at, "value"));
        }
        join(e, r, accumulators, operands);
      }
    });
    for (std::size_t c = 0; c < totals_.size(); ++c)
      e.store_plain(totals_[c], t, e.snapshot(so_far[c], "so_far"));
  }

  const Phase& at_;
  scalar::Arena& arena_;
  Rows rows_;
  const Expr columns_;
  const std::int64_t n_rows_, width_;  // of a tile; as many threads as rows
  std::vector<Expr> inner_dims_;
  std::vector<Var> values_, totals_;  // of each component
};

}  // namespace

void walk_short_rows(const Phase& phase) {
  ShortRows{phase}();
}

}  // namespace fulgurite::walk::blocks
