#include "schedule/rewrites/levels.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "base/match.h"
#include "schedule/rewrites/rewrite.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

using base::as;
using scalar::Expr;
using scalar::Var;
using soac::Stm;

bool has_levels(const soac::Lambda& body) {
  const std::vector<int> depths = depths_of(body);
  for (std::size_t i = 0; i < depths.size(); ++i)
    if (depths[i] > 0 && as<soac::Scan>(body.body[i].op)) return true;
  return false;
}

bool binds_any(const Stm& s, const soac::Vars& names) {
  return std::ranges::any_of(s.names, [&](Var name) { return names.contains(name); });
}

// The Checks of the list, and the statements that these and the results need.
std::vector<Stm> needed(const scalar::Arena& arena, std::vector<Stm> list, std::span<const Expr> results) {
  soac::Vars names;
  soac::add_mentioned(results, names);
  std::vector<Stm> kept;
  for (Stm& s : std::views::reverse(list)) {
    if (!as<soac::Check>(s.op) && !binds_any(s, names)) continue;
    soac::add_mentioned(s, names);
    for (Var name : s.names) soac::add_mentioned(arena.info(name).shape, names);
    kept.push_back(std::move(s));
  }
  std::ranges::reverse(kept);
  return kept;
}

class FirstLevel {
 public:
  FirstLevel(scalar::Arena& arena, const Stm& s)
      : arena_(arena), s_(s), soac_(std::get<soac::Soac>(s.op)), depths_(depths_of(soac_.body)) {}

  /// A statement that makes arrays of the values of the Scans that wait for none, and the given one reading
  /// them.
  std::pair<Stm, Stm> take() {
    find_computed();
    Stm rest = reading();
    Stm first = making(rest);
    return {std::move(first), std::move(rest)};
  }

 private:
  /// The statements that depend on no Scan and are needed for the Scans of the first level, and these Scans.
  void find_computed() {
    std::vector<Expr> running;
    for (std::size_t i = 0; i < depths_.size(); ++i) {
      if (depths_[i] > 0) continue;
      const Stm& s = soac_.body.body[i];
      computed_.push_back(s);
      if (!as<soac::Scan>(s.op)) continue;
      for (Var name : s.names) running.push_back(arena_.name(name));
    }
    computed_ = needed(arena_, std::move(computed_), running);
    for (const Stm& s : computed_)
      if (is_kept(s)) kept_.insert(s.names.begin(), s.names.end());
  }

  /// Whether arrays hold what the statement computes at each point: of Scans they must, and reading scalars
  /// costs less than to compute them again.
  bool is_kept(const Stm& s) const {
    if (as<soac::Scan>(s.op)) return true;
    const bool is_costly = as<soac::Soac>(s.op) || as<soac::Loop>(s.op) || as<soac::If>(s.op);
    return is_costly &&
           std::ranges::all_of(s.names, [&](Var name) { return arena_.info(name).type.rank == 0; });
  }

  Stm reading() {
    const std::vector<Expr> point = arena_.names(soac_.body.params);
    Stm rest = s_;
    soac::Lambda& body = std::get<soac::Soac>(rest.op).body;
    body.body.clear();
    for (const Stm& s : soac_.body.body) {
      if (!binds_any(s, kept_)) {
        body.body.push_back(s);
        continue;
      }
      for (Var name : s.names) {
        const scalar::VarInfo info = arena_.info(name);
        const Expr array = arena_.fresh_array(info.type.kind, soac_.dims, info.name);
        made_.push_back({arena_.name(name), array.var()});
        body.body.push_back({{name}, soac::Let{arena_.index(array, point)}, s.where, s.origin});
      }
    }
    body.body = needed(arena_, std::move(body.body), body.results);
    return rest;
  }

  Stm making(const Stm& rest) {
    soac::Vars bound;
    soac::add_bound(std::get<soac::Soac>(rest.op).body, bound);
    std::erase_if(made_, [&](const soac::Mapped& m) { return !bound.contains(m.result.var()); });
    soac::Lambda body{soac_.body.params, {}, {}};
    for (const soac::Mapped& m : made_) body.results.push_back(m.result);
    body.body = needed(arena_, std::move(computed_), body.results);
    // Names are bound once, and the rest binds the names of the given statement.
    std::vector<Expr> point;
    soac::Lambda renamed;
    for (Var index : body.params) {
      point.push_back(arena_.fresh({}, arena_.info(index).name));
      renamed.params.push_back(point.back().var());
    }
    soac::Applied applied = soac::apply(arena_, body, point);
    renamed.body = std::move(applied.body);
    soac::Outputs outputs;
    for (std::size_t k = 0; k < made_.size(); ++k)
      outputs.mapped.push_back({applied.results[k], made_[k].array});
    Stm first{{}, soac::Soac{soac_.dims, std::move(renamed)}, s_.where, s_.origin};
    std::get<soac::Soac>(first.op).outer_axes = soac_.outer_axes;
    return soac::with_outputs(std::move(first), std::move(outputs));
  }

  scalar::Arena& arena_;
  const Stm& s_;
  const soac::Soac& soac_;
  const std::vector<int> depths_;
  std::vector<Stm> computed_;
  soac::Vars kept_;                 // names of what arrays hold
  std::vector<soac::Mapped> made_;  // the name, and the array of its values
};

void split(scalar::Arena& arena, std::vector<Stm>& body) {
  std::vector<Stm> all;
  for (Stm& s : body) {
    if (as<soac::Soac>(s.op)) {
      std::ranges::move(split_levels(arena, s), std::back_inserter(all));
      continue;
    }
    for (auto& inner : soac::nested_in(s)) split(arena, inner.lambda->body);
    all.push_back(std::move(s));
  }
  body = std::move(all);
}

}  // namespace

std::vector<int> depths_of(const soac::Lambda& body) {
  std::vector<int> depths;
  std::unordered_map<Var, int> of_names;
  for (const Stm& s : body.body) {
    int depth = 0;
    if (!of_names.empty()) {
      soac::Vars mentioned;
      soac::add_mentioned(s, mentioned);
      for (Var name : mentioned)
        if (const auto found = of_names.find(name); found != of_names.end())
          depth = std::max(depth, found->second);
    }
    depths.push_back(depth);
    const int behind = as<soac::Scan>(s.op) ? depth + 1 : depth;
    if (behind == 0) continue;
    for (Var name : s.names) of_names.emplace(name, behind);
  }
  return depths;
}

std::vector<Stm> split_levels(scalar::Arena& arena, const Stm& s) {
  std::vector<Stm> parts;
  Stm rest = s;
  soac::Lambda& body = std::get<soac::Soac>(rest.op).body;
  if (has_levels(body)) body.body = needed(arena, std::move(body.body), body.results);
  while (has_levels(body)) {
    auto [first, other] = FirstLevel(arena, rest).take();
    parts.push_back(made_by(rewrite::levels, arena, std::move(first)));
    rest = made_by(rewrite::levels, arena, std::move(other));
  }
  parts.push_back(std::move(rest));
  return parts;
}

soac::Program split_levels(soac::Program program) {
  split(*program.arena, program.body);
  return program;
}

}  // namespace fulgurite::schedule
