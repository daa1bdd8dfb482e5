#include "simplify/dead.h"

#include <algorithm>

#include "base/match.h"

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
          // A reduction is kept whole if one of its results is read: its operator needs all operands.
          std::size_t at = 0;
          std::vector<bool> reduction_used;
          for (const soac::Reduction& r : s.reductions) {
            const std::size_t k = r.op.results.size();
            const bool any = std::find(used.begin() + static_cast<std::ptrdiff_t>(at),
                                       used.begin() + static_cast<std::ptrdiff_t>(at + k),
                                       true) != used.begin() + static_cast<std::ptrdiff_t>(at + k);
            std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(at), k, any);
            reduction_used.push_back(any);
            at += k;
          }
          keep(s.reductions, reduction_used);
          keep(s.body.results, used);
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
        [](soac::Check&) {});
    keep(stm.names, used);
  }

  /// The state that the read results depend on: the least set that holds the results read and is closed under
  /// "mentioned by what computes it".
  std::vector<bool> needed_states(const soac::Loop& loop, std::vector<bool> needed) const {
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
};

}  // namespace

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
