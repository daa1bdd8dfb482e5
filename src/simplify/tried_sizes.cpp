#include "simplify/tried_sizes.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/match.h"
#include "simplify/dead.h"
#include "soac/rename.h"
#include "soac/room.h"

namespace fulgurite::simplify {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Var;
using soac::If;
using soac::Lambda;
using soac::Loop;
using soac::Soac;
using soac::state_of;
using soac::Stm;

namespace {

constexpr std::int64_t first_room = 64, times_more = 4;

using Stms = std::span<const Stm>;

class Tried {
 public:
  Tried(Arena& arena, Expr room) : arena_(arena), limit_(min(room, soac::in_memory)) {}

  /// Appends statements that compute the most elements that s asks for: of all sizes, or of the sizes up to
  /// the first one that is more than the room. What they bind has names of its own.
  Expr needed(const Stm& s, std::vector<Stm>& to) const {
    std::vector<Stm> parts;
    Expr most = add_parts(s, parts);
    soac::Renaming rename(arena_, soac::Renaming::Binders::fresh);
    for (Stm& part : parts) to.push_back(rename(std::move(part)));
    return rename(most);
  }

 private:
  bool is_check(const Stm& s) const {
    const auto* check = as<soac::Check>(s.op);
    return check && check->operands.size() == 2 && check->operands[1] == limit_;
  }
  bool asks(const Stm& s) const {
    const auto inside = soac::nested_in(s);
    return is_check(s) ||
           std::ranges::any_of(inside, [&](const auto& inner) { return asks(inner.lambda->body); });
  }
  bool asks(Stms body) const {
    return std::ranges::any_of(body, [&](const Stm& s) { return asks(s); });
  }

  Expr fresh_needed() const { return arena_.fresh(scalar::Type{}, "needed"); }

  // Names that s binds itself keep their meaning if it is a loop, and have none if it is not.
  Expr add_parts(const Stm& s, std::vector<Stm>& to) const {
    if (as<Loop>(s.op)) return add_loop(s, to);
    const auto add = [&](soac::Operation op, std::string origin) {
      const Expr needed = fresh_needed();
      to.push_back({{needed.var()}, std::move(op), s.where, std::move(origin)});
      return needed;
    };
    if (const auto* branch = as<If>(s.op))
      return add(If{branch->condition, only_needed(branch->then_branch), only_needed(branch->else_branch)},
                 s.origin);
    const auto& op = std::get<Soac>(s.op);
    Expr most;
    for (const auto& inner : soac::nested_in(s)) {
      if (!asks(inner.lambda->body)) continue;
      Soac points{{inner.extents.begin(), inner.extents.end()}, only_needed(*inner.lambda)};
      points.reductions = {greatest(arena_)};
      if (inner.role == soac::Role::points) points.outer_axes = op.outer_axes;
      const Expr needed = add(std::move(points), "largest size");
      most = most ? max(most, needed) : needed;
    }
    return most;
  }

  // ---- functions of which nothing else is needed

  Lambda only_needed(const Lambda& f) const {
    Lambda only{f.params, {}, {}};
    only.results = {of_statements(f.body, only.body)};
    return only;
  }

  Expr of_statements(Stms body, std::vector<Stm>& to) const {
    for (std::size_t i = 0; i < body.size(); ++i) {
      const Stm& s = body[i];
      if (!asks(s)) {
        to.push_back(s);
        continue;
      }
      const bool is_last = !asks(body.subspan(i + 1));
      const Expr here = is_check(s) ? as<soac::Check>(s.op)->operands[0] : needed(s, to);
      if (is_last) return here;
      Lambda rest{{}, {s}, {}};
      rest.results = {max(here, of_statements(body.subspan(i + 1), rest.body))};
      const Expr most = fresh_needed();
      to.push_back(if_fits(here, std::move(rest), {{}, {}, {here}}, {most.var()}, s));
      return most;
    }
    return arena_.i64(0);
  }

  Stm if_fits(Expr size, Lambda rest, Lambda otherwise, std::vector<Var> names, const Stm& s) const {
    return {std::move(names), If{size <= limit_, std::move(rest), std::move(otherwise)}, s.where, s.origin};
  }

  // ---- loops

  // The loop with one more state, the last name that it binds: the most elements asked for so far. Once that
  // is more than the room, the loop has a state without elements, and does nothing more.
  Expr add_loop(const Stm& s, std::vector<Stm>& to) const {
    const auto& op = std::get<Loop>(s.op);
    Stm escaping = s;
    auto& made = std::get<Loop>(escaping.op);
    made.initial.push_back(asks(op.condition.body) ? of_condition(op, op.initial, to) : arena_.i64(0));
    made.body = iteration(op, s);
    if (!op.trips) made.condition = condition(op, s);
    const Expr needed = fresh_needed();
    escaping.names.push_back(needed.var());
    to.push_back(std::move(escaping));
    return needed;
  }

  Expr of_condition(const Loop& op, std::span<const Expr> state, std::vector<Stm>& to) const {
    return of_statements(soac::apply(arena_, op.condition, state).body, to);
  }

  Lambda iteration(const Loop& op, const Stm& s) const {
    const Expr so_far = fresh_needed();
    Lambda made{op.body.params, {}, {}};
    made.params.push_back(so_far.var());
    if (!op.trips) {
      made.results = state_after(op, op.body.body, so_far, made.body);
    } else {
      Lambda next;
      next.results = state_after(op, op.body.body, so_far, next.body);
      made.results = add_next(op, so_far, std::move(next), s, made.body);
    }
    return made;
  }

