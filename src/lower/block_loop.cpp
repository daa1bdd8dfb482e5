#include "lower/block_loop.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "base/match.h"
#include "lower/ahead.h"
#include "lower/ragged_rows.h"
#include "lower/runs.h"
#include "lower/scan_runs.h"
#include "schedule/rewrites/ascending.h"
#include "schedule/rewrites/pieces.h"
#include "schedule/rewrites/rounding.h"
#include "schedule/rewrites/slice.h"
#include "soac/layout.h"
#include "soac/rename.h"

namespace fulgurite::lower {

namespace {

using kernel::Level;

constexpr int most_pieces = 7;  // cuts one in another: what each piece costs is text, which is compiled

class BlockLoop {
 public:
  BlockLoop(const Emitter& e, const soac::Stm& s, const Range& range, const Policy& policy,
            const Entry& entry)
      : e_(e),
        arena_(e.arena()),
        s_(s),
        soac_(std::get<soac::Soac>(s.op)),
        range_(range),
        policy_(policy),
        entry_(entry),
        dims_(e.lower(soac_.dims)) {}

  Ends run() {
    start_partitions();
    if (policy_.rows || is_in_order(soac_) || !pack_) return sequence();
    Ends ends{lanes(e_.in_lanes()), {}, {}};
    end_partitions(ends);
    return ends;
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }

  void start_partitions() {
    partitions_ = entry_.partitions;
    for (Running::Cursor& cursor : partitions_) {
      for (Expr& next : cursor.next) next = e_.declare(next, "next");
      pack_ = pack_ && cursor.packs;
    }
  }
  void end_partitions(Ends& ends) {
    for (const Running::Cursor& cursor : partitions_) {
      ends.partitions.emplace_back();
      for (Expr variable : cursor.next) ends.partitions.back().push_back(e_.snapshot(variable, "next"));
    }
  }

  // Scalar code, in order.
  Ends sequence() {
    const Emitter e = e_.streaming_if({});  // only whole vectors bypass the cache
    std::optional<Runs> runs;
    if (policy_.run > 0 && folds_in_runs(soac_)) runs.emplace(e, soac_, policy_);
    if (!schedule::commutes(soac_) && !runs)
      e.note_sequential(s_, "has an operator that is not known to commute; tasks are joined in order");
    Running running{start(e, soac_), {}, 0, partitions_};
    for (const auto& group : entry_.scans) {
      running.scans.emplace_back();
      for (Expr value : group) running.scans.back().push_back(e.declare(value, "so_far"));
    }
    const bool in_lanes = !entry_.scans.empty() && pack_ && scans_in_lanes(arena_, soac_, policy_);
    if (in_lanes) start_lanes(running);
    std::optional<ScanRuns> own;
    scan_runs_ = entry_.scanned;
    if (in_lanes && policy_.scan_steps > 0 && !scan_runs_)
      scan_runs_ = &own.emplace(e, soac_, policy_, ScanRuns::block_of(policy_));
    rows(e, [&](std::span<const Expr> outer, Expr begin, Expr end) {
      if (in_lanes) begin = vectors(outer, scanned_runs(outer, begin, end, running), end, running);
      pieces(e, s_, begin, end, most_pieces, [&](Expr from, Expr to) {
        if (runs)
          from = runs->fold(std::get<soac::Soac>(piece_->op), from, to, running.reductions, point_of(outer));
        if (const auto ragged = policy_.rows ? dear_ragged_rows(arena_, *piece_) : std::nullopt)
          return walk_ragged_rows(e, *piece_, *ragged, from, to, policy_, [&](const soac::Stm& map, Expr i) {
            const soac::Stm* piece = std::exchange(piece_, &map);
            element(e, outer, i, running);
            piece_ = piece;
          });
        e.for_loop(from, to, i64(1), "j", [&](Expr j) { element(e, outer, j, running); });
      });
    });
    if (in_lanes) join_lanes(e, running);
    Ends ends;
    for (const auto& group : running.reductions)
      for (Expr variable : group) ends.totals.push_back(e.snapshot(variable, "total"));
    for (const auto& group : running.scans) {
      ends.scans.emplace_back();
      for (Expr variable : group) ends.scans.back().push_back(e.snapshot(variable, "so_far"));
    }
    end_partitions(ends);
    return ends;
  }

