#include "fuse/decide.h"

#include <fmt/format.h>

#include <algorithm>

#include "fuse/inline.h"
#include "simplify/cost.h"
#include "soac/walk.h"

namespace fulgurite::fuse {

using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Var;
using simplify::costs;
using soac::Stm;

Uses uses_of(const Arena& arena, const std::vector<Stm>& stms, std::size_t producer,
             const std::vector<Expr>& results) {
  const std::vector<Var> arrays = arrays_of(arena, stms[producer]);
  std::vector<bool> read(arrays.size()), whole(arrays.size());
  auto find = [&](Expr e) -> std::ptrdiff_t {
    if (!e.is_name() || e.type().rank == 0) return -1;
    auto at = std::find(arrays.begin(), arrays.end(), e.var());
    return at == arrays.end() ? -1 : at - arrays.begin();
  };
  /// Notes the roots' uses; true if they read an element.
  auto note = [&](std::span<const Expr> roots) {
    bool reads = false;
    for (Expr root : roots)
      if (auto at = find(root); at >= 0) whole[static_cast<std::size_t>(at)] = true;
    scalar::for_each_node(roots, [&](Expr e) {
      if (e.op() != Op::index) return;
      if (auto at = find(e.arg(0)); at >= 0) read[static_cast<std::size_t>(at)] = reads = true;
    });
    return reads;
  };
  Uses uses;
  for (std::size_t k = producer + 1; k < stms.size(); ++k) {
    std::vector<Expr> roots;
    soac::for_each_root(stms[k], [&](Expr e) { roots.push_back(e); });
    if (note(roots)) uses.readers.push_back(k);
  }
  uses.read_by_results = note(results);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (read[i]) uses.read.push_back(arrays[i]);
    if (whole[i]) uses.whole.push_back(arrays[i]);
  }
  return uses;
}

Decision decide(Arena& arena, const std::vector<Stm>& stms, std::size_t producer,
                const std::vector<Expr>& results, const Uses& uses) {
  if (uses.read.empty()) return {false, "it is needed as a whole array"};
  const Producer delayed_array = delayed(arena, stms[producer], uses.read);
  const int cost = simplify::cost_of(delayed_array.at);
  if (!uses.whole.empty()) {
    if (cost <= costs.load) return {true, "an element costs no more than a load"};
    return {false, "it is needed as a whole array too"};
  }
  if (simplify::is_cheap(cost))
    return {true, fmt::format("computing an element costs {}, at most {} is cheap", cost, costs.cheap)};
  const std::size_t n_readers = uses.readers.size() + (uses.read_by_results ? 1 : 0);
  if (n_readers > 1)
    return {false,
            fmt::format("{} statements read it and computing an element again costs {}, at most {} is cheap",
                        n_readers, cost, costs.cheap)};
  const Reads reads = uses.read_by_results ? reads_in(arena, delayed_array, results)
                                           : reads_in(arena, delayed_array, stms[uses.readers[0]]);
  if (reads.distinct > 1)
    return {
        false,
        fmt::format(
            "its reader needs {} of its elements at a time and computing one costs {}, at most {} is cheap",
            reads.distinct, cost, costs.cheap)};
  if (reads.repeats)
    return {false,
            fmt::format(
                "its reader needs an element more than once and computing it costs {}, at most {} is cheap",
                cost, costs.cheap)};
  return {true, "its only reader needs each element once"};
}

}  // namespace fulgurite::fuse
