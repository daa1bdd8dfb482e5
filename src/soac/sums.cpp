#include "soac/sums.h"

#include <algorithm>

#include "kernel/contract.h"
#include "soac/operation.h"
#include "soac/walk.h"

namespace fulgurite::soac {

bool is_sum_of_floats(const Reduction& r, std::size_t k) {
  const std::size_t n = r.op.results.size();
  const Expr sum = r.op.results[k];
  if (r.neutral.empty() || !scalar::is_float(sum.kind()) || operation_of(r.op, k) != scalar::Op::add)
    return false;
  const Var left = r.op.params[k], right = r.op.params[n + k];
  std::vector<Expr> others = r.op.results;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
  Vars mentioned;
  add_mentioned(others, mentioned);
  for (const Stm& stm : r.op.body) add_mentioned(stm, mentioned);
  return !mentioned.contains(left) && !mentioned.contains(right);
}

Expr by_itself(Expr operand) {
  return operand.op() == scalar::Op::fma_sum ? operand.arg(0) * operand.arg(1) : operand;
}

std::shared_ptr<const kernel::Kernel> contracted(const kernel::Kernel& kernel) {
  return std::make_shared<const kernel::Kernel>(kernel::contract.run(kernel, {}));
}

}  // namespace fulgurite::soac
