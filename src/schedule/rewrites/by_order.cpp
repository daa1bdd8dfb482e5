#include "schedule/rewrites/by_order.h"

#include <utility>

#include "schedule/rewrites/rewrite.h"
#include "schedule/rewrites/slice.h"
#include "soac/count.h"
#include "soac/outputs.h"

namespace fulgurite::schedule {

bool depends_on_order(const soac::Soac& op) {
  return has_scan(op.body) || !op.partitions.empty() || has_bins(op);
}

bool is_in_order(const soac::Soac& soac) {
  return !commutes(soac) || has_bins(soac) || has_scan(soac.body) || makes_arrays(soac);
}

bool lanes_keep_arrays(const soac::Soac& op) {
  return soac::is_map(op) && !depends_on_order(op) && makes_arrays(op);
}

bool suits_lanes(const soac::Soac& op) {
  return !is_in_order(op) || lanes_keep_arrays(op);
}

bool folds_in_runs(const soac::Soac& soac) {
  return !depends_on_order(soac) && !makes_arrays(soac);
}

ByOrder split_by_order(scalar::Arena& arena, const soac::Stm& s) {
  const auto& soac = std::get<soac::Soac>(s.op);
  soac::Outputs ordered, others = soac::outputs_of(s);
  std::vector<soac::Outputs::Reduced> commute;
  for (soac::Outputs::Reduced& r : others.reductions)
    (r.by.commutative ? commute : ordered.reductions).push_back(std::move(r));
  others.reductions = std::move(commute);
  const auto alone = [&](soac::Outputs outputs) {
    soac::Stm part =
        soac::with_outputs({{}, soac::Soac{soac.dims, {}}, s.where, s.origin}, std::move(outputs));
    soac::Lambda& body = std::get<soac::Soac>(part.op).body;
    body = slice(arena, soac.body, std::move(body.results));
    return made_by(rewrite::order, arena, std::move(part));
  };
  return {alone(std::move(ordered)), alone(std::move(others))};
}

}  // namespace fulgurite::schedule
