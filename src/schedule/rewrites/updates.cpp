#include "schedule/rewrites/updates.h"

#include <algorithm>
#include <unordered_map>

#include "schedule/rewrites/slice.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/update.h"

namespace fulgurite::schedule {

using scalar::Expr;
using scalar::Var;

soac::Stm reading_what_it_updates(scalar::Arena& arena, const soac::Stm& original) {
  soac::Stm s = original;
  auto& op = std::get<soac::Soac>(s.op);
  const soac::OutputView outputs = soac::view_of(s);
  std::unordered_map<Var, Var> becomes;
  for (std::size_t g = 0; g < op.scatters.size(); ++g) {
    const auto old = soac::updates(arena, op, g);
    for (std::size_t k = 0; k < old.size() && op.scatters[g].combine.empty(); ++k)
      if (old[k]) becomes.emplace(*old[k], outputs.scatters[g].arrays[k]);
  }
  if (becomes.empty()) return s;
  scalar::Substitution substitute(arena, [&](Expr e) {
    const auto found = e.is_name() ? becomes.find(e.var()) : becomes.end();
    return found == becomes.end() ? Expr() : arena.name(found->second);
  });
  soac::substitute_in(op.body, substitute);
  return s;
}

soac::Stm without_reductions(soac::Stm s, const std::vector<bool>& dropped) {
  soac::Outputs outputs = soac::take_outputs(s);
  std::vector<soac::Outputs::Reduced> left;
  for (std::size_t g = 0; g < outputs.reductions.size(); ++g)
    if (!dropped[g]) left.push_back(std::move(outputs.reductions[g]));
  outputs.reductions = std::move(left);
  return soac::with_outputs(std::move(s), std::move(outputs));
}

std::string name_of_launch(const soac::Soac& op) {
  if (!op.partitions.empty())
    return std::ranges::all_of(op.partitions, [](const auto& p) { return p.classes.is_constant(1); })
               ? "filter"
               : "partition";
  if (has_bins(op)) return "histogram";
  if (!op.scatters.empty()) return "scatter";
  if (has_scan(op.body)) return "scan";
  if (op.reductions.empty()) return "map";
  return soac::view_of(op).mapped.empty() ? "reduce" : "redomap";
}

}  // namespace fulgurite::schedule
