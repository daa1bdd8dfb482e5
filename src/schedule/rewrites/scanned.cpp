#include "schedule/rewrites/scanned.h"

#include <algorithm>
#include <span>

#include "base/match.h"
#include "schedule/rewrites/by_order.h"
#include "schedule/rewrites/slice.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

using scalar::Expr, scalar::Op, scalar::Var;

namespace {

// Values of integers that never turn back: each is the greatest so far, or the least.
bool is_monotone(const soac::Scan& scan) {
  const soac::Lambda& op = scan.reduction.op;
  if (op.results.size() != 1 || !op.body.empty()) return false;
  const Expr result = op.results[0];
  const bool is_extreme = result.op() == Op::min || result.op() == Op::max;
  const auto is_param = [&](Expr e) {
    return e.is_name() && std::ranges::find(op.params, e.var()) != op.params.end();
  };
  return is_extreme && is_integer(result.kind()) && result.arg(0) != result.arg(1) &&
         is_param(result.arg(0)) && is_param(result.arg(1));
}

bool reads_at(std::span<const Expr> roots, Var name) {
  bool found = false;
  scalar::for_each_node(roots, [&](Expr e) {
    if (e.op() != Op::index) return;
    for (Expr place : e.args().subspan(1)) found = found || mentions(place, name);
  });
  return found;
}

}  // namespace

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

bool moves_to_lanes(const scalar::Arena& arena, const soac::Soac& soac, int vector_bytes, int lanes) {
  if (vector_bytes >= 64 || lanes >= 16) return true;
  return std::ranges::none_of(operands_of_scans(arena, soac).results,
                              [](scalar::Expr x) { return x.kind() == scalar::Kind::boolean; });
}

bool scans_in_lanes(const scalar::Arena& arena, const soac::Soac& soac, int vector_bytes, int lanes) {
  if (!moves_to_lanes(arena, soac, vector_bytes, lanes)) return false;
  soac::Soac others = soac;
  std::erase_if(others.body.body, [](const soac::Stm& s) { return base::as<soac::Scan>(s.op) != nullptr; });
  return !is_in_order(others);
}

std::optional<std::size_t> scan_of_places(const soac::Soac& soac) {
  const std::vector<const soac::Stm*> scans = scans_of(soac.body);
  if (scans.empty() || !is_monotone(std::get<soac::Scan>(scans.back()->op))) return {};
  if (makes_arrays(soac) || gives_arrays(soac)) return {};
  const Var place = scans.back()->names[0];
  const std::vector<soac::Stm>& body = soac.body.body;
  const auto number = static_cast<std::size_t>(scans.back() - body.data());
  bool found = reads_at(soac.body.results, place);
  for (const soac::Stm& s : std::span(body).subspan(number + 1))
    soac::for_each_root(s, [&](Expr root) { found = found || reads_at({&root, 1}, place); });
  if (!found) return {};
  return number;
}

std::int64_t bytes_scanned(const soac::Soac& soac) {
  std::size_t bytes = 0;
  for (const soac::Stm* s : scans_of(soac.body))
    for (Expr x : std::get<soac::Scan>(s->op).operands) bytes += size_of(x.kind());
  return static_cast<std::int64_t>(bytes);
}

}  // namespace fulgurite::schedule
