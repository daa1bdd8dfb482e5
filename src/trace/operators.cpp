#include "trace/operators.h"

#include <algorithm>

namespace fulgurite::trace {

bool is_known_commutative(const soac::Lambda& op) {
  const std::size_t k = op.results.size();
  if (!op.body.empty() || op.params.size() != 2 * k) return false;
  for (std::size_t i = 0; i < k; ++i) {
    const scalar::Expr e = op.results[i];
    const scalar::OpInfo& row = scalar::info(e.op());
    if (!row.has('c') || !row.has('a') || e.args().size() != 2) return false;
    if (!e.arg(0).is_name() || !e.arg(1).is_name()) return false;
    const scalar::Var a = e.arg(0).var(), b = e.arg(1).var(), left = op.params[i], right = op.params[k + i];
    if (!(a == left && b == right) && !(a == right && b == left)) return false;
  }
  return true;
}

}  // namespace fulgurite::trace
