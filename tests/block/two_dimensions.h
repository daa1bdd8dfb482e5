// Programs of two-dimensional blocks and matrices, as a user writes them.
#pragma once

#include <fulgurite/kernel.h>

namespace fulgurite::two_dimensions {

namespace k = kernel;
using k::Index, k::Matrix, k::WholeMatrix;

/// Tiles of side * side elements, transposed in shared memory: rows are read, and rows are written.
template <class T>
auto transpose(k::Threads threads, std::int64_t side = 32) {
  return k::kernel("transpose", threads, k::whole_matrix<T>(), [side](WholeMatrix<T> a) {
    const k::MatrixTiles to = k::tiles(a.columns(), a.rows(), side, side);
    const Matrix<T> from = k::part(a, to.first_column(), to.first_row(), side, side);
    return k::tiled(to, k::transpose(k::sync(from, k::Rows::apart)));
  });
}

/// Along a row of tiles of a and a column of b's.
template <class T>
auto product(k::Threads threads, std::int64_t side = 16) {
  const auto multiply = [side](WholeMatrix<T> a, WholeMatrix<T> b) {
    k::expects(a.columns() == b.rows() && a.columns() % side == 0,
               "a matrix of {0} columns is not multiplied by one of {1} rows, by tiles of {2}",
               {a.columns(), b.rows(), side});
    const k::MatrixTiles to = k::tiles(a.rows(), b.columns(), side, side);
    const auto add_round = [=](Index round, Matrix<T> sum) {
      const Matrix<T> left = k::sync(k::part(a, to.first_row(), round * side, side, side));
      const Matrix<T> right = k::sync(k::part(b, round * side, to.first_column(), side, side));
      return Matrix<T>(side, side, [=](Index r, Index c) {
        Exp<T> all = sum(r, c);
        for (std::int64_t j = 0; j < side; ++j) all = all + left(r, j) * right(j, c);
        return all;
      });
    };
    const Matrix<T> zeros(side, side, [](Index, Index) { return Exp<T>(0); });
    return k::tiled(to, k::iterate(a.columns() / side, add_round, zeros));
  };
  return k::kernel("product", threads, k::whole_matrix<T>(), k::whole_matrix<T>(), multiply);
}

/// The matrix addition of the 2008 paper's section 3.
inline auto sum_of_matrices(k::Threads threads, std::int64_t side = 16) {
  return k::kernel("matAdd", threads, k::matrix_block<float>(side, side), k::matrix_block<float>(side, side),
                   [](Matrix<float> a, Matrix<float> b) { return k::zip_with(plus, a, b); });
}

}  // namespace fulgurite::two_dimensions