  // Scans in whole vectors (walk::point), one after the other; scalar code does what is left.

  void start_lanes(const Running& running) {
    const int lanes = policy_.scan_lanes;
    for (const auto& group : running.scans)
      for (Expr variable : group) carried_.push_back(e_.allocate_shared(variable.kind(), lanes));
    for (const soac::Reduction& r : soac_.reductions)
      for (Expr neutral : r.neutral) shared_.push_back(e_.allocate_shared(neutral.kind(), lanes));
    if (!shared_.empty()) start_shared(e_.in_lanes(), lanes);
  }
  void start_shared(const Emitter& lane, int lanes) {
    lane.par(Level::block, i64(lanes), "t", [&](Expr t) { save(lane, {start(lane, soac_), {}, 0, {}}, t); });
  }

  // The whole blocks of runs of [begin, end); the same.
  Expr scanned_runs(std::span<const Expr> outer, Expr begin, Expr end, const Running& running) {
    if (!scan_runs_) return begin;
    piece_ = &s_;
    const Emitter lane = e_.in_lanes();
    return scan_runs_->walk(begin, end, running.scans, point_of(outer), [&](Expr from) {
      lane.par(Level::block, i64(policy_.scan_lanes), "t", [&](Expr t) {
        Running here = restore(lane, t);
        scan_runs_->points(
            from, t, here, [&](Expr start) { read_ahead(lane, start, policy_.scan_steps); },
            [&](Expr j) { element(lane, outer, j, here); });
        save(lane, here, t);
      });
    });
  }

  // The whole vectors of [begin, end); what is left begins at the result.
  Expr vectors(std::span<const Expr> outer, Expr begin, Expr end, const Running& running) {
    Expr step = i64(policy_.scan_lanes), zero = i64(0);
    Expr full = arena_.mul(arena_.div(arena_.max(arena_.sub(end, begin), zero), step), step);
    Expr rest = e_.lower(arena_.add(begin, full));
    piece_ = &s_;
    const Emitter lane = e_.in_lanes();
    lane.par(Level::block, step, "t", [&](Expr t) {
      Running here = restore(lane, t);
      here.lanes = policy_.scan_lanes;
      for (const auto& group : running.scans) {
        here.scans.emplace_back();
        for (Expr variable : group) here.scans.back().push_back(lane.declare(variable, "so_far"));
      }
      lane.for_loop(begin, rest, step, "from", [&](Expr from) {
        read_ahead(lane, from, policy_.scan_lanes);
        element(lane, outer, lane.bind(arena_.add(from, t), "j"), here);
      });
      save(lane, here, t);
      std::size_t next = 0;
      for (const auto& group : here.scans)
        for (Expr variable : group) lane.store_plain(carried_[next++], t, lane.snapshot(variable, "so_far"));
    });
    std::size_t next = 0;
    for (const auto& group : running.scans)
      for (Expr variable : group) e_.assign(variable, e_.load_plain(carried_[next++], i64(0), "so_far"));
    return rest;
  }

  // What the lanes reduced joins what scalar code did.
  void join_lanes(const Emitter& e, const Running& running) {
    halve(e, policy_.scan_lanes);
    std::size_t next = 0;
    for (std::size_t g = 0; g < running.reductions.size(); ++g) {
      std::vector<Expr> values;
      for (std::size_t k = 0; k < running.reductions[g].size(); ++k)
        values.push_back(e.load_plain(shared_[next++], i64(0), "total"));
      join(e, soac_.reductions[g], running.reductions[g], values);
    }
  }

