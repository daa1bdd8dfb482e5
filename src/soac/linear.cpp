#include "soac/linear.h"

#include <algorithm>

#include "soac/outputs.h"
#include "soac/update.h"
#include "soac/walk.h"

namespace fulgurite::soac {

using scalar::Op;

bool is_linear(const Soac& soac, const Arena& arena, const EqualSizes& sizes) {
  for (Expr e : soac.body.results)
    if (e.type().rank > 0) return false;
  const std::vector<Expr> dims = sizes.canonical(soac.dims);
  auto is_own_index = [&](Expr e) {
    return e.is_name() &&
           std::find(soac.body.params.begin(), soac.body.params.end(), e.var()) != soac.body.params.end();
  };
  auto reads_own_place = [&](Expr e) {
    if (e.op() != Op::index || e.args().size() != dims.size() + 1) return false;
    for (std::size_t axis = 0; axis < dims.size(); ++axis)
      if (!e.arg(axis + 1).is_name() || e.arg(axis + 1).var() != soac.body.params[axis]) return false;
    return sizes.canonical(arena.info(e.arg(0).var()).shape) == dims;
  };
  std::vector<Expr> roots;
  for_each_root(soac.body, [&](Expr e) { roots.push_back(e); });
  bool linear = std::none_of(roots.begin(), roots.end(), is_own_index);
  scalar::for_each_node(roots, [&](Expr e) {
    if (!linear || reads_own_place(e)) return;
    linear = std::none_of(e.args().begin(), e.args().end(), is_own_index);
  });
  return linear;
}

bool are_along(Arena& arena, std::span<const Expr> place, Var axis) {
  for (std::size_t k = 0; k < place.size(); ++k) {
    const auto along = scalar::affine_in(arena, place[k], axis);
    if (!along || !along->coefficient.is_constant(k + 1 == place.size() ? 1 : 0)) return false;
  }
  return true;
}

bool meets_far_lines(Arena& arena, const Soac& soac) {
  if (soac.body.params.empty()) return false;
  using Far = std::pair<Var, Expr>;  // the array, and the distance
  std::vector<Far> all;
  Vars sizes;
  const auto meet = [&](Var array, std::span<const Expr> place) {
    const auto along =
        place.size() == 1 ? scalar::affine_in(arena, place[0], soac.body.params.back()) : std::nullopt;
    if (along && !along->coefficient.is_constant()) all.emplace_back(array, along->coefficient);
    add_mentioned(arena.info(array).shape, sizes);
  };
  std::vector<Expr> roots;
  for_each_root(soac.body, [&](Expr e) { roots.push_back(e); });
  scalar::for_each_node(roots, [&](Expr e) {
    if (e.op() == Op::index) meet(e.arg(0).var(), e.args().subspan(1));
  });
  for (const auto& scattered : view_of(soac).scatters)
    for (std::size_t k = 0; k < scattered.to.initial.results.size(); ++k)
      if (const auto from = contents_of(scattered.to, k)) meet(*from, scattered.place);
  return std::ranges::any_of(all, [&](const Far& far) {
    return std::ranges::count(all, far) > 1 && mentions_any({&far.second, 1}, sizes);
  });
}

}  // namespace fulgurite::soac
