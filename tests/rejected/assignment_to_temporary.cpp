// error: an element, slice or result of a staged array is a value of its own
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

struct Point {
  float x, y;
};

void elements(fg::Vec<float> x, fg::Mat<float> m, fg::Exp<float> v, fg::Exp<fg::i64> i) {
  x[0] = v;         // error: fg::with
  x[i] = 1.0f;      // error: fg::with
  x(i) = x[0];      // error: fg::with
  m(i, 1) = v;      // error: fg::with
  m[i][1] = v;      // error: fg::with
  x[1] += 5;        // error: fg::with
  x[1] -= v;        // error: fg::with
  m(0, i) *= 2.0f;  // error: fg::with
  m[0][1] /= v;     // error: fg::with
  x[0] = {};        // error: fg::with
}

void bits(fg::Vec<int> k, fg::Mat<int> n, fg::Exp<int> v) {
  k[0] %= v;     // error: fg::with
  k[0] &= 3;     // error: fg::with
  k[0] |= v;     // error: fg::with
  k[0] ^= 3;     // error: fg::with
  k[0] <<= 3;    // error: fg::with
  k[0] >>= v;    // error: fg::with
  n(0, 1) %= 3;  // error: fg::with
  n[0] %= v;     // error: fg::with
  n[0] &= 3;     // error: fg::with
  n[0] |= k;     // error: fg::with
  n[0] ^= 3;     // error: fg::with
  n[0] <<= k;    // error: fg::with
  n[0] >>= 3;    // error: fg::with
}

void parts(fg::Vec<float> x, fg::Mat<float> m, fg::Vec<float> y) {
  m[0] = x;                     // error: fg::with
  m[0] += 1.0f;                 // error: fg::with
  x.slice(0, 3) = y;            // error: fg::with
  x.slice(0, 3) *= y;           // error: fg::with
  m.slice({0, 1}, {2, 3}) = m;  // error: fg::with
  fg::take(x, 3) = y;           // error: fg::with
  fg::transpose(m) -= m;        // error: fg::with
}

void results(fg::Vec<float> x, fg::Exp<float> v) {
  fg::sum(x) = 7;                                      // error: fg::with
  fg::sum(x) /= v;                                     // error: fg::with
  x.size() = 3;                                        // error: fg::with
  fg::map([](fg::Exp<float> e) { return e; }, x) = x;  // error: fg::with
  (x + x) = x;                                         // error: fg::with
}

void fields(fg::Vec<Point> ps, fg::Exp<Point> p, fg::Exp<float> v) {
  ps[0] = p;               // error: fg::with
  ps[0] = Point{1, 2};     // error: fg::with
  ps[0].get<0>() = v;      // error: fg::with
  fg::get<1>(ps[0]) += v;  // error: fg::with
}
