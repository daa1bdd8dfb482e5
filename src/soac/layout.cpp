#include "soac/layout.h"

namespace fulgurite::soac {

Layout layout_of(const Soac& soac) {
  Layout layout;
  std::size_t result = 0, name = 0;
  auto part = [&](std::size_t n_results, std::size_t n_names) {
    const Layout::Part p{result, n_results, name, n_names};
    result += n_results;
    name += n_names;
    return p;
  };
  for (const Reduction& r : soac.reductions)
    layout.reductions.push_back(part(r.op.results.size(), r.op.results.size()));
  for (const Scatter& s : soac.scatters)
    layout.scatters.push_back(part(s.shape.size() + s.initial.results.size(), s.initial.results.size()));
  for (const Partition& p : soac.partitions)
    layout.partitions.push_back(part(1 + p.n_values, 2 + p.n_values));
  const std::size_t n_mapped = soac.body.results.size() > result ? soac.body.results.size() - result : 0;
  layout.mapped = part(n_mapped, n_mapped);
  return layout;
}

}  // namespace fulgurite::soac