  std::vector<Expr> lanes(const Emitter& e) {
    for (const soac::Reduction& r : soac_.reductions)
      for (Expr neutral : r.neutral) shared_.push_back(e.allocate_shared(neutral.kind(), policy_.lanes));
    if (!shared_.empty()) start_shared(e, policy_.lanes);
    rows(e, [&](std::span<const Expr> outer, Expr begin, Expr end) {
      pieces(e, s_, begin, end, most_pieces, [&](Expr from, Expr to) { columns(e, outer, from, to); });
    });
    halve(e, policy_.lanes);
    std::vector<Expr> totals;
    for (Var buffer : shared_) totals.push_back(e.load_plain(buffer, i64(0), "total"));
    return totals;
  }

  Running restore(const Emitter& e, Expr t) {
    Running running;
    running.partitions = partitions_;
    std::size_t next = 0;
    for (const soac::Reduction& r : soac_.reductions) {
      auto& group = running.reductions.emplace_back();
      for (std::size_t k = 0; k < r.neutral.size(); ++k)
        group.push_back(e.declare(e.load_plain(shared_[next++], t, "acc"), "acc"));
    }
    return running;
  }

  void save(const Emitter& e, const Running& running, Expr t) {
    std::size_t next = 0;
    for (const auto& group : running.reductions)
      for (Expr variable : group) {
        Expr value = e.snapshot(variable, "acc");
        e.append(kernel::Store{{shared_[next++], t, i64(1), {}}, value});
      }
  }

  // shared[t] = op(shared[t], shared[t + width]) for t < width, width halved again and again: the operator
  // commutes, so halves may be joined. In vectors of the tail's width, then one by one: few widths and few
  // loops keep the kernel's text short, and it is compiled while the user waits.
  void halve(const Emitter& e, int n) {
    if (shared_.empty()) return;
    const int lanes = policy_.tail_lanes;
    int width = n / 2;
    for (; width >= lanes; width /= 2) {
      const auto join = [&](Expr from) {
        e.par(Level::block, i64(lanes), "t",
              [&](Expr t) { join_halves(e, soac_, shared_, e.bind(arena_.add(from, t), "at"), i64(width)); });
      };
      if (width == lanes)
        join(i64(0));
      else
        e.for_loop(i64(0), i64(width), i64(lanes), "from", join);
    }
    if (width == 0) return;
    const int n_halvings = std::bit_width(static_cast<unsigned>(width));
    e.for_loop(i64(0), i64(n_halvings), i64(1), "halving", [&](Expr halving) {
      const Expr apart = e.bind(arena_.apply(scalar::Op::shr, {i64(width), halving}), "width");
      e.for_loop(i64(0), apart, i64(1), "t", [&](Expr t) { join_halves(e, soac_, shared_, t, apart); });
    });
  }

  // Calls walk(from, to) for each piece of the columns, with the statement as it is there in `piece_`.
  void pieces(const Emitter& e, const soac::Stm& s, Expr begin, Expr end, int n_more,
              const std::function<void(Expr from, Expr to)>& walk) {
    const std::optional<schedule::Cut> c =
        n_more > 0 && !policy_.linear ? schedule::cut(arena_, s) : std::nullopt;
    if (!c) {
      piece_ = &s;
      walk(begin, end);
      piece_ = nullptr;
      return;
    }
    Expr at = e.lower(arena_.max(begin, arena_.min(c->at, end)));
    pieces(e, c->before, begin, at, n_more - 1, walk);
    pieces(e, c->behind, at, end, n_more - 1, walk);
  }

  using Row = std::function<void(std::span<const Expr> outer, Expr begin, Expr end)>;

