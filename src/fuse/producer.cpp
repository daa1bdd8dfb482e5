#include "fuse/producer.h"

#include <algorithm>

#include "base/check.h"
#include "simplify/dead.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::fuse {

using scalar::Arena;
using scalar::Expr;
using scalar::Var;
using soac::If;
using soac::Lambda;
using soac::Soac;
using soac::Stm;

int Producer::find(Var v) const {
  auto found = std::find(names.begin(), names.end(), v);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

Producer delayed(Arena& arena, const Stm& stm, const std::vector<Var>& wanted) {
  const Soac& soac = std::get<Soac>(stm.op);
  Producer p{wanted, soac.dims, {soac.body.params, soac.body.body, {}}, false};
  for (Var name : wanted) {
    p.at.results.push_back(soac::mapped_result(stm, name));
    FULGURITE_CHECK(p.at.results.back(), "a producer without the result that is read");
  }
  simplify::remove_dead(arena, p.at);
  p.may_fail = soac::may_fail(p.at);
  return p;
}

Producer delayed_branches(Arena& arena, const Stm& stm, Var wanted) {
  const If& branches = std::get<If>(stm.op);
  const auto at =
      static_cast<std::size_t>(std::find(stm.names.begin(), stm.names.end(), wanted) - stm.names.begin());
  const scalar::VarInfo info = arena.info(wanted);
  Producer p;
  p.names = {wanted};
  p.extents = info.shape;
  std::vector<Expr> indices;
  for (std::size_t axis = 0; axis < info.shape.size(); ++axis) {
    indices.push_back(arena.fresh(scalar::Type{}, "i"));
    p.at.params.push_back(indices.back().var());
  }
  auto element = [&](const Lambda& branch) {
    Lambda l = branch;
    l.results = {arena.index(branch.results[at], indices)};
    simplify::remove_dead(arena, l);
    return l;
  };
  const Expr value = arena.fresh({info.type.kind}, info.name);
  p.at.body.push_back({{value.var()},
                       If{branches.condition, element(branches.then_branch), element(branches.else_branch)},
                       stm.where,
                       stm.origin});
  p.at.results = {value};
  p.may_fail = soac::may_fail(p.at);
  return p;
}

std::vector<Var> arrays_of(const Arena& arena, const Stm& stm) {
  std::vector<Var> arrays;
  for (Var v : stm.names)
    if (arena.info(v).type.rank > 0) arrays.push_back(v);
  return arrays;
}

}  // namespace fulgurite::fuse
