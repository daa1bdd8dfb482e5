// Reductions of rows that follow one another in one array, as of a sparse matrix
// (schedule/rewrites/ragged.h). A block takes some neighbouring rows, and their elements tile by tile
// whosever they are: neighbouring threads compute neighbouring elements and leave them in shared memory,
// where a scan that begins anew with each row reduces them all (Sengupta, Harris, Zhang, Owens, "Scan
// primitives for GPU computing", 2007, section 4.2). So the lengths of rows do not matter: a long one is work
// for all threads.
//
// An operand that fails, or rows that are out of order, send each row of the block the usual way, a thread
// each, which says what is wrong and where.
#include <algorithm>

#include "parts/fold.h"
#include "schedule/blocks/points.h"
#include "schedule/rewrites/partial_rows.h"
#include "schedule/rewrites/ragged.h"
#include "soac/rename.h"
#include "walk/blocks/rows.h"
#include "walk/control.h"
#include "walk/operators.h"

namespace fulgurite::walk::blocks {

using schedule::warp;

namespace {

std::optional<schedule::RaggedRows> rows_of(scalar::Arena& arena, soac::Stm map) {
  auto& op = std::get<soac::Soac>(map.op);
  op.body = schedule::with_neutral(arena, op);
  return schedule::ragged_rows(arena, map);
}

class RaggedRows {
 public:
  explicit RaggedRows(const Phase& phase)
      : at_(phase),
        arena_(phase.arena()),
        rows_(rows_of(arena_, phase.computes())),
        in_block_(phase, schedule::with_neutral(arena_, phase.op())),
        segmented_(
            schedule::by_segments_of(arena_, in_block_.reduction().reductions, phase.computes().where)),
        neutral_(segmented_.neutral.begin() + 1, segmented_.neutral.end()),
        threads_(static_cast<int>(phase.number("threads"))),
        items_(static_cast<int>(phase.number("items"))) {}

  void operator()() {
    const Expr per_block =
        schedule::ragged_rows_of_a_block(arena_, at_.op().dims[0], at_.number("blocks"), threads_);
    for_tasks(at_, threads_, [&](const Emitter& e, const Block& block) {
      in_block_.take(e, block, per_block);
      allocate(e);
      find_rows(e, block);
      const Expr is_in_order = e.bind(equal(wrong(e), 0), "is_in_order");
      const Expr begin = e.load_plain(begins_, i64(0), "begin");
      const Expr end =
          e.bind(select(is_in_order, e.load_plain(begins_, in_block_.size(), "end"), begin), "to_here");
      tiles(e, block, begin, end);
      const Expr usable = e.bind(equal(wrong(e), 0), "usable");
      in_block_.each(e, block, [&](const Emitter& of_thread, Expr t) {
        of_thread.if_then_else(usable, [&] { finish(of_thread, t); }, [&] { alone(of_thread.rarely(), t); });
      });
    });
  }

 private:
  std::int64_t tile() const { return std::int64_t{threads_} * items_; }
  Expr i64(std::int64_t value) { return arena_.i64(value); }
  Expr i32(std::int64_t value) { return cast(i64(value), Kind::i32); }
  void note_wrong(const Emitter& e) {
    e.atomic({{}, kernel::Atomic::What::max, {wrong_, i64(0), i64(1), {}}, i32(1), {}});
  }
  Expr wrong(const Emitter& e) { return e.load_plain(wrong_, i64(0), "wrong"); }
  // Whether a place, counted from any origin, is among the first n.
  Expr is_below(Expr place, Expr n) {
    const Expr limit = cast(n, Kind::u64);
    return cast(place, Kind::u64) < limit;
  }

  void allocate(const Emitter& e) {
    begins_ = e.allocate_shared(Kind::i64, threads_ + 1);
    wrong_ = e.allocate_shared(Kind::i32, 1);
    for (Expr neutral : segmented_.neutral) {
      values_.push_back(e.allocate_shared(neutral.kind(), tile()));
      joined_.push_back(e.allocate_shared(neutral.kind(), threads_));
    }
    for (Expr neutral : neutral_) totals_.push_back(e.allocate_shared(neutral.kind(), threads_));
  }

  // Where they begin, and after the last one where it ends; and the value of a row without elements.
  void find_rows(const Emitter& of_block, const Block& block) {
    par(of_block, block, [&](const Emitter& e, Expr t) {
      e.if_then(e.bind(equal(t, 0), "is_first"), [&] { e.store_plain(wrong_, i64(0), i32(0)); });
      e.for_loop(t, e.bind(in_block_.size() + 1, "n_begins"), i64(threads_), "k", [&](Expr k) {
        const Expr row = in_block_.first() + k;
        e.store_plain(begins_, k, e.lower(scalar::substitute(arena_, rows_->begin, {{rows_->row, row}})));
      });
      for (std::size_t c = 0; c < totals_.size(); ++c) e.store_plain(totals_[c], t, e.lower(neutral_[c]));
    });
    sync(of_block);
    in_block_.each(of_block, block, [&](const Emitter& e, Expr t) {
      const auto [begin, end] = extent(e, t);
      e.if_then(e.bind(end < begin, "is_wrong"), [&] { note_wrong(e); });
    });
    sync(of_block);
  }

