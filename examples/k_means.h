// Lloyd's k-means (1982) of points in the plane: each point belongs to the centre that is nearest, and each
// centre moves to the mean of its points.
#pragma once

#include <fulgurite/fulgurite.h>

#include <tuple>

namespace k_means {

namespace fg = fulgurite;
using fg::Exp, fg::i64, fg::Vec;

/// The number of the nearest centre, of equally near ones the first.
inline Exp<i64> nearest(Exp<float> x, Exp<float> y, Vec<float> centre_x, Vec<float> centre_y) {
  auto dx = centre_x - x, dy = centre_y - y;
  return fg::argmin(dx * dx + dy * dy);
}

inline Vec<i64> assign(Vec<float> x, Vec<float> y, Vec<float> centre_x, Vec<float> centre_y) {
  return fg::map([&](Exp<float> px, Exp<float> py) { return nearest(px, py, centre_x, centre_y); }, x, y);
}

/// After so many steps the centres, and to which each point belongs. A centre without points stays.
inline std::tuple<Vec<float>, Vec<float>, Vec<i64>> cluster(Exp<i64> steps, Vec<float> x, Vec<float> y,
                                                            Vec<float> centre_x, Vec<float> centre_y) {
  auto k = centre_x.size();
  auto [last_x, last_y] = fg::iterate(
      steps,
      [&](Vec<float> cx, Vec<float> cy) {
        auto owner = assign(x, y, cx, cy);
        auto n = fg::histogram(fg::plus, 0.0f, k, owner, fg::replicate(x.size(), 1.0f));
        auto mean = [&](Vec<float> of, Vec<float> before) {
          auto sums = fg::histogram(fg::plus, 0.0f, k, owner, of);
          return fg::map([](Exp<float> sum, Exp<float> points,
                            Exp<float> old) { return fg::select(points > 0.0f, sum / points, old); },
                         sums, n, before);
        };
        return std::tuple(mean(x, cx), mean(y, cy));
      },
      centre_x, centre_y);
  return {last_x, last_y, assign(x, y, last_x, last_y)};
}

}  // namespace k_means
