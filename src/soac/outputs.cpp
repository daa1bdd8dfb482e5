#include "soac/outputs.h"

#include <algorithm>
#include <utility>

#include "base/match.h"

namespace fulgurite::soac {

namespace {

/// Takes elements from the front of a list, as long as there are some.
template <class T>
class Taker {
 public:
  explicit Taker(std::span<const T> list) : left_(list) {}
  std::span<const T> many(std::size_t n) {
    n = std::min(n, left_.size());
    const std::span<const T> taken = left_.first(n);
    left_ = left_.subspan(n);
    return taken;
  }
  T one() {
    const std::span<const T> taken = many(1);
    return taken.empty() ? T{} : taken[0];
  }
  bool is_empty() const { return left_.empty(); }

 private:
  std::span<const T> left_;
};

OutputView view(const Soac& soac, std::span<const Expr> all_results, std::span<const Var> all_names) {
  Taker<Expr> results(all_results);
  Taker<Var> names(all_names);
  OutputView view;
  view.reductions.reserve(soac.reductions.size());
  for (const Reduction& r : soac.reductions) {
    const std::size_t n = r.op.results.size();
    view.reductions.push_back({r, results.many(n), names.many(n)});
  }
  view.scatters.reserve(soac.scatters.size());
  for (const Scatter& s : soac.scatters) {
    const std::size_t n = s.initial.results.size();
    const std::span<const Expr> place = results.many(s.shape.size());
    view.scatters.push_back({s, place, results.many(n), names.many(n)});
  }
  view.partitions.reserve(soac.partitions.size());
  for (const Partition& p : soac.partitions) {
    const Expr point_class = results.one();
    const Var kept = names.one(), offsets = names.one();
    view.partitions.push_back(
        {p.classes, point_class, results.many(p.n_values), kept, offsets, names.many(p.n_values)});
  }
  while (!results.is_empty()) view.mapped.push_back({results.one(), names.one()});
  return view;
}

template <class T>
std::vector<T> list_of(std::span<const T> elements) {
  return {elements.begin(), elements.end()};
}

/// All but the operators.
Outputs without_operators(const OutputView& view) {
  Outputs outputs;
  for (const auto& r : view.reductions)
    outputs.reductions.push_back({{}, list_of(r.operands), list_of(r.names)});
  for (const auto& s : view.scatters)
    outputs.scatters.push_back({{}, list_of(s.place), list_of(s.values), list_of(s.arrays)});
  for (const auto& p : view.partitions)
    outputs.partitions.push_back(
        {p.classes, p.point_class, list_of(p.values), p.kept, p.offsets, list_of(p.arrays)});
  outputs.mapped = view.mapped;
  return outputs;
}

template <class T>
void append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

}  // namespace

OutputView view_of(const Stm& stm) {
  return view_of(stm, std::get<Soac>(stm.op).body.results);
}

OutputView view_of(const Stm& stm, std::span<const Expr> results) {
  return view(std::get<Soac>(stm.op), results, stm.names);
}

OutputView view_of(const Soac& soac) {
  return view(soac, soac.body.results, {});
}

Outputs outputs_of(const Stm& stm) {
  const auto& soac = std::get<Soac>(stm.op);
  Outputs outputs = without_operators(view_of(stm));
  for (std::size_t g = 0; g < soac.reductions.size(); ++g) outputs.reductions[g].by = soac.reductions[g];
  for (std::size_t g = 0; g < soac.scatters.size(); ++g) outputs.scatters[g].to = soac.scatters[g];
  return outputs;
}

Outputs take_outputs(Stm& stm) {
  auto& soac = std::get<Soac>(stm.op);
  Outputs outputs = without_operators(view_of(stm));
  for (std::size_t g = 0; g < soac.reductions.size(); ++g)
    outputs.reductions[g].by = std::move(soac.reductions[g]);
  for (std::size_t g = 0; g < soac.scatters.size(); ++g) outputs.scatters[g].to = std::move(soac.scatters[g]);
  soac.reductions.clear();
  soac.scatters.clear();
  soac.partitions.clear();
  soac.body.results.clear();
  stm.names.clear();
  return outputs;
}

std::vector<bool> needed_scatters(const OutputView& outputs, const std::function<bool(Var)>& is_needed) {
  std::vector<bool> needed(outputs.scatters.size());
  for (std::size_t g = needed.size(); g-- > 0;)
    needed[g] = std::ranges::any_of(outputs.scatters[g].arrays, is_needed) ||
                (g + 1 < needed.size() && outputs.scatters[g + 1].to.goes_on && needed[g + 1]);
  return needed;
}

std::vector<std::pair<Var, Var>> in_memory_of_others(const Stm& stm) {
  std::vector<std::pair<Var, Var>> all;
  std::span<const Var> first;
  const OutputView outputs = view_of(stm);
  for (const OutputView::Scattered& scattered : outputs.scatters) {
    if (!scattered.to.goes_on) first = scattered.arrays;
    for (std::size_t k = 0; scattered.to.goes_on && k < first.size(); ++k)
      all.emplace_back(scattered.arrays[k], first[k]);
  }
  return all;
}

Stm with_outputs(Stm stm, Outputs outputs) {
  auto& soac = std::get<Soac>(stm.op);
  std::vector<Expr> results;
  std::vector<Var> names;
  soac.reductions.clear();
  for (Outputs::Reduced& r : outputs.reductions) {
    append(results, r.operands);
    append(names, r.names);
    soac.reductions.push_back(std::move(r.by));
  }
  soac.scatters.clear();
  for (Outputs::Scattered& s : outputs.scatters) {
    append(results, s.place);
    append(results, s.values);
    append(names, s.arrays);
    soac.scatters.push_back(std::move(s.to));
  }
  soac.partitions.clear();
  for (const Outputs::Partitioned& p : outputs.partitions) {
    results.push_back(p.point_class);
    append(results, p.values);
    append(names, {p.kept, p.offsets});
    append(names, p.arrays);
    soac.partitions.push_back({p.classes, p.values.size()});
  }
  for (const Mapped& m : outputs.mapped) {
    results.push_back(m.result);
    names.push_back(m.array);
  }
  soac.body.results = std::move(results);
  stm.names = std::move(names);
  return stm;
}

std::size_t first_axis_of_results(const Soac& soac) {
  return soac.dims.size() - soac.axes_behind;
}

Expr mapped_result(const Stm& stm, Var array) {
  if (!base::as<Soac>(stm.op)) return {};
  const std::vector<Mapped> mapped = view_of(stm).mapped;
  const auto found = std::ranges::find(mapped, array, &Mapped::array);
  return found == mapped.end() ? Expr() : found->result;
}

}  // namespace fulgurite::soac