  std::pair<Expr, Expr> extent(const Emitter& e, Expr t) {
    const Expr begin = e.load_plain(begins_, t, "begin");
    return {begin, e.load_plain(begins_, e.bind(t + 1, "next"), "end")};
  }

  void tiles(const Emitter& of_block, const Block& block, Expr begin, Expr end) {
    parts::Ordered scan{operator_of(of_block, segmented_), {}, values_, joined_, true, true};
    for (Expr neutral : of_block.lower(segmented_.neutral))
      scan.so_far.push_back(of_block.declare(neutral, "so_far"));
    const Expr from_here = of_block.bind(begin / warp * warp, "from_here");
    of_block.for_loop(from_here, end, i64(tile()), "from", [&](Expr from) {
      const Expr n = of_block.bind(min(end - from, tile()), "n");
      mark_begins(of_block, block, from, n);
      sync(of_block);
      stage(of_block, block, from, n, begin);
      sync(of_block);
      parts::fold_tile(of_block, block, items_, n, std::span(&scan, 1));
      in_block_.each(of_block, block, [&](const Emitter& e, Expr t) {
        const auto [own, next] = extent(e, t);
        const Expr last = e.bind(next - 1 - from, "last");
        const Expr is_here = is_below(last, n);
        const Expr ends_here = (own < next) & is_here;
        e.if_then(e.bind(ends_here, "ends_here"), [&] {
          for (std::size_t c = 0; c < totals_.size(); ++c)
            e.store_plain(totals_[c], t, e.load_plain(values_[c + 1], last, "total"));
        });
      });
      sync(of_block);
    });
  }

  // The elements before the first row belong to no row.
  void stage(const Emitter& of_block, const Block& block, Expr from, Expr n, Expr begin) {
    par(of_block, block, [&](const Emitter& of_thread, Expr t) {
      const Emitter e = of_thread.on_failure([&] { note_wrong(of_thread); });
      e.for_loop(t, n, i64(threads_), "at", [&](Expr at) {
        const Expr number = e.bind(from + at, "number");
        const std::span values = std::span(values_).subspan(1);
        e.if_then_else(
            e.bind(begin <= number, "is_element"),
            [&] { parts::store_all(e, values, at, apply(e, rows_->element, std::span(&number, 1))); },
            [&] { parts::store_all(e, values, at, e.lower(neutral_)); });
      });
    });
  }

  // With a barrier before what stages elements: what PoCL 3.1 makes of both without one between loses marks.
  void mark_begins(const Emitter& of_block, const Block& block, Expr from, Expr n) {
    par(of_block, block, [&](const Emitter& e, Expr t) {
      e.for_loop(t, n, i64(threads_), "at", [&](Expr at) { e.store_plain(values_[0], at, i32(0)); });
    });
    sync(of_block);
    in_block_.each(of_block, block, [&](const Emitter& e, Expr t) {
      const auto [own, next] = extent(e, t);
      const Expr place = e.bind(own - from, "place");
      const Expr is_here = is_below(place, n);
      const Expr begins_here = (own < next) & is_here;
      e.if_then(e.bind(begins_here, "begins_here"), [&] { e.store_plain(values_[0], place, i32(1)); });
    });
  }

  void finish(const Emitter& of_thread, Expr t) {
    const Rows::Row row = in_block_.row(of_thread, t);
    // A row that one tile has folded has met no neutral element.
    std::vector<Expr> totals = parts::load_all(row.e, totals_, t, "total");
    totals.insert(totals.begin(), i32(0));
    totals = operator_of(row.e, segmented_).apply(row.e, row.e.lower(segmented_.neutral), totals);
    in_block_.finish(row, std::span(totals).subspan(1));
    in_block_.rest(row, row.number);
  }

  void alone(const Emitter& e, Expr t) {
    const Expr number = e.bind(in_block_.first() + t, "row");
    point(e.at_element(number), at_.computes(), std::span(&number, 1), number, {});
  }

  const Phase& at_;
  scalar::Arena& arena_;
  const std::optional<schedule::RaggedRows> rows_;
  Rows in_block_;                    // their reductions with neutral elements
  const soac::Reduction segmented_;  // all reductions as one, over elements of any rows
  const std::vector<Expr> neutral_;  // of the reductions' components
  const int threads_, items_;
  Var begins_, wrong_;
  std::vector<Var> values_, joined_;  // of the tile's elements and of threads, whether a row begins first
  std::vector<Var> totals_;           // of rows
};

}  // namespace

void walk_ragged_rows(const Phase& phase) {
  RaggedRows{phase}();
}

}  // namespace fulgurite::walk::blocks
