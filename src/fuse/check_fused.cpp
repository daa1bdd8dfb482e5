// What fuse promises, asked of its result.
#include <fmt/format.h>

#include <algorithm>

#include "base/match.h"
#include "fuse/decide.h"
#include "fuse/fuse.h"
#include "fuse/producer.h"
#include "soac/walk.h"

namespace fulgurite::fuse {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Var;
using soac::Lambda;
using soac::Soac;
using soac::Stm;
using soac::Vars;

namespace {

class FusedCheck {
 public:
  explicit FusedCheck(Arena& arena) : arena_(arena) {}

  void memory_scope(const std::vector<Stm>& stms, const std::vector<Expr>& results) {
    const UseTable table(stms, results);
    for (std::size_t k = 0; k < stms.size(); ++k) {
      const Stm& stm = stms[k];
      const auto* soac = as<Soac>(stm.op);
      if (!soac) {
        for (const auto& inner : soac::nested_in(stm))
          memory_scope(inner.lambda->body, inner.lambda->results);
        continue;
      }
      per_element(*soac);
      if (!soac->reductions.empty() || arrays_of(arena_, stm).empty()) continue;
      const Uses uses = table.of(arrays_of(arena_, stm), k);
      if (uses.read.empty()) continue;
      if (decide(arena_, stms, k, results, uses).inlines)
        complain(stm, "is in memory but could be part of what reads it");
    }
  }

  std::vector<std::string> complaints;

 private:
  void per_element(const Soac& soac) {
    element_scope(soac.body);
    for (const soac::Reduction& r : soac.reductions) element_scope(r.op);
  }

  /// Elements read inside the function must not be of arrays that it binds.
  void element_scope(const Lambda& lambda) {
    std::vector<Expr> roots;
    soac::for_each_root(lambda, [&](Expr e) { roots.push_back(e); });
    Vars read;
    scalar::for_each_node(roots, [&](Expr e) {
      if (e.op() == Op::index) read.insert(e.arg(0).var());
    });
    for (const Stm& stm : lambda.body) {
      for (Var v : arrays_of(arena_, stm)) {
        if (as<soac::Loop>(stm.op))
          complain(stm, "carries an array through a loop inside a function that runs for each element");
        else if (read.contains(v))
          complain(stm, "is read inside the function that makes it");
      }
      for (const auto& inner : soac::nested_in(stm)) element_scope(*inner.lambda);
    }
  }

  void complain(const Stm& stm, std::string_view what) {
    complaints.push_back(fmt::format("'{}' ({}, {}:{}) {}",
                                     stm.names.empty() ? "" : arena_.info(stm.names[0]).name, stm.origin,
                                     stm.where.file, stm.where.line, what));
  }

  Arena& arena_;
};

}  // namespace

std::vector<std::string> check_fused(const soac::Program& program) {
  FusedCheck check(*program.arena);
  check.memory_scope(program.body, program.results);
  return check.complaints;
}

}  // namespace fulgurite::fuse
