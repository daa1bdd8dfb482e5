#include "soac/sink.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/match.h"
#include "soac/walk.h"

namespace fulgurite::soac {
namespace {

using base::as;

// Where a name is needed: anywhere in a body, or in one branch of an If only.
struct Place {
  static constexpr std::size_t anywhere = SIZE_MAX;
  std::size_t statement = anywhere;
  bool is_then = false;
  friend auto operator<=>(const Place&, const Place&) = default;
};

class Sinking {
 public:
  explicit Sinking(const Arena& arena) : arena_(arena) {}

  void body(std::vector<Stm>& stms, std::span<const Expr> results) const {
    Vars fallible;
    add_fallible(stms, 0, fallible);
    std::unordered_map<Var, Place> needed;
    const auto need = [&](const Vars& names, const Place& where) {
      for (const Var v : names)
        if (const auto [known, is_new] = needed.emplace(v, where); !is_new && known->second != where)
          known->second = {};
    };
    Vars of_results;
    add_mentioned(results, of_results);
    need(with_shapes(std::move(of_results)), {});
    std::map<Place, std::vector<Stm>> moved;  // the last one first
    std::vector<bool> goes(stms.size());
    for (std::size_t k = stms.size(); k-- > 0;) {
      const std::optional<Place> where = place_of(stms[k], needed);
      goes[k] = !where || (*where != Place() && may_move(stms[k], fallible));
      if (!goes[k]) need_parts(stms[k], k, need);
      if (!goes[k] || !where) continue;
      need(names_of(stms[k]), *where);
      moved[*where].push_back(std::move(stms[k]));
    }
    for (auto& [where, of_branch] : moved) {
      If& branches = *as<If>(stms[where.statement].op);
      Lambda& branch = where.is_then ? branches.then_branch : branches.else_branch;
      branch.body.insert(branch.body.begin(), std::make_move_iterator(of_branch.rbegin()),
                         std::make_move_iterator(of_branch.rend()));
    }
    std::size_t k = 0;
    std::erase_if(stms, [&](const Stm&) { return goes[k++]; });
    for (Stm& stm : stms)
      for (const Nested<Lambda>& inner : nested_in(stm)) body(inner.lambda->body, inner.lambda->results);
  }

 private:
  // A Scan is of the points of the body that it stands in.
  static bool may_move(const Stm& stm, const Vars& fallible) {
    return as<Scan>(stm.op) == nullptr &&
           std::ranges::any_of(stm.names, [&](Var v) { return fallible.contains(v); });
  }

  // Absent: nowhere. A Check is needed where it stands.
  static std::optional<Place> place_of(const Stm& stm, const std::unordered_map<Var, Place>& needed) {
    if (as<Check>(stm.op)) return Place();
    std::optional<Place> place;
    for (const Var v : stm.names) {
      const auto known = needed.find(v);
      if (known == needed.end()) continue;
      if (place && *place != known->second) return Place();
      place = known->second;
    }
    return place;
  }

  // What the statement needs where it stands, and in its branches.
  template <class Need>
  void need_parts(const Stm& stm, std::size_t number, const Need& need) const {
    const auto* const branches = as<If>(stm.op);
    if (branches == nullptr) return need(names_of(stm), {});
    Vars here(stm.names.begin(), stm.names.end());
    add_mentioned({&branches->condition, 1}, here);
    need(with_shapes(std::move(here)), {});
    for (const bool is_then : {true, false}) {
      const Lambda& branch = is_then ? branches->then_branch : branches->else_branch;
      Vars names;
      add_mentioned(branch, names);
      add_bound(branch, names);
      need(with_shapes(std::move(names)), {number, is_then});
    }
  }

  Vars names_of(const Stm& stm) const {
    Vars names;
    add_mentioned(stm, names);
    add_bound(stm, names);
    return with_shapes(std::move(names));
  }

  Vars with_shapes(Vars names) const {
    Vars of_shapes;
    for (const Var v : names) add_mentioned(arena_.info(v).shape, of_shapes);
    names.insert(of_shapes.begin(), of_shapes.end());
    return names;
  }

  const Arena& arena_;
};

}  // namespace

void add_fallible(const std::vector<Stm>& stms, std::size_t first, Vars& names) {
  for (const Stm& stm : std::span(stms).subspan(first)) {
    Vars mentioned;
    add_mentioned(stm, mentioned);
    if (may_fail(stm) || !surely_ends(stm) ||
        std::ranges::any_of(mentioned, [&](Var v) { return names.contains(v); }))
      names.insert(stm.names.begin(), stm.names.end());
  }
}

void sink(Program& program) {
  Sinking(*program.arena).body(program.body, program.results);
}

}  // namespace fulgurite::soac
