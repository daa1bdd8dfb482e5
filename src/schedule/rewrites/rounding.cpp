#include "schedule/rewrites/rounding.h"

#include <algorithm>

namespace fulgurite::schedule {

using scalar::Expr, scalar::Op;

bool rounds(const soac::Reduction& r) {
  bool exact = r.op.body.empty();
  scalar::for_each_node(r.op.results, [&](Expr e) {
    const bool gives_an_operand =
        e.op() == Op::select || e.op() == Op::min || e.op() == Op::max || e.is_name() || e.is_constant();
    exact = exact && (!is_float(e.kind()) || gives_an_operand);
  });
  const bool has_floats = std::ranges::any_of(r.op.results, [](Expr e) { return is_float(e.kind()); });
  return has_floats && !exact;
}

bool any_rounds(const soac::Soac& op) {
  return std::ranges::any_of(op.reductions, rounds);
}

}  // namespace fulgurite::schedule
