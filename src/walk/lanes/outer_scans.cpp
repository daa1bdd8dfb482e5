#include "walk/lanes/outer_scans.h"

#include <algorithm>

#include "schedule/nest.h"
#include "schedule/phases.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/slice.h"
#include "soac/rename.h"
#include "walk/control.h"
#include "walk/lanes/outer_nest.h"
#include "walk/points.h"

namespace fulgurite::walk::lanes {

using schedule::Nest, schedule::Unit;

namespace {

std::vector<soac::Reduction> operators_of(const soac::Stm& inside) {
  std::vector<soac::Reduction> operators;
  for (const soac::Stm* scan : schedule::scans_of(std::get<soac::Soac>(inside.op).body))
    operators.push_back(std::get<soac::Scan>(scan->op).reduction);
  return operators;
}

// What all Scans begin with.
std::vector<Expr> firsts_of(const Emitter& e, const soac::Stm& inside) {
  std::vector<Expr> firsts;
  for (const soac::Stm* scan : schedule::scans_of(std::get<soac::Soac>(inside.op).body))
    for (Expr first : e.lower(schedule::first_of(*scan))) firsts.push_back(first);
  return firsts;
}

bool begin_with_neutral(const soac::Stm& inside) {
  return std::ranges::all_of(operators_of(inside),
                             [](const soac::Reduction& r) { return r.initial.empty(); });
}

class OuterScans {
 public:
  OuterScans(const Emitter& task, const schedule::Launch& launch, const schedule::Phase& phase)
      : e_(task),
        arena_(task.arena()),
        outer_(task, phase),
        names_(phase.computes.names),
        part_(outer_.part()),
        streaming_(launch.touched),
        first_(e_.lower(e_.context().task * columns_per_task() - part_.columns.begin)),
        is_first_(e_.lower(equal(part_.rows.number, 0))),
        is_last_(e_.lower(equal(part_.rows.number + 1, part_.rows.n))),
        is_shared_(e_.lower(1 < part_.rows.n)) {
    for (const schedule::Combine& combine : outer_.nest().combines) {
      const std::span<const Var> memory(combine.memory.data(), combine.memory.size() - 1);
      so_far_.insert(so_far_.end(), memory.begin(), memory.begin() + half(memory.size()));
      carries_.insert(carries_.end(), memory.begin() + half(memory.size()), memory.end());
      turn_ = combine.memory.back();
    }
  }

  void run() const {
    outer_.space().rows(e_, part_.columns, [&](std::span<const Expr> outer, Expr begin, Expr end) {
      const OuterNest::Columns all{outer, begin, end};
      start(all);
      e_.if_then(is_shared_, [&] {
        e_.if_then(e_.lower(logical_not(is_last_)), [&] { fold(all); });
        e_.in_order(turn_, [&] { exchange(all); });
      });
      scan(all);
      e_.if_then(is_last_, [&] { store_totals(all); });
    });
  }

 private:
  static std::ptrdiff_t half(std::size_t n) { return static_cast<std::ptrdiff_t>(n / 2); }
  Expr columns_per_task() const { return schedule::task_cut(outer_.nest(), outer_.row_axis() - 1)->size; }

  /// One column: the function of the map there, and where the Scans' values are.
  struct AtColumn {
    const Emitter& e;
    const soac::Applied& map;
    std::span<const Expr> indices;
    Expr number, at;

    const soac::Stm& inside() const { return map.body[0]; }
  };
  void at_columns(const Emitter& e, const Nest& nest, const OuterNest::Columns& all,
                  const std::function<void(const AtColumn&)>& body,
                  const OuterNest::Stores& stores = {}) const {
    outer_.at_points(e, nest, all, stores, [&](const OuterNest::Point& p) {
      body({p.e, p.body, p.indices, p.number, p.e.lower(first_ + p.indices.back())});
    });
  }

  // Rows that go together, in pieces of [begin, end) of the task.
  void for_rows(const Nest& nest, const std::function<void(Expr from, Expr to)>& body) const {
    const Expr together = e_.lower(schedule::innermost(nest, Unit::sequence)->size);
    e_.for_loop(part_.rows.begin, part_.rows.end, together, "from",
                [&](Expr from) { body(from, e_.lower(min(from + together, part_.rows.end))); });
  }

  void start(const OuterNest::Columns& all) const {
    at_columns(e_, outer_.nest(), all, [&](const AtColumn& c) {
      std::vector<Expr> values = firsts_of(c.e, c.inside());
      if (!begin_with_neutral(c.inside())) {
        std::size_t k = 0;
        for (const soac::Reduction& r : operators_of(c.inside()))
          for (Expr neutral : c.e.lower(r.neutral)) {
            values[k] = c.e.bind(select(is_shared_, neutral, values[k]), "first");
            ++k;
          }
      }
      for (std::size_t k = 0; k < values.size(); ++k) c.e.store_plain(so_far_[k], c.at, values[k]);
    });
  }

  void fold(const OuterNest::Columns& all) const {
    const Nest& nest = *schedule::inner_of(outer_.nest(), 0);
    for_rows(nest, [&](Expr from, Expr to) {
      at_columns(e_, nest, all, [&](const AtColumn& c) {
        const auto scans = schedule::scans_of(std::get<soac::Soac>(c.inside().op).body);
        const soac::Stm folded = schedule::fold(arena_, c.inside(), scans, {});
        const auto& op = std::get<soac::Soac>(folded.op);
        const Running running{restore(c.e, op.reductions, so_far_, c.at), {}, 0, {}};
        c.e.for_loop(from, to, arena_.i64(1), "i", [&](Expr i) { point(c.e, folded, {{i}}, i, running); });
        save(c.e, running.reductions, so_far_, c.at);
      });
    });
  }

