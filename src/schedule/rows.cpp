#include "schedule/rows.h"

#include <algorithm>
#include <functional>

#include "base/match.h"
#include "schedule/rewrites/slice.h"

namespace fulgurite::schedule {

namespace {

// Whether the variable is in the index itself, not only in that of an element it contains: starts[row] + j
// moves along j.
bool moves_along(Expr index, Var var) {
  if (index.is_name()) return index.var() == var;
  if (index.op() == scalar::Op::index) return false;
  const auto args = index.args();
  return std::ranges::any_of(args, [&](Expr arg) { return moves_along(arg, var); });
}

}  // namespace

bool reduces_rows(const Surroundings& at, const soac::Soac& op) {
  if (!op.reductions.empty() || !op.scatters.empty() || !op.partitions.empty()) return false;
  if (op.body.body.size() != 1) return false;
  const auto* inner = base::as<soac::Soac>(op.body.body[0].op);
  if (!inner || inner->reductions.empty() || makes_arrays(op.body) || has_scan(inner->body)) return false;
  return at.is_known(inner->dims);
}

bool reads_along_rows(const soac::Soac& soac) {
  if (makes_arrays(soac)) return true;
  if (soac.body.params.empty()) return false;
  int along_inner = 0, along_outer = 0;
  std::function<void(const soac::Lambda&, const soac::Soac&)> reads = [&](const soac::Lambda& f,
                                                                          const soac::Soac& inner) {
    scalar::for_each_node(f.results, [&](Expr e) {
      if (e.op() != scalar::Op::index || inner.body.params.empty()) return;
      const Var j = inner.body.params.back();
      if (!mentions(e, j)) return;  // once for each outer point
      along_inner += moves_along(e.args().back(), j);
      along_outer += moves_along(e.args().back(), soac.body.params.back());
    });
    for (const soac::Stm& s : f.body)
      if (auto* deeper = base::as<soac::Soac>(s.op)) reads(deeper->body, inner);
  };
  for (const soac::Stm& s : soac.body.body)
    if (auto* inner = std::get_if<soac::Soac>(&s.op))
      if (commutes(*inner)) reads(inner->body, *inner);
  return along_inner > along_outer;
}

}  // namespace fulgurite::schedule
