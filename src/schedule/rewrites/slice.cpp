#include "schedule/rewrites/slice.h"

#include <algorithm>

#include "base/match.h"
#include "soac/literal.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

using base::as;
using scalar::Expr;
using scalar::Var;

namespace {

bool touches(const soac::Vars& mentioned, const std::vector<Var>& names) {
  return std::any_of(names.begin(), names.end(), [&](Var name) { return mentioned.contains(name); });
}

// What the running values of Scans get into.
soac::Vars behind_scans(const std::vector<soac::Stm>& body) {
  soac::Vars behind;
  for (const soac::Stm& s : body) {
    soac::Vars mentioned;
    soac::add_mentioned(s, mentioned);
    const bool depends =
        std::any_of(mentioned.begin(), mentioned.end(), [&](Var v) { return behind.contains(v); });
    if (as<soac::Scan>(s.op) || depends) behind.insert(s.names.begin(), s.names.end());
  }
  return behind;
}

bool binds_arrays(const soac::Soac& op) {
  return !op.scatters.empty() || !op.partitions.empty() || !soac::view_of(op).mapped.empty();
}

}  // namespace

soac::Lambda slice(const scalar::Arena& arena, const soac::Lambda& whole, std::vector<Expr> results) {
  const soac::Vars behind = behind_scans(whole.body);
  soac::Vars needed;
  soac::add_mentioned(results, needed);
  std::vector<char> kept(whole.body.size(), 0);
  auto sweep = [&](bool late_checks) {
    for (std::size_t i = whole.body.size(); i-- > 0;) {
      const soac::Stm& s = whole.body[i];
      soac::Vars mentioned;
      soac::add_mentioned(s, mentioned);
      const bool is_late =
          std::any_of(mentioned.begin(), mentioned.end(), [&](Var v) { return behind.contains(v); });
      const bool wanted = as<soac::Check>(s.op) ? late_checks || !is_late : touches(needed, s.names);
      if (!wanted) continue;
      kept[i] = 1;
      needed.insert(mentioned.begin(), mentioned.end());
      for (Var name : s.names) soac::add_mentioned(arena.info(name).shape, needed);
    }
  };
  sweep(false);
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (kept[i] && as<soac::Scan>(whole.body[i].op)) {
      sweep(true);
      break;
    }
  soac::Lambda part{whole.params, {}, std::move(results)};
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (kept[i]) part.body.push_back(whole.body[i]);
  return part;
}

bool has_scan(const soac::Lambda& f) {
  return !scans_of(f).empty();
}

std::vector<const soac::Stm*> scans_of(const soac::Lambda& f) {
  std::vector<const soac::Stm*> scans;
  for (const soac::Stm& s : f.body)
    if (const auto* scan = as<soac::Scan>(s.op); scan && !scan->operands.empty()) scans.push_back(&s);
  return scans;
}

const std::vector<Expr>& first_of(const soac::Stm& s) {
  const soac::Reduction& r = std::get<soac::Scan>(s.op).reduction;
  return r.initial.empty() ? r.neutral : r.initial;
}

bool commutes(const soac::Soac& op) {
  return std::ranges::all_of(op.reductions, &soac::Reduction::commutative);
}

bool has_bins(const soac::Soac& op) {
  return std::ranges::any_of(op.scatters,
                             [](const soac::Scatter& scatter) { return !scatter.combine.empty(); });
}

bool makes_arrays(const soac::Lambda& f) {
  auto is_array = [](Expr e) { return e.type().rank > 0; };
  return std::ranges::any_of(f.results, is_array) || std::ranges::any_of(f.body, [&](const soac::Stm& s) {
           if (const auto* soac = as<soac::Soac>(s.op); soac && (binds_arrays(*soac) || makes_arrays(*soac)))
             return true;
           if (const auto* loop = as<soac::Loop>(s.op); loop && std::ranges::any_of(loop->initial, is_array))
             return true;
           if (as<soac::Sort>(s.op)) return true;
           return std::ranges::any_of(soac::nested_in(s),
                                      [](const auto& nested) { return makes_arrays(*nested.lambda); });
         });
}

namespace {

// Whether all arrays that the function makes are results and nothing else, of which each element is stored as
// soon as it is known.
bool only_stores_literals(const soac::Lambda& f) {
  soac::Vars read;
  for (Expr result : f.results)
    if (result.type().rank == 0) soac::add_mentioned(std::span(&result, 1), read);
  soac::Lambda rest;
  soac::Vars literals;
  for (const soac::Stm& s : f.body) {
    soac::add_mentioned(s, read);
    if (soac::is_literal(s))
      literals.insert(s.names.begin(), s.names.end());
    else
      rest.body.push_back(s);
  }
  const auto is_read = [&](Var name) { return read.contains(name); };
  return !literals.empty() && std::ranges::none_of(literals, is_read) && !makes_arrays(rest) &&
         std::ranges::all_of(f.results,
                             [&](Expr e) { return e.type().rank == 0 || literals.contains(e.var()); });
}

}  // namespace

bool makes_arrays(const soac::Soac& op) {
  if (makes_arrays(op.body) && (op.dims.empty() || !only_stores_literals(op.body))) return true;
  auto by_operator = [](const soac::Reduction& r) { return makes_arrays(r.op); };
  return std::ranges::any_of(op.reductions, by_operator) ||
         std::ranges::any_of(op.scatters, [&](const soac::Scatter& scatter) {
           return std::ranges::any_of(scatter.combine, by_operator);
         });
}

bool gives_arrays(const soac::Soac& op) {
  return std::ranges::any_of(op.body.results, [](Expr e) { return e.type().rank > 0; });
}

bool keeps_arrays(const soac::Lambda& f) {
  return std::ranges::any_of(f.body, [&](const soac::Stm& s) {
    const auto* soac = as<soac::Soac>(s.op);
    if (as<soac::Sort>(s.op)) return true;
    if (!soac) {
      return std::ranges::any_of(soac::nested_in(s),
                                 [](const auto& nested) { return makes_arrays(*nested.lambda); });
    }
    const auto is_result = [&](Var name) {
      return std::ranges::any_of(f.results, [&](Expr e) { return e.is_name() && e.var() == name; });
    };
    const soac::OutputView outputs = soac::view_of(s);
    const bool are_results = std::ranges::all_of(outputs.mapped, is_result, &soac::Mapped::array) &&
                             std::ranges::all_of(outputs.scatters, [&](const auto& output) {
                               return std::ranges::all_of(output.arrays, is_result);
                             });
    return !are_results || !soac->partitions.empty() || keeps_arrays(soac->body);
  });
}

}  // namespace fulgurite::schedule
