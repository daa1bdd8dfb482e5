// One step of Jacobi's method for Poisson's equation in two dimensions (Barracuda thesis, section 4.1.2):
// every interior point becomes the mean of its four neighbours less the right-hand side.
#pragma once

#include <fulgurite/fulgurite.h>

namespace jacobi {

namespace fg = fulgurite;
using fg::Mat;

// u is (r, c), rhs and the result are (r - 2, c - 2): the interior.
inline Mat<float> jacobi_step(Mat<float> u, Mat<float> rhs) {
  auto r = u.size(0), c = u.size(1);
  auto north = u.slice({0, r - 2}, {1, c - 1}), south = u.slice({2, r}, {1, c - 1});
  auto west = u.slice({1, r - 1}, {0, c - 2}), east = u.slice({1, r - 1}, {2, c});
  return 0.25f * (north + south + west + east - rhs);
}

// A step over the whole field, which a solver iterates: points of the border are kept.
inline Mat<float> relax(Mat<float> u, Mat<float> rhs) {
  auto r = u.size(0), c = u.size(1);
  return fg::generate({r, c}, [&](fg::Exp<fg::i64> i, fg::Exp<fg::i64> j) {
    auto inside = 0 < i && i < r - 1 && 0 < j && j < c - 1;
    return fg::cond(
        inside, [&] { return 0.25f * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - rhs(i, j)); },
        [&] { return u(i, j); });
  });
}

}  // namespace jacobi