  // for (row ...) with the outer indices decoded once a row.
  void rows(const Emitter& e, const Row& body) {
    if (dims_.size() <= 1 || policy_.linear) return body({}, range_.begin, range_.end);
    if (!range_.is_points)
      return e.for_loop(range_.first_row, range_.last_row, i64(1), "row",
                        [&](Expr row) { body(decoded(e, row), range_.begin, range_.end); });
    // Points of a row that the range begins or ends in are left out.
    Expr columns = e.lower(arena_.max(dims_.back(), i64(1)));
    Expr first = e.lower(arena_.div(range_.begin, columns));
    Expr last = e.lower(arena_.div(arena_.sub(arena_.add(range_.end, columns), i64(1)), columns));
    e.for_loop(first, last, i64(1), "row", [&](Expr row) {
      std::vector<Expr> outer = decoded(e, row);
      Expr start = e.bind(arena_.mul(row, columns), "start");
      Expr begin = e.lower(arena_.max(arena_.sub(range_.begin, start), i64(0)));
      body(outer, begin, e.lower(arena_.min(arena_.sub(range_.end, start), columns)));
    });
  }

  std::vector<Expr> decoded(const Emitter& e, Expr row) {
    std::vector<Expr> outer(dims_.size() - 1);
    Expr rest = row;
    for (std::size_t d = outer.size(); d-- > 1;) {
      outer[d] = e.bind(arena_.rem(rest, dims_[d]), "i");
      rest = e.bind(arena_.div(rest, dims_[d]), "i");
    }
    outer[0] = rest;
    return outer;
  }

  void columns(const Emitter& e, std::span<const Expr> outer, Expr begin, Expr end) {
    Expr step = i64(policy_.lanes);
    if (Expr head = unaligned_head(e, outer, begin)) {
      Expr aligned = e.lower(arena_.min(arena_.add(begin, head), end));
      masked_loop(e, outer, begin, aligned);
      begin = aligned;
    }
    Expr full = e.lower(arena_.mul(arena_.div(arena_.sub(end, begin), step), step));
    Expr main = e.lower(arena_.add(begin, full));
    e.par(Level::block, step, "t", [&](Expr t) {
      auto accumulators = restore(e, t);
      main_loop(e, outer, t, begin, main, accumulators);
      save(e, accumulators, t);
    });
    masked_loop(e, outer, main, end);
  }

  // Elements of a row before the first whose store is aligned to a cache line; a rank-1 tile starts aligned.
  Expr unaligned_head(const Emitter& e, std::span<const Expr> outer, Expr begin) {
    if (range_.is_aligned && outer.empty() && begin == range_.begin) return {};
    const soac::Layout::Part mapped = soac::layout_of(soac_).mapped;
    if (mapped.n_results == 0) return {};
    constexpr std::int64_t cache_line = 64;
    std::vector<Expr> first(outer.begin(), outer.end());
    first.push_back(begin);
    Expr at = linear(e, first, dims_);
    if (Expr base = e.destination(s_.names[mapped.name]).base) at = arena_.add(base, at);
    const Expr result = soac_.body.results[mapped.result];  // of a scalar: lanes make no arrays
    const std::int64_t line = cache_line / static_cast<std::int64_t>(size_of(result.kind()));
    return e.lower(arena_.apply(scalar::Op::bit_and, {arena_.sub(i64(0), at), i64(line - 1)}));
  }

  // for (j = begin; j < end; ...) in single masked vectors; their stores go through the cache.
  void masked_loop(const Emitter& of_vectors, std::span<const Expr> outer, Expr begin, Expr end) {
    const Emitter e = of_vectors.streaming_if({});
    e.if_then(e.lower(arena_.lt(begin, end)), [&] {
      e.par(Level::block, i64(policy_.tail_lanes), "t", [&](Expr t) {
        auto accumulators = restore(e, t);
        e.for_loop(begin, end, i64(policy_.tail_lanes), "j", [&](Expr j) {
          Expr index = e.bind(arena_.add(j, t), "j");
          e.if_then(e.bind(arena_.lt(index, end), "in_range"),
                    [&] { element(e, outer, index, accumulators); });
        });
        save(e, accumulators, t);
      });
    });
  }

