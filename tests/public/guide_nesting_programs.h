// The programs of docs/guide/nesting.md: lint/guide.py checks that they stand here as they stand there.
#pragma once

#include <fulgurite/fulgurite.h>

#include <limits>

namespace guide::nesting {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

namespace {

// Functions of rows, columns and slices.
Mat<float> softmax(Mat<float> m) {
  return fg::map(
      [](Vec<float> row) {
        auto powers = fg::exp(row - fg::max(row));
        return powers / fg::sum(powers);
      },
      fg::rows(m));
}
std::tuple<Vec<float>, Vec<float>> ranges(Mat<float> m) {
  return fg::unzip(fg::map([](Vec<float> column) { return std::tuple{fg::min(column), fg::max(column)}; },
                           fg::columns(m)));
}
Vec<float> traces(fg::Acc<float, 3> matrices) {
  return fg::map(
      [](Mat<float> m) { return fg::sum(fg::generate(m.size(0), [&](Exp<fg::i64> i) { return m(i, i); })); },
      fg::slices(matrices));
}

// Everything against everything.
Vec<double> potentials(Vec<double> places) {
  return fg::map(
      [&](Exp<double> p) {
        return fg::sum(fg::map([&](Exp<double> q) { return 1.0 / (1.0 + fg::abs(p - q)); }, places));
      },
      places);
}

// Sizes that depend on the element.
Vec<float> trimmed_means(Mat<float> samples, Vec<fg::i64> wanted) {
  return fg::map(
      [](Vec<float> row, Exp<fg::i64> n) { return fg::mean(fg::drop(fg::take(fg::sort(row), n), n / 4)); },
      fg::rows(samples), wanted);
}
Vec<int> survivors(Mat<int> hands) {
  return fg::map(
      [](Vec<int> hand) {
        auto left = fg::while_loop(
            [](Vec<int> v) { return v.size() > 1; },
            [](Vec<int> v) { return fg::filter([&](Exp<int> card) { return card > v[0]; }, v); }, hand);
        return fg::sum(left);
      },
      fg::rows(hands));
}

Vec<int> middle_binomials(Vec<int> ns) {  // the largest number in each of these rows of Pascal's triangle
  return fg::map(
      [](Exp<int> n) {
        auto first = fg::generate(n + 1, [](Exp<fg::i64> i) { return fg::cast<int>(i == 0); });
        auto next = [](Vec<int> v) {
          return fg::generate(v.size(), [&](Exp<fg::i64> i) {
            return v[i] + fg::cond(i > 0, [&] { return v[i - 1]; }, [] { return 0; });
          });
        };
        return fg::max(fg::iterate(n, next, first));
      },
      ns);
}

Vec<int> primes_below(Vec<int> limits) {  // how many there are
  auto count = [](Exp<int> limit) {
    auto [primes, end] = fg::while_loop(
        [&](Vec<int>, Exp<int> k) { return k < limit; },
        [](Vec<int> found, Exp<int> k) {
          auto is_prime = fg::all(fg::map([&](Exp<int> p) { return k % p != 0; }, found));
          return std::tuple{fg::concat(found, fg::replicate(fg::cast<fg::i64>(is_prime), k)), k + 1};
        },
        fg::replicate(0, 0), 2);
    return fg::cast<int>(primes.size());
  };
  return fg::map(count, limits);
}

// Folds of arrays.
Vec<float> envelope(Mat<float> curves) {
  auto lowest = fg::replicate(curves.size(1), -std::numeric_limits<float>::infinity());
  return fg::reduce([](Vec<float> a, Vec<float> b) { return fg::max(a, b); }, lowest, fg::rows(curves));
}
Mat<float> composed(fg::Acc<float, 3> matrices) {
  auto identity = fg::generate({matrices.size(1), matrices.size(1)},
                               [](Exp<fg::i64> i, Exp<fg::i64> j) { return fg::cast<float>(i == j); });
  return fg::reduce([](Mat<float> a, Mat<float> b) { return fg::matmul(a, b); }, identity,
                    fg::slices(matrices));
}
Mat<float> accumulated(Mat<float> payments) {
  auto nothing = fg::replicate(payments.size(1), 0.0f);
  return fg::scan([](Vec<float> a, Vec<float> b) { return a + b; }, nothing, fg::rows(payments));
}

// The numeric library.
Vec<float> gradient(Mat<float> a, Vec<float> x, Vec<float> b) {
  return fg::matvec(fg::transpose(a), fg::matvec(a, x) - b);
}
Mat<float> covariance(Mat<float> samples) {
  auto means = fg::mean(samples, fg::axis(0));
  auto centred = fg::map([&](Vec<float> row) { return row - means; }, fg::rows(samples));
  return fg::matmul(fg::transpose(centred), centred) / fg::cast<float>(samples.size(0));
}
Vec<fg::i64> nearest(Mat<float> distances) {
  return fg::argmin(distances, fg::axis(1));
}

}  // namespace

}  // namespace guide::nesting
