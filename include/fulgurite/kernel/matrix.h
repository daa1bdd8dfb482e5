// Matrices of a block: pull and push arrays of two dimensions, whose sizes are known while a kernel is made
// (the dimensions that the 2008 paper's CUDA example has, section 3). Rows lie one after the other in memory.
// Threads are numbered along rows, as CUDA and OpenCL number the threads of two-dimensional blocks:
// neighbours in a row are neighbours in a warp.
#pragma once

#include <fulgurite/kernel/patterns.h>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

namespace sizes {

inline std::string rows_and_columns(std::int64_t rows, std::int64_t columns) {
  return std::to_string(rows) + " rows and " + std::to_string(columns) + " columns";
}
inline void matrix(std::int64_t rows, std::int64_t columns, Here where) {
  if (rows < 0 || columns < 0)
    fulgurite::detail::block::refuse("a matrix of " + rows_and_columns(rows, columns), where);
}
inline void alike(const char* what, const auto& a, const auto& b, Here where) {
  if (a.rows() == b.rows() && a.columns() == b.columns()) return;
  fulgurite::detail::block::refuse(std::string(what) + " needs matrices of equal shape: they have " +
                                       rows_and_columns(a.rows(), a.columns()) + ", and " +
                                       rows_and_columns(b.rows(), b.columns()),
                                   where);
}

}  // namespace sizes

/// A matrix as a function of row and column.
template <class T>
class Matrix {
 public:
  using Element = T;
  using At = std::function<Exp<T>(Index row, Index column)>;

  /// Throws ShapeError if rows < 0 or columns < 0.
  Matrix(std::int64_t rows, std::int64_t columns, At at, Here where = Here::current())
      : rows_(rows), columns_(columns), at_(std::move(at)) {
    sizes::matrix(rows, columns, where);
  }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  /// The emulator finds a row or column that is out of range. Throws IndexError for a number that is.
  Exp<T> operator()(const IndexAt& row, const IndexAt& column) const {
    fulgurite::detail::block::within(row.index.value(), rows_, row.where);
    fulgurite::detail::block::within(column.index.value(), columns_, column.where);
    return at_(row.index, column.index);
  }
  Pull<T> row(const Index& r) const {
    return Pull<T>(columns_, [m = *this, r](Index c) { return m(r, c); });
  }
  Pull<T> column(const Index& c) const {
    return Pull<T>(rows_, [m = *this, c](Index r) { return m(r, c); });
  }

 private:
  std::int64_t rows_, columns_;
  At at_;
};

/// A matrix that instances of a block write.
template <class T>
class PushMatrix {
 public:
  using Element = T;
  using Write = std::function<void(Index row, Index column, Exp<T>)>;
  using Program = std::function<void(const Write&)>;

  /// `program` calls what it is given for each element, in par() or loop(), each row and column once.
  PushMatrix(std::int64_t rows, std::int64_t columns, Program program, Here where = Here::current())
      : rows_(rows), columns_(columns), program_(std::move(program)) {
    sizes::matrix(rows, columns, where);
  }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  void operator()(const Write& write) const { program_(write); }

 private:
  std::int64_t rows_, columns_;
  Program program_;
};

namespace grids {

/// The body for 0 ... n - 1: code for each while they are few, else a loop.
inline void turns(std::int64_t n, const std::function<void(Index)>& body, Here where) {
  constexpr std::int64_t most_unrolled = 16;
  if (n > most_unrolled) return loop(0, n, body, where);
  for (std::int64_t i = 0; i < n; ++i) body(i);
}

}  // namespace grids

/// rows * columns instances of the body, as par(n) has n. In a block of threads(x, y), thread (tx, ty) has
/// the rows ty, ty + y ... and the columns tx, tx + x ...
inline void par(std::int64_t rows, std::int64_t columns,
                const std::function<void(Index row, Index column)>& body, Here where = Here::current()) {
  sizes::matrix(rows, columns, where);
  const auto threads = fulgurite::detail::block::thread_shape(where);
  const std::int64_t x = threads.x, y = threads.y;
  if (!threads.is_matrix || x == columns)
    return par(rows * columns, [&](const Index& i) { body(i / columns, i % columns); }, where);
  const std::int64_t across = (columns + x - 1) / x, down = (rows + y - 1) / y;
  const auto guarded = [&](const Index& row, const Index& column) {
    const bool ends_across = columns % x != 0, ends_down = rows % y != 0;
    const auto run = [&] { body(row, column); };
    if (ends_across && ends_down)
      when(row < rows && column < columns, run, where);
    else if (ends_across || ends_down)
      when(ends_across ? column < columns : row < rows, run, where);
    else
      run();
  };
  par(
      x * y,
      [&](const Index& thread) {
        const Index first_row = thread / x, first_column = thread % x;
        grids::turns(
            down,
            [&](const Index& i) {
              const auto element = [&](const Index& j) { guarded(first_row + i * y, first_column + j * x); };
              grids::turns(across, element, where);
            },
            where);
      },
      where);
}