  void steps(const Emitter& of_vectors, std::span<const Expr> outer, Expr t, Expr from, Expr to,
             const Running& into) {
    const Emitter e = of_vectors.touching_if(policy_.touch ? of_vectors.context().streaming : Expr());
    e.for_loop(from, to, i64(policy_.lanes), "j", [&](Expr j) {
      read_ahead(e, j, policy_.lanes);
      element(e, outer, e.bind(arena_.add(j, t), "j"), into);
    });
  }

  // A lane that keeps the index that it has ends with one that is not in the tile.
  void steps_in_32_bits(const Emitter& e, std::span<const Expr> outer, Expr t, Expr from, Expr to,
                        const Running& into, const schedule::NarrowIndices& narrow) {
    const Expr first = e.lower(arena_.cast(range_.begin, Kind::i32));
    const Expr before = e.lower(arena_.sub(first, arena_.constant(Kind::i32, 1)));
    Running here = into;
    for (const auto& [g, k] : narrow.components) here.reductions[g][k] = e.declare(before, "at");
    steps(e, outer, t, from, to, here);
    for (const auto& [g, k] : narrow.components) {
      const Expr at = e.snapshot(here.reductions[g][k], "at"), wide = into.reductions[g][k];
      const Expr offset = arena_.cast(arena_.cast(arena_.sub(at, first), Kind::u32), Kind::i64);
      const Expr index = arena_.add(range_.begin, offset);
      e.assign(wide, e.lower(arena_.apply(scalar::Op::select,
                                          {arena_.eq(at, before), e.snapshot(wide, "acc"), index})));
    }
  }

  // A float accumulator takes `chain` additions before it is added to an outer one: errors grow with the sum
  // of the two lengths instead of their product.
  void main_loop(const Emitter& e, std::span<const Expr> outer, Expr t, Expr begin, Expr main,
                 const Running& accumulators) {
    Expr step = i64(policy_.lanes);
    const std::optional<soac::Stm> behind = schedule::behind_first(arena_, *piece_, range_.in_tile);
    auto run = [&](Expr from, Expr to, const Running& into) {
      if (!behind) return steps(e, outer, t, from, to, into);
      const soac::Stm* whole = piece_;
      e.if_then(e.lower(arena_.lt(from, to)),
                [&] { element(e, outer, e.bind(arena_.add(from, t), "j"), into); });
      from = e.lower(arena_.add(from, step));
      const auto narrow = range_.in_tile ? schedule::narrow_indices(arena_, *behind) : std::nullopt;
      piece_ = narrow ? &narrow->stm : &*behind;
      if (narrow)
        steps_in_32_bits(e, outer, t, from, to, into, *narrow);
      else
        steps(e, outer, t, from, to, into);
      piece_ = whole;
    };
    if (std::ranges::none_of(soac_.reductions, schedule::rounds)) return run(begin, main, accumulators);
    Expr chain = i64(policy_.chain * policy_.lanes);
    e.for_loop(begin, main, chain, "from", [&](Expr from) {
      Running inner{start(e, soac_), {}, 0, partitions_};
      run(from, e.lower(arena_.min(arena_.add(from, chain), main)), inner);
      for (std::size_t g = 0; g < inner.reductions.size(); ++g) {
        std::vector<Expr> values;
        for (Expr variable : inner.reductions[g]) values.push_back(e.snapshot(variable, "part"));
        join(e, soac_.reductions[g], accumulators.reductions[g], values);
      }
    });
  }

  void element(const Emitter& e, std::span<const Expr> outer, Expr j, const Running& running) {
    at_point(e, outer, j, [&](const Emitter& at, std::span<const Expr> indices, Expr number) {
      point(at, *piece_, indices, number, running);
    });
  }

