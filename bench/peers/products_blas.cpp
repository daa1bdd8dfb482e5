#ifdef BENCH_BLAS
#include <cblas.h>
#endif

#include "peers/products.h"

namespace bench {

#ifdef BENCH_BLAS
extern "C" void openblas_set_num_threads(int);

bool has_blas() {
  openblas_set_num_threads(2);
  return true;
}
void blas_product(const ProductShape& s, const float* a, const float* b, float* c, bool is_transposed) {
  const auto m = static_cast<int>(s.m), n = static_cast<int>(s.n), k = static_cast<int>(s.k);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, is_transposed ? CblasTrans : CblasNoTrans, m, n, k, 1, a, k, b,
              is_transposed ? k : n, 0, c, n);
}
void blas_product(const ProductShape& s, const double* a, const double* b, double* c, bool is_transposed) {
  const auto m = static_cast<int>(s.m), n = static_cast<int>(s.n), k = static_cast<int>(s.k);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, is_transposed ? CblasTrans : CblasNoTrans, m, n, k, 1, a, k, b,
              is_transposed ? k : n, 0, c, n);
}
#else
bool has_blas() {
  return false;
}
void blas_product(const ProductShape&, const float*, const float*, float*, bool) {}
void blas_product(const ProductShape&, const double*, const double*, double*, bool) {}
#endif

}  // namespace bench
