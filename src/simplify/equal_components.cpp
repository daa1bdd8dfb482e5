#include "simplify/equal_components.h"

#include <unordered_map>

namespace fulgurite::simplify {

using scalar::Arena;
using scalar::Expr;
using scalar::Var;

namespace {

/// The operator's results where components that are assumed to be equal are one.
std::vector<Expr> results_if_equal(Arena& arena, const soac::Reduction& r,
                                   const std::vector<std::size_t>& first_equal) {
  const std::size_t n = first_equal.size();
  std::unordered_map<Var, Expr> firsts;
  for (std::size_t k = 0; k < n; ++k)
    for (const std::size_t side : {std::size_t{0}, n})
      firsts.emplace(r.op.params[side + k], arena.name(r.op.params[side + first_equal[k]]));
  std::vector<Expr> results;
  for (Expr result : r.op.results) results.push_back(scalar::substitute(arena, result, firsts));
  return results;
}

template <class T>
std::vector<T> firsts_of(const std::vector<T>& list, const std::vector<std::size_t>& first_equal) {
  std::vector<T> kept;
  for (std::size_t k = 0; k < list.size(); ++k)
    if (first_equal[k % first_equal.size()] == k % first_equal.size()) kept.push_back(list[k]);
  return kept;
}

}  // namespace

std::vector<std::size_t> equal_components(Arena& arena, const soac::Reduction& r,
                                          std::span<const Expr> operands) {
  const auto classes = [&](auto is_equal) {
    std::vector<std::size_t> first_equal(operands.size());
    for (std::size_t k = 0; k < operands.size(); ++k)
      while (first_equal[k] < k && !is_equal(first_equal[k], k)) ++first_equal[k];
    return first_equal;
  };
  if (operands.size() < 2 || !r.op.body.empty())
    return classes([](std::size_t, std::size_t) { return false; });
  const auto is_equal_in = [](const std::vector<Expr>& list, std::size_t j, std::size_t k) {
    return list.empty() || list[j] == list[k];
  };
  std::vector<std::size_t> first_equal = classes([&](std::size_t j, std::size_t k) {
    return operands[j] == operands[k] && is_equal_in(r.neutral, j, k) && is_equal_in(r.initial, j, k);
  });
  // Assumed equal until an application of the operator tells some of them apart.
  for (;;) {
    const std::vector<Expr> results = results_if_equal(arena, r, first_equal);
    std::vector<std::size_t> finer = classes([&](std::size_t j, std::size_t k) {
      return first_equal[j] == first_equal[k] && results[j] == results[k];
    });
    if (finer == first_equal) return first_equal;
    first_equal = std::move(finer);
  }
}

soac::Reduction join_components(Arena& arena, const soac::Reduction& r,
                                const std::vector<std::size_t>& first_equal) {
  soac::Reduction joined = r;
  joined.op.params = firsts_of(r.op.params, first_equal);
  joined.op.results = firsts_of(results_if_equal(arena, r, first_equal), first_equal);
  joined.neutral = firsts_of(r.neutral, first_equal);
  joined.initial = firsts_of(r.initial, first_equal);
  return joined;
}

}  // namespace fulgurite::simplify
