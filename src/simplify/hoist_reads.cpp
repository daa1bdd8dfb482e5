#include "simplify/hoist_reads.h"

#include <algorithm>
#include <limits>

#include "base/match.h"
#include "soac/walk.h"

namespace fulgurite::simplify {

using base::as;
using scalar::Arena, scalar::Expr, scalar::Kind, scalar::Op, scalar::Site, scalar::Var;
using soac::Event, soac::If, soac::Lambda, soac::Loop, soac::PassContext, soac::Program, soac::Soac,
    soac::Stm, soac::Vars;

namespace {

/// A read as it stands in the body of the map.
struct CheckedRead {
  Expr element;
  Site site = 0;
};

class ReadChecks {
 public:
  ReadChecks(Program& program, PassContext& context) : arena_(*program.arena), context_(context) {}

  void scope(std::vector<Stm>& stms) {
    std::vector<Stm> out;
    for (Stm& stm : stms) {
      if (as<Loop>(stm.op) || as<If>(stm.op))
        for (auto& inner : soac::nested_in(stm)) scope(inner.lambda->body);
      if (auto* loop = as<Loop>(stm.op)) leave(stm, *loop, out);
      out.push_back(std::move(stm));
    }
    stms = std::move(out);
  }

 private:
  void leave(const Stm& holder, Loop& loop, std::vector<Stm>& out) {
    const Expr runs = runs_at_all(arena_, loop);
    if (!runs) return;
    bound_.clear();
    soac::add_bound(loop.body, bound_);
    for (Stm& stm : loop.body.body) {
      if (!soac::surely_ends(stm)) return;
      auto* op = as<Soac>(stm.op);
      if (!op || op->dims.size() != 1 || op->outer_axes != 0 || !is_invariant(op->dims, {})) continue;
      for (const CheckedRead& read : reads_of(*op)) {
        check(stm, *op, read, runs, out);
        context_.log.push_back(event_of(Event::Kind::hoisted, out.back(), holder,
                                        "the indices and the extent do not change in the loop"));
        unchecked(*op, read);
      }
    }
  }

  // Whether the expressions have only names that the loop does not bind, and these parameters.
  bool is_invariant(std::span<const Expr> exprs, std::span<const Var> params) const {
    Vars mentioned;
    soac::add_mentioned(exprs, mentioned);
    return std::ranges::all_of(mentioned, [&](Var v) {
      return !bound_.contains(v) || std::ranges::find(params, v) != params.end();
    });
  }

  // The reads that are evaluated at each point.
  std::vector<CheckedRead> reads_of(const Soac& op) const {
    std::vector<CheckedRead> reads;
    scalar::for_each_node(op.body.results, [&](Expr e) {
      if (e.op() != Op::index || e.site() == 0 || !bound_.contains(e.arg(0).var())) return;
      const std::vector<Expr> indices(e.args().begin() + 1, e.args().end());
      bool reads_elements = false;
      scalar::for_each_node(indices, [&](Expr node) { reads_elements |= node.op() == Op::index; });
      if (reads_elements && is_invariant(indices, op.body.params) &&
          is_invariant(arena_.info(e.arg(0).var()).shape, {}))
        reads.push_back({e, e.site()});
    });
    return reads;
  }

  // The search fails at the point itself, which messages name. Its result is asked for, so that it is needed.
  void check(const Stm& map, const Soac& op, const CheckedRead& read, Expr runs, std::vector<Stm>& out) {
    const Expr point = arena_.fresh({Kind::i64}, "i"), found = arena_.fresh({Kind::i64}, "outside");
    const Expr zero = arena_.i64(0);
    const auto [value, extent] = quoted(op, read, point);
    Stm is_there{
        {}, soac::Check{are_inside(op, read, point), read.site, {value, extent}}, map.where, map.origin};
    Stm search{{found.var()},
               Soac{op.dims, {{point.var()}, {std::move(is_there)}, {zero}}, {most()}},
               map.where,
               map.origin};
    Expr none = found;
    if (runs.is_constant(1)) {
      out.push_back(std::move(search));
    } else {
      none = arena_.fresh({Kind::i64}, "outside");
      If guarded{runs, {{}, {std::move(search)}, {found}}, {{}, {}, {zero}}};
      out.push_back({{none.var()}, std::move(guarded), map.where, map.origin});
    }
    out.push_back({{}, soac::Check{none <= 0, read.site, {none, none}}, map.where, map.origin});
  }

  Expr at(const Soac& op, Expr e, Expr point) const {
    return scalar::substitute(arena_, e, {{op.body.params[0], point}});
  }
  // Whether the index along the axis is inside at the point.
  Expr is_inside(const Soac& op, const CheckedRead& read, std::size_t axis, Expr point) const {
    const Expr index = at(op, read.element.arg(axis + 1), point);
    const Expr extent = arena_.info(read.element.arg(0).var()).shape[axis];
    const Expr is_number = 0 <= index, is_below = index < extent;
    return is_number & is_below;
  }
  Expr are_inside(const Soac& op, const CheckedRead& read, Expr point) const {
    Expr all = arena_.boolean(true);
    for (std::size_t axis = 0; axis + 1 < read.element.args().size(); ++axis)
      all = all & is_inside(op, read, axis, point);
    return all;
  }
  // The first index that is outside at the point, and its extent.
  std::pair<Expr, Expr> quoted(const Soac& op, const CheckedRead& read, Expr point) const {
    const std::vector<Expr> shape = arena_.info(read.element.arg(0).var()).shape;
    std::size_t axis = shape.size() - 1;
    Expr value = at(op, read.element.arg(axis + 1), point), extent = shape[axis];
    while (axis-- > 0) {
      const Expr inside = is_inside(op, read, axis, point), index = at(op, read.element.arg(axis + 1), point);
      value = select(inside, value, index);
      extent = select(inside, extent, shape[axis]);
    }
    return {value, extent};
  }
  soac::Reduction most() const {
    const Expr a = arena_.fresh({Kind::i64}, "a"), b = arena_.fresh({Kind::i64}, "b");
    return {{{a.var(), b.var()}, {}, {max(a, b)}},
            {arena_.i64(std::numeric_limits<std::int64_t>::min())},
            {},
            true};
  }

  void unchecked(Soac& op, const CheckedRead& read) const {
    const Expr plain = arena_.index(read.element.arg(0), read.element.args().subspan(1));
    scalar::Substitution substitute(arena_, [&](Expr e) { return e == read.element ? plain : Expr(); });
    for (Expr& result : op.body.results) result = substitute(result);
  }

  Arena& arena_;
  PassContext& context_;
  Vars bound_;  // by the loop at hand
};

}  // namespace

Expr runs_at_all(Arena& arena, const Loop& loop) {
  if (loop.trips) return can_fail(loop.trips) ? Expr() : Expr(0 < loop.trips);
  if (!loop.condition.body.empty()) return {};
  std::unordered_map<Var, Expr> first;
  for (std::size_t k = 0; k < loop.initial.size(); ++k)
    first.emplace(loop.condition.params[k], loop.initial[k]);
  const Expr runs = scalar::substitute(arena, loop.condition.results[0], first);
  return soac::is_total({runs}) ? runs : Expr();
}

void check_reads_before_loops(Program& program, PassContext& context) {
  ReadChecks(program, context).scope(program.body);
}

}  // namespace fulgurite::simplify
