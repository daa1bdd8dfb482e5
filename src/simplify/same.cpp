#include "simplify/same.h"

#include <algorithm>

#include "base/match.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::simplify {

using scalar::Arena;
using scalar::Expr;
using scalar::Var;
using soac::Lambda;
using soac::Stm;

namespace {

/// Walks both at once, calling b's names by a's.
class Comparison {
 public:
  explicit Comparison(Arena& arena) : arena_(arena), to_a_(arena, soac::Renaming::Binders::keep) {}

  bool same(const Lambda& a, const Lambda& b) {
    if (a.body.size() != b.body.size() || a.results.size() != b.results.size() || !bind(a.params, b.params))
      return false;
    for (std::size_t i = 0; i < a.body.size(); ++i)
      if (!same(a.body[i], b.body[i])) return false;
    return same(a.results, b.results);
  }

  bool same(const Stm& a, const Stm& b) {
    if (a.op.index() != b.op.index() || a.names.size() != b.names.size() || !same_form(a, b)) return false;
    if (!same(soac::roots_of(a), soac::roots_of(b))) return false;
    const auto inside_a = soac::nested_in(a), inside_b = soac::nested_in(b);
    if (inside_a.size() != inside_b.size()) return false;
    for (std::size_t i = 0; i < inside_a.size(); ++i)
      if (!same(*inside_a[i].lambda, *inside_b[i].lambda)) return false;
    return bind(a.names, b.names);
  }

 private:
  bool same(const std::vector<Expr>& a, const std::vector<Expr>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != to_a_(b[i])) return false;
    return true;
  }

  bool bind(const std::vector<Var>& a, const std::vector<Var>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (arena_.info(a[i]).type != arena_.info(b[i]).type) return false;
      if (a[i] != b[i]) to_a_.bind(b[i], arena_.name(a[i]));
    }
    return true;
  }

  static bool same_form(const std::vector<soac::Reduction>& a, const std::vector<soac::Reduction>& b) {
    return std::ranges::equal(a, b, [](const soac::Reduction& r, const soac::Reduction& s) {
      return r.neutral.size() == s.neutral.size() && r.initial.size() == s.initial.size() &&
             r.commutative == s.commutative;
    });
  }

  static bool is_there(Expr e) { return static_cast<bool>(e); }

  /// Whether parts begin and end alike, which the lists of roots and functions do not tell.
  static bool same_form(const Stm& a, const Stm& b) {
    return base::match(
        a.op,
        [&](const soac::Soac& x) {
          const auto& y = std::get<soac::Soac>(b.op);
          if (x.dims.size() != y.dims.size() || !same_form(x.reductions, y.reductions) ||
              x.scatters.size() != y.scatters.size() || x.partitions.size() != y.partitions.size())
            return false;
          for (std::size_t i = 0; i < x.scatters.size(); ++i)
            if (x.scatters[i].shape.size() != y.scatters[i].shape.size() ||
                x.scatters[i].of_equal != y.scatters[i].of_equal ||
                !same_form(x.scatters[i].combine, y.scatters[i].combine))
              return false;
          for (std::size_t i = 0; i < x.partitions.size(); ++i)
            if (x.partitions[i].n_values != y.partitions[i].n_values) return false;
          return true;
        },
        [&](const soac::Sort& x) {
          const auto& y = std::get<soac::Sort>(b.op);
          return x.arrays.size() == y.arrays.size() &&
                 static_cast<bool>(x.segments) == static_cast<bool>(y.segments);
        },
        // A running value belongs to the body that it stands in.
        [](const soac::Scan&) { return false; }, [](const soac::If&) { return true; },
        [&](const soac::Loop& x) {
          const auto& y = std::get<soac::Loop>(b.op);
          return x.initial.size() == y.initial.size() &&
                 static_cast<bool>(x.trips) == static_cast<bool>(y.trips);
        },
        [&](const soac::Check& x) { return x.site == std::get<soac::Check>(b.op).site; },
        [&](const soac::Call& x) {
          const auto& y = std::get<soac::Call>(b.op);
          return x.kernel == y.kernel && std::ranges::equal(x.former, y.former, {}, &is_there, &is_there);
        },
        [](const soac::Let&) { return true; });
  }

  Arena& arena_;
  soac::Renaming to_a_;
};

}  // namespace

bool is_same(Arena& arena, const Stm& a, const Stm& b) {
  return Comparison(arena).same(a, b);
}
bool is_same(Arena& arena, const Lambda& a, const Lambda& b) {
  return Comparison(arena).same(a, b);
}

}  // namespace fulgurite::simplify
