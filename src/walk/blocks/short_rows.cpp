// Reductions of rows that are too short for a block each and lie along memory: a thread folds a row, and
// reads it from shared memory, where the block has put a few columns of its rows, neighbouring threads
// neighbouring elements.
#include "schedule/nest.h"
#include "soac/rename.h"
#include "walk/blocks/phase.h"
#include "walk/blocks/row_major.h"
#include "walk/control.h"

namespace fulgurite::walk::blocks {

namespace {

class ShortRows {
 public:
  explicit ShortRows(const Phase& phase)
      : at_(phase),
        arena_(phase.arena()),
        body_(phase.op().body),
        inner_(std::get<soac::Soac>(body_.body[0].op)),
        rest_{phase.computes().names, soac::Soac{phase.op().dims, {body_.params, {}, body_.results}},
              phase.computes().where, phase.computes().origin},
        rows_(schedule::product(arena_, phase.op().dims)),
        columns_(schedule::product(arena_, inner_.dims)),
        n_rows_(phase.number("threads")),
        width_(phase.number("columns")) {}

  void operator()() {
    for_tasks(at_, static_cast<int>(n_rows_), [&](const Emitter& e, const Block& block) {
      dims_ = e.lower(at_.op().dims);
      inner_dims_ = e.lower(inner_.dims);
      is_small_ = e.lower(rows_ < std::int64_t{1} << 32);
      first_ = e.lower(block.task * n_rows_);
      n_ = e.lower(min(rows_ - first_, n_rows_));
      const Expr columns = e.lower(columns_), width = e.lower(min(columns_, width_));
      for (Expr operand : inner_.body.results) {
        values_.push_back(e.allocate_shared(operand.kind(), n_rows_ * (width_ + 1)));
        totals_.push_back(e.allocate_shared(operand.kind(), n_rows_));
      }
      of_rows(e, block, [&](const Emitter& at, Expr t, const soac::Applied& row, const std::vector<Expr>&) {
        std::size_t next = 0;
        for (const auto& group : start(at, reduction_of(row)))
          for (Expr variable : group) {
            Expr neutral = at.snapshot(variable, "neutral");
            at.store_plain(totals_[next++], t, neutral);
          }
      });
      e.for_loop(i64(0), columns, i64(width_), "from", [&](Expr from) {
        Expr n = e.bind(min(columns - from, width), "n");
        stage(e, block, from, n);
        sync(e);
        of_rows(e, block, [&](const Emitter& at, Expr t, const soac::Applied& row, const std::vector<Expr>&) {
          fold(at, t, row, n);
        });
        sync(e);
      });
      of_rows(e, block,
              [&](const Emitter& at, Expr t, const soac::Applied& row, const std::vector<Expr>& indices) {
                std::vector<Expr> totals;
                for (Var total : totals_) totals.push_back(at.load_plain(total, t, "total"));
                finish(at, row.body[0], totals);
                for (std::size_t k = 0; k < row.body[0].names.size(); ++k)
                  at.bind_name(body_.body[0].names[k], at.lower(arena_.name(row.body[0].names[k])));
                Expr number = at.bind(first_ + t, "row");
                point(at, rest_, indices, number, {});
              });
    });
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }
  static const soac::Soac& reduction_of(const soac::Applied& row) {
    return std::get<soac::Soac>(row.body[0].op);
  }

  // body(e, row in the block, the function at the row, its indices)
  using AtRow = std::function<void(const Emitter&, Expr, const soac::Applied&, const std::vector<Expr>&)>;
  void at_row(const Emitter& e, Expr row_in_block, const AtRow& body) {
    const Expr number = e.bind(first_ + row_in_block, "row");
    const std::vector<Expr> indices = indices_of(e, number, dims_, is_small_);
    body(e.at_element(number), row_in_block, soac::apply(arena_, body_, indices), indices);
  }
  void of_rows(const Emitter& e, const Block& block, const AtRow& body) {
    par(e, block, [&](const Emitter& of_thread, Expr t) {
      of_thread.if_then(of_thread.bind(t < n_, "is_row"), [&] { at_row(of_thread, t, body); });
    });
  }

  // Element k of the tile's rows, one after the other, is thread k's, k + n_rows's ...
  void stage(const Emitter& e, const Block& block, Expr from, Expr n) {
    const Expr all = e.bind(n_ * n, "all");
    auto narrow = [&](Expr x) { return cast(x, Kind::u32); };
    par(e, block, [&](const Emitter& of_thread, Expr t) {
      of_thread.for_loop(t, all, i64(n_rows_), "k", [&](Expr k) {
        const Expr divisor = narrow(n);
        const Expr row = of_thread.bind(cast(narrow(k) / divisor, Kind::i64), "row");
        const Expr column = of_thread.bind(k - row * n, "column");
        at_row(of_thread, row,
               [&](const Emitter& at_row, Expr, const soac::Applied& applied, const std::vector<Expr>&) {
                 const Expr number = at_row.bind(from + column, "number");
                 const std::vector<Expr> indices =
                     indices_of(at_row, number, inner_dims_, arena_.boolean(true));
                 const std::vector<Expr> operands = apply(at_row, reduction_of(applied).body, indices);
                 const Expr at = at_row.bind(row * (width_ + 1) + column, "at");
                 for (std::size_t c = 0; c < operands.size(); ++c)
                   at_row.store_plain(values_[c], at, operands[c]);
               });
      });
    });
  }

  void fold(const Emitter& e, Expr t, const soac::Applied& row, Expr n) {
    std::vector<Expr> so_far;
    for (Var total : totals_) so_far.push_back(e.declare(e.load_plain(total, t, "total"), "so_far"));
    const Expr first = e.bind(t * (width_ + 1), "first");
    e.for_loop(first, e.bind(first + n, "end"), i64(1), "at", [&](Expr at) {
      std::size_t next = 0;
      for (const soac::Reduction& r : reduction_of(row).reductions) {
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
  const soac::Lambda& body_;
  const soac::Soac& inner_;
  const soac::Stm rest_;  // behind the reduction
  const Expr rows_, columns_;
  const std::int64_t n_rows_, width_;  // of a tile; as many threads as rows
  std::vector<Expr> dims_, inner_dims_;
  Expr is_small_;
  Expr first_, n_;                    // rows of the block
  std::vector<Var> values_, totals_;  // of each component
};

}  // namespace

void walk_short_rows(const Phase& phase) {
  ShortRows rows(phase);
  rows();
}

}  // namespace fulgurite::walk::blocks
