#include "lower/block_loop.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/match.h"
#include "lower/pieces.h"
#include "lower/slice.h"
#include "soac/layout.h"
#include "soac/rename.h"

namespace fulgurite::lower {

namespace {

using kernel::Level;

constexpr int most_pieces = 7;  // cuts one in another: what each piece costs is text, which is compiled

class BlockLoop {
 public:
  BlockLoop(Emitter& e, const soac::Stm& s, const Range& range, const Policy& policy, const Entry& entry)
      : e_(e),
        arena_(e.arena()),
        s_(s),
        soac_(std::get<soac::Soac>(s.op)),
        range_(range),
        policy_(policy),
        entry_(entry),
        dims_(e.lower(soac_.dims)) {}

  Ends run() {
    if (policy_.rows || is_in_order(soac_)) return sequence();
    const bool outside = e_.set_in_scalar_code(false);
    Ends ends{lanes(), {}, {}};
    e_.set_in_scalar_code(outside);
    return ends;
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }

  // Scalar code, in order.
  Ends sequence() {
    bool commutes = true;
    for (const soac::Reduction& r : soac_.reductions) commutes = commutes && r.commutative;
    if (!commutes)
      e_.note_sequential(s_, "has an operator that is not known to commute; tasks are joined in order");
    Expr streaming = e_.streaming();  // is for whole vectors
    e_.set_streaming({});
    Running running{e_.start(soac_), {}, {}, entry_.partitions};
    for (const auto& group : entry_.scans) {
      running.scans.emplace_back();
      for (Expr value : group) running.scans.back().push_back(e_.declare(value, "so_far"));
    }
    for (Running::Cursor& cursor : running.partitions)
      if (cursor.next) cursor.next = e_.declare(cursor.next, "next");
    const bool in_blocks = scans_in_blocks();
    if (in_blocks) start_blocks();
    rows([&](std::span<const Expr> outer, Expr begin, Expr end) {
      if (in_blocks) begin = blocks(outer, begin, end, running, streaming);
      pieces(s_, begin, end, most_pieces, [&](Expr from, Expr to) {
        e_.for_loop(from, to, i64(1), "j", [&](Expr j) { element(outer, j, running); });
      });
    });
    if (in_blocks) join_lanes(running);
    e_.set_streaming(streaming);
    Ends ends;
    for (const auto& group : running.reductions)
      for (Expr variable : group) ends.totals.push_back(e_.snapshot(variable, "total"));
    for (const auto& group : running.scans) {
      ends.scans.emplace_back();
      for (Expr variable : group) ends.scans.back().push_back(e_.snapshot(variable, "so_far"));
    }
    for (const Running::Cursor& cursor : running.partitions)
      ends.partitions.push_back(cursor.next ? e_.snapshot(cursor.next, "next") : Expr());
    return ends;
  }

  // Scans in blocks of vectors (Blelloch 1990; within a vector as Hillis and Steele, "Data parallel
  // algorithms", 1986): lanes scan each vector by itself, scalar code the last values of the vectors, and
  // lanes put both together and go on with the body. What the body does before the Scans is done twice.

  static constexpr int vectors_of_block = 16;

  bool scans_in_blocks() const {
    if (entry_.scans.empty() || policy_.rows || policy_.tail_lanes < 4) return false;
    for (const soac::Stm* scan : scans_of(soac_.body))
      for (Var name : scan->names)
        if (arena_.info(name).type.kind == Kind::boolean) return false;
    soac::Soac others = soac_;
    std::erase_if(others.body.body, [](const soac::Stm& s) { return base::as<soac::Scan>(s.op) != nullptr; });
    return !is_in_order(others);
  }

  void start_blocks() {
    const int lanes = policy_.tail_lanes;
    for (const soac::Stm* scan : scans_of(soac_.body)) {
      Block& block = blocks_.emplace_back();
      block.op = &std::get<soac::Scan>(scan->op);
      for (Expr x : block.op->operands) {
        block.values.push_back(e_.allocate_shared(x.kind(), lanes * vectors_of_block));
        block.before.push_back(e_.allocate_shared(x.kind(), vectors_of_block));
        operands_.push_back(x);
      }
    }
    to_operands_ = slice(arena_, soac_.body, operands_);
    for (const soac::Reduction& r : soac_.reductions)
      for (Expr neutral : r.neutral) shared_.push_back(e_.allocate_shared(neutral.kind(), lanes));
    if (!shared_.empty()) in_lanes([&](Expr t) { save({e_.start(soac_), {}, {}, {}}, t); });
  }

