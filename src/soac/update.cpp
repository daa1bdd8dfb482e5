#include "soac/update.h"

#include <algorithm>

#include "base/match.h"
#include "soac/layout.h"
#include "soac/walk.h"

namespace fulgurite::soac {

using scalar::Op;

namespace {

/// The array that the expression reads at exactly these indices.
std::optional<Var> read_at(Expr e, std::span<const Expr> indices) {
  if (e.op() != Op::index) return {};
  if (!std::equal(indices.begin(), indices.end(), e.args().begin() + 1, e.args().end())) return {};
  return e.arg(0).var();
}

/// e = a * p + b with a constant a that is not 0, and b of names not bound in the body.
bool is_affine(Expr e, Var p, const Vars& inside) {
  auto mentions = [&](Expr x, const Vars& names) {
    Vars mentioned;
    add_mentioned(std::span(&x, 1), mentioned);
    return std::any_of(mentioned.begin(), mentioned.end(), [&](Var v) { return names.contains(v); });
  };
  if (e.is_name()) return e.var() == p;
  const auto one_side = [&](Expr x, Expr other) {
    return is_affine(x, p, inside) && !mentions(other, inside);
  };
  switch (e.op()) {
    case Op::add:
    case Op::sub: return one_side(e.arg(0), e.arg(1)) || one_side(e.arg(1), e.arg(0));
    case Op::mul:
      return (e.arg(1).is_constant() && e.arg(1).bits() != 0 && is_affine(e.arg(0), p, inside)) ||
             (e.arg(0).is_constant() && e.arg(0).bits() != 0 && is_affine(e.arg(1), p, inside));
    default: return false;
  }
}

/// No two points store to one place: each axis of the space moves an index of its own.
bool is_injective(const Soac& soac, std::span<const Expr> place) {
  Vars inside;
  add_bound(soac.body, inside);
  return std::all_of(soac.body.params.begin(), soac.body.params.end(), [&](Var p) {
    return std::any_of(place.begin(), place.end(), [&](Expr e) { return is_affine(e, p, inside); });
  });
}

class Reads {
 public:
  Reads(const Soac& soac, std::size_t scatter, std::span<const Expr> place) {
    one_point_ = std::all_of(soac.dims.begin(), soac.dims.end(), [](Expr n) { return n.is_constant(1); });
    const auto add_lambda = [&](const Lambda& lambda, std::vector<Expr>& roots) {
      for_each_root(lambda, [&](Expr e) { roots.push_back(e); });
    };
    std::vector<Expr> elsewhere;
    add_lambda(soac.body, body_);
    for (const Reduction& r : soac.reductions) add_lambda(r.op, elsewhere);
    for (std::size_t k = 0; k < soac.scatters.size(); ++k) {
      if (k != scatter) add_lambda(soac.scatters[k].initial, elsewhere);
      for (const Reduction& r : soac.scatters[k].combine) add_lambda(r.op, elsewhere);
    }
    add_mentioned(elsewhere, forbidden_);
    for (Expr e : body_)
      if (e.type().rank > 0) forbidden_.insert(e.var());
    if (one_point_) return;
    const bool injective = is_injective(soac, place);
    scalar::for_each_node(body_, [&](Expr e) {
      if (e.op() == Op::index && !(injective && read_at(e, place))) forbidden_.insert(e.arg(0).var());
    });
  }
  bool allow(Var array) const { return !forbidden_.contains(array); }

 private:
  bool one_point_;
  std::vector<Expr> body_;
  Vars forbidden_;
};

}  // namespace

std::vector<std::optional<Var>> updates(const Arena& arena, const Soac& soac, std::size_t scatter) {
  const Scatter& s = soac.scatters[scatter];
  const std::size_t first = layout_of(soac).scatters[scatter].result;
  const std::span<const Expr> place = std::span(soac.body.results).subspan(first, s.shape.size());
  const Reads reads(soac, scatter, place);
  std::vector<Expr> own;
  for (Var p : s.initial.params) own.push_back(arena.name(p));
  std::vector<std::optional<Var>> arrays;
  for (Expr contents : s.initial.results) {
    std::optional<Var> array = read_at(contents, own);
    // One array for two components would be written twice.
    const bool is_taken = std::find(arrays.begin(), arrays.end(), array) != arrays.end();
    if (!array || is_taken || arena.info(*array).shape != s.shape || !reads.allow(*array)) array.reset();
    arrays.push_back(array);
  }
  return arrays;
}

std::vector<Var> updated_arrays(const Arena& arena, const Stm& stm) {
  std::vector<Var> arrays;
  const auto* soac = base::as<Soac>(stm.op);
  for (std::size_t k = 0; soac && k < soac->scatters.size(); ++k)
    for (const std::optional<Var>& array : updates(arena, *soac, k))
      if (array) arrays.push_back(*array);
  return arrays;
}

}  // namespace fulgurite::soac
