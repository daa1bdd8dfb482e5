// Matrices of a block: rows one after the other in one array.
#pragma once

#include <fulgurite/kernel/patterns.h>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

/// The rows * columns elements of a matrix, by columns: element i * rows + j is a[j * columns + i]. Through
/// memory, where each row has one place more than elements, so that neighbours of a column lie in
/// different banks; one sync. Throws ShapeError if a has another size.
inline constexpr struct BlockTranspose {
  template <class T>
  Pull<T> operator()(std::int64_t rows, std::int64_t columns, const Pull<T>& a, Place place = Place::shared,
                     Here where = Here::current()) const {
    if (rows < 1 || columns < 1 || a.size() != rows * columns)
      fulgurite::detail::block::refuse("a matrix of " + std::to_string(rows) + " rows and " +
                                           std::to_string(columns) + " columns is no array of " +
                                           std::to_string(a.size()) + " elements",
                                       where);
    const std::int64_t stride = columns + 1;
    const Pull<T> padded = sync(
        Push<T>(
            rows * stride,
            [=](const typename Push<T>::Write& write) {
              par(rows * columns, [&](Index i) { write(i / columns * stride + i % columns, a[i]); }, where);
            }),
        place, where);
    return {rows * columns, [=](Index i) { return padded[i % rows * stride + i / rows]; }};
  }
} block_transpose{};

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
