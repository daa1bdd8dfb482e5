// Loops whose steps make a whole matrix, where each element needs its own former value and a few rows or
// columns, as eliminations and shortest paths are written:
//   loop (m) do (k, s) { map (i < n, j < n) { k < i & k < j ? s[i, j] - s[i, k] * s[k, j] : s[i, j] } }
// Such a step changes the matrix where it lies (soac/update.h). Points that stay as they were are left out,
// where conditions on single axes tell which these are; what points read that others change is copied first,
// as far as it depends on fewer axes than the points have:
//   loop (m) do (k, s) {
//     column = map (i < n - k - 1) { s[i + k + 1, k] }
//     redomap (i < n - k - 1, j < n - k - 1) { i + k + 1, j + k + 1, .. - column[i] * s[k, j + k + 1] }
//       scatter unordered (n, n) (i, j) { s[i, j] } }
// A step costs as much as what it changes, and needs memory for one matrix. It has a launch more, so that
// small matrices keep their loop. Where sizes are state, because the first step takes what the caller has and
// gives what its own sizes say, the loop of updates is for callers that have these sizes at once.
#include <algorithm>
#include <map>
#include <optional>

#include "base/match.h"
#include "fuse/changed_step.h"
#include "fuse/fuse.h"
#include "soac/count.h"
#include "soac/equal_sizes.h"
#include "soac/rename.h"

namespace fulgurite::fuse {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Var;
using soac::If;
using soac::Loop;
using soac::PassContext;
using soac::Program;
using soac::Soac;
using soac::state_of;
using soac::Stm;
using soac::Vars;

namespace {

class InPlace {
 public:
  InPlace(const Program& program, PassContext& context)
      : arena_(*program.arena), sizes_(program), context_(context) {}

  void scope(std::vector<Stm>& stms) {
    for (Stm& s : stms) {
      if (as<Soac>(s.op)) continue;
      for (auto& inner : soac::nested_in(s)) scope(inner.lambda->body);
      if (as<Loop>(s.op)) loop(s);
    }
  }

 private:
  void loop(Stm& s) {
    const auto& op = std::get<Loop>(s.op);
    for (std::size_t at = 0; at < op.body.body.size(); ++at)
      if (const std::optional<Step> step = step_at(op, at))
        if (changed(s, *step)) return;
  }

  // ---- steps

  /// A map of expressions whose results are arrays of the state, and nothing else needs what they were.
  std::optional<Step> step_at(const Loop& loop, std::size_t at) const {
    const Stm& s = loop.body.body[at];
    const auto* op = as<Soac>(s.op);
    if (!op || !soac::is_map(*op) || !op->body.body.empty() || op->dims.size() < 2 || op->axes_behind > 0)
      return {};
    Step step{at, {}};
    Vars used;
    for (Var name : s.names) {
      const auto is_it = [&](Expr e) { return e.is_name() && e.var() == name; };
      const auto found = std::ranges::find_if(loop.body.results, is_it);
      if (found == loop.body.results.end() || std::ranges::count_if(loop.body.results, is_it) > 1) return {};
      const auto component = static_cast<std::size_t>(found - loop.body.results.begin());
      const Var former = state_of(loop)[component];
      if (arena_.info(former).type.rank != static_cast<int>(op->dims.size())) return {};
      step.components.push_back(component);
      used.insert({name, former});
    }
    for (std::size_t k = at + 1; k < loop.body.body.size(); ++k)
      if (soac::mentions_any(loop.body.body[k], used)) return {};
    for (Expr result : loop.body.results)
      for (std::size_t component : step.components)
        if (result.is_name() && result.var() == state_of(loop)[component]) return {};
    return step;
  }

  /// The components of the state that are sizes and must begin as what each iteration gives them, so that the
  /// map has the shape of the state. Absent: it has another one.
  std::optional<std::map<std::size_t, Expr>> needed_sizes(const Loop& loop, const Step& step) const {
    const std::vector<Expr>& dims = std::get<Soac>(loop.body.body[step.statement].op).dims;
    const std::span<const Var> state = state_of(loop);
    Vars inside;
    soac::add_bound(loop.body, inside);
    std::map<std::size_t, Expr> needed;
    for (std::size_t component : step.components) {
      const std::vector<Expr> shape = arena_.info(state[component]).shape;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (sizes_.equal(shape[d], dims[d])) continue;
        const auto size = shape[d].is_name() ? std::ranges::find(state, shape[d].var()) : state.end();
        if (size == state.end()) return {};
        const auto k = static_cast<std::size_t>(size - state.begin());
        const Expr next = loop.body.results[k];
        if (!sizes_.equal(next, dims[d]) || soac::mentions_any(std::span(&next, 1), inside)) return {};
        needed.emplace(k, next);
      }
    }
    for (std::size_t k = 0; k < loop.initial.size(); ++k)
      if (std::ranges::find(step.components, k) == step.components.end() && has_size_of(loop, k, needed))
        return {};
    return needed;
  }

