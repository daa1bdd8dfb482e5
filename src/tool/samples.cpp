#include "tool/samples.h"

#include <array>

#include "scalar/value.h"

namespace fulgurite::tool {

using scalar::Op;
using soac::Expr;
using soac::Var;

namespace {

// From a few to as many as memory has room for; no two are multiples of each other.
std::int64_t drawn(Var name, int sample) {
  constexpr std::array<std::int64_t, 8> sizes{17, 67, 1021, 8191, 131071, 1048573, 16777213, 134217689};
  auto state = static_cast<std::uint32_t>(name) * 2654435761U + static_cast<std::uint32_t>(sample) * 40503U;
  state ^= state >> 15;
  state *= 2246822519U;
  state ^= state >> 13;
  return sizes[state % sizes.size()] + static_cast<std::int64_t>(state >> 8) % 13;
}

}  // namespace

std::optional<std::int64_t> sampled(Expr root, int sample) {
  const auto value = [&](Expr e) {
    return static_cast<std::int64_t>(
        scalar::value_of(e, [&](Var name) { return static_cast<scalar::Bits>(drawn(name, sample)); }));
  };
  bool has_value = true;
  scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
    if (e.op() == Op::index || (e.is_name() && !scalar::is_integer(e.kind()))) has_value = false;
    if (has_value && scalar::is_division(e.op())) has_value = value(e.arg(1)) != 0;
  });
  if (!has_value) return std::nullopt;
  return value(root);
}

namespace {

/// In every sample.
bool always_at_most(Expr a, Expr b) {
  if (a == b) return true;
  for (int sample = 0; sample < n_samples; ++sample) {
    const auto left = sampled(a, sample), right = sampled(b, sample);
    if (!left || !right || *left > *right) return false;
  }
  return true;
}

}  // namespace

Expr smaller(Expr a, Expr b) {
  if (always_at_most(a, b)) return a;
  return always_at_most(b, a) ? b : min(a, b);
}

Expr larger(Expr a, Expr b) {
  if (always_at_most(a, b)) return b;
  return always_at_most(b, a) ? a : max(a, b);
}

}  // namespace fulgurite::tool
