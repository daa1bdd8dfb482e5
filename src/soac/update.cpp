#include "soac/update.h"

#include <algorithm>

#include "base/match.h"
#include "soac/apart.h"
#include "soac/digits.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::soac {

using scalar::Op;

namespace {

/// Whether the expression, an element of an array, is read at exactly these indices.
bool is_read_at(Expr e, std::span<const Expr> indices) {
  return std::ranges::equal(indices, e.args().subspan(1),
                            [](Expr a, Expr b) { return a == b || Expr(a - b).is_constant(0); });
}

/// Whether no two points store to one place, as far as that is known without Checks of sizes.
bool is_injective(Arena& arena, const Soac& soac, std::span<const Expr> place) {
  Vars inside;
  add_bound(soac.body, inside);
  const EqualSizes of_no_checks(arena);
  const Digits digits(arena, of_no_checks, soac.body.params, soac.dims, std::move(inside));
  return std::ranges::any_of(place, [&](Expr index) { return digits.tells_apart(index); }) ||
         digits.moves_each_axis(place);
}

bool is_contents(const Scatter& s, Var array) {
  for (std::size_t k = 0; k < s.initial.results.size(); ++k)
    if (contents_of(s, k) == array) return true;
  return false;
}

// The scatter, and those that go on from it, one after the other.
std::size_t end_of_chain(const Soac& soac, std::size_t scatter) {
  std::size_t end = scatter + 1;
  while (end < soac.scatters.size() && soac.scatters[end].goes_on) ++end;
  return end;
}

class Reads {
 public:
  Reads(Arena& arena, const Soac& soac, std::size_t scatter) {
    one_point_ = std::all_of(soac.dims.begin(), soac.dims.end(), [](Expr n) { return n.is_constant(1); });
    const std::size_t end = end_of_chain(soac, scatter);
    const auto add_lambda = [&](const Lambda& lambda, std::vector<Expr>& roots) {
      for_each_root(lambda, [&](Expr e) { roots.push_back(e); });
    };
    std::vector<Expr> elsewhere;
    add_lambda(soac.body, body_);
    // Expressions outside of the points may be evaluated after their stores.
    const auto add_reduction = [&](const Reduction& r) {
      add_lambda(r.op, elsewhere);
      elsewhere.insert(elsewhere.end(), r.neutral.begin(), r.neutral.end());
      elsewhere.insert(elsewhere.end(), r.initial.begin(), r.initial.end());
    };
    for (const Reduction& r : soac.reductions) add_reduction(r);
    for (std::size_t k = 0; k < soac.scatters.size(); ++k) {
      if (k < scatter || end <= k) add_lambda(soac.scatters[k].initial, elsewhere);
      for (const Reduction& r : soac.scatters[k].combine) add_reduction(r);
    }
    add_mentioned(elsewhere, forbidden_);
    for (Expr e : body_)
      if (e.type().rank > 0) forbidden_.insert(e.var());
    if (one_point_) return;
    const OutputView outputs = view_of(soac);
    std::vector<Place> places;
    for (std::size_t k = scatter; k < end; ++k) {
      const std::span<const Expr> place = outputs.scatters[k].place;
      places.push_back({place, is_injective(arena, soac, place)});
    }
    Vars own;                                               // arrays of which points read their own elements
    std::vector<std::pair<Expr, std::size_t>> of_contents;  // at other places than this one
    scalar::for_each_node(body_, [&](Expr e) {
      if (e.op() != Op::index) return;
      const Var array = e.arg(0).var();
      for (std::size_t k = 0; k < places.size(); ++k)
        if (places[k].is_injective && is_read_at(e, places[k].indices))
          own.insert(array);
        else if (is_contents(soac.scatters[scatter], array))
          of_contents.emplace_back(e, k);
        else
          forbidden_.insert(array);
    });
    if (of_contents.empty()) return;
    std::vector<StoredPlaces> stored;
    for (const Place& place : places) stored.emplace_back(arena, soac, place.indices);
    Ranges ranges;
    add_ranges(soac.body, soac.dims, ranges);
    Vars inside;
    add_bound(soac.body, inside);
    for (const auto& [e, k] : of_contents)
      if (!stored[k].miss(e, ranges))
        add_condition(e.arg(0).var(),
                      places.size() == 1 ? stored[k].miss_where(e, ranges, inside) : std::nullopt);
    // A point's own element is read of what the array becomes.
    for (const auto& [array, condition] : conditions_)
      if (own.contains(array)) forbidden_.insert(array);
  }
  bool allow(Var array) const { return !forbidden_.contains(array); }
  Expr where(Var array) const {
    const auto found = conditions_.find(array);
    return found == conditions_.end() ? Expr() : found->second;
  }

 private:
  struct Place {
    std::span<const Expr> indices;
    bool is_injective;
  };

  void add_condition(Var array, std::optional<Expr> condition) {
    if (!condition) return void(forbidden_.insert(array));
    const auto [known, is_new] = conditions_.try_emplace(array, *condition);
    if (!is_new) known->second = known->second & *condition;
  }

  bool one_point_;
  std::vector<Expr> body_;
  Vars forbidden_;
  std::unordered_map<Var, Expr> conditions_;
};

}  // namespace

std::optional<Var> contents_of(const Scatter& s, std::size_t component) {
  const Expr contents = s.initial.results[component];
  return reads_at(contents, s.initial.params) ? std::optional(contents.arg(0).var()) : std::nullopt;
}

std::vector<std::optional<Update>> updates_where(Arena& arena, const Soac& soac, std::size_t scatter) {
  const Scatter& s = soac.scatters[scatter];
  if (s.goes_on) return std::vector<std::optional<Update>>(s.initial.results.size());
  const Reads reads(arena, soac, scatter);
  std::vector<std::optional<Update>> all;
  for (std::size_t k = 0; k < s.initial.results.size(); ++k) {
    all.emplace_back();
    const std::optional<Var> array = contents_of(s, k);
    if (!array || arena.info(*array).shape != s.shape || !reads.allow(*array)) continue;
    // One array for two components would be written twice.
    const auto is_taken = [&](const std::optional<Update>& other) { return other && other->array == *array; };
    if (std::ranges::none_of(all, is_taken)) all.back() = Update{*array, reads.where(*array)};
  }
  return all;
}

std::vector<std::optional<Var>> updates(Arena& arena, const Soac& soac, std::size_t scatter) {
  std::vector<std::optional<Var>> arrays;
  for (const std::optional<Update>& each : updates_where(arena, soac, scatter))
    arrays.push_back(each && !each->where ? std::optional(each->array) : std::nullopt);
  return arrays;
}

std::vector<Var> updated_arrays(Arena& arena, const Stm& stm) {
  std::vector<Var> arrays;
  const auto* soac = base::as<Soac>(stm.op);
  for (std::size_t k = 0; soac && k < soac->scatters.size(); ++k)
    for (const std::optional<Update>& each : updates_where(arena, *soac, k))
      if (each) arrays.push_back(each->array);
  return arrays;
}

}  // namespace fulgurite::soac
