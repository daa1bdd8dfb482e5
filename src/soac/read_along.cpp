#include "soac/read_along.h"

#include <algorithm>

#include "soac/walk.h"

namespace fulgurite::soac {

using scalar::Op;

std::vector<Var> read_in_step(const Soac& op, bool is_linear) {
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
  for (const Stm& s : op.body.body) {
    const auto* scan = std::get_if<Scan>(&s.op);
    if (scan) roots.insert(roots.end(), scan->operands.begin(), scan->operands.end());
  }
  scalar::for_each_node(roots, look);
  return arrays;
}

std::vector<Expr> read_down_rows(const Soac& map) {
  const auto& reduction = std::get<Soac>(map.body.body[0].op);
  const Var row = reduction.body.params[0], column = map.body.params.back();
  std::vector<Expr> roots, reads;
  for_each_root(reduction.body, [&](Expr root) { roots.push_back(root); });
  scalar::for_each_node(roots, [&](Expr e) {
    if (e.op() != Op::index || e.args().size() < 3) return;
    const std::span<const Expr> indices = e.args().subspan(1);
    const auto is = [](Var name) { return [name](Expr at) { return at.is_name() && at.var() == name; }; };
    const bool are_plain = std::ranges::all_of(indices, [&](Expr at) {
      return is(row)(at) || std::ranges::any_of(map.body.params, [&](Var p) { return is(p)(at); });
    });
    if (are_plain && is(column)(indices.back()) && std::ranges::any_of(indices, is(row))) reads.push_back(e);
  });
  return reads;
}

}  // namespace fulgurite::soac
