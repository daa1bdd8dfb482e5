// Matrices that a launch is given, and how their tiles are dealt to its blocks.
#pragma once

#include <fulgurite/kernel/matrix.h>
#include <fulgurite/kernel/tiles.h>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

/// A matrix in global memory whose size is known only when the kernel runs.
template <class T>
class WholeMatrix {
 public:
  using At = std::function<Exp<T>(Index row, Index column)>;
  WholeMatrix(Index rows, Index columns, At at)
      : rows_(std::move(rows)), columns_(std::move(columns)), at_(std::move(at)) {}
  const Index& rows() const { return rows_; }
  const Index& columns() const { return columns_; }
  /// Not checked: the emulator finds what is outside of the array.
  Exp<T> operator()(const Index& row, const Index& column) const { return at_(row, column); }

 private:
  Index rows_, columns_;
  At at_;
};

/// One that the kernel changes, as Updated is: a kernel returns update() of it, or the matrix itself where it
/// has written to it by write() or atomic().
template <class T>
class UpdatedMatrix : public WholeMatrix<T> {
 public:
  /// `elements` are the matrix's, row by row.
  UpdatedMatrix(WholeMatrix<T> whole, Updated<T> elements)
      : WholeMatrix<T>(std::move(whole)), elements_(std::move(elements)) {}
  int argument() const { return elements_.argument(); }
  /// The element becomes x, in par(); nothing where the matrix has no such row or column. Two threads do not
  /// write one element.
  void write(const Index& row, const Index& column, const Exp<T>& x) const {
    elements_.write(place(row, column), x);
  }
  Exp<T> change(const char* operation, const Index& row, const Index& column, const Exp<T>& x) const {
    return elements_.change(operation, place(row, column), x);
  }

 private:
  Index place(const Index& row, const Index& column) const {
    const Exp<bool> is_inside = 0 <= row && row < this->rows() && 0 <= column && column < this->columns();
    return select(is_inside, row * this->columns() + column, Index(-1));
  }

  Updated<T> elements_;
};

/// The rows * columns elements from this row and column on.
template <class T>
Matrix<T> part(const WholeMatrix<T>& a, const Index& first_row, const Index& first_column, std::int64_t rows,
               std::int64_t columns, Here where = Here::current()) {
  return Matrix<T>(
      rows, columns, [=](Index r, Index c) { return a(first_row + r, first_column + c); }, where);
}

/// A matrix as tiles of `tile_rows` rows and `tile_columns` columns, one for each block of the launch: tiles
/// of a row of tiles follow each other.
class MatrixTiles {
 public:
  MatrixTiles(Index rows, Index columns, std::int64_t tile_rows, std::int64_t tile_columns, Index first_row,
              Index first_column, Index count)
      : rows_(std::move(rows)),
        columns_(std::move(columns)),
        tile_rows_(tile_rows),
        tile_columns_(tile_columns),
        first_row_(std::move(first_row)),
        first_column_(std::move(first_column)),
        count_(std::move(count)) {}
  const Index& rows() const { return rows_; }
  const Index& columns() const { return columns_; }
  std::int64_t tile_rows() const { return tile_rows_; }
  std::int64_t tile_columns() const { return tile_columns_; }
  /// The first row and column of the tile that the block at hand has.
  const Index& first_row() const { return first_row_; }
  const Index& first_column() const { return first_column_; }
  const Index& count() const { return count_; }

 private:
  Index rows_, columns_;
  std::int64_t tile_rows_, tile_columns_;
  Index first_row_, first_column_, count_;
};

/// The tiles of a matrix of this size, which depends on sizes and scalar arguments. The launch is refused
/// unless they cover it.
inline MatrixTiles tiles(const Index& rows, const Index& columns, std::int64_t tile_rows,
                         std::int64_t tile_columns, Here where = Here::current()) {
  if (tile_rows < 1 || tile_columns < 1)
    fulgurite::detail::block::refuse("a tile of " + sizes::rows_and_columns(tile_rows, tile_columns), where);
  expects(0 <= rows && 0 <= columns && rows % tile_rows == 0 && columns % tile_columns == 0,
          "a matrix of {0} rows and {1} columns is no tiles of {2} rows and {3} columns",
          {rows, columns, tile_rows, tile_columns}, where);
  const Index across = columns / tile_columns, block = block_number(where);
  const Index in_a_row = max(across, Index(1));  // what is refused is not divided by 0
  return {rows,
          columns,
          tile_rows,
          tile_columns,
          places::quotient(block, in_a_row, where) * tile_rows,
          places::remainder(block, in_a_row, where) * tile_columns,
          rows / tile_rows * across};
}

/// The elements of the matrix that the block at hand has.
template <class T>
Matrix<T> tile(const WholeMatrix<T>& a, const MatrixTiles& tiles, Here where = Here::current()) {
  return part(a, tiles.first_row(), tiles.first_column(), tiles.tile_rows(), tiles.tile_columns(), where);
}

/// What each block pushes, in its tile of a matrix: a result of a kernel.
template <class T>
struct TiledMatrix {
  MatrixTiles tiles;
  PushMatrix<T> elements;
  int updates = -1;  // the number of the argument that it was
};

/// A new matrix of which each block's elements are its tile. Throws ShapeError if `a` is no such tile.
template <class M>
  requires requires(const M& m) { push(m).rows(); }
auto tiled(const MatrixTiles& tiles, const M& a, Here where = Here::current()) {
  if (a.rows() != tiles.tile_rows() || a.columns() != tiles.tile_columns())
    fulgurite::detail::block::refuse(
        "a tile of " + sizes::rows_and_columns(tiles.tile_rows(), tiles.tile_columns()) +
            " cannot take a matrix of " + sizes::rows_and_columns(a.rows(), a.columns()),
        where);
  return TiledMatrix<typename M::Element>{tiles, push(a, where)};
}
/// The matrix `to`, of which each block's elements become its tile. The launch is refused unless the tiles
/// are of a matrix of its size. Throws ShapeError if `a` is no such tile.
template <class T, class M>
  requires requires(const M& m) { push(m).rows(); }
TiledMatrix<T> update(const UpdatedMatrix<T>& to, const MatrixTiles& tiles, const M& a,
                      Here where = Here::current()) {
  static_assert(std::is_same_v<T, typename M::Element>, "a matrix's elements keep their type");
  expects(tiles.rows() == to.rows() && tiles.columns() == to.columns(),
          "tiles of {0} rows and {1} columns do not update a matrix of {2} rows and {3} columns",
          {tiles.rows(), tiles.columns(), to.rows(), to.columns()}, where);
  TiledMatrix<T> result = tiled(tiles, a, where);
  result.updates = to.argument();
  return result;
}

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