  void in_lanes(const std::function<void(Expr)>& body) {
    const bool outside = e_.set_in_scalar_code(false);
    e_.par(Level::block, i64(policy_.tail_lanes), "t", body);
    e_.set_in_scalar_code(outside);
  }

  // The whole blocks of [begin, end); what is left begins at the result.
  Expr blocks(std::span<const Expr> outer, Expr begin, Expr end, const Running& running, Expr streaming) {
    const std::int64_t lanes = policy_.tail_lanes;
    Expr n = i64(lanes * vectors_of_block), step = i64(lanes), zero = i64(0);
    Expr full = arena_.mul(arena_.div(arena_.max(arena_.sub(end, begin), zero), n), n);
    Expr rest = e_.lower(arena_.add(begin, full));
    piece_ = &s_;
    e_.for_loop(begin, rest, n, "from", [&](Expr from) {
      in_lanes([&](Expr t) {
        e_.for_loop(zero, n, step, "v", [&](Expr v) {
          Expr at = e_.bind(arena_.add(v, t), "at");
          at_point(outer, e_.bind(arena_.add(from, at), "j"),
                   [&](std::span<const Expr> indices, Expr) { scan_vector(indices, at); });
        });
      });
      e_.for_loop(zero, i64(vectors_of_block), i64(1), "v", [&](Expr v) { carry(v, running.scans); });
      e_.set_streaming(streaming);
      in_lanes([&](Expr t) {
        Running here = restore(t);
        e_.for_loop(zero, i64(vectors_of_block), i64(1), "v", [&](Expr v) {
          Expr at = e_.bind(arena_.add(arena_.mul(v, step), t), "at");
          here.scanned.clear();
          for (const Block& block : blocks_) here.scanned.push_back(scanned(block, v, at));
          element(outer, e_.bind(arena_.add(from, at), "j"), here);
        });
        save(here, t);
      });
      e_.set_streaming({});
    });
    return rest;
  }

  struct Block {
    const soac::Scan* op;
    std::vector<Var> values;  // of each vector by itself
    std::vector<Var> before;  // what each vector goes on from
  };

  void scan_vector(std::span<const Expr> indices, Expr at) {
    const soac::Applied body = soac::apply(arena_, to_operands_, indices);
    e_.statements(body.body);
    const std::vector<Expr> operands = e_.lower(body.results);
    std::size_t next = 0;
    for (const Block& block : blocks_) {
      const std::size_t n = block.values.size();
      std::vector<Expr> values(operands.begin() + static_cast<std::ptrdiff_t>(next),
                               operands.begin() + static_cast<std::ptrdiff_t>(next + n));
      next += n;
      for (int by = 1; by < policy_.tail_lanes; by *= 2) {
        std::vector<Expr> both = shifted(block, values, by);
        both.insert(both.end(), values.begin(), values.end());
        values = e_.apply(block.op->reduction.op, both);
      }
      for (std::size_t k = 0; k < n; ++k) e_.store_plain(block.values[k], at, values[k]);
    }
  }
  std::vector<Expr> shifted(const Block& block, const std::vector<Expr>& values, int by) {
    const std::vector<Expr> fill = e_.lower(block.op->reduction.neutral);
    std::vector<Expr> result;
    for (std::size_t k = 0; k < values.size(); ++k)
      result.push_back(e_.shift(e_.bind(values[k], "value"), fill[k], by, "before"));
    return result;
  }

  void carry(Expr v, const Running::Groups& so_far) {
    const std::int64_t lanes = policy_.tail_lanes;
    Expr last = e_.bind(arena_.add(arena_.mul(v, i64(lanes)), i64(lanes - 1)), "last");
    for (std::size_t s = 0; s < blocks_.size(); ++s) {
      const Block& block = blocks_[s];
      std::vector<Expr> values;
      for (std::size_t k = 0; k < block.values.size(); ++k) {
        values.push_back(e_.load_plain(block.values[k], last, "value"));
        e_.store_plain(block.before[k], v, e_.snapshot(so_far[s][k], "so_far"));
      }
      e_.join(block.op->reduction, so_far[s], values);
    }
  }

