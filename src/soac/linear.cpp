#include "soac/linear.h"

#include <algorithm>
#include <functional>

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
    return reads_at(e, soac.body.params) && sizes.canonical(arena.info(e.arg(0).var()).shape) == dims;
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

bool stores_along_row(Arena& arena, const Soac& soac, const OutputView::Scattered& s) {
  if (soac.body.params.empty()) return false;
  Vars computed;
  for (const Stm& statement : soac.body.body) add_bound(statement, computed);
  bool reads = mentions_any(s.place, computed);
  scalar::for_each_node(s.place, [&](Expr e) { reads = reads || e.op() == Op::index; });
  return !reads && are_along(arena, s.place, soac.body.params.back());
}

bool replaces_rows(Arena& arena, const Stm& s) {
  const OutputView outputs = view_of(s);
  if (!outputs.mapped.empty() || !outputs.reductions.empty() || !outputs.partitions.empty()) return false;
  return outputs.scatters.size() == 1 && outputs.scatters[0].to.stores_in_any_order() &&
         stores_along_row(arena, std::get<Soac>(s.op), outputs.scatters[0]);
}

namespace {

using Meet = std::function<void(Var array, std::span<const Expr> place)>;

// Calls `meet` for the elements that points read, and for those that they replace.
void for_each_element(const Soac& soac, const Meet& meet) {
  std::vector<Expr> roots;
  for_each_root(soac.body, [&](Expr e) { roots.push_back(e); });
  scalar::for_each_node(roots, [&](Expr e) {
    if (e.op() == Op::index) meet(e.arg(0).var(), e.args().subspan(1));
  });
  for (const auto& scattered : view_of(soac).scatters)
    for (std::size_t k = 0; k < scattered.to.initial.results.size(); ++k)
      if (const auto from = contents_of(scattered.to, k)) meet(*from, scattered.place);
}

}  // namespace

bool meets_far_lines(Arena& arena, const Soac& soac) {
  if (soac.body.params.empty()) return false;
  using Far = std::pair<Var, Expr>;  // the array, and the distance
  std::vector<Far> all;
  Vars sizes;
  for_each_element(soac, [&](Var array, std::span<const Expr> place) {
    const auto along =
        place.size() == 1 ? scalar::affine_in(arena, place[0], soac.body.params.back()) : std::nullopt;
    if (along && !along->coefficient.is_constant()) all.emplace_back(array, along->coefficient);
    add_mentioned(arena.info(array).shape, sizes);
  });
  return std::ranges::any_of(all, [&](const Far& far) {
    return std::ranges::count(all, far) > 1 && mentions_any({&far.second, 1}, sizes);
  });
}

bool have_lines_of_their_own(Arena& arena, const Soac& soac) {
  if (!soac.body.body.empty() || !soac.reductions.empty()) return false;
  const auto has_points = [](Expr extent) { return !extent.is_constant(1); };
  const auto axis = std::ranges::find_if(soac.dims, has_points);
  if (axis == soac.dims.end() || std::any_of(axis + 1, soac.dims.end(), has_points)) return false;
  const Var index = soac.body.params[static_cast<std::size_t>(axis - soac.dims.begin())];
  bool are_far = false;
  for_each_element(soac, [&](Var array, std::span<const Expr> place) {
    const bool is_last =
        std::ranges::all_of(place.first(place.size() - 1), [&](Expr at) { return !mentions(at, index); });
    const auto along = scalar::affine_in(arena, place.back(), index);
    are_far |=
        is_last ? along && !along->coefficient.is_constant()
                : along && along->coefficient.is_constant(0) && !arena.info(array).shape.back().is_constant();
  });
  return are_far;
}

std::int64_t elements_of_results(const Arena& arena, const Lambda& f) {
  std::int64_t most = 1;
  for (Expr result : f.results) {
    if (result.type().rank == 0) continue;
    const std::vector<Expr>& shape = arena.info(result.var()).shape;
    std::int64_t n = 1;
    for (Expr extent : shape) n *= extent.is_constant() ? static_cast<std::int64_t>(extent.bits()) : 0;
    most = std::max(most, n);
  }
  return most;
}

}  // namespace fulgurite::soac