  // What the condition reads is not there in a state without elements.
  Lambda condition(const Loop& op, const Stm& s) const {
    const Expr so_far = fresh_needed();
    Lambda made = op.condition;
    made.params.push_back(so_far.var());
    if (made.body.empty() && soac::is_total(made.results)) {
      made.results = {made.results[0] & (so_far <= limit_)};
      return made;
    }
    Lambda holds{{}, std::move(made.body), std::move(made.results)};
    const Expr goes_on = arena_.fresh({scalar::Kind::boolean}, "goes_on");
    made.body = {if_fits(so_far, std::move(holds), {{}, {}, {arena_.boolean(false)}}, {goes_on.var()}, s)};
    made.results = {goes_on};
    return made;
  }

  // The state after these statements, and what has been asked for.
  std::vector<Expr> state_after(const Loop& op, Stms body, Expr so_far, std::vector<Stm>& to) const {
    for (std::size_t i = 0; i < body.size(); ++i) {
      const Stm& s = body[i];
      if (!asks(s)) {
        to.push_back(s);
        continue;
      }
      Lambda rest;
      Expr here;
      if (as<Loop>(s.op)) {
        here = add_loop(s, to);
      } else {
        here = is_check(s) ? as<soac::Check>(s.op)->operands[0] : needed(s, to);
        rest.body.push_back(s);
      }
      rest.results = state_after(op, body.subspan(i + 1), max(so_far, here), rest.body);
      return add_next(op, here, std::move(rest), s, to);
    }
    std::vector<Expr> results = op.body.results;
    results.push_back(asks(op.condition.body) ? max(so_far, of_condition(op, results, to)) : so_far);
    return results;
  }

  // The state that `next` gives where the size fits.
  std::vector<Expr> add_next(const Loop& op, Expr size, Lambda next, const Stm& s,
                             std::vector<Stm>& to) const {
    std::vector<Var> names;
    std::unordered_map<Var, Expr> now;
    for (Var param : state_of(op)) {
      const scalar::VarInfo info = arena_.info(param);
      std::vector<Expr> shape;
      for (Expr extent : info.shape) shape.push_back(scalar::substitute(arena_, extent, now));
      const Expr name = info.type.rank == 0 ? arena_.fresh(info.type, info.name)
                                            : arena_.fresh_array(info.type.kind, std::move(shape), info.name);
      now.emplace(param, name);
      names.push_back(name.var());
    }
    names.push_back(fresh_needed().var());
    std::vector<Expr> results = arena_.names(names);
    to.push_back(if_fits(size, std::move(next), without_elements(op, size), std::move(names), s));
    return results;
  }

  // The state where arrays whose sizes are state have no elements.
  Lambda without_elements(const Loop& op, Expr needed) const {
    Lambda state;
    std::unordered_map<Var, Expr> none;
    for (Var param : state_of(op))
      for (Expr extent : arena_.info(param).shape)
        if (extent.is_name() && std::ranges::find(state_of(op), extent.var()) != state_of(op).end())
          none.emplace(extent.var(), arena_.i64(0));
    for (Var param : state_of(op)) {
      const scalar::VarInfo info = arena_.info(param);
      const Expr zero = arena_.constant(info.type.kind, 0);
      std::vector<Expr> shape;
      for (Expr extent : info.shape) shape.push_back(scalar::substitute(arena_, extent, none));
      if (info.type.rank == 0 || shape == info.shape) {
        state.results.push_back(info.type.rank == 0 ? zero : arena_.name(param));
        continue;
      }
      Soac zeros{shape, {}};
      for (std::size_t d = 0; d < shape.size(); ++d)
        zeros.body.params.push_back(arena_.fresh(scalar::Type{}, "i").var());
      zeros.body.results = {zero};
      const Expr array = arena_.fresh_array(info.type.kind, std::move(shape), info.name);
      state.body.push_back({{array.var()}, std::move(zeros), {}, "no elements"});
      state.results.push_back(array);
    }
    state.results.push_back(needed);
    return state;
  }

  Arena& arena_;
  const Expr limit_;
};

}  // namespace

soac::Reduction greatest(Arena& arena) {
  const Expr a = arena.fresh(scalar::Type{}, "a"), b = arena.fresh(scalar::Type{}, "b");
  return {{{a.var(), b.var()}, {}, {max(a, b)}}, {arena.i64(0)}, {}, true};
}

Stm tried_sizes(Arena& arena, const Stm& s, Expr room, Expr most) {
  const auto state = [&] {
    return std::pair{arena.fresh(scalar::Type{}, "tried"), arena.fresh(scalar::Type{}, "most")};
  };
  const auto [tried, needed] = state();
  Loop tries{{arena.i64(0), arena.i64(first_room)}, {}, {}, {}};
  tries.condition = {{tried.var(), needed.var()}, {}, {tried < needed}};
  const auto [former, wanted] = state();
  tries.body.params = {former.var(), wanted.var()};
  tries.body.body.push_back({{room.var()}, soac::Let{max(former * times_more, wanted)}, s.where, "room"});
  const Expr of_all = Tried(arena, room).needed(s, tries.body.body);
  tries.body.results = {room, of_all};
  std::vector<Stm> all;
  all.push_back({{state().first.var(), most.var()}, std::move(tries), s.where, "largest size"});
  soac::Vars live{most.var()};
  remove_dead(arena, all, live);
  return std::move(all[0]);
}

}  // namespace fulgurite::simplify
