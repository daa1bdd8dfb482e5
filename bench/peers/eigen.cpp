// "eigen": Eigen 3.4 expression templates, one thread except in products. "eigen-blocked": blocks that stay
// in the cache.
#include <Eigen/Dense>
#include <Eigen/Sparse>

#include <utility>

#include "harness/data.h"
#include "peers/functions.h"

namespace bench {
namespace {

using namespace Eigen;
using In = Map<const ArrayXf>;
using Out = Map<ArrayXf>;
using InInts = Map<const ArrayXi>;
using RowMatrix = Matrix<float, Dynamic, Dynamic, RowMajor>;
using RowArray = Array<float, Dynamic, Dynamic, RowMajor>;

void price(const In& S, const In& X, const In& T, Out c, Out p) {
  const float r = .08f, v = .3f;
  ArrayXf sq = T.sqrt(), d1 = ((S / X).log() + (r + .5f * v * v) * T) / (v * sq), d2 = d1 - v * sq,
          e = X * (-r * T).exp();
  auto cdf = [](const ArrayXf& d) -> ArrayXf {
    ArrayXf L = d.abs(), k = (1.f + 0.2316419f * L).inverse();
    ArrayXf w =
        1.f - 0.39894228f * (-0.5f * L * L).exp() *
                  (k * (0.31938153f +
                        k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return (d < 0.f).select(1.f - w, w);
  };
  ArrayXf n1 = cdf(d1), n2 = cdf(d2);
  c = S * n1 - e * n2;
  p = e * (1.f - n2) - S * (1.f - n1);
}

}  // namespace

void add_eigen_peers(Peers& peers) {
  peers.add("ReducePlus", "eigen", [](Data& d) { d.results[0] = InInts(d.small, d.n).sum(); });

  peers.add("ReduceMax", "eigen", [](Data& d) { d.results[0] = InInts(d.tied, d.n).maxCoeff(); });

  peers.add("IndexOfMax", "eigen", [](Data& d) {
    Index i;
    d.results[0] = InInts(d.tied, d.n).maxCoeff(&i);
    d.results[1] = i;
  });

  peers.add("SAXPY", "eigen", [](Data& d) { Out(d.out, d.n) = saxpy_alpha * In(d.x, d.n) + In(d.y, d.n); });

  peers.add("SDOT", "eigen",
            [](Data& d) { d.results[0] = In(d.x, d.n).matrix().dot(In(d.y, d.n).matrix()); });

  peers.add("RMSE", "eigen",
            [](Data& d) { d.results[0] = std::sqrt((In(d.x, d.n) - In(d.y, d.n)).square().sum() / d.n); });

  peers.add("ForwardDiff", "eigen",
            [](Data& d) { Out(d.out, d.n - 1) = In(d.x + 1, d.n - 1) - In(d.x, d.n - 1); });

  peers.add("WMA15", "eigen", [](Data& d) {
    std::int64_t m = d.n - 14;
    const float *x = d.x, *w = d.weights;
    auto sum = [&]<int... k>(std::integer_sequence<int, k...>) {  // (((w0 x0 + w1 x1) + w2 x2) + ...)
      Out(d.out, m) = (... + (w[k] * In(x + k, m)));
    };
    sum(std::make_integer_sequence<int, 15>{});
  });

  peers.add("Jacobi2D", "eigen", [](Data& d) {
    std::int64_t N = d.side, M = N - 2;
    Map<const RowArray> x(d.x, N, N);
    Map<RowArray> o(d.out, N, N);
    o.block(1, 1, M, M) = 0.2f * (x.block(1, 1, M, M) + x.block(0, 1, M, M) + x.block(2, 1, M, M) +
                                  x.block(1, 0, M, M) + x.block(1, 2, M, M));
    o.row(0) = x.row(0);
    o.row(N - 1) = x.row(N - 1);
    o.col(0) = x.col(0);
    o.col(N - 1) = x.col(N - 1);
  });

  peers.add("BlackScholesMap", "eigen", [](Data& d) {
    price(In(d.spot, d.n), In(d.strike, d.n), In(d.years, d.n), Out(d.out, d.n), Out(d.out2, d.n));
  });

  peers.add("BlackScholesMap", "eigen-blocked", [](Data& d) {
    for (std::int64_t i = 0; i < d.n; i += 1024) {
      std::int64_t m = std::min<std::int64_t>(1024, d.n - i);
      price(In(d.spot + i, m), In(d.strike + i, m), In(d.years + i, m), Out(d.out + i, m),
            Out(d.out2 + i, m));
    }
  });

  peers.add("RedomapNT", "eigen", [](Data& d) {
    const float a = 8.f / d.n;
    std::int64_t n = d.n;
    ArrayXf z = ArrayXf::LinSpaced(n, 0.f, (n - 1) * a), x = z / (1.f + z) + (-z).exp();
    z = x * redomap_scale;
    ArrayXf y = (1.f + (-z).exp()) / (1.f + z * z);
    d.results[0] = (x + y).sum();
    d.results[1] = x.minCoeff();
    d.results[2] = y.maxCoeff();
    Out(d.out, n) = x * a;
    Out(d.out2, n) = y * redomap_scale;
  });

  peers.add("MatMul", "eigen", [](Data& d) {
    Map<const RowMatrix> A(d.left, d.side, d.side), B(d.right, d.side, d.side);
    Map<RowMatrix> C(d.out, d.side, d.side);
    C.noalias() = A * B;
  });

  peers.add("SMVM", "eigen", [](Data& d) {
    Map<const SparseMatrix<float, RowMajor, int>> A(d.rows, d.rows, d.n, d.row_starts, d.columns, d.values);
    Map<VectorXf>(d.out, d.rows).noalias() = A * Map<const VectorXf>(d.vector, d.rows);
  });
}

}  // namespace bench
