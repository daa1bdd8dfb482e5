// "fulgurite": loops and sums for each element.
#include "fulgurite_program.h"

namespace bench {
namespace {

Mat<int> mandelbrot_set(Exp<fg::i64> side) {
  auto step = 3.f / fg::cast<float>(side);
  return fg::generate({side, side}, [=](Exp<fg::i64> i, Exp<fg::i64> j) {
    auto re = -2.25f + fg::cast<float>(j) * step, im = -1.5f + fg::cast<float>(i) * step;
    auto inside = [](Exp<float> x, Exp<float> y, Exp<int> k) {
      return x * x + y * y <= 4.f && k < mandelbrot_limit;
    };
    auto next = [=](Exp<float> x, Exp<float> y, Exp<int> k) {
      return std::tuple{x * x - y * y + re, 2.f * x * y + im, k + 1};
    };
    return std::get<2>(fg::while_loop(inside, next, 0.f, 0.f, 0));
  });
}

std::tuple<Vec<float>, Vec<float>, Vec<float>> n_body(Vec<float> x, Vec<float> y, Vec<float> z,
                                                      Vec<float> mass) {
  auto acceleration = [&](Exp<float> at_x, Exp<float> at_y, Exp<float> at_z) {
    auto dx = x - at_x, dy = y - at_y, dz = z - at_z;
    auto r = fg::rsqrt(dx * dx + dy * dy + dz * dz + softening), w = mass * r * r * r;
    return std::tuple{fg::sum(w * dx), fg::sum(w * dy), fg::sum(w * dz)};
  };
  return fg::unzip(fg::map(acceleration, x, y, z));
}

Mat<float> matrix_product(Mat<float> a, Mat<float> b) {
  return fg::matmul(a, b);
}

}  // namespace

void add_fulgurite_nested(Peers& peers) {
  peers.add(
      "Mandelbrot", "fulgurite", [](Data& d) { Program<mandelbrot_set>::run(d.side); },
      [](Data& d) { copy(Program<mandelbrot_set>::result, d.out_ints); });
  peers.add(
      "NBody", "fulgurite",
      [](Data& d) {
        Program<n_body>::run(view(d.x, d.n), view(d.y, d.n), view(d.z, d.n), view(d.mass, d.n));
      },
      [](Data& d) {
        const auto& [x, y, z] = Program<n_body>::result;
        copy(x, d.out);
        copy(y, d.out2);
        copy(z, d.out3);
      });
  peers.add(
      "MatMul", "fulgurite",
      [](Data& d) {
        Program<matrix_product>::run(fg::view(d.left, {d.side, d.side}), fg::view(d.right, {d.side, d.side}));
      },
      [](Data& d) { copy(Program<matrix_product>::result, d.out); });
}

}  // namespace bench
