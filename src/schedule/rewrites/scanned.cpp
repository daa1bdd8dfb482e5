#include "schedule/rewrites/scanned.h"

#include "base/match.h"
#include "schedule/rewrites/by_order.h"
#include "schedule/rewrites/slice.h"

namespace fulgurite::schedule {

using scalar::Expr;

soac::Lambda operands_of_scans(const scalar::Arena& arena, const soac::Soac& soac) {
  std::vector<Expr> operands;
  for (const soac::Stm* s : scans_of(soac.body)) {
    const auto& of = std::get<soac::Scan>(s->op).operands;
    operands.insert(operands.end(), of.begin(), of.end());
  }
  return slice(arena, soac.body, std::move(operands));
}

bool scans_in_runs(const scalar::Arena& arena, const soac::Soac& soac) {
  const soac::Lambda operands = operands_of_scans(arena, soac);
  return !has_scan(operands) && !makes_arrays(operands);
}

bool scans_in_lanes(const scalar::Arena& arena, const soac::Soac& soac) {
  for (const soac::Stm* scan : scans_of(soac.body))
    for (scalar::Var name : scan->names)
      if (arena.info(name).type.kind == scalar::Kind::boolean) return false;
  soac::Soac others = soac;
  std::erase_if(others.body.body, [](const soac::Stm& s) { return base::as<soac::Scan>(s.op) != nullptr; });
  return !is_in_order(others);
}

std::int64_t bytes_scanned(const soac::Soac& soac) {
  std::size_t bytes = 0;
  for (const soac::Stm* s : scans_of(soac.body))
    for (Expr x : std::get<soac::Scan>(s->op).operands) bytes += size_of(x.kind());
  return static_cast<std::int64_t>(bytes);
}

}  // namespace fulgurite::schedule
