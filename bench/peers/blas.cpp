// "openblas".
#include "harness/data.h"

extern "C" void cblas_sgemm(int, int, int, int, int, int, float, const float*, int, const float*, int, float,
                            float*, int);

namespace bench {

void add_blas_peers(Peers& peers) {
  peers.add("MatMul", "openblas", [](Data& d) {
    constexpr int row_major = 101, not_transposed = 111;
    const int n = static_cast<int>(d.side);
    cblas_sgemm(row_major, not_transposed, not_transposed, n, n, n, 1.f, d.left, n, d.right, n, 0.f, d.out,
                n);
  });
}

}  // namespace bench
