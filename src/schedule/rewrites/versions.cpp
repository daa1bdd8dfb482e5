#include "schedule/rewrites/versions.h"

#include <utility>

#include "base/match.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

void rewrite_in(std::vector<soac::Stm>& body, bool is_in_loop, const RewriteSoac& rewrite) {
  std::vector<soac::Stm> all;
  for (soac::Stm& s : body) {
    if (base::as<soac::Soac>(s.op)) {
      rewrite(std::move(s), is_in_loop, all);
      continue;
    }
    const bool is_loop = is_in_loop || base::as<soac::Loop>(s.op) != nullptr;
    for (auto& inner : soac::nested_in(s)) rewrite_in(inner.lambda->body, is_loop, rewrite);
    all.push_back(std::move(s));
  }
  body = std::move(all);
}

}  // namespace

soac::Stm one_of(scalar::Arena& arena, soac::Stm s, scalar::Expr condition, std::vector<soac::Stm> first,
                 std::vector<soac::Stm> second) {
  std::vector<scalar::Expr> names;
  for (scalar::Var name : s.names) names.push_back(arena.name(name));
  const auto branch = [&](std::vector<soac::Stm> statements) {
    soac::Applied fresh = soac::apply(arena, {{}, std::move(statements), names}, {});
    return soac::Lambda{{}, std::move(fresh.body), std::move(fresh.results)};
  };
  soac::Lambda then_branch = branch(std::move(first)), else_branch = branch(std::move(second));
  s.op = soac::If{condition, std::move(then_branch), std::move(else_branch)};
  return s;
}

soac::Program rewrite_soacs(soac::Program program, const RewriteSoac& rewrite) {
  rewrite_in(program.body, false, rewrite);
  return program;
}

}  // namespace fulgurite::schedule
