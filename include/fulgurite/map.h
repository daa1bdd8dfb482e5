// Arrays made element by element: map, generate, iota, replicate. The functions given are called once, while
// tracing, with staged arguments. They may use staged values and C++ values from around them, and array
// operations (nested parallelism); what they return are Exp, C++ scalars, tuples, std::arrays and aggregates
// of these, or arrays. Costs what the function computes: chains of these are one kernel, and what is between
// them is not stored.
#pragma once

#include <fulgurite/results.h>

#include <type_traits>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace detail {

/// An array taken apart into its innermost vectors, for map.
template <class T, int N>
struct Rows {
  Acc<T, N> array;
};
/// An array taken apart into what has one index on an axis.
template <class T, int N>
struct Slices {
  Acc<T, N> array;
  int axis;
};

template <class X>
struct MapOperand {
  static constexpr bool is_operand = false;
};
template <class T, int N>
struct MapOperand<Acc<T, N>> {
  static constexpr bool is_operand = true;
  static constexpr int rank = N;
  using Argument = Exp<T>;
  static Operand operand(const Acc<T, N>& x) { return {x.parts(), Pass::elements}; }
};
template <class T, int N>
struct MapOperand<Rows<T, N>> {
  static constexpr bool is_operand = true;
  static constexpr int rank = N - 1;
  using Argument = Vec<T>;
  static Operand operand(const Rows<T, N>& x) { return {x.array.parts(), Pass::rows}; }
};
template <class T, int N>
struct MapOperand<Slices<T, N>> {
  static constexpr bool is_operand = true;
  static constexpr int rank = 1;
  using Argument = Acc<T, N - 1>;
  static Operand operand(const Slices<T, N>& x) { return {x.array.parts(), Pass::slices, x.axis}; }
};
template <class X>
concept Mappable = MapOperand<X>::is_operand;

// A function of vectors is given matrices. One with auto parameters is asked about no more than needed: its
// body may not compile for vectors.
template <class F, class... Xs>
inline constexpr bool takes_rows = false;
template <class F, class... Ts, int... Ns>
inline constexpr bool takes_rows<F, Acc<Ts, Ns>...> =
    std::conjunction_v<std::bool_constant<((Ns > 1) && ...)>,
                       std::negation<std::is_invocable<const F&, Exp<Ts>...>>,
                       std::is_invocable<const F&, Vec<Ts>...>>;

template <class F, class X, class... Xs>
auto map(Here where, const F& f, const X& x, const Xs&... xs) {
  constexpr int rank = MapOperand<X>::rank;
  static_assert(!Mappable<F>, "map takes the function first: write fg::map(f, xs)");
  static_assert(
      ((MapOperand<Xs>::rank == rank) && ...),
      "map takes arrays of one rank: to combine each row of a matrix with one vector, use the vector in the "
      "function, as in fg::map([&](fg::Vec<float> row) { return row * v; }, fg::rows(m))");
  static_assert(
      !takes_rows<F, X, Xs...>,
      "map gives the function single elements of a matrix, an Exp each: write fg::map(f, fg::rows(m)), or "
      "fg::columns(m), for a function of a Vec");
  static_assert(
      std::is_invocable_v<const F&, typename MapOperand<X>::Argument, typename MapOperand<Xs>::Argument...>,
      "the function given to map takes one staged argument for each array: an Exp of its element type, "
      "a Vec for fg::rows and fg::columns, an array for fg::slices");
  using R = ReturnedBy<F, typename MapOperand<X>::Argument, typename MapOperand<Xs>::Argument...>;
  const auto body = [&](std::span<const Value> arguments) {
    Unflatten values(arguments);
    std::tuple<typename MapOperand<X>::Argument, typename MapOperand<Xs>::Argument...> staged{
        values.next<typename MapOperand<X>::Argument>(), values.next<typename MapOperand<Xs>::Argument>()...};
    return flattened<R>(std::apply(f, staged));
  };
  const Operand operands[] = {MapOperand<X>::operand(x), MapOperand<Xs>::operand(xs)...};
  const std::vector<RowOf> rows = rows_in<R>();
  const Values results = rows.empty() ? map(std::span<const Operand>(operands), Body(body), where)
                                      : map_to_rows(operands, Body(body), rows, where);
  Unflatten values(results);
  return Mapped<R, rank>::take(values);
}

template <std::size_t N>
std::array<Value, N> extents_of(const Index (&extents)[N]) {
  std::array<Value, N> values;
  for (std::size_t k = 0; k < N; ++k) values[k] = extents[k].value;
  return values;
}

