// The programs of docs/guide/scattering.md: lint/guide.py checks that they stand here as they stand there.
#pragma once

#include <fulgurite/fulgurite.h>

#include <limits>
#include <tuple>

namespace guide::scattering {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

namespace {

Exp<float> mean_of_positive(Vec<float> xs) {
  auto kept = fg::filter([](Exp<float> x) { return x > 0.0f; }, xs);
  return fg::sum(kept) / fg::cast<float>(kept.size());
}

Mat<float> without_gaps(Mat<float> samples) {  // rows in which nothing is missing
  return fg::filter([](Vec<float> row) { return !fg::any(fg::isnan(row)); }, fg::rows(samples));
}
Mat<float> chosen_columns(Mat<float> samples, Vec<bool> is_chosen) {
  return fg::filter(is_chosen, samples, fg::axis(1));
}

std::tuple<Vec<int>, Vec<int>> by_sign(Vec<int> xs) {
  return fg::partition([](Exp<int> x) { return x < 0; }, xs);
}
Vec<int> sums_by_remainder(Vec<int> xs) {
  auto [grouped, offsets] = fg::partition(3, [](Exp<int> x) { return x % 3; }, xs);
  return fg::segmented_reduce(fg::plus, 0, fg::offsets(offsets), grouped);
}

Vec<float> shaded(Vec<float> palette, Vec<fg::u8> pixels) {
  return fg::gather(palette, pixels);
}
Vec<float> diagonal(Mat<float> m) {
  auto n = fg::min(m.size(0), m.size(1));
  return fg::backpermute(n, [](Exp<fg::i64> i) { return std::tuple{i, i}; }, m);
}

Vec<int> inverse(Vec<int> permutation) {
  auto n = permutation.size();
  return fg::scatter(fg::replicate(n, 0), permutation, fg::iota<int>(n));
}
Mat<float> dense(Vec<int> rows, Vec<int> columns, Vec<float> values, Exp<int> n) {
  return fg::scatter(fg::replicate({n, n}, 0.0f), std::tuple{rows, columns}, values);
}

Vec<int> ranks(Vec<float> xs) {  // argsort is an iota, sorted
  auto n = xs.size();
  return fg::scatter(fg::replicate(n, 0), fg::argsort(xs), fg::iota<int>(n));
}
Vec<int> inverse_of_known(Vec<int> permutation) {  // the caller's promise
  auto n = permutation.size();
  return fg::scatter(fg::replicate(n, 0), permutation, fg::iota<int>(n), fg::any_of_equal);
}

Vec<int> counts(Vec<int> bins, Exp<int> k) {
  return fg::histogram(fg::plus, 0, k, bins, fg::replicate(bins.size(), 1));
}
// The nearest point of each cluster, the first one of several.
Vec<fg::i64> nearest(Vec<int> cluster, Vec<float> distance, Exp<int> k) {
  using Candidate = std::tuple<float, fg::i64>;
  auto nearer = [](Exp<Candidate> a, Exp<Candidate> b) { return fg::select(b.get<0>() < a.get<0>(), b, a); };
  const Candidate nobody{std::numeric_limits<float>::infinity(), -1};
  auto [least, at] =
      fg::unzip(fg::histogram(nearer, nobody, k, cluster, fg::zip(distance, fg::iota(distance.size()))));
  return at;
}

Vec<float> polynomial_product(Vec<float> p, Vec<float> q) {
  auto products = fg::map([&](Exp<float> a) { return a * q; }, p);
  return fg::permute(
      fg::plus, fg::replicate(p.size() + q.size() - 1, 0.0f),
      [](Exp<fg::i64> i, Exp<fg::i64> j) { return i + j; }, products);
}
Vec<int> every_third(Vec<int> xs) {
  return fg::permute(
      fg::plus, fg::replicate((xs.size() + 2) / 3, 0),
      [](Exp<fg::i64> i) { return fg::select(i % 3 == 0, i / 3, fg::i64(-1)); }, xs);
}

Vec<int> fibonacci(Exp<int> n) {
  auto step = [](Exp<fg::i64> i, Vec<int> f) { return fg::with(f, i + 2, f[i] + f[i + 1]); };
  return fg::iterate(n - 2, step, fg::replicate(n, 1));
}
Mat<float> framed(Mat<float> m) {
  auto [rows, columns] = m.shape();
  auto bar = fg::replicate({1, columns}, 1.0f);
  return fg::with(fg::with(m, {fg::Range{0, 1}, fg::Range{0, columns}}, bar),
                  {fg::Range{rows - 1, rows}, fg::Range{0, columns}}, bar);
}

}  // namespace

}  // namespace guide::scattering
