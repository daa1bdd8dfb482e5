// Scatters whose points may store in any order say so: scatters whose points have places of their own, or
// store one value. Before fusion, while arrays are read that it may hide: a sort, a scan. What a combinator's
// own function scatters is stored by one task or thread, in order, whatever it says.
#include "base/match.h"
#include "simplify/simplify.h"
#include "soac/injective.h"
#include "soac/walk.h"

namespace fulgurite::simplify {

using base::as;
using soac::Soac;
using soac::Stm;

namespace {

class Marker {
 public:
  explicit Marker(const soac::Program& program) : arena_(*program.arena), sizes_(program) {}

  void scope(std::vector<Stm>& stms) {
    for (Stm& stm : stms) {
      if (auto* soac = as<Soac>(stm.op))
        mark(*soac);
      else
        for (auto& inner : soac::nested_in(stm)) scope(inner.lambda->body);
      origins_.add(stm);
    }
  }

 private:
  void mark(Soac& soac) {
    for (std::size_t k = 0; k < soac.scatters.size(); ++k) {
      soac::Scatter& scatter = soac.scatters[k];
      if (!scatter.combine.empty() || scatter.of_equal == soac::OfEqual::unordered) continue;
      if (soac::stores_one_value(arena_, sizes_, origins_, soac, k) ||
          soac::stores_apart(arena_, sizes_, origins_, soac, k))
        scatter.of_equal = soac::OfEqual::unordered;
    }
  }

  scalar::Arena& arena_;
  const soac::EqualSizes sizes_;
  soac::Origins origins_;
};

soac::Program run_unordered(soac::Program program, soac::PassContext&) {
  Marker(program).scope(program.body);
  return program;
}

}  // namespace

const soac::Pass unordered{"unordered",
                           "scatters whose points have places of their own, or one value, store in any order",
                           run_unordered};

}  // namespace fulgurite::simplify