  std::vector<Expr> scanned(const Block& block, Expr v, Expr at) {
    std::vector<Expr> args, values;
    for (Var before : block.before) args.push_back(e_.load_plain(before, v, "so_far"));
    for (Var array : block.values) values.push_back(e_.load_plain(array, at, "value"));
    if (!block.op->inclusive) values = shifted(block, values, 1);
    args.insert(args.end(), values.begin(), values.end());
    return e_.apply(block.op->reduction.op, args);
  }

  // What the lanes reduced joins what scalar code did.
  void join_lanes(const Running& running) {
    for (int width = policy_.tail_lanes / 2; width > 0 && !shared_.empty(); width /= 2) halve(width);
    std::size_t next = 0;
    for (std::size_t g = 0; g < running.reductions.size(); ++g) {
      std::vector<Expr> values;
      for (std::size_t k = 0; k < running.reductions[g].size(); ++k)
        values.push_back(e_.load_plain(shared_[next++], i64(0), "total"));
      e_.join(soac_.reductions[g], running.reductions[g], values);
    }
  }

  std::vector<Expr> lanes() {
    for (const soac::Reduction& r : soac_.reductions)
      for (Expr neutral : r.neutral) shared_.push_back(e_.allocate_shared(neutral.kind(), policy_.lanes));
    if (!shared_.empty())
      e_.par(Level::block, i64(policy_.lanes), "t", [&](Expr t) { save({e_.start(soac_), {}, {}, {}}, t); });
    rows([&](std::span<const Expr> outer, Expr begin, Expr end) {
      pieces(s_, begin, end, most_pieces, [&](Expr from, Expr to) { columns(outer, from, to); });
    });
    for (int width = policy_.lanes / 2; width > 0 && !shared_.empty(); width /= 2) halve(width);
    std::vector<Expr> totals;
    for (Var buffer : shared_) totals.push_back(e_.load_plain(buffer, i64(0), "total"));
    return totals;
  }

  Running restore(Expr t) {
    Running running;
    std::size_t next = 0;
    for (const soac::Reduction& r : soac_.reductions) {
      auto& group = running.reductions.emplace_back();
      for (std::size_t k = 0; k < r.neutral.size(); ++k)
        group.push_back(e_.declare(e_.load_plain(shared_[next++], t, "acc"), "acc"));
    }
    return running;
  }

  void save(const Running& running, Expr t) {
    std::size_t next = 0;
    for (const auto& group : running.reductions)
      for (Expr variable : group) {
        Expr value = e_.snapshot(variable, "acc");
        e_.append(kernel::Store{{shared_[next++], t, i64(1), {}}, value});
      }
  }

  // shared[t] = op(shared[t], shared[t + width]) for t < width: the operator commutes, so halves may be
  // joined. In vectors of the tail's width, then one by one: few widths keep the kernel's text short, and it
  // is compiled while the user waits.
  void halve(int width) {
    const int lanes = policy_.tail_lanes;
    if (width < lanes)
      return e_.for_loop(i64(0), i64(width), i64(1), "t", [&](Expr t) { join_halves(t, width); });
    e_.for_loop(i64(0), i64(width), i64(lanes), "from", [&](Expr from) {
      e_.par(Level::block, i64(lanes), "t",
             [&](Expr t) { join_halves(e_.bind(arena_.add(from, t), "at"), width); });
    });
  }

  void join_halves(Expr t, int width) {
    Expr other = e_.bind(arena_.add(t, i64(width)), "at");
    std::size_t next = 0;
    for (const soac::Reduction& r : soac_.reductions) {
      std::size_t k = r.neutral.size();
      std::vector<Expr> args;
      for (std::size_t c = 0; c < k; ++c) args.push_back(e_.load_plain(shared_[next + c], t, "low"));
      for (std::size_t c = 0; c < k; ++c) args.push_back(e_.load_plain(shared_[next + c], other, "high"));
      std::vector<Expr> joined = e_.apply(r.op, args);
      for (std::size_t c = 0; c < k; ++c)
        e_.append(kernel::Store{{shared_[next + c], t, i64(1), {}}, joined[c]});
      next += k;
    }
  }