  // so_far[j], carry[j] = carry[j], op(carry[j], so_far[j]); for the first rows as if the carry were what the
  // Scans begin with.
  void exchange(const OuterNest::Columns& all) const {
    at_columns(e_, outer_.nest(), all, [&](const AtColumn& c) {
      std::vector<Expr> before = firsts_of(c.e, c.inside());
      for (std::size_t k = 0; k < before.size(); ++k) {
        const Expr carry = c.e.load_plain(carries_[k], c.indices.back(), "carry");
        before[k] = c.e.bind(select(is_first_, before[k], carry), "before");
      }
      std::size_t k = 0;
      const std::vector<soac::Reduction> operators = operators_of(c.inside());
      for (const soac::Reduction& r : operators) {
        const std::size_t n = r.neutral.size();
        std::vector<Expr> args(before.begin() + static_cast<std::ptrdiff_t>(k),
                               before.begin() + static_cast<std::ptrdiff_t>(k + n));
        for (std::size_t m = k; m < k + n; ++m) args.push_back(c.e.load_plain(so_far_[m], c.at, "part"));
        const std::vector<Expr> after = walk::apply(c.e, r.op, args);
        for (std::size_t m = 0; m < n; ++m) {
          c.e.store_plain(carries_[k + m], c.indices.back(), after[m]);
          c.e.store_plain(so_far_[k + m], c.at, before[k + m]);
        }
        k += n;
      }
    });
  }

  // Rows that are walked one by one are stored past the caches where the launch touches much.
  void scan(const OuterNest::Columns& all) const {
    const Nest& nest = outer_.nest();
    const Expr together = schedule::innermost(nest, Unit::sequence)->size;
    const Expr streams = e_.lower((nest.traffic.streaming < streaming_) & equal(together, 1));
    const Emitter e = e_.streaming_if(streams);
    for_rows(nest, [&](Expr from, Expr to) {
      at_columns(e, nest, all,
                 [&](const AtColumn& c) {
                   const soac::Stm inside = without_totals(c.inside());
                   place_lines(c);
                   const Running running{{}, restore(c.e, operators_of(inside), so_far_, c.at), 0, {}};
                   c.e.for_loop(from, to, arena_.i64(1), "i",
                                [&](Expr i) { point(c.e, inside, {{i}}, i, running); });
                   save(c.e, running.scans, so_far_, c.at);
                 },
                 {true, unaligned_head(all, from, streams)});
    });
  }

  static soac::Stm without_totals(soac::Stm inside) {
    soac::Outputs outputs = soac::take_outputs(inside);
    outputs.reductions.clear();
    return soac::with_outputs(std::move(inside), std::move(outputs));
  }

  void place_lines(const AtColumn& c) const {
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (const Expr result = c.map.results[k]; result.type().rank > 0)
        c.e.set_destination(result.var(),
                            row_of(c.e, outer_.map(), {result, names_[k]}, c.indices, c.number));
  }

  // Elements of the row before the first whose store is aligned to a cache line.
  Expr unaligned_head(const OuterNest::Columns& all, Expr row, Expr streams) const {
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const Expr result = outer_.map().body.results[k];
      if (result.type().rank == 0) continue;
      std::vector<Expr> first(all.outer.begin(), all.outer.end());
      first.push_back(all.begin);
      const Expr number = linear(e_, first, outer_.space().dims());
      const Destination line = row_of(e_, outer_.map(), {result, names_[k]}, first, number);
      constexpr std::int64_t cache_line = 64;
      const Expr last = arena_.i64(cache_line / static_cast<std::int64_t>(size_of(result.kind())) - 1);
      return e_.lower(select(streams, (0 - element_of(line, row)) & last, 0));
    }
    return {};
  }

  void store_totals(const OuterNest::Columns& all) const {
    const auto is_total = [](Expr result) { return result.type().rank == 0; };
    if (std::ranges::none_of(outer_.map().body.results, is_total)) return;
    at_columns(e_, outer_.nest(), all, [&](const AtColumn& c) {
      const soac::OutputView outputs = soac::view_of(c.inside());
      const Running::Groups scanned = restore(c.e, operators_of(c.inside()), so_far_, c.at);
      for (std::size_t g = 0; g < outputs.reductions.size(); ++g) {
        const int scan = schedule::scan_like(arena_, c.inside(), g);
        for (std::size_t k = 0; k < outputs.reductions[g].names.size(); ++k) {
          const Expr value = scanned[static_cast<std::size_t>(scan)][k];
          c.e.bind_name(outputs.reductions[g].names[k], c.e.snapshot(value, "total"));
        }
      }
      for (std::size_t k = 0; k < names_.size(); ++k)
        if (is_total(c.map.results[k]))
          c.e.store(c.e.destination(names_[k]), c.number, c.e.lower(c.map.results[k]));
    });
  }

  const Emitter& e_;
  scalar::Arena& arena_;
  const OuterNest outer_;
  const std::vector<Var>& names_;
  const OuterNest::Part part_;
  const Expr streaming_;
  const Expr first_, is_first_, is_last_, is_shared_;
  std::vector<Var> so_far_, carries_;
  Var turn_{};
};

}  // namespace

void walk_outer_scans(const Emitter& task, const schedule::Launch& launch, const schedule::Phase& phase) {
  OuterScans(task, launch, phase).run();
}

}  // namespace fulgurite::walk::lanes
