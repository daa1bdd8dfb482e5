#include "walk/lanes/ahead.h"

#include <algorithm>

#include "soac/walk.h"

namespace fulgurite::walk::lanes {

using scalar::Expr, scalar::Op, scalar::Var;

std::vector<Var> read_in_step(const soac::Soac& op, bool is_linear) {
  std::vector<Var> arrays;
  if (op.dims.size() > 1 && !is_linear) return arrays;
  const auto look = [&](Expr e) {
    if (e.op() != Op::index || e.args().size() != op.body.params.size() + 1) return;
    for (std::size_t d = 0; d < op.body.params.size(); ++d)
      if (!e.arg(d + 1).is_name() || e.arg(d + 1).var() != op.body.params[d]) return;
    const Var array = e.arg(0).var();
    if (std::ranges::find(arrays, array) == arrays.end()) arrays.push_back(array);
  };
  std::vector<Expr> roots = op.body.results;
  for (const soac::Stm& s : op.body.body) {
    const auto* scan = std::get_if<soac::Scan>(&s.op);
    if (scan) roots.insert(roots.end(), scan->operands.begin(), scan->operands.end());
  }
  scalar::for_each_node(roots, look);
  return arrays;
}

}  // namespace fulgurite::walk::lanes
