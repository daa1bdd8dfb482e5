#include "nests_small.h"

#include <fmt/format.h>
#include <fulgurite/fulgurite.h>

#include <cmath>
#include <cstdlib>

#include "peers/nests_small.h"

namespace bench {
namespace {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;
using Matrices = fg::Acc<float, 3>;
using Real = fg::Array<float, 3>;

Real matrices(std::int64_t n, std::int64_t rows, std::int64_t columns) {
  std::vector<float> x(static_cast<std::size_t>(n * rows * columns));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t at = i % static_cast<std::size_t>(rows * columns);
    const bool is_on_diagonal = at % static_cast<std::size_t>(columns + 1) == 0;
    x[i] = static_cast<float>(i * 7919 % 10007) / 10007 + (is_on_diagonal ? 2.f : 0.f);
  }
  return {std::move(x), {n, rows, columns}};
}

void require_close(const std::string& name, std::span<const float> ours, const std::vector<float>& theirs) {
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    if (std::abs(ours[i] - theirs[i]) <= 1e-4f * (1 + std::abs(theirs[i]))) continue;
    fmt::print(stderr, "{}: element {} is {}, not {}\n", name, i, ours[i], theirs[i]);
    std::exit(1);
  }
}

// The same matrices with extents that are known while tracing.
Matrices of_extents(const Matrices& x, std::int64_t rows, std::int64_t columns) {
  return fg::reshape(x, {x.size(0), rows, columns});
}

// A program of n matrices a and as many others, or vectors, b.
template <class F, class A, class B>
void program(const Table& table, const std::string& name, const F& f, const A& a, const B& b,
             std::int64_t n_results, const std::function<void(const float*, const float*, float*)>& peer) {
  if (!table.wants(name)) return;
  std::vector<float> theirs(static_cast<std::size_t>(n_results));
  decltype(f(a, b)) result;
  const auto ours = [&] { result = {}, result = f(a, b); };
  const auto by_hand = [&] { peer(a.data(), b.data(), theirs.data()); };
  ours(), by_hand();
  require_close(name, {result.data(), theirs.size()}, theirs);
  table.add(name, ours, by_hand,
            [&] { read_and_write(static_cast<std::int64_t>(a.size()), a.data(), n_results, theirs.data()); });
}

void add_products(const Table& table) {
  const auto product = [](std::int64_t m, std::int64_t k) {
    return fg::compile([m, k](Matrices a, Matrices b) {
      return fg::map([](Mat<float> x, Mat<float> y) { return fg::matmul(x, y); },
                     fg::slices(of_extents(a, m, k)), fg::slices(of_extents(b, k, m)));
    });
  };
  const auto products_4 = product(4, 4), products_8 = product(8, 8), products_17 = product(17, 31);
  const auto unknown = fg::compile([](Matrices a, Matrices b) {
    return fg::map([](Mat<float> x, Mat<float> y) { return fg::matmul(x, y); }, fg::slices(a), fg::slices(b));
  });
  for (const std::int64_t n : {1000, 100000}) {
    const Real a = matrices(n, 4, 4), b = matrices(n, 4, 4);
    const auto peer = [n](auto... x) { omp_products_4(n, x...); };
    program(table, fmt::format("{} products 4 x 4", n), products_4, a, b, n * 16, peer);
    program(table, fmt::format("{} products 4 x 4, run-time extents", n), unknown, a, b, n * 16, peer);
  }
  for (const std::int64_t n : {1024, 16384, 131072}) {
    const Real a = matrices(n, 8, 8), b = matrices(n, 8, 8);
    const auto peer = [n](auto... x) { omp_products_8(n, x...); };
    program(table, fmt::format("{} products 8 x 8", n), products_8, a, b, n * 64, peer);
    program(table, fmt::format("{} products 8 x 8, run-time extents", n), unknown, a, b, n * 64, peer);
  }
  for (const std::int64_t n : {100, 10000}) {
    const Real a = matrices(n, 17, 31), b = matrices(n, 31, 17);
    const auto peer = [n](auto... x) { omp_products_17(n, x...); };
    program(table, fmt::format("{} products 17 x 31 x 17", n), products_17, a, b, n * 17 * 17, peer);
    program(table, fmt::format("{} products 17 x 31 x 17, run-time extents", n), unknown, a, b, n * 17 * 17,
            peer);
  }
}

// As a matrix in each step, and with updates of elements.
Mat<float> factors(Mat<float> m) {
  return fg::iterate(
      3,
      [](Exp<fg::i64> k, Mat<float> u) {
        return fg::generate({4, 4}, [&](Exp<fg::i64> i, Exp<fg::i64> j) {
          const Exp<float> factor = u(i, k) / u(k, k);
          const Exp<float> element = fg::select(j > k, u(i, j) - factor * u(k, j), factor);
          return fg::select(i > k && j >= k, element, u(i, j));
        });
      },
      m);
}
Mat<float> updated_factors(Mat<float> m) {
  return fg::iterate(
      3,
      [](Exp<fg::i64> k, Mat<float> u) {
        return fg::iterate(
            3 - k,
            [&](Exp<fg::i64> below, Mat<float> v) {
              const Exp<fg::i64> i = k + 1 + below;
              const Exp<float> factor = v(i, k) / v(k, k);
              return fg::iterate(
                  3 - k,
                  [&](Exp<fg::i64> behind, Mat<float> w) {
                    const Exp<fg::i64> j = k + 1 + behind;
                    return fg::with(w, {i, j}, w(i, j) - factor * w(k, j));
                  },
                  fg::with(v, {i, k}, factor));
            },
            u);
      },
      m);
}
Vec<float> solved(Mat<float> l, Vec<float> b) {
  return fg::iterate(
      4,
      [&](Exp<fg::i64> i, Vec<float> x) {
        const Exp<float> rest =
            fg::iterate(i, [&](Exp<fg::i64> k, Exp<float> r) { return r - l(i, k) * x[k]; }, x[i]);
        return fg::with(x, i, rest / l(i, i));
      },
      b);
}

void add_solvers(const Table& table) {
  const auto of_function = [](auto f) {
    return fg::compile([f](Matrices a, Matrices) { return fg::map(f, fg::slices(of_extents(a, 4, 4))); });
  };
  const auto plain = of_function(factors), with_updates = of_function(updated_factors);
  const auto solutions = fg::compile([](Matrices l, Mat<float> b) {
    return fg::map(solved, fg::slices(of_extents(l, 4, 4)), fg::rows(fg::reshape(b, {b.size(0), 4})));
  });
  for (const std::int64_t n : {1000, 100000}) {
    const Real a = matrices(n, 4, 4);
    const auto peer = [n](const float* from, const float*, float* to) { omp_factors_4(n, from, to); };
    program(table, fmt::format("{} factors 4 x 4", n), plain, a, a, n * 16, peer);
    program(table, fmt::format("{} factors 4 x 4, updates", n), with_updates, a, a, n * 16, peer);
    const fg::Array<float, 2> b(std::vector<float>(static_cast<std::size_t>(n * 4), 1.f), {n, 4});
    program(table, fmt::format("{} solutions 4 x 4", n), solutions, a, b, n * 4,
            [n](auto... x) { omp_solved_4(n, x...); });
  }
}

}  // namespace

void add_small(const Table& table) {
  add_products(table);
  add_solvers(table);
}

}  // namespace bench
