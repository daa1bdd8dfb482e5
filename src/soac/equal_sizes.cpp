#include "soac/equal_sizes.h"

#include <algorithm>

#include "base/match.h"

namespace fulgurite::soac {

using scalar::Op;

std::unordered_map<Var, Expr> equations_of(Arena& arena, Expr condition) {
  std::unordered_map<Var, Expr> solved;
  std::vector<Expr> parts{condition};
  while (!parts.empty()) {
    const Expr part = parts.back();
    parts.pop_back();
    if (part.op() == Op::bit_and && part.type() == scalar::Type{scalar::Kind::boolean}) {
      parts.push_back(part.arg(0));
      parts.push_back(part.arg(1));
      continue;
    }
    if (part.op() != Op::eq || part.arg(0).type() != scalar::Type{} || scalar::can_fail(part)) continue;
    const Expr difference = scalar::substitute(arena, part.arg(0) - part.arg(1), solved);
    std::vector<Var> names;
    scalar::for_each_node(std::span(&difference, 1), [&](Expr e) {
      if (e.is_name() && e.type() == scalar::Type{}) names.push_back(e.var());
    });
    std::sort(names.begin(), names.end());
    for (auto youngest = names.rbegin(); youngest != names.rend(); ++youngest) {
      const auto affine = scalar::affine_in(arena, difference, *youngest);
      if (!affine) continue;
      const bool minus = affine->coefficient.is_constant(-1);
      if (!minus && !affine->coefficient.is_constant(1)) continue;
      const Expr value = minus ? affine->base : arena.apply(Op::neg, {affine->base});
      for (auto& [name, old] : solved) old = scalar::substitute(arena, old, {{*youngest, value}});
      solved.emplace(*youngest, value);
      break;
    }
  }
  return solved;
}

EqualSizes::EqualSizes(const Program& program) : arena_(*program.arena) {
  for (const Stm& stm : program.body) {
    const auto* check = base::as<Check>(stm.op);
    if (!check) continue;
    for (const auto& [name, value] : equations_of(arena_, canonical(check->condition))) {
      for (auto& [other, old] : solved_) old = scalar::substitute(arena_, old, {{name, value}});
      solved_.emplace(name, value);
    }
  }
}

Expr EqualSizes::canonical(Expr size) const {
  return solved_.empty() ? size : scalar::substitute(arena_, size, solved_);
}

std::vector<Expr> EqualSizes::canonical(std::vector<Expr> shape) const {
  for (Expr& e : shape) e = canonical(e);
  return shape;
}

}  // namespace fulgurite::soac
