// Rows sorted by Highway's vqsort, one after the other.
#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>

#include "short_axes.h"

namespace bench {

void omp_vqsort_each(const ShortRows& s, std::int64_t columns) {
#pragma omp parallel num_threads(2)
  {
    const hwy::Sorter sort;
#pragma omp for
    for (std::int64_t i = 0; i < s.n; ++i) {
      float* row = s.to + i * columns;
      std::copy_n(s.from + i * columns, columns, row);
      sort(row, static_cast<std::size_t>(columns), hwy::SortAscending());
    }
  }
}

}  // namespace bench
