// Matrices by tiles through shared memory, as a user writes them; rows lie one after the other.
#pragma once

#include <fulgurite/kernel.h>

namespace fulgurite::matrices {

namespace k = kernel;
using k::Index, k::Pull, k::Whole;

/// The tiles of side * side elements of a matrix with this many columns: each is a block's, by rows of tiles,
/// or by columns of them.
enum class By : std::uint8_t { rows, columns };
inline k::Tiles squares(std::int64_t side, const Index& size, const Index& columns, By by = By::rows) {
  const Index stride = max(columns, Index(1));  // what follows is refused, not divided by 0
  k::expects(columns % side == 0 && 0 < columns && k::places::remainder(size, stride * side, {}) == 0,
             "a matrix of {0} elements and {1} columns is no squares of {2}", {size, columns, side});
  const Index rows = k::places::quotient(size, stride, {});
  const Index in_turn = max((by == By::rows ? columns : rows) / side, Index(1));
  const Index block = k::block_number();
  const Index major = k::places::quotient(block, in_turn, {}),
              minor = k::places::remainder(block, in_turn, {});
  const Index row = (by == By::rows ? major : minor) * side, column = (by == By::rows ? minor : major) * side;
  return {side * side, size / (side * side),
          [=](Index i) { return (row + i / side) * columns + column + i % side; }};
}

template <class T>
auto transpose(std::int64_t side = 32) {
  return k::kernel("transpose", k::whole<T>(), k::scalar<std::int64_t>(), [=](Whole<T> a, Index columns) {
    const Index rows = k::places::quotient(a.size(), max(columns, Index(1)), {});
    const k::Tiles from = squares(side, a.size(), columns), to = squares(side, a.size(), rows, By::columns);
    return k::tiled(a.size(), to, k::block_transpose(side, side, k::tile(a, from)));
  });
}

/// a, whose rows have `inner` elements, times b, whose rows have `columns`: tile by tile along a row of tiles
/// of a and a column of b's.
template <class T>
auto product(std::int64_t side = 16) {
  return k::kernel("product", k::whole<T>(), k::whole<T>(), k::scalar<std::int64_t>(),
                   k::scalar<std::int64_t>(), [=](Whole<T> a, Whole<T> b, Index inner, Index columns) {
                     k::expects(
                         0 < inner && inner % side == 0 && b.size() == inner * columns,
                         "a matrix of {0} columns is not multiplied by one of {1} elements and {2} columns",
                         {inner, b.size(), columns});
                     const Index rows = k::places::quotient(a.size(), max(inner, Index(1)), {});
                     const k::Tiles tiles = squares(side, rows * columns, columns);
                     const Index tile_columns = max(columns / side, Index(1));
                     const Index row = k::places::quotient(k::block_number(), tile_columns, {}) * side;
                     const Index column = k::places::remainder(k::block_number(), tile_columns, {}) * side;
                     const Pull<T> zeros(side * side, [](Index) { return Exp<T>(0); });
                     const Pull<T> sums = k::iterate(
                         inner / side,
                         [=](Index round, Pull<T> sum) {
                           const Pull<T> left = k::sync(Pull<T>(side * side, [=](Index i) {
                             return a[(row + i / side) * inner + round * side + i % side];
                           }));
                           const Pull<T> right = k::sync(Pull<T>(side * side, [=](Index i) {
                             return b[(round * side + i / side) * columns + column + i % side];
                           }));
                           return Pull<T>(side * side, [=](Index i) {
                             Exp<T> all = sum[i];
                             for (std::int64_t j = 0; j < side; ++j)
                               all = all + left[i / side * side + j] * right[j * side + i % side];
                             return all;
                           });
                         },
                         zeros);
                     return k::tiled(rows * columns, tiles, sums);
                   });
}

}  // namespace fulgurite::matrices
