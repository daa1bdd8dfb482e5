#include "soac/reuse.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/match.h"
#include "soac/outputs.h"
#include "soac/update.h"

namespace fulgurite::soac {

namespace {

using base::as;

bool is_array(Expr e) {
  return e.type().rank > 0;
}

bool are_alike(const Arena& arena, Var a, Var b) {
  const scalar::VarInfo &of_a = arena.info(a), &of_b = arena.info(b);
  return of_a.type == of_b.type && of_a.shape == of_b.shape;
}

// The line of a statement that mentions the name, for messages; 0: none.
unsigned line_of(const std::vector<Stm>& body, std::size_t from, Var name) {
  for (std::size_t i = from; i < body.size(); ++i) {
    Vars names;
    add_mentioned(body[i], names);
    if (names.contains(name)) return body[i].where.line;
  }
  return 0;
}

class ReuseAnalysis {
 public:
  ReuseAnalysis(Arena& arena, const Updated& updated) : arena_(arena), updated_(updated) {}

  using IsLive = std::function<bool(Var)>;

  /// `is_live`: whether the name is needed after the function.
  void statements(const std::vector<Stm>& body, const std::vector<Expr>& results, Vars own,
                  const IsLive& is_live) {
    std::vector<Vars> mentioned(body.size() + 1);
    for (std::size_t i = 0; i < body.size(); ++i) add_mentioned(body[i], mentioned[i]);
    add_mentioned(results, mentioned.back());
    for (std::size_t i = 0; i < body.size(); ++i) {
      const IsLive behind = [&](Var name) {
        return is_live(name) || std::any_of(mentioned.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                            mentioned.end(), [&](const Vars& v) { return v.contains(name); });
      };
      const Stm& s = body[i];
      base::match(
          s.op,
          [&](const Soac& op) {
            scatters(s, op, own, behind, [&](Var v) { return line_of(body, i + 1, v); });
          },
          [&](const Loop& op) { loop(s, op, own, behind); },
          [&](const If& op) { branches(s, op, own, behind); }, [](const auto&) {});
      if (!as<Sort>(s.op))
        for (Var name : s.names)
          if (arena_.info(name).type.rank > 0) own.insert(name);
    }
  }

  Reuse reuse;

 private:
  void scatters(const Stm& s, const Soac& op, const Vars& own, const IsLive& is_live,
                const std::function<unsigned(Var)>& line_behind) {
    const OutputView outputs = view_of(s);
    for (std::size_t g = 0; g < op.scatters.size(); ++g) {
      const Scatter& to = op.scatters[g];
      std::vector<std::optional<Var>> old;
      for (std::size_t k = 0; k < outputs.scatters[g].arrays.size(); ++k) {
        const auto from = contents_of(to, k);
        if (!from) continue;
        const Var array = outputs.scatters[g].arrays[k];
        const auto tell = [&](const std::string& why) {
          if (updated_) updated_(s, *from, why);
        };
        if (old.empty()) old = updates(arena_, op, g);
        if (!own.contains(*from)) {
          tell("is not made in this function, which may run again");
        } else if (is_live(*from)) {
          const unsigned line = line_behind(*from);
          tell(line > 0 ? fmt::format("is needed as it was at line {}", line) : "is needed as it was");
        } else if (!old[k] || !are_alike(arena_, array, *from)) {
          tell("is read at other places while elements are replaced");
        } else {
          reuse.emplace(array, *from);
          tell("");
        }
      }
    }
  }

  void loop(const Stm& s, const Loop& op, const Vars& own, const IsLive& is_live) {
    const auto places = kept_places(arena_, op);
    Vars inside;
    add_mentioned(op.body, inside);
    add_mentioned(op.condition, inside);
    Vars taken;
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (places[k] != k) continue;
      const Var from = op.initial[k].var(), param = state_of(op)[k];
      if (!own.contains(from) || is_live(from) || inside.contains(from) || taken.contains(from)) continue;
      if (!are_alike(arena_, from, param) || !are_alike(arena_, from, s.names[k])) continue;
      taken.insert(from);
      reuse.emplace(s.names[k], from);
    }
  }

