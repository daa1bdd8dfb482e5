#include "simplify/dead.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/match.h"
#include "soac/outputs.h"

namespace fulgurite::simplify {

using base::as;
using base::match;
using scalar::Arena;
using scalar::Expr;
using scalar::Var;
using soac::Lambda;
using soac::Stm;
using soac::Vars;

namespace {

template <class T>
void keep(std::vector<T>& list, const std::vector<bool>& kept, std::size_t offset = 0) {
  std::size_t i = 0;
  std::erase_if(list, [&](const T&) {
    const std::size_t at = i++;
    return at >= offset && at - offset < kept.size() && !kept[at - offset];
  });
}

class Deadness {
 public:
  explicit Deadness(Arena& arena) : arena_(arena) {}

  void need(std::span<const Expr> roots, Vars& live) const {
    Vars mentioned;
    soac::add_mentioned(roots, mentioned);
    for (Var v : mentioned) need(v, live);
  }

  void body(std::vector<Stm>& stms, Vars& live) const {
    std::vector<Stm> kept;
    for (auto stm = stms.rbegin(); stm != stms.rend(); ++stm) {
      const bool used =
          std::any_of(stm->names.begin(), stm->names.end(), [&](Var v) { return live.contains(v); });
      if (!used && !as<soac::Check>(stm->op)) continue;
      prune(*stm, live);
      need(soac::roots_of(*stm), live);
      for (const auto& inner : soac::nested_in(*stm)) lambda(*inner.lambda, live);
      kept.push_back(std::move(*stm));
    }
    std::reverse(kept.begin(), kept.end());
    stms = std::move(kept);
  }

  void lambda(Lambda& l, Vars& live) const {
    need(l.results, live);
    body(l.body, live);
  }

 private:
  void need(Var v, Vars& live) const {
    if (!live.insert(v).second) return;
    need(arena_.info(v).shape, live);
  }

  /// Takes unread components out of a statement of which something is read.
  void prune(Stm& stm, const Vars& live) const {
    std::vector<bool> used;
    for (Var v : stm.names) used.push_back(live.contains(v));
    if (std::find(used.begin(), used.end(), false) == used.end()) return;
    match(
        stm.op, [&](soac::Soac&) { prune_outputs(stm, live); },
        [&](soac::Sort& s) {
          Vars compared;
          soac::add_mentioned(s.key, compared);
          for (std::size_t k = 0; k < used.size(); ++k)
            used[k] = used[k] || compared.contains(s.key.params[k]);
          keep(s.arrays, used);
          keep(s.key.params, used);
          keep(stm.names, used);
        },
        [&](soac::If& i) {
          keep(i.then_branch.results, used);
          keep(i.else_branch.results, used);
          keep(stm.names, used);
        },
        [&](soac::Loop& l) {
          used = needed_states(l, used);
          keep(l.initial, used);
          keep(l.condition.params, used);
          keep(l.body.params, used, l.trips ? 1 : 0);
          keep(l.body.results, used);
          keep(stm.names, used);
        },
        [](soac::Scan&) {}, [](soac::Check&) {}, [](soac::Call&) {}, [](soac::Let&) {});
  }

  /// A reduction and a scatter stay whole if one of their results is read, as their operators need all
  /// operands. Of a partition only the values can go.
  static void prune_outputs(Stm& stm, const Vars& live) {
    const auto is_live = [&](Var v) { return live.contains(v); };
    const auto any_live = [&](const std::vector<Var>& names) { return std::ranges::any_of(names, is_live); };
    const std::vector<bool> needed = soac::needed_scatters(soac::view_of(stm), is_live);
    soac::Outputs outputs = soac::take_outputs(stm);
    std::erase_if(outputs.reductions, [&](const auto& r) { return !any_live(r.names); });
    keep(outputs.scatters, needed);
    std::erase_if(outputs.partitions, [&](const auto& p) {
      return !is_live(p.kept) && !is_live(p.offsets) && !any_live(p.arrays);
    });
    for (soac::Outputs::Partitioned& p : outputs.partitions) {
      std::vector<bool> used;
      for (Var array : p.arrays) used.push_back(is_live(array));
      keep(p.values, used);
      keep(p.arrays, used);
    }
    std::erase_if(outputs.mapped, [&](const soac::Mapped& m) { return !is_live(m.array); });
    stm = soac::with_outputs(std::move(stm), std::move(outputs));
  }

  /// The state that the read results depend on: the least set that holds the results read and is closed under
  /// "mentioned by what computes it".
  std::vector<bool> needed_states(const soac::Loop& loop, const std::vector<bool>& read) const {
    if (loop.initial.empty()) return read;
    const std::pair question(loop.body.params.back(), read);
    if (const auto known = needed_states_.find(question); known != needed_states_.end()) return known->second;
    return needed_states_[question] = find_needed_states(loop, read);
  }

  std::vector<bool> find_needed_states(const soac::Loop& loop, std::vector<bool> needed) const {
    const std::size_t first = loop.trips ? 1 : 0;
    for (bool grew = true; grew;) {
      grew = false;
      Vars live;
      Lambda body = loop.body;
      keep(body.results, needed);
      lambda(body, live);
      if (!loop.trips) {
        Lambda condition = loop.condition;
        lambda(condition, live);
      }
      for (std::size_t k = 0; k < needed.size(); ++k) {
        const bool mentioned = live.contains(loop.body.params[first + k]) ||
                               (!loop.trips && live.contains(loop.condition.params[k]));
        if (mentioned && !needed[k]) needed[k] = grew = true;
      }
    }
    return needed;
  }

  Arena& arena_;
  // By a loop's last parameter and the results that are read. A loop in a loop is asked about for each set of
  // states of the outer one that is tried: without this, time would double with each level of a nest.
  mutable std::map<std::pair<Var, std::vector<bool>>, std::vector<bool>> needed_states_;
};

}  // namespace

void remove_dead(soac::Program& program) {
  Vars live;
  soac::add_mentioned(program.results, live);
  remove_dead(*program.arena, program.body, live);
}

void remove_dead(Arena& arena, Lambda& lambda) {
  Vars live;
  Deadness(arena).lambda(lambda, live);
}

void remove_dead(Arena& arena, std::vector<Stm>& stms, Vars& live) {
  const Deadness deadness(arena);
  Vars closed;
  for (Var v : live) {
    const Expr name = arena.name(v);
    deadness.need(std::span(&name, 1), closed);
  }
  deadness.body(stms, closed);
  live = std::move(closed);
}

}  // namespace fulgurite::simplify
