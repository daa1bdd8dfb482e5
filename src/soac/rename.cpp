#include "soac/rename.h"

#include <utility>

#include "base/check.h"

namespace fulgurite::soac {

Renaming::Renaming(Arena& arena, Binders binders) : arena_(arena), binders_(binders) {
  start();
}

void Renaming::start() {
  substitute_.emplace(arena_, [this](Expr e) {
    if (!e.is_name()) return Expr();
    auto found = values_.find(e.var());
    return found == values_.end() ? Expr() : found->second;
  });
}

void Renaming::bind(Var from, Expr to) {
  values_.insert_or_assign(from, to);
}

void Renaming::bind_late(Var from, Expr to) {
  bind(from, to);
  start();
}

void Renaming::in_place(std::vector<Expr>& exprs) {
  for (Expr& e : exprs) e = (*this)(e);
}

Var Renaming::binder(Var var) {
  const scalar::VarInfo info = arena_.info(var);
  std::vector<Expr> shape = info.shape;
  in_place(shape);
  if (binders_ == Binders::keep && shape == info.shape) return var;
  const Expr renamed = info.type.rank > 0 ? arena_.fresh_array(info.type.kind, shape, info.name)
                                          : arena_.fresh(info.type, info.name);
  bind(var, renamed);
  return renamed.var();
}

Lambda Renaming::operator()(Lambda lambda) {
  if (binders_ == Binders::keep && empty()) return lambda;
  for (Var& p : lambda.params) p = binder(p);
  for (Stm& stm : lambda.body) stm = (*this)(std::move(stm));
  in_place(lambda.results);
  return lambda;
}

void Renaming::roots(Stm& stm) {
  if (!empty()) map_roots(stm, [this](Expr e) { return (*this)(e); });
}

Stm Renaming::operator()(Stm stm) {
  roots(stm);
  for (auto& inner : nested_in(stm)) *inner.lambda = (*this)(std::move(*inner.lambda));
  for (Var& name : stm.names) name = binder(name);
  return stm;
}

void substitute_in(Lambda& lambda, scalar::Substitution& substitute) {
  for (Stm& stm : lambda.body) substitute_in(stm, substitute);
  for (Expr& e : lambda.results) e = substitute(e);
}

void substitute_in(Stm& stm, scalar::Substitution& substitute) {
  map_roots(stm, [&](Expr e) { return substitute(e); });
  for (auto& inner : nested_in(stm)) substitute_in(*inner.lambda, substitute);
}

Applied apply(Arena& arena, const Lambda& lambda, std::span<const Expr> arguments) {
  FULGURITE_CHECK(lambda.params.size() == arguments.size(), "{} arguments for {} parameters",
                  arguments.size(), lambda.params.size());
  Renaming rename(arena, Renaming::Binders::fresh);
  for (std::size_t i = 0; i < arguments.size(); ++i) rename.bind(lambda.params[i], arguments[i]);
  Applied applied;
  for (const Stm& stm : lambda.body) applied.body.push_back(rename(stm));
  applied.results = lambda.results;
  rename.in_place(applied.results);
  return applied;
}

}  // namespace fulgurite::soac
