// Programs of as many operations, or as deep a nest, as a test asks for.
#pragma once

#include <fulgurite/fulgurite.h>

#include <functional>
#include <string>
#include <tuple>
#include <vector>

namespace fulgurite::long_programs {

using Numbers = Vec<i64>;

// Chains of n operations on arrays; a and b keep the compiler from folding them.

inline Numbers operators(int n, Numbers x, Exp<i64> a, Exp<i64> b) {
  for (int k = 0; k < n; k += 2) x = (x ^ a) + b;
  return x;
}
inline Numbers maps_of_maps(int n, Numbers x, Exp<i64> a, Exp<i64> b) {
  for (int k = 0; k < n; k += 2) x = map([=](Exp<i64> e) { return (e ^ a) + b; }, x);
  return x;
}
inline Numbers one_function(int n, Numbers x, Exp<i64> a, Exp<i64> b) {
  return map(
      [=](Exp<i64> e) {
        for (int k = 0; k < n; k += 2) e = (e ^ a) + b;
        return e;
      },
      x);
}
// Each array is read twice by the next one.
inline Numbers diamonds(int n, Numbers x, Exp<i64> a, Exp<i64> b) {
  for (int k = 0; k < n; k += 3) {
    const Numbers left = x ^ a, right = x | b;
    x = left - right;
  }
  return x;
}
inline Numbers doubled(int n, Numbers x, Exp<i64> a, Exp<i64>) {
  for (int k = 0; k < n; k += 2) {
    const Numbers y = x ^ a;
    x = y + y;
  }
  return x;
}
inline std::tuple<Numbers, Numbers, Numbers> three_results(int n, Numbers x, Exp<i64> a, Exp<i64> b) {
  Numbers y = x, z = x;
  for (int k = 0; k < n; k += 3) {
    x = x ^ a;
    y = y * b;
    z = z - x;
  }
  return {x, y, z};
}
inline std::tuple<Numbers, Numbers, Numbers, Numbers> four_results(int n, Numbers x, Exp<i64> a, Exp<i64> b) {
  Numbers y = x + a, z = x ^ b, w = x * 3;
  for (int k = 0; k < n; k += 4) {
    const Numbers p = x ^ y, q = y + z, r = z ^ w, s = w + x;
    x = p;
    y = q;
    z = r;
    w = s;
  }
  return {x, y, z, w};
}
inline Numbers slices_and_reverses(int n, Numbers x, Exp<i64> a, Exp<i64> b) {
  for (int k = 0; k < n; k += 4) {
    x = reverse(x.slice(1, x.size())) ^ a;
    x = concat(x, x.slice(0, 1)).slice(0, x.size()) + b;
  }
  return x;
}
inline Numbers choices(int n, Numbers x, Exp<i64> a, Exp<i64> b) {
  for (int k = 0; k < n; k += 3) x = map([=](Exp<i64> e) { return select(e < a, e + b, e ^ (k + 1)); }, x);
  return x;
}
inline Exp<i64> summed(int n, Numbers x, Exp<i64> a, Exp<i64> b) {
  return sum(operators(n, x, a, b));
}
inline Numbers scanned(int n, Numbers x, Exp<i64> a, Exp<i64> b) {
  return scan([](Exp<i64> p, Exp<i64> q) { return p + q; }, 0, operators(n, x, a, b));
}
// Sums of arrays that have nothing in common but what they are computed from.
inline Exp<i64> many_sums(int n, Numbers x, Exp<i64> a, Exp<i64> b) {
  std::vector<Exp<i64>> sums;
  for (int k = 0; k < n; k += 4) sums.push_back(sum((x ^ (a + k)) * b));
  Exp<i64> total = 0;
  for (const Exp<i64>& s : sums) total = total ^ s;
  return total;
}
// Each array of a chain is summed as well, and needs the sum before.
inline Numbers sums_on_the_way(int n, Numbers x, Exp<i64> a, Exp<i64> b) {
  for (int k = 0; k < n; k += 3) x = (x ^ sum(x)) + (a * b);
  return x;
}
inline Numbers into_a_scatter(int n, Numbers x, Exp<i64> a, Exp<i64> b) {
  return scatter(x, x, operators(n, x, a, b));
}

// Chains of operations that need the array before in memory, or read several of its elements.

inline Numbers scans(int n, Numbers x, Exp<i64> a, Exp<i64>) {
  for (int k = 0; k < n; k += 2) x = scan([](Exp<i64> p, Exp<i64> q) { return p + q; }, 0, x) ^ a;
  return x;
}
inline Numbers scatters(int n, Numbers x, Exp<i64> a, Exp<i64> b) {
  for (int k = 0; k < n; k += 2) x = scatter(x, x ^ a, x + b);
  return x;
}
inline Numbers updates(int n, Numbers x, Exp<i64>, Exp<i64> b) {
  for (int k = 0; k < n; ++k) x = with(x, k % 7, x[(k + 3) % 9] + b);
  return x;
}
inline Numbers rotations(int n, Numbers x, Exp<i64> a, Exp<i64>) {
  for (int k = 0; k < n; ++k) x = rotate(x, a + k);
  return x;
}
inline Numbers gathers(int n, Numbers x, Exp<i64> a, Exp<i64>) {
  for (int k = 0; k < n; k += 2) x = gather(x, (x ^ a) & 7);
  return x;
}
inline Numbers concatenations(int n, Numbers x, Exp<i64>, Exp<i64>) {
  for (int k = 0; k < n; k += 2) x = concat(x, x).slice(1, x.size() + 1);
  return x;
}

// Nests with `depth` levels. Loops have `trips` iterations at each level, while-loops end at `limit`.

inline Exp<i64> loops(int depth, Exp<i64> x, Exp<i64> trips) {
  if (depth == 0) return x * 3;
  return iterate(trips, [=](Exp<i64>, Exp<i64> s) { return loops(depth - 1, s, trips) + 1; }, x);
}
inline Numbers array_loops(int depth, Numbers x, Exp<i64> trips) {
  if (depth == 0) return x * 3;
  return iterate(trips, [=](Exp<i64>, Numbers s) { return array_loops(depth - 1, s, trips) + 1; }, x);
}
inline Exp<i64> loops_of_two(int depth, Exp<i64> x, Exp<i64> trips) {  // of which only one is used
  if (depth == 0) return x * 3;
  const auto step = [=](Exp<i64>, Exp<i64> s, Exp<i64> unused) {
    const Exp<i64> inner = loops_of_two(depth - 1, s, trips);
    return std::tuple{inner + 1, unused + inner};
  };
  return std::get<0>(iterate(trips, step, x, x));
}
inline Exp<i64> while_loops(int depth, Exp<i64> x, Exp<i64> limit) {
  if (depth == 0) return x + 3;
  return while_loop([=](Exp<i64> s) { return s < limit; },
                    [=](Exp<i64> s) { return while_loops(depth - 1, s, limit) + 1; }, x);
}
inline Numbers array_while_loops(int depth, Numbers x, Exp<i64> limit) {
  if (depth == 0) return x + 3;
  return while_loop([=](Numbers s) { return s[0] < limit; },
                    [=](Numbers s) { return array_while_loops(depth - 1, s, limit) + 1; }, x);
}
inline Exp<i64> conds(int depth, Exp<i64> x, Exp<i64> limit) {
  if (depth == 0) return x + 3;
  return cond(
      x / limit < depth, [=] { return conds(depth - 1, x / limit, limit); }, [=] { return x / (limit + 1); });
}
inline Numbers array_conds(int depth, Numbers x, Exp<i64> limit) {
  if (depth == 0) return x + 3;
  return cond(x[0] < limit, [=] { return array_conds(depth - 1, x * 2, limit); }, [=] { return x + 1; });
}

}  // namespace fulgurite::long_programs