  void branches(const Stm& s, const If& op, const Vars& own, const IsLive& is_live) {
    statements(op.then_branch.body, op.then_branch.results, own, is_live);
    statements(op.else_branch.body, op.else_branch.results, own, is_live);
    Vars taken;
    for (std::size_t k = 0; k < s.names.size(); ++k) {
      if (arena_.info(s.names[k]).type.rank == 0) continue;
      for (const Lambda* branch : {&op.then_branch, &op.else_branch}) {
        const Var from = first_from(own, branch->results[k].var());
        if (!own.contains(from) || is_live(from) || taken.contains(from)) continue;
        if (!are_alike(arena_, from, s.names[k])) continue;
        if (others_lie_there(op.then_branch, k, own, from) || others_lie_there(op.else_branch, k, own, from))
          continue;
        // If neither branch changes it, the other branch's array is made where it belongs.
        const auto is_changed = [&](const Lambda& f) {
          const Var result = f.results[k].var();
          return result != from && first_from(own, result) == from;
        };
        if (!is_changed(op.then_branch) && !is_changed(op.else_branch)) continue;
        taken.insert(from);
        reuse.emplace(s.names[k], from);
        break;
      }
    }
  }

  // The array of the enclosing body whose memory an array of a branch takes; else where the chain of reuse
  // ends.
  Var first_from(const Vars& own, Var array) const {
    while (!own.contains(array)) {
      const auto found = reuse.find(array);
      if (found == reuse.end()) break;
      array = found->second;
    }
    return array;
  }
  bool others_lie_there(const Lambda& branch, std::size_t component, const Vars& own, Var from) const {
    const Var owner = first_owner(reuse, from);
    for (std::size_t k = 0; k < branch.results.size(); ++k) {
      if (k == component || !is_array(branch.results[k])) continue;
      const Var array = first_from(own, branch.results[k].var());
      if (first_owner(reuse, array) == owner) return true;
    }
    return false;
  }

  Arena& arena_;
  const Updated& updated_;
};

}  // namespace

Reuse reuse_of(Arena& arena, const std::vector<Stm>& body, const std::vector<Expr>& results, const Vars& own,
               const Updated& updated) {
  ReuseAnalysis analysis(arena, updated);
  analysis.statements(body, results, own, [](Var) { return false; });
  return std::move(analysis.reuse);
}

Var first_owner(const Reuse& reuse, Var array) {
  for (auto found = reuse.find(array); found != reuse.end(); found = reuse.find(array)) array = found->second;
  return array;
}

std::vector<std::optional<std::size_t>> kept_places(Arena& arena, const Loop& loop) {
  const std::size_t n = loop.initial.size();
  const std::span<const Var> state = state_of(loop);
  std::vector<std::optional<std::size_t>> left(n);
  Vars own;
  for (std::size_t k = 0; k < n; ++k)
    if (is_array(loop.initial[k])) own.insert(state[k]);
  if (own.empty()) return left;
  const Reuse reuse = reuse_of(arena, loop.body.body, loop.body.results, own);
  for (std::size_t k = 0; k < n; ++k) {
    if (!is_array(loop.initial[k])) continue;
    const Var lies_in = first_owner(reuse, loop.body.results[k].var()), param = state[k];
    for (std::size_t p = 0; p < n; ++p)
      if (state[p] == lies_in && are_alike(arena, param, lies_in) &&
          are_alike(arena, param, loop.body.results[k].var()))
        left[k] = p;
  }
  // Components that change places do so among each other.
  const auto returns = [&](std::size_t k) {
    std::size_t at = k;
    for (std::size_t step = 0; step < n; ++step) {
      if (!left[at]) return false;
      at = *left[at];
      if (at == k) return true;
    }
    return false;
  };
  std::vector<std::optional<std::size_t>> places(n);
  for (std::size_t k = 0; k < n; ++k)
    if (returns(k)) places[k] = left[k];
  return places;
}

namespace {

void for_each_update(Arena& arena, const Lambda& f, const Vars& own, const Updated& updated);

void for_each_update_inside(Arena& arena, const std::vector<Stm>& body, const Updated& updated) {
  for (const Stm& s : body)
    for (const auto& nested : nested_in(s)) {
      if (nested.role == Role::branch) {  // its statements are among the ones around it
        for_each_update_inside(arena, nested.lambda->body, updated);
        continue;
      }
      Vars own;
      if (nested.role == Role::iteration)
        for (Var param : nested.lambda->params)
          if (arena.info(param).type.rank > 0) own.insert(param);
      for_each_update(arena, *nested.lambda, own, updated);
    }
}

void for_each_update(Arena& arena, const Lambda& f, const Vars& own, const Updated& updated) {
  reuse_of(arena, f.body, f.results, own, updated);
  for_each_update_inside(arena, f.body, updated);
}

}  // namespace

void for_each_update(Arena& arena, const Lambda& f, const Updated& updated) {
  for_each_update(arena, f, {}, updated);
}

}  // namespace fulgurite::soac
