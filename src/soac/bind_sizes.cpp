#include "soac/bind_sizes.h"

#include <algorithm>

#include "base/match.h"
#include "soac/walk.h"

namespace fulgurite::soac {

namespace {

void add_shapes(const scalar::Arena& arena, const std::vector<Stm>& stms, std::vector<Expr>& extents) {
  for (const Stm& stm : stms) {
    for (Var name : stm.names) {
      const std::vector<Expr>& shape = arena.info(name).shape;
      extents.insert(extents.end(), shape.begin(), shape.end());
    }
    for (const auto& inner : nested_in(stm)) add_shapes(arena, inner.lambda->body, extents);
  }
}

}  // namespace

std::vector<Expr> bind_for_shapes(scalar::Arena& arena, const Lambda& f, std::vector<Expr> arguments,
                                  std::vector<Stm>& lets) {
  if (f.body.empty() || std::ranges::all_of(arguments, is_extent)) return arguments;
  std::vector<Expr> extents;
  add_shapes(arena, f.body, extents);
  Vars mentioned;
  add_mentioned(extents, mentioned);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (!mentioned.contains(f.params[k]) || is_extent(arguments[k])) continue;
    const Expr name = arena.fresh(Type{}, arena.info(f.params[k]).name);
    lets.push_back({{name.var()}, Let{arguments[k]}, f.body.front().where, "size"});
    arguments[k] = name;
  }
  return arguments;
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