/// One instance for each element.
template <class T>
PushMatrix<T> push(const Matrix<T>& a, Here where = Here::current()) {
  return {a.rows(), a.columns(), [a, where](const typename PushMatrix<T>::Write& write) {
            par(a.rows(), a.columns(), [&](Index r, Index c) { write(r, c, a(r, c)); }, where);
          }};
}
template <class T>
PushMatrix<T> push(const PushMatrix<T>& a, Here = Here::current()) {
  return a;
}

/// The elements row by row, as an array: element r * columns + c is the matrix's in row r and column c.
template <class T>
Pull<T> flat(const Matrix<T>& a) {
  return {a.rows() * a.columns(), [a](Index i) { return a(i / a.columns(), i % a.columns()); }};
}
template <class T>
Push<T> flat(const PushMatrix<T>& a) {
  return {a.rows() * a.columns(), [a](const typename Push<T>::Write& write) {
            a([&](Index r, Index c, Exp<T> x) { write(r * a.columns() + c, x); });
          }};
}
/// An array as the matrix whose rows it has, one after the other. Throws ShapeError if its size is not
/// rows * columns.
template <class T>
Matrix<T> matrix(std::int64_t rows, std::int64_t columns, const Pull<T>& a, Here where = Here::current()) {
  if (rows < 0 || columns < 0 || a.size() != rows * columns)
    fulgurite::detail::block::refuse("a matrix of " + sizes::rows_and_columns(rows, columns) +
                                         " is no array of " + std::to_string(a.size()) + " elements",
                                     where);
  return {rows, columns, [=](Index r, Index c) { return a[r * columns + c]; }};
}

/// f of each element.
template <class F, class T>
auto map(const F& f, const Matrix<T>& a) {
  using R = ElementFrom<F, Exp<T>>;
  return Matrix<R>(a.rows(), a.columns(), [f, a](Index r, Index c) { return Exp<R>(f(a(r, c))); });
}
template <class F, class S, class T>
auto zip_with(const F& f, const Matrix<S>& a, const Matrix<T>& b, Here where = Here::current()) {
  using R = ElementFrom<F, Exp<S>, Exp<T>>;
  sizes::alike("zip_with", a, b, where);
  return Matrix<R>(a.rows(), a.columns(), [f, a, b](Index r, Index c) {
    const Exp<S> first = a(r, c);
    const Exp<T> second = b(r, c);
    return Exp<R>(f(first, second));
  });
}
template <class T>
Matrix<T> transpose(const Matrix<T>& a) {
  return {a.columns(), a.rows(), [a](Index r, Index c) { return a(c, r); }};
}
template <class T>
PushMatrix<T> transpose(const PushMatrix<T>& a) {
  return {a.columns(), a.rows(), [a](const typename PushMatrix<T>::Write& write) {
            a([&](Index r, Index c, Exp<T> x) { write(c, r, x); });
          }};
}

/// How the rows of a matrix lie in memory: `apart` leaves one place free between two rows, so that neighbours
/// in a column are in different banks.
enum class Rows : std::uint8_t { packed, apart };

/// commit() and sync() of a matrix.
template <class T>
Matrix<T> commit(const PushMatrix<T>& a, Rows rows = Rows::packed, Place place = Place::shared,
                 Here where = Here::current()) {
  const std::int64_t stride = a.columns() + (rows == Rows::apart ? 1 : 0);
  const memory::Stored<T> stored(memory::space_of(place), a.rows() * stride, where);
  a([&](Index r, Index c, Exp<T> x) { stored.store(r * stride + c, x, where); });
  return {a.rows(), a.columns(),
          [read = stored.read(where), stride](Index r, Index c) { return read[r * stride + c]; }};
}
template <class T>
Matrix<T> commit(const Matrix<T>& a, Rows rows = Rows::packed, Place place = Place::shared,
                 Here where = Here::current()) {
  return commit(push(a, where), rows, place, where);
}
template <class T>
Matrix<T> sync(const PushMatrix<T>& a, Rows rows = Rows::packed, Place place = Place::shared,
               Here where = Here::current()) {
  const Matrix<T> result = commit(a, rows, place, where);
  fulgurite::detail::block::barrier(Level::block, where);
  return result;
}
template <class T>
Matrix<T> sync(const Matrix<T>& a, Rows rows = Rows::packed, Place place = Place::shared,
               Here where = Here::current()) {
  return sync(push(a, where), rows, place, where);
}

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
