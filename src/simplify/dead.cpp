#include "simplify/dead.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/match.h"
#include "soac/layout.h"

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

  /// Takes the components that nobody reads out of a statement of which something is read.
  void prune(Stm& stm, const Vars& live) const {
    std::vector<bool> used;
    for (Var v : stm.names) used.push_back(live.contains(v));
    if (std::find(used.begin(), used.end(), false) == used.end()) return;
    match(
        stm.op,
        [&](soac::Soac& s) {
          // A reduction, a scatter: kept whole if one of its results is read, as their operators need all
          // operands. Of a partition only the values can go.
          const soac::Layout layout = soac::layout_of(s);
          std::vector<bool> results(s.body.results.size(), false);
          auto any = [&](const soac::Layout::Part& p) {
            const auto first = used.begin() + static_cast<std::ptrdiff_t>(p.name);
            const bool is_read = std::find(first, first + static_cast<std::ptrdiff_t>(p.n_names), true) !=
                                 first + static_cast<std::ptrdiff_t>(p.n_names);
            return is_read;
          };
          auto whole = [&](const soac::Layout::Part& p) {
            const bool is_read = any(p);
            std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(p.name), p.n_names, is_read);
            std::fill_n(results.begin() + static_cast<std::ptrdiff_t>(p.result), p.n_results, is_read);
            return is_read;
          };
          std::vector<bool> reductions, scatters, partitions;
          for (const soac::Layout::Part& p : layout.reductions) reductions.push_back(whole(p));
          for (const soac::Layout::Part& p : layout.scatters) scatters.push_back(whole(p));
          for (std::size_t i = 0; i < s.partitions.size(); ++i) {
            const soac::Layout::Part p = layout.partitions[i];
            partitions.push_back(any(p));
            if (!partitions.back()) continue;
            used[p.name] = used[p.name + 1] = results[p.result] = true;
            std::size_t n_values = 0;
            for (std::size_t k = 0; k < s.partitions[i].n_values; ++k) {
              results[p.result + 1 + k] = used[p.name + 2 + k];
              n_values += used[p.name + 2 + k];
            }
            s.partitions[i].n_values = n_values;
          }
          for (std::size_t k = 0; k < layout.mapped.n_names; ++k)
            results[layout.mapped.result + k] = used[layout.mapped.name + k];
          keep(s.reductions, reductions);
          keep(s.scatters, scatters);
          keep(s.partitions, partitions);
          keep(s.body.results, results);
        },
        [&](soac::Scan&) { used.assign(used.size(), true); },
        [&](soac::Sort& s) {
          Vars compared;
          soac::add_mentioned(s.key, compared);
          for (std::size_t k = 0; k < used.size(); ++k)
            used[k] = used[k] || compared.contains(s.key.params[k]);
          keep(s.arrays, used);
          keep(s.key.params, used);
        },
        [&](soac::If& i) {
          keep(i.then_branch.results, used);
          keep(i.else_branch.results, used);
        },
        [&](soac::Loop& l) {
          used = needed_states(l, used);
          keep(l.initial, used);
          keep(l.condition.params, used);
          keep(l.body.params, used, l.trips ? 1 : 0);
          keep(l.body.results, used);
        },
        [](soac::Check&) {}, [&](soac::Call&) { used.assign(used.size(), true); }, [](soac::Let&) {});
    keep(stm.names, used);
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
