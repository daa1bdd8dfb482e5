#include "lower/gpu/rows.h"

#include "base/match.h"
#include "lower/gpu/ragged_tiles.h"
#include "lower/gpu/row_tiles.h"
#include "lower/long_rows.h"
#include "schedule/rewrites/lift.h"
#include "soac/rename.h"

namespace fulgurite::lower::gpu {

namespace {

constexpr std::int64_t blocks_to_fill = 1024;  // to fill a device
constexpr std::int64_t enough_rows = 4096;     // the same, of threads
constexpr std::int64_t short_row = 32;         // not worth a block
constexpr std::int64_t long_row = 1024;        // worth one though neighbouring threads read far apart
constexpr std::int64_t least_tile = 2048;

}  // namespace

Rows::Rows(Frame& frame)
    : at_(frame),
      arena_(frame.arena),
      by_threads_(frame.i64(1)),
      by_blocks_(frame.i64(0)),
      by_tiles_(frame.i64(0)) {
  if (ragged_ = ragged_rows_of(at_); ragged_) {
    by_threads_ = at_.i64(0);
    return;
  }
  if (!reduces_rows(at_.launches, at_.op)) return;
  body_ = at_.op.body;
  body_.body[0] = schedule::lift_missing_neutral(arena_, body_.body[0]);
  const auto& inner = std::get<soac::Soac>(body_.body[0].op);
  const Expr one = at_.i64(1);
  rows_ = at_.launches.product(at_.op.dims);
  columns_ = at_.launches.product(inner.dims);
  Expr most = arena_.max(arena_.div(at_.i64(blocks_to_fill), arena_.max(rows_, one)), one);
  Expr least = arena_.max(at_.launches.ceil_div(columns_, most), at_.i64(least_tile));
  const Target& target = at_.launches.options().target;
  Expr threads = at_.i64(choose(inner, target).threads);
  tile_ = arena_.mul(at_.launches.ceil_div(least, threads), threads);
  tiles_ = arena_.max(at_.launches.ceil_div(columns_, tile_), one);
  // Neighbouring threads read neighbouring elements where blocks take rows that lie along memory.
  const bool along = lower::choose(arena_, at_.op, at_.launches.sizes(), target).rows;
  const auto few_long_rows = [&] {
    const Expr few = arena_.lt(rows_, at_.i64(enough_rows));
    return arena_.logical_and(arena_.le(at_.i64(long_row), columns_), few);
  };
  Expr holds = along ? arena_.le(at_.i64(short_row), columns_) : few_long_rows();
  by_blocks_ = arena_.apply(Op::select, {holds, one, at_.i64(0)});
  (along ? by_tiles_ : by_threads_) = arena_.sub(one, by_blocks_);
  if (along) by_threads_ = at_.i64(0);
  Expr n = arena_.mul(by_blocks_, arena_.mul(rows_, tiles_));
  for (const soac::Reduction& r : inner.reductions)
    for (Expr neutral : r.neutral) partials_.push_back(at_.temporary(neutral.kind(), n, "partial"));
}

void Rows::phases() {
  if (ragged_) policy_ = fold_ragged_rows(at_, *ragged_);
  if (ragged_) return;
  if (by_threads_.is_constant(1)) return;
  if (!by_tiles_.is_constant(0)) fold_rows_by_tiles(at_, body_, rows_, columns_, by_tiles_);
  if (by_blocks_.is_constant(0)) return;
  partials();
  join();
}

void Rows::partials() {
  Policy policy = choose(std::get<soac::Soac>(body_.body[0].op), at_.launches.options().target);
  policy.neighbours = 1;  // a row begins anywhere
  at_.phase(arena_.mul(by_blocks_, arena_.mul(rows_, tiles_)), policy.threads,
            [&](const Emitter& task, const Block& block) {
              const Expr row = task.lower(arena_.div(block.task, tiles_));
              const Emitter e = task.at_element(row);
              const std::vector<Expr>& dims = at_.op.dims;
              std::vector<Expr> indices(dims.size());
              Expr left = row;
              for (std::size_t d = dims.size(); d-- > 1;) {
                indices[d] = e.lower(arena_.rem(left, dims[d]));
                left = e.lower(arena_.div(left, dims[d]));
              }
              indices[0] = left;
              const soac::Stm reduction = soac::apply(arena_, body_, indices).body[0];
              Expr begin = e.lower(arena_.mul(arena_.rem(block.task, tiles_), tile_));
              const Run run{begin, e.lower(arena_.min(arena_.add(begin, tile_), columns_))};
              const Ends ends = walk(at_.launches, e, reduction, block, run, policy);
              for (std::size_t k = 0; k < partials_.size(); ++k)
                e.store_plain(partials_[k], block.task, ends.totals[k]);
            });
}

void Rows::join() {
  soac::Lambda f = body_;
  auto& inner = std::get<soac::Soac>(f.body[0].op);
  Expr row = at_.i64(0), t = arena_.fresh({Kind::i64}, "t");
  for (std::size_t d = 0; d < at_.op.dims.size(); ++d)
    row = arena_.add(arena_.mul(row, at_.op.dims[d]), arena_.name(f.params[d]));
  inner.dims = {tiles_};
  inner.body = {{t.var()}, {}, {}};
  Expr at = arena_.add(arena_.mul(row, tiles_), t);
  for (Var partial : partials_)
    inner.body.results.push_back(arena_.index(arena_.name(partial), std::span(&at, 1)));
  f.body[0].origin = "";
  const auto made = at_.names(at_.layout.mapped);
  at_.map(f, at_.op.dims, {made.begin(), made.end()}, by_blocks_);
}

}  // namespace fulgurite::lower::gpu
