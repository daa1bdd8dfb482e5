// Numeric functions, written in the language: each fuses with what surrounds it. Objects, so that a user's
// own function of the same name is found first. Each costs what its fold, scan or product costs: memory once
// for dot, norm and matvec, 2 n^3 operations in tiles for matmul.
#pragma once

#include <fulgurite/functions.h>
#include <fulgurite/map.h>
#include <fulgurite/reduce.h>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace detail {

struct Mean {
  template <Float T, int N>
  Exp<T> operator()(const Acc<T, N>& xs, Here where = Here::current()) const {
    const Exp<T> total = sum(xs, where);
    return over(total, xs.size(where), where);
  }
  template <Float T, int N>
    requires(N > 1)
  Acc<T, N - 1> operator()(const Acc<T, N>& xs, Axis axis, Here where = Here::current()) const {
    const Acc<T, N - 1> totals = sum(xs, axis, where);
    return over(totals, xs.size(axis.number, where), where);
  }
  template <RaggedLike R>
  auto operator()(const R& rows, Axis axis, Here where = Here::current()) const {
    const auto totals = sum(rows, axis, where);
    return over(totals, rows.lengths(where), where);
  }
  template <RaggedLike R>
  auto operator()(const R& rows, Here where = Here::current()) const {
    return (*this)(rows.values(), where);
  }

 private:
  template <class X>
  static X over(const X& total, const auto& n, Here where) {
    using T = ElementOf<X>;
    return X(Parts<T>{apply("div", {total.value(), detail::cast(n.value(), kind_of<T>(), where)}, where)});
  }
};

struct Dot {
  template <Number T>
  Exp<T> operator()(const Vec<T>& x, const Vec<T>& y, Here where = Here::current()) const {
    return sum(Vec<T>(Parts<T>{apply("mul", {x.value(), y.value()}, where)}), where);
  }
};

struct Norm {
  template <Float T, int N>
  Exp<T> operator()(const Acc<T, N>& xs, Here where = Here::current()) const {
    return fulgurite::sqrt(sum(Acc<T, N>(Parts<T>{apply("mul", {xs.value(), xs.value()}, where)}), where),
                           where);
  }
};

struct Outer {
  template <Number T>
  Mat<T> operator()(const Vec<T>& x, const Vec<T>& y, Here where = Here::current()) const {
    return fulgurite::map(
        [&](const Exp<T>& a) { return Vec<T>(Parts<T>{apply("mul", {a.value(), y.value()}, where)}); }, x,
        where);
  }
};

struct MatVec {
  template <Number T>
  Vec<T> operator()(const Mat<T>& a, const Vec<T>& x, Here where = Here::current()) const {
    detail::matches("matvec", a.value(), x.value(), where);
    return fulgurite::map([&](const Vec<T>& row) { return Dot()(row, x, where); }, rows(a), where);
  }
};

struct MatMul {
  template <Number T>
  Mat<T> operator()(const Mat<T>& a, const Mat<T>& b, Here where = Here::current()) const {
    detail::matches("matmul", a.value(), b.value(), where);
    return fulgurite::map(
        [&](const Vec<T>& row) {
          return fulgurite::map([&](const Vec<T>& column) { return Dot()(row, column, where); }, columns(b),
                                where);
        },
        rows(a), where);
  }
};

}  // namespace detail

/// mean(xs), mean(m, fg::axis(k)): the sum of floats divided by their number; of none, NaN. Also of a ragged
/// array, or of its rows.
inline constexpr detail::Mean mean;
/// dot(x, y): the sum of the products. Raises ShapeError for vectors of different sizes, as all of these do.
inline constexpr detail::Dot dot;
/// norm(xs): the square root of the sum of the squares of all elements.
inline constexpr detail::Norm norm;
/// outer(x, y): the matrix of all products, x[i] * y[j].
inline constexpr detail::Outer outer;
/// matvec(a, x): the dot product of each row of a with x.
inline constexpr detail::MatVec matvec;
/// matmul(a, b): the dot product of each row of a with each column of b.
inline constexpr detail::MatMul matmul;

}  // namespace fulgurite

#pragma GCC visibility pop
