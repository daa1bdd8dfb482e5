#include "schedule/rewrites/updates.h"

#include <algorithm>
#include <functional>

#include "schedule/rewrites/rewrite.h"
#include "schedule/rewrites/slice.h"
#include "soac/outputs.h"
#include "soac/update.h"

namespace fulgurite::schedule {

std::vector<InPlace> updated_in_place(scalar::Arena& arena, const soac::Stm& s) {
  const auto& op = std::get<soac::Soac>(s.op);
  const soac::OutputView outputs = soac::view_of(s);
  std::vector<InPlace> updated;
  for (std::size_t g = 0; g < op.scatters.size(); ++g) {
    const auto old = soac::updates_where(arena, op, g);
    for (std::size_t k = 0; k < old.size() && op.scatters[g].combine.empty(); ++k)
      if (old[k]) updated.push_back({outputs.scatters[g].arrays[k], old[k]->array, old[k]->where});
  }
  return updated;
}

soac::Stm without_reductions(scalar::Arena& arena, soac::Stm s, const std::vector<bool>& dropped) {
  if (std::ranges::none_of(dropped, std::identity())) return s;
  soac::Outputs outputs = soac::take_outputs(s);
  std::vector<soac::Outputs::Reduced> left;
  for (std::size_t g = 0; g < outputs.reductions.size(); ++g)
    if (!dropped[g]) left.push_back(std::move(outputs.reductions[g]));
  outputs.reductions = std::move(left);
  return made_by(rewrite::given, arena, soac::with_outputs(std::move(s), std::move(outputs)));
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