template <std::size_t N, class F>
auto generate(const std::array<Value, N>& extents, const F& f, const char* origin, Here where) {
  return [&]<std::size_t... k>(std::index_sequence<k...>) {
    static_assert(std::is_invocable_v<const F&, std::conditional_t<k == k, Exp<i64>, void>...>,
                  "the function given to generate takes one Exp<fg::i64> index for each axis");
    using R = ReturnedBy<F, std::conditional_t<k == k, Exp<i64>, void>...>;
    const auto body = [&](std::span<const Value> indices) {
      return flattened<R>(f(Exp<i64>(Parts<i64>{indices[k]})...));
    };
    const std::vector<RowOf> rows = rows_in<R>();
    const Values results = rows.empty() ? generate(std::span<const Value>(extents), Body(body), origin, where)
                                        : generate_rows(extents[0], Body(body), rows, origin, where);
    Unflatten values(results);
    return Mapped<R, static_cast<int>(N)>::take(values);
  }(std::make_index_sequence<N>());
}

}  // namespace detail

/// The rows of a matrix, for map and reduce, whose function then takes each as a Vec. (Of an array of higher
/// rank: its innermost vectors.)
template <class T, int N>
  requires(N >= 2)
detail::Rows<T, N> rows(const Acc<T, N>& x) {
  return {x};
}
/// The columns of a matrix, for map and reduce.
template <class T>
detail::Slices<T, 2> columns(const Mat<T>& x) {
  return {x, 1};
}
/// An array taken apart along one axis, the outermost unless another is given, for map and reduce, whose
/// function then takes arrays with that axis gone: x[0], x[1] ... . The slices of a matrix are its rows.
template <class T, int N>
  requires(N >= 2)
detail::Slices<T, N> slices(const Acc<T, N>& x, Axis axis = {0}) {
  return {x, axis.number};
}

/// map(f, xs, ys, ...): f of the elements at each index of arrays of equal shapes (else ShapeError); up to
/// six arrays, or rows, columns or slices of them. f returning elements gives an array of them (a std::tuple
/// gives an array of tuples, see unzip), f returning a Vec of one and the same size everywhere gives an array
/// with one more axis, f returning an fg::Row of any size a Ragged, f returning a std::tuple with arrays in
/// it gives a std::tuple of arrays.
template <class F, detail::Mappable A>
auto map(const F& f, const A& a, detail::Here where = detail::Here::current()) {
  return detail::map(where, f, a);
}
template <class F, detail::Mappable A, detail::Mappable B>
auto map(const F& f, const A& a, const B& b, detail::Here where = detail::Here::current()) {
  return detail::map(where, f, a, b);
}
template <class F, detail::Mappable A, detail::Mappable B, detail::Mappable C>
auto map(const F& f, const A& a, const B& b, const C& c, detail::Here where = detail::Here::current()) {
  return detail::map(where, f, a, b, c);
}
template <class F, detail::Mappable A, detail::Mappable B, detail::Mappable C, detail::Mappable D>
auto map(const F& f, const A& a, const B& b, const C& c, const D& d,
         detail::Here where = detail::Here::current()) {
  return detail::map(where, f, a, b, c, d);
}
template <class F, detail::Mappable A, detail::Mappable B, detail::Mappable C, detail::Mappable D,
          detail::Mappable E>
auto map(const F& f, const A& a, const B& b, const C& c, const D& d, const E& e,
         detail::Here where = detail::Here::current()) {
  return detail::map(where, f, a, b, c, d, e);
}
template <class F, detail::Mappable A, detail::Mappable B, detail::Mappable C, detail::Mappable D,
          detail::Mappable E, detail::Mappable G>
auto map(const F& f, const A& a, const B& b, const C& c, const D& d, const E& e, const G& g,
         detail::Here where = detail::Here::current()) {
  return detail::map(where, f, a, b, c, d, e, g);
}

/// f(i) for 0 <= i < n, i an Exp<fg::i64>. Results as for map. Raises ShapeError for a negative or absurd n.
template <class F>
auto generate(Index n, const F& f, detail::Here where = detail::Here::current()) {
  return detail::generate(std::array{n.value}, f, "generate", where);
}
/// f(i, j, ...) for all indices below the extents: fg::generate({r, c}, f).
template <std::size_t N, class F>
  requires(N > 1)
auto generate(const Index (&extents)[N], const F& f, detail::Here where = detail::Here::current()) {
  return detail::generate(detail::extents_of(extents), f, "generate", where);
}

/// 0, 1 ... n - 1. Raises ShapeError for a negative or absurd n.
template <detail::Number T = i64>
Vec<T> iota(Index n, detail::Here where = detail::Here::current()) {
  return Vec<T>(detail::Parts<T>{detail::iota(n.value, detail::kind_of<T>(), where)});
}

/// n times one value: an Exp, a C++ scalar or composite, or an array. Raises ShapeError for a negative or
/// absurd n.
template <class X>
auto replicate(Index n, const X& value, detail::Here where = detail::Here::current()) {
  return detail::generate(std::array{n.value}, [&](const Exp<i64>&) { return value; }, "replicate", where);
}
template <std::size_t N, class X>
  requires(N > 1)
auto replicate(const Index (&extents)[N], const X& value, detail::Here where = detail::Here::current()) {
  return detail::generate(
      detail::extents_of(extents), [&](const auto&...) { return value; }, "replicate", where);
}

}  // namespace fulgurite

#pragma GCC visibility pop
