// Random compositions of the language's operations on vectors, rows and loops: on every engine, fused and
// not, against the same operations in plain C++.
#include "engines.h"

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

namespace {

using fg::i64;
using Plain = std::vector<i64>;
using Staged = Vec<i64>;

struct Step {
  int operation;
  std::size_t first, second;  // among the vectors so far
  i64 number;                 // from 0
};

constexpr i64 width = 4;  // of rows

i64 mixed(i64 x) {
  return (x * 3 + 7) % 1001;
}
i64 at(const Plain& v, i64 i) {
  return v[static_cast<std::size_t>(i)];
}
i64 size(const Plain& v) {
  return static_cast<i64>(v.size());
}
Plain turned(const Plain& v, i64 k) {
  Plain result;
  for (i64 i = 0; i < size(v); ++i) result.push_back(at(v, (i + k) % size(v)));
  return result;
}
Plain joined(Plain a, const Plain& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
i64 total(const Plain& v) {
  return std::accumulate(v.begin(), v.end(), i64{0});
}
bool comes_first(i64 a, i64 b) {
  return (a & 1) == (b & 1) ? a > b : (a & 1) < (b & 1);
}

i64 neighbour(const Plain& v, i64 i, int boundary) {
  const i64 n = size(v);
  if (boundary == 0) return at(v, std::clamp<i64>(i, 0, n - 1));
  if (boundary == 1) return at(v, (i % n + n) % n);
  if (boundary == 3) return i < 0 || i >= n ? 5 : at(v, i);
  if (n == 1) return v[0];
  const i64 period = 2 * (n - 1), within = (i % period + period) % period;
  return at(v, within < n ? within : period - within);
}

// Calls f(row) for each whole row.
template <class F>
void each_row(const Plain& v, F&& f) {
  for (i64 r = 0; r + width <= size(v); r += width) f(Plain(v.begin() + r, v.begin() + r + width));
}

Plain performed(const Step& s, const std::vector<Plain>& vectors) {
  const Plain &a = vectors[s.first], &b = vectors[s.second];
  Plain result;
  switch (s.operation) {
    case 0:
      for (i64 x : a) result.push_back(mixed(x));
      return result;
    case 1:
      for (i64 i = 0; i < std::min(size(a), size(b)); ++i) result.push_back(mixed(at(a, i)) - at(b, i));
      return result;
    case 2: return joined(a, b);
    case 3: return turned(a, s.number);
    case 4: return Plain(a.rbegin(), a.rend());
    case 5:
      result = a;
      std::sort(result.begin(), result.end());
      return result;
    case 6:
      result = a;
      std::sort(result.begin(), result.end(), comes_first);
      return result;
    case 7:
      for (i64 x : a) result.push_back(x + (result.empty() ? 0 : result.back()));
      for (i64& x : result) x %= 1001;
      return result;
    case 8:
      for (i64 x : a)
        if (x % 3 != s.number % 3) result.push_back(x);
      return result;
    case 9: {
      const int boundary = static_cast<int>(s.number % 4);
      for (i64 i = 0; i < size(a); ++i)
        result.push_back(neighbour(a, i - 1, boundary) - neighbour(a, i + 2, boundary) + at(a, i));
      return result;
    }
    case 10: return total(a) % 2 == 0 ? a : Plain(b.rbegin(), b.rend());
    case 11:
      result = a;
      for (i64 k = 0; k < s.number % 4; ++k) {
        const Plain other = turned(result, 1);
        for (std::size_t i = 0; i < result.size(); ++i) result[i] = (result[i] + other[i]) % 1001;
      }
      return result;
    case 12:
      result = a;
      while (size(result) > 5) {
        const Plain half(result.begin(), result.begin() + size(result) / 2);
        result = half;
        result[0] += 1;
      }
      return result;
    case 13: each_row(a, [&](const Plain& row) { result.push_back(total(row)); }); return result;
    case 14:
      each_row(a, [&](Plain row) {
        std::sort(row.begin(), row.end(), comes_first);
        result = joined(result, row);
      });
      return result;
    case 15:
      result.assign(width, 0);
      each_row(a, [&](const Plain& row) {
        for (std::size_t i = 0; i < row.size(); ++i) result[i] += row[i];
      });
      return result;
    case 16: {
      Plain sums(width, 0);
      each_row(a, [&](const Plain& row) {
        for (std::size_t i = 0; i < row.size(); ++i) sums[i] += row[i];
        result = joined(result, sums);
      });
      for (i64& x : result) x %= 1001;
      return result;
    }
    case 17:
      result.resize(a.size());
      std::iota(result.begin(), result.end(), 0);
      std::sort(result.begin(), result.end(),
                [&](i64 i, i64 j) { return std::pair(at(a, i), i) < std::pair(at(a, j), j); });
      return result;
    case 18:
      result = a;
      for (i64 k = 0; k < s.number % 3; ++k)
        result = joined(result, Plain(result.begin(), result.begin() + size(result) / 2));
      return result;
    default:
      each_row(a, [&](Plain row) {
        for (i64 k = 0; k < s.number % 3; ++k) {
          const i64 sum = total(row);
          for (i64& x : row) x = (x + sum) % 1001;
        }
        result = joined(result, row);
      });
      return result;
  }
}
constexpr int n_operations = 20;

Staged performed(const Step& s, const std::vector<Staged>& vectors) {
  const Staged &a = vectors[s.first], &b = vectors[s.second];
  const auto first_comes = [](Exp<i64> x, Exp<i64> y) {
    return fg::select((x & 1) == (y & 1), x > y, (x & 1) < (y & 1));
  };
  const auto rows_of = [](const Staged& v) {
    auto n = v.size() / width;
    return fg::reshape(fg::take(v, n * width), {n, width});
  };
  const auto add = [](Staged x, Staged y) { return x + y; };
  switch (s.operation) {
    case 0: return (a * 3 + 7) % 1001;
    case 1: {
      auto n = fg::min(a.size(), b.size());
      return (fg::take(a, n) * 3 + 7) % 1001 - fg::take(b, n);
    }
    case 2: return fg::concat(a, b);
    case 3: return fg::rotate(a, s.number);
    case 4: return fg::reverse(a);
    case 5: return fg::sort(a);
    case 6: return fg::sort(first_comes, a);
    case 7: return fg::scan(fg::plus, a) % 1001;
    case 8: return fg::filter([&](Exp<i64> x) { return x % 3 != s.number % 3; }, a);
    case 9: {
      const auto f = [](auto u) { return u(-1) - u(2) + u(0); };
      switch (s.number % 4) {
        case 0: return fg::stencil(f, fg::boundary::clamp, a);
        case 1: return fg::stencil(f, fg::boundary::wrap, a);
        case 2: return fg::stencil(f, fg::boundary::mirror, a);
        default: return fg::stencil(f, fg::boundary::constant(5), a);
      }
    }
    case 10: return fg::cond(fg::sum(a) % 2 == 0, a, [&] { return fg::reverse(b); });
    case 11: return fg::iterate(s.number % 4, [](Staged v) { return (v + fg::rotate(v, 1)) % 1001; }, a);
    case 12:
      return fg::while_loop([](Staged v) { return v.size() > 5; },
                            [](Staged v) {
                              auto half = fg::take(v, v.size() / 2);
                              return fg::with(half, 0, half[0] + 1);
                            },
                            a);
    case 13: return fg::map([](Staged row) { return fg::sum(row); }, fg::rows(rows_of(a)));
    case 14:
      return fg::flatten(
          fg::map([&](Staged row) { return fg::sort(first_comes, row); }, fg::rows(rows_of(a))));
    case 15: return fg::reduce(add, fg::replicate(width, i64{0}), fg::rows(rows_of(a)));
    case 16: return fg::flatten(fg::scan(add, fg::replicate(width, i64{0}), fg::rows(rows_of(a)))) % 1001;
    case 17: return fg::argsort(a);
    case 18:
      return fg::iterate(s.number % 3, [](Staged v) { return fg::concat(v, fg::take(v, v.size() / 2)); }, a);
    default:
      return fg::flatten(fg::map(
          [&](Staged row) {
            return fg::iterate(s.number % 3, [](Staged v) { return (v + fg::sum(v)) % 1001; }, row);
          },
          fg::rows(rows_of(a))));
  }
}

// All vectors that the steps make of two.
template <class V>
std::vector<V> run(const std::vector<Step>& steps, const V& x, const V& y) {
  std::vector<V> vectors{x, y};
  for (const Step& s : steps) vectors.push_back(performed(s, vectors));
  return vectors;
}

Plain some(int seed, int n) {
  Plain values;
  for (i64 i = 0; i < n; ++i) values.push_back((i * 37 + seed * 11) % 101 - 50);
  return values;
}

void agree(bool fuse) {
  std::vector<Step> steps;
  const int n_steps = *rc::gen::inRange(1, 7);
  for (int k = 0; k < n_steps; ++k)
    steps.push_back({*rc::gen::inRange(0, n_operations), *rc::gen::inRange<std::size_t>(0, steps.size() + 2),
                     *rc::gen::inRange<std::size_t>(0, steps.size() + 2), *rc::gen::inRange<i64>(0, 12)});
  const auto f = [steps](Staged x, Staged y) {
    const std::vector<Staged> vectors = run(steps, x, y);
    const std::size_t n = vectors.size();
    return std::tuple{vectors[n - 1], vectors[n - 2], fg::sum(vectors[n - 1])};
  };
  for (const auto& [name, engine] : tested_engines()) {
    const auto compiled = fg::compile(f, {.engine = engine, .fuse = fuse});
    for (const auto& [nx, ny] : {std::pair{0, 1}, {1, 6}, {17, 33}, {130, 64}}) {
      const std::vector<Plain> expected = run(steps, some(1, nx), some(2, ny));
      const auto [last, before, sum] = compiled(some(1, nx), some(2, ny));
      RC_LOG() << name << ", sizes " << nx << " and " << ny << ":";
      for (const Step& s : steps)
        RC_LOG() << " " << s.operation << "(" << s.first << ", " << s.second << ", " << s.number << ")";
      RC_ASSERT(last.to_vector() == expected[expected.size() - 1]);
      RC_ASSERT(before.to_vector() == expected[expected.size() - 2]);
      RC_ASSERT(sum == total(expected.back()));
    }
  }
}

RC_GTEST_PROP(PublicCompositions, PropertyFused, ()) {
  agree(true);
}
RC_GTEST_PROP(PublicCompositions, PropertyUnfused, ()) {
  agree(false);
}

}  // namespace
