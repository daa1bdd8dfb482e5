#include "halide_edges.h"

#include <HalideBuffer.h>

#include "peers/applications.h"

namespace bench {

void halide_edges(std::int64_t rows, std::int64_t columns, const float* from, float* to) {
  static const int threads = halide_set_num_threads(2);
  (void)threads;
  Halide::Runtime::Buffer<float> in(const_cast<float*>(from), static_cast<int>(columns),
                                    static_cast<int>(rows));
  Halide::Runtime::Buffer<float> out(to, static_cast<int>(columns), static_cast<int>(rows));
  ::halide_edges(in, out);
}

}  // namespace bench
