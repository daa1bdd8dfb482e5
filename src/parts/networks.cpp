#include "parts/networks.h"

#include <bit>

#include "base/check.h"

namespace fulgurite::parts {

namespace {

using scalar::Arena;
using scalar::Op;

bool is_power_of_two(std::int64_t n) {
  return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n));
}

int log2_above(std::int64_t n) {  // the least k with n <= 2^k
  return std::bit_width(static_cast<std::uint64_t>(n - 1));
}

}  // namespace

void join_halves(Arena&, const Team& team, std::int64_t n, const Meet& meet) {
  FULGURITE_CHECK(is_power_of_two(n), "halves of {} elements", n);
  team.steps(log2_above(n), [&](Expr step) {
    const Expr width = (n / 2) >> step;
    team.par(width, [&](const Builder& b, Expr i) { meet(b, i, i, i + width); });
  });
}

void scan_runs(Arena& arena, const Team& team, std::int64_t n, const Meet& meet) {
  FULGURITE_CHECK(n > 0, "a scan of {} elements", n);
  const Expr all = arena.i64(n), one = arena.i64(1);
  auto shl = [&](Expr a, Expr by) { return a << by; };
  auto shr = [&](Expr a, Expr by) { return a >> by; };
  team.steps(log2_above(n), [&](Expr step) {
    const Expr run = shl(one, step), pair = step + one;
    // Elements in the right runs: of whole pairs, and of the last one.
    Expr n_right = arena.i64(n / 2);
    if (!is_power_of_two(n)) {
      const Expr whole = shl(shr(all, pair), step), last = all % shl(one, pair) - run;
      n_right = whole + max(last, 0);
    }
    team.par(n_right, [&](const Builder& b, Expr i) {
      Expr right = shl(shr(i, step), pair) + run;  // where the right run begins
      Expr to = right + (i & (run - one));
      meet(b, to, right - one, to);
    });
  });
}

BlockParts& block_parts() {
  static thread_local BlockParts parts;
  return parts;
}

}  // namespace fulgurite::parts