  /// Whether an extent of the component is one of these.
  bool has_size_of(const Loop& loop, std::size_t component, const std::map<std::size_t, Expr>& sizes) const {
    Vars names;
    for (const auto& each : sizes) names.insert(state_of(loop)[each.first]);
    return soac::mentions_any(arena_.info(state_of(loop)[component]).shape, names);
  }

  // ---- loops

  bool changed(Stm& s, const Step& step) {
    const auto& op = std::get<Loop>(s.op);
    const auto needed = needed_sizes(op, step);
    if (!needed) return false;
    Stm updating = with_sizes(s, *needed);
    auto& made = std::get<Loop>(updating.op);
    Step moved = step;
    for (std::size_t& component : moved.components)
      component -= static_cast<std::size_t>(
          std::ranges::count_if(*needed, [&](const auto& each) { return each.first < component; }));
    Expr holds = arena_.boolean(true);
    std::unordered_map<Var, Expr> settled;
    for (const auto& [component, size] : *needed) {
      const Expr initial = op.initial[component];
      holds = holds & equal(initial, size);
      if (initial.is_name()) settled.emplace(initial.var(), size);
    }
    const Canonical canonical = [&](Expr size) {
      return sizes_.canonical(scalar::substitute(arena_, size, settled));
    };
    std::optional<ChangedStep> step_in_place = changed_step(arena_, made, moved, canonical);
    if (!step_in_place) return false;
    const Var state = state_of(made)[moved.components[0]];
    holds = holds & is_at_least(state, step_in_place->is_part ? context_.least_part : context_.least_whole);
    if (holds.is_constant(0) || !context_.spend()) return false;
    replace(made, moved, std::move(step_in_place->statements));
    if (needed->empty() && holds.is_constant(1)) {
      updating.names = s.names;
      s = std::move(updating);
    } else {
      s = versions(s, holds, std::move(updating), *needed);
    }
    return true;
  }

  /// A copy of the loop whose state begins with these sizes and keeps them.
  Stm with_sizes(const Stm& s, const std::map<std::size_t, Expr>& sizes) {
    Stm copy = s;
    const auto& op = std::get<Loop>(copy.op);
    soac::Renaming rename(arena_, soac::Renaming::Binders::fresh);
    for (auto each = sizes.rbegin(); each != sizes.rend(); ++each) {
      const std::size_t k = each->first;
      const Expr initial = op.initial[k];
      rename.bind(state_of(op)[k], initial);
      rename.bind(copy.names[k], initial);
      if (!op.trips) rename.bind(op.condition.params[k], initial);
      soac::erase_state(copy, k);
    }
    return rename(std::move(copy));
  }

  Expr is_at_least(Var array, std::int64_t bytes) const {
    if (bytes == 0) return arena_.boolean(true);
    const scalar::VarInfo info = arena_.info(array);
    Expr size = arena_.i64(static_cast<std::int64_t>(scalar::size_of(info.type.kind)));
    for (Expr extent : info.shape) size = size * extent;
    return bytes <= size;
  }

  /// The last of the statements makes the results of the step.
  void replace(Loop& loop, const Step& step, std::vector<Stm> statements) const {
    const std::vector<Var>& arrays = statements.back().names;
    for (std::size_t k = 0; k < arrays.size(); ++k)
      loop.body.results[step.components[k]] = arena_.name(arrays[k]);
    std::vector<Stm>& body = loop.body.body;
    const auto at = body.erase(body.begin() + static_cast<std::ptrdiff_t>(step.statement));
    body.insert(at, std::make_move_iterator(statements.begin()), std::make_move_iterator(statements.end()));
  }

  Stm versions(const Stm& s, Expr condition, Stm updating, const std::map<std::size_t, Expr>& sizes) {
    soac::Renaming rename(arena_, soac::Renaming::Binders::fresh);
    Stm other = rename(s);
    If branches{condition, {}, {}};
    std::size_t next = 0;
    for (std::size_t k = 0; k < s.names.size(); ++k) {
      const bool is_size = sizes.contains(k);
      branches.then_branch.results.push_back(is_size ? std::get<Loop>(s.op).initial[k]
                                                     : arena_.name(updating.names[next]));
      next += is_size ? 0 : 1;
      branches.else_branch.results.push_back(arena_.name(other.names[k]));
    }
    branches.then_branch.body.push_back(std::move(updating));
    branches.else_branch.body.push_back(std::move(other));
    return {s.names, std::move(branches), s.where, s.origin};
  }

  Arena& arena_;
  const soac::EqualSizes sizes_;
  PassContext& context_;
};

Program run_in_place(Program program, PassContext& context) {
  InPlace(program, context).scope(program.body);
  return program;
}

}  // namespace

const soac::Pass in_place{"in_place", "steps of loops that change a matrix do so where it lies",
                          run_in_place};

}  // namespace fulgurite::fuse
