// Matrices as arguments and results of kernels.
#pragma once

#include <fulgurite/kernel/describe.h>
#include <fulgurite/kernel/matrix_tiles.h>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

/// matrix_block<T>(rows, columns): Matrix<T>, a tile of a matrix for each block; the matrix is tiles of this
/// size. Blocks are numbered row by row of tiles.
template <class T>
struct MatrixBlockOf {
  std::int64_t rows, columns;
};
/// Throws ShapeError if rows < 1 or columns < 1.
template <class T>
MatrixBlockOf<T> matrix_block(std::int64_t rows, std::int64_t columns, Here where = Here::current()) {
  if (rows < 1 || columns < 1)
    fulgurite::detail::block::refuse("a tile of " + sizes::rows_and_columns(rows, columns), where);
  return {rows, columns};
}
/// whole_matrix<T>(): WholeMatrix<T>, all of a matrix, at any row and column, for each block.
template <class T>
struct WholeMatrixArray {};
template <class T>
WholeMatrixArray<T> whole_matrix() {
  return {};
}
/// updated_matrix<T>(): UpdatedMatrix<T>, a matrix that the kernel changes: one of its results is update() of
/// it, or it.
template <class T>
struct UpdatedMatrixArray {};
template <class T>
UpdatedMatrixArray<T> updated_matrix() {
  return {};
}

/// In par(): the element becomes what the operation makes of it and x, in one step, as atomic() of an array
/// does. Nothing, and 0, where the matrix has no such row or column.
template <class T, class Op>
Exp<T> atomic(const Op&, const UpdatedMatrix<T>& to, const Index& row, const Index& column,
              const std::type_identity_t<Exp<T>>& x) {
  static_assert(fulgurite::detail::Number<T>, "numbers are changed in one step, nothing larger");
  return to.change(atomics::name_of<Op, T>(), row, column, x);
}

namespace arguments {

inline Index index_of(const fulgurite::detail::Value& value) {
  return Index(fulgurite::detail::Parts<std::int64_t>{value});
}

template <class T>
struct Of<WholeMatrixArray<T>> {
  using Element = T;
  static constexpr bool is_scalar = false;
  static constexpr int rank = 2;
  static Input input(const WholeMatrixArray<T>&) {
    Input made{{fulgurite::detail::leaf_kinds<T>.begin(), fulgurite::detail::leaf_kinds<T>.end()}};
    made.rank = rank;
    return made;
  }
  static WholeMatrix<T> give(const WholeMatrixArray<T>&, const Argument& a) {
    const Index columns = index_of(a.columns);
    return {index_of(a.rows), columns, [element = a.element, columns](Index r, Index c) {
              return fulgurite::detail::unflattened<Exp<T>>(element((r * columns + c).value()));
            }};
  }
};
template <class T>
struct Of<UpdatedMatrixArray<T>> {
  using Element = T;
  static constexpr bool is_scalar = false;
  static constexpr int rank = 2;
  static Input input(const UpdatedMatrixArray<T>&) {
    Input made = Of<WholeMatrixArray<T>>::input({});
    made.is_updated = true;
    return made;
  }
  static UpdatedMatrix<T> give(const UpdatedMatrixArray<T>&, const Argument& a) {
    return {Of<WholeMatrixArray<T>>::give({}, a), Of<UpdatedArray<T>>::give({}, a)};
  }
};
template <class T>
struct Of<MatrixBlockOf<T>> {
  using Element = T;
  static constexpr bool is_scalar = false;
  static constexpr int rank = 2;
  static Input input(const MatrixBlockOf<T>& d) {
    Input made = Of<WholeMatrixArray<T>>::input({});
    made.tile_rows = d.rows;
    made.tile_columns = d.columns;
    return made;
  }
  static Matrix<T> give(const MatrixBlockOf<T>& d, const Argument& a) {
    const fulgurite::detail::block::Grid& grid = fulgurite::detail::block::grid({});
    return part(Of<WholeMatrixArray<T>>::give({}, a), index_of(grid.row) * d.rows,
                index_of(grid.column) * d.columns, d.rows, d.columns);
  }
};

template <class T>
struct ResultsOf<TiledMatrix<T>> {
  using Types = std::tuple<RankedResult<T, 2>>;
  static void put(const TiledMatrix<T>& r, std::vector<fulgurite::detail::block::Result>& to, Here) {
    const MatrixTiles& tiles = r.tiles;
    fulgurite::detail::block::Result result{
        {{fulgurite::detail::leaf_kinds<T>.begin(), fulgurite::detail::leaf_kinds<T>.end()},
         tiles.tile_rows() * tiles.tile_columns(),
         r.updates},
        [r](const auto& write) {
          r.elements([&](Index row, Index column, Exp<T> x) {
            const Index place =
                (r.tiles.first_row() + row) * r.tiles.columns() + r.tiles.first_column() + column;
            write(place.value(), x.parts());
          });
        },
        fulgurite::detail::block::Tiling{tiles.count().value(), [](auto place) { return place; }}};
    result.shape = {tiles.rows().value(), tiles.columns().value()};
    to.push_back(std::move(result));
  }
};
template <class T>
struct ResultsOf<UpdatedMatrix<T>> {  // it has been written to
  using Types = std::tuple<RankedResult<T, 2>>;
  static void put(const UpdatedMatrix<T>& r, std::vector<fulgurite::detail::block::Result>& to, Here) {
    fulgurite::detail::block::Result result{
        {{fulgurite::detail::leaf_kinds<T>.begin(), fulgurite::detail::leaf_kinds<T>.end()}, 0, r.argument()},
        [](const auto&) {}};
    result.shape = {r.rows().value(), r.columns().value()};
    to.push_back(std::move(result));
  }
};
/// Each block's matrix is its tile of the result, where the block's tile is in the arguments.
template <class T>
struct ResultsOf<PushMatrix<T>> {
  using Types = std::tuple<RankedResult<T, 2>>;
  static void put(const PushMatrix<T>& r, std::vector<fulgurite::detail::block::Result>& to, Here where) {
    const fulgurite::detail::block::Grid& grid = fulgurite::detail::block::grid(where);
    const Index rows = index_of(grid.rows), columns = index_of(grid.columns);
    const MatrixTiles tiles(rows * r.rows(), columns * r.columns(), r.rows(), r.columns(),
                            index_of(grid.row) * r.rows(), index_of(grid.column) * r.columns(),
                            rows * columns);
    ResultsOf<TiledMatrix<T>>::put({tiles, r}, to, where);
  }
};
template <class T>
struct ResultsOf<Matrix<T>> {
  using Types = std::tuple<RankedResult<T, 2>>;
  static void put(const Matrix<T>& r, std::vector<fulgurite::detail::block::Result>& to, Here where) {
    ResultsOf<PushMatrix<T>>::put(push(r, where), to, where);
  }
};

}  // namespace arguments

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