  Runs::Point point_of(std::span<const Expr> outer) {
    return [this, outer](const Emitter& e, Expr j, const Runs::Body& body) {
      at_point(e, outer, j,
               [&](const Emitter& at, std::span<const Expr> indices, Expr) { body(at, indices); });
    };
  }

  using AtPoint = std::function<void(const Emitter& at, std::span<const Expr> indices, Expr number)>;
  void at_point(const Emitter& e, std::span<const Expr> outer, Expr j, const AtPoint& body) {
    std::vector<Expr> indices(outer.begin(), outer.end());
    if (policy_.linear) {
      while (indices.size() < dims_.size()) indices.push_back(e.placeholder());
      return body(e.with_identity({indices, j}).at_element(j), indices, j);
    }
    indices.push_back(j);
    const Expr number = e.lower(linear(e, indices, dims_));
    body(e.at_element(number), indices, number);
  }

  void read_ahead(const Emitter& e, Expr from, int n) {
    if (!entry_.per_task) return;
    Expr size = i64(1);
    for (Expr extent : dims_) size = arena_.mul(size, extent);
    for (Var array : read_in_step(soac_, policy_.linear)) e.prefetch(array, from, n, entry_.per_task, size);
  }

  const Emitter e_;  // in scalar code of the task
  scalar::Arena& arena_;
  const soac::Stm& s_;
  const soac::Soac& soac_;
  const Range& range_;
  const Policy& policy_;
  const Entry& entry_;
  std::vector<Expr> dims_;
  std::vector<Running::Cursor> partitions_;  // with variables
  bool pack_ = true;                         // all of them
  std::vector<Var> shared_;                  // one for each reduction component
  ScanRuns* scan_runs_ = nullptr;
  std::vector<Var> carried_;          // what the Scans go on from, behind the vectors
  const soac::Stm* piece_ = nullptr;  // the statement in the piece of the columns that is walked
};

}  // namespace

bool is_in_order(const soac::Soac& soac) {
  return !schedule::commutes(soac) || schedule::has_bins(soac) || schedule::has_scan(soac.body) ||
         schedule::makes_arrays(soac);
}

bool scans_in_lanes(const scalar::Arena& arena, const soac::Soac& soac, const Policy& policy) {
  if (policy.rows || policy.scan_lanes < 4) return false;
  for (const soac::Stm* scan : schedule::scans_of(soac.body))
    for (Var name : scan->names)
      if (arena.info(name).type.kind == Kind::boolean) return false;
  soac::Soac others = soac;
  std::erase_if(others.body.body, [](const soac::Stm& s) { return base::as<soac::Scan>(s.op) != nullptr; });
  return !is_in_order(others);
}

Ends block_loop(const Emitter& emitter, const soac::Stm& s, const Range& range, const Policy& policy,
                const Entry& entry) {
  const auto& soac = std::get<soac::Soac>(s.op);
  std::size_t n_in_order = 0;
  for (const soac::Reduction& r : soac.reductions) n_in_order += r.commutative ? 0 : r.op.results.size();
  if (n_in_order == s.names.size() || policy.run == 0 || !folds_in_runs(soac))
    return BlockLoop(emitter, s, range, policy, entry).run();
  const ByOrder parts = split_by_order(emitter.arena(), s);
  // The reductions only read. They come before the other part, which may update what they read.
  const Ends in_order = BlockLoop(emitter, parts.in_order, range, policy, entry).run();
  const Ends others = BlockLoop(emitter, parts.in_any_order, range, policy, entry).run();
  Ends both;
  auto next = in_order.totals.begin(), next_other = others.totals.begin();
  for (const soac::Reduction& r : soac.reductions)
    for (std::size_t k = 0; k < r.op.results.size(); ++k)
      both.totals.push_back(r.commutative ? *next_other++ : *next++);
  return both;
}

}  // namespace fulgurite::lower
