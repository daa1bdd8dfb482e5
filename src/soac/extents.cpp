#include "soac/extents.h"

#include <algorithm>

#include "base/match.h"
#include "soac/walk.h"

namespace fulgurite::soac {

bool Extents::operator()(Expr root) {
  if (root.type() != Type{}) return false;
  std::vector<Expr> stack{root};
  while (!stack.empty()) {
    const Expr e = stack.back();
    const std::size_t before = stack.size();
    if (!known_.contains(e.node()))
      for (Expr operand : e.args())
        if (!known_.contains(operand.node())) stack.push_back(operand);
    if (stack.size() > before) continue;
    stack.pop_back();
    known_.try_emplace(e.node(), is_total(e));
  }
  return known_.at(root.node());
}

bool Extents::is_total(Expr node) const {
  return node.op() != scalar::Op::index && node.site() == 0 && !scalar::is_float(node.kind()) &&
         std::ranges::all_of(node.args(), [&](Expr operand) { return known_.at(operand.node()); });
}

void bind_sizes(scalar::Arena& arena, std::vector<Stm>& stms) {
  std::vector<Stm> bound;
  for (Stm& stm : stms) {
    if (auto* soac = base::as<Soac>(stm.op)) {
      for (Expr& size : soac->dims) {
        if (is_extent(size)) continue;
        const Expr name = arena.fresh(Type{}, "size");
        bound.push_back({{name.var()}, Let{size}, stm.where, "size"});
        size = name;
      }
    } else {
      for (const auto& inner : nested_in(stm)) bind_sizes(arena, inner.lambda->body);
    }
    bound.push_back(std::move(stm));
  }
  stms = std::move(bound);
}

}  // namespace fulgurite::soac