  // Calls walk(from, to) for each piece of the columns, with the statement as it is there in `piece_`.
  void pieces(const soac::Stm& s, Expr begin, Expr end, int n_more,
              const std::function<void(Expr from, Expr to)>& walk) {
    const std::optional<Cut> c = n_more > 0 && !policy_.linear ? cut(arena_, s) : std::nullopt;
    if (!c) {
      piece_ = &s;
      walk(begin, end);
      piece_ = nullptr;
      return;
    }
    Expr at = e_.lower(arena_.max(begin, arena_.min(c->at, end)));
    pieces(c->before, begin, at, n_more - 1, walk);
    pieces(c->behind, at, end, n_more - 1, walk);
  }

  using Row = std::function<void(std::span<const Expr> outer, Expr begin, Expr end)>;

  // for (row ...) with the outer indices decoded once a row.
  void rows(const Row& body) {
    if (dims_.size() <= 1 || policy_.linear) return body({}, range_.begin, range_.end);
    if (!range_.is_points)
      return e_.for_loop(range_.first_row, range_.last_row, i64(1), "row",
                         [&](Expr row) { body(decoded(row), range_.begin, range_.end); });
    // Points of a row that the range begins or ends in are left out.
    Expr columns = e_.lower(arena_.max(dims_.back(), i64(1)));
    Expr first = e_.lower(arena_.div(range_.begin, columns));
    Expr last = e_.lower(arena_.div(arena_.sub(arena_.add(range_.end, columns), i64(1)), columns));
    e_.for_loop(first, last, i64(1), "row", [&](Expr row) {
      std::vector<Expr> outer = decoded(row);
      Expr start = e_.bind(arena_.mul(row, columns), "start");
      Expr begin = e_.lower(arena_.max(arena_.sub(range_.begin, start), i64(0)));
      body(outer, begin, e_.lower(arena_.min(arena_.sub(range_.end, start), columns)));
    });
  }

  std::vector<Expr> decoded(Expr row) {
    std::vector<Expr> outer(dims_.size() - 1);
    Expr rest = row;
    for (std::size_t d = outer.size(); d-- > 1;) {
      outer[d] = e_.bind(arena_.rem(rest, dims_[d]), "i");
      rest = e_.bind(arena_.div(rest, dims_[d]), "i");
    }
    outer[0] = rest;
    return outer;
  }

  void columns(std::span<const Expr> outer, Expr begin, Expr end) {
    Expr step = i64(policy_.lanes);
    if (Expr head = unaligned_head(outer, begin)) {
      Expr aligned = e_.lower(arena_.min(arena_.add(begin, head), end));
      masked_loop(outer, begin, aligned);
      begin = aligned;
    }
    Expr full = e_.lower(arena_.mul(arena_.div(arena_.sub(end, begin), step), step));
    Expr main = e_.lower(arena_.add(begin, full));
    e_.par(Level::block, step, "t", [&](Expr t) {
      auto accumulators = restore(t);
      main_loop(outer, t, begin, main, accumulators);
      save(accumulators, t);
    });
    masked_loop(outer, main, end);
  }

  // Elements of a row before the first whose store is aligned to a cache line; a rank-1 tile starts aligned.
  Expr unaligned_head(std::span<const Expr> outer, Expr begin) {
    if (outer.empty() && begin == range_.begin) return {};
    const soac::Layout::Part mapped = soac::layout_of(soac_).mapped;
    for (std::size_t k = 0; k < mapped.n_results; ++k) {
      Expr result = soac_.body.results[mapped.result + k];
      if (result.type().rank > 0) continue;
      constexpr std::int64_t cache_line = 64;
      std::vector<Expr> first(outer.begin(), outer.end());
      first.push_back(begin);
      Expr at = e_.linear(first, dims_);
      if (Expr base = e_.destination(s_.names[mapped.name + k]).base) at = arena_.add(base, at);
      std::int64_t line = cache_line / static_cast<std::int64_t>(size_of(result.kind()));
      return e_.lower(arena_.apply(scalar::Op::bit_and, {arena_.sub(i64(0), at), i64(line - 1)}));
    }
    return {};
  }

