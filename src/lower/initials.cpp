#include "lower/initials.h"

#include "base/match.h"
#include "scalar/value.h"
#include "soac/walk.h"

namespace fulgurite::lower {

using base::as;
using scalar::Expr;

namespace {

class InitialsGuard {
 public:
  explicit InitialsGuard(scalar::Arena& arena) : arena_(arena) {}

  void scope(std::vector<soac::Stm>& stms) {
    std::vector<soac::Stm> out;
    for (soac::Stm& stm : stms) {
      for (auto& inner : soac::nested_in(stm)) scope(inner.lambda->body);
      if (auto* soac = as<soac::Soac>(stm.op))
        for (soac::Stm& s : soac->body.body)
          if (auto* scan = as<soac::Scan>(s.op)) guard(s, scan->reduction.initial, soac->dims, out);
      out.push_back(std::move(stm));
    }
    stms = std::move(out);
  }

 private:
  void guard(const soac::Stm& scan, std::vector<Expr>& initial, const std::vector<Expr>& dims,
             std::vector<soac::Stm>& out) {
    if (std::ranges::none_of(initial, scalar::can_fail)) return;
    Expr has_points = arena_.boolean(true);
    for (Expr n : dims) has_points = has_points & (0 < n);
    if (has_points.is_constant(1)) return;
    soac::If needed{has_points, {}, {}};
    soac::Stm before{{}, {}, scan.where, scan.origin};
    for (Expr& value : initial) {
      needed.then_branch.results.push_back(value);
      needed.else_branch.results.push_back(arena_.constant(value.kind(), scalar::zero(value.kind())));
      value = arena_.fresh(value.type(), "initial");
      before.names.push_back(value.var());
    }
    before.op = std::move(needed);
    out.push_back(std::move(before));
  }

  scalar::Arena& arena_;
};

}  // namespace

soac::Program guard_initials(soac::Program program) {
  InitialsGuard(*program.arena).scope(program.body);
  return program;
}

}  // namespace fulgurite::lower