  // for (j = begin; j < end; ...) in single masked vectors; their stores go through the cache.
  void masked_loop(std::span<const Expr> outer, Expr begin, Expr end) {
    Expr streaming = e_.streaming();
    e_.set_streaming({});
    e_.if_then(e_.lower(arena_.lt(begin, end)), [&] {
      e_.par(Level::block, i64(policy_.tail_lanes), "t", [&](Expr t) {
        auto accumulators = restore(t);
        e_.for_loop(begin, end, i64(policy_.tail_lanes), "j", [&](Expr j) {
          Expr index = e_.bind(arena_.add(j, t), "j");
          e_.if_then(e_.bind(arena_.lt(index, end), "in_range"),
                     [&] { element(outer, index, accumulators); });
        });
        save(accumulators, t);
      });
    });
    e_.set_streaming(streaming);
  }

  // A float accumulator takes `chain` additions before it is added to an outer one: errors grow with the sum
  // of the two lengths instead of their product.
  void main_loop(std::span<const Expr> outer, Expr t, Expr begin, Expr main, const Running& accumulators) {
    Expr step = i64(policy_.lanes);
    auto run = [&](Expr from, Expr to, const Running& into) {
      e_.for_loop(from, to, step, "j", [&](Expr j) { element(outer, e_.bind(arena_.add(j, t), "j"), into); });
    };
    if (!has_float_reduction()) return run(begin, main, accumulators);
    Expr chain = i64(policy_.chain * policy_.lanes);
    e_.for_loop(begin, main, chain, "from", [&](Expr from) {
      Running inner{e_.start(soac_), {}, {}, {}};
      run(from, e_.lower(arena_.min(arena_.add(from, chain), main)), inner);
      for (std::size_t g = 0; g < inner.reductions.size(); ++g) {
        std::vector<Expr> values;
        for (Expr variable : inner.reductions[g]) values.push_back(e_.snapshot(variable, "part"));
        e_.join(soac_.reductions[g], accumulators.reductions[g], values);
      }
    });
  }

  void element(std::span<const Expr> outer, Expr j, const Running& running) {
    at_point(outer, j, [&](std::span<const Expr> indices, Expr number) {
      e_.point(*piece_, indices, number, running);
    });
  }

  void at_point(std::span<const Expr> outer, Expr j,
                const std::function<void(std::span<const Expr> indices, Expr number)>& body) {
    std::vector<Expr> indices(outer.begin(), outer.end());
    Expr number = j;
    Emitter::Identity outside;
    if (policy_.linear) {
      while (indices.size() < dims_.size()) indices.push_back(e_.placeholder());
      outside = e_.set_identity({indices, number});
    } else {
      indices.push_back(j);
      number = e_.lower(e_.linear(indices, dims_));
    }
    Expr before = e_.element();
    if (!before) e_.set_element(number);  // of the outermost space: what failures are reported by
    body(indices, number);
    e_.set_element(before);
    if (policy_.linear) e_.set_identity(outside);
  }

  bool has_float_reduction() const {
    for (const soac::Reduction& r : soac_.reductions)
      for (Expr neutral : r.neutral)
        if (is_float(neutral.kind())) return true;
    return false;
  }

  Emitter& e_;
  scalar::Arena& arena_;
  const soac::Stm& s_;
  const soac::Soac& soac_;
  const Range& range_;
  const Policy& policy_;
  const Entry& entry_;
  std::vector<Expr> dims_;
  std::vector<Var> shared_;           // one for each reduction component
  std::vector<Block> blocks_;         // of each Scan
  std::vector<Expr> operands_;        // of the Scans
  soac::Lambda to_operands_;          // from the indices
  const soac::Stm* piece_ = nullptr;  // the statement in the piece of the columns that is walked
};

}  // namespace

bool is_in_order(const soac::Soac& soac) {
  auto commutes = [](const soac::Reduction& r) { return r.commutative; };
  auto combines = [](const soac::Scatter& scatter) { return !scatter.combine.empty(); };
  return !std::ranges::all_of(soac.reductions, commutes) || std::ranges::any_of(soac.scatters, combines) ||
         !soac.partitions.empty() || has_scan(soac.body) || makes_arrays(soac);
}

Ends block_loop(Emitter& emitter, const soac::Stm& s, const Range& range, const Policy& policy,
                const Entry& entry) {
  return BlockLoop(emitter, s, range, policy, entry).run();
}

}  // namespace fulgurite::lower
