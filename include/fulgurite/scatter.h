// Elements read at computed indices (gather, backpermute), and stored at computed places (scatter, permute,
// histogram). Reading outside raises IndexError; what would be stored outside is dropped. Indices are of any
// integer type. A gather costs a cache line for each index that has no neighbour; a scatter copies the array
// that it changes unless nothing reads that afterwards.
#pragma once

#include <fulgurite/map.h>
#include <fulgurite/staged_combinators.h>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace detail {

/// What a user's function says is an index into rank N: an integer, staged or not, or a tuple of them.
template <int N, class R>
Values as_indices(const R& given) {
  if constexpr (std::is_constructible_v<Index, const R&>) {
    static_assert(N == 1, "return a std::tuple with an index for each axis");
    return {Index(given).value};
  } else {
    static_assert(std::tuple_size_v<R> == N, "return a std::tuple with an index for each axis");
    return std::apply([](const auto&... index) { return Values{Index(index).value...}; }, given);
  }
}
/// A function of N indices that gives an index into rank M, as the tracer calls it. Refers to `f`.
template <int N, int M, class F>
struct FunctionOfIndices {
  const F& f;

  Values operator()(std::span<const Value> indices) const {
    return [&]<std::size_t... k>(std::index_sequence<k...>) {
      static_assert(std::is_invocable_v<const F&, std::conditional_t<k == k, Exp<i64>, void>...>,
                    "the function takes one Exp<fg::i64> index for each axis");
      return as_indices<M>(f(Exp<i64>(Parts<i64>{indices[k]})...));
    }(std::make_index_sequence<static_cast<std::size_t>(N)>());
  }
};

template <std::size_t N, class F, class T, int M>
Acc<T, static_cast<int>(N)> backpermute(const std::array<Value, N>& extents, const F& f, const Acc<T, M>& xs,
                                        Here where) {
  constexpr int rank = static_cast<int>(N);
  const FunctionOfIndices<rank, M, F> body{f};
  return unflattened<Acc<T, rank>>(
      backpermute(std::span<const Value>(extents), Body(body), xs.parts(), where));
}

}  // namespace detail

/// xs at each of the indices, in their shape. Raises IndexError for one outside.
template <class T, detail::Integer I, int N>
Acc<T, N> gather(const Vec<T>& xs, const Acc<I, N>& indices, detail::Here where = detail::Here::current()) {
  return detail::unflattened<Acc<T, N>>(detail::gather(xs.parts(), indices.value(), where));
}

/// backpermute(n, f, xs), backpermute({r, c}, f, xs): an array of these extents whose element at i, j ... is
/// the element of xs at f(i, j, ...), which is an integer, or a std::tuple with one for each axis of xs.
/// Raises IndexError where f(i, j, ...) is outside of xs, ShapeError for negative or absurd extents.
template <class F, class T, int M>
Vec<T> backpermute(Index n, const F& f, const Acc<T, M>& xs, detail::Here where = detail::Here::current()) {
  return detail::backpermute(std::array{n.value}, f, xs, where);
}
template <std::size_t N, class F, class T, int M>
  requires(N > 1)
Acc<T, static_cast<int>(N)> backpermute(const Index (&extents)[N], const F& f, const Acc<T, M>& xs,
                                        detail::Here where = detail::Here::current()) {
  return detail::backpermute(detail::extents_of(extents), f, xs, where);
}

/// Says that which of several values for one place stays does not matter: it may be another one in every run.
struct AnyOfEqual {};
inline constexpr AnyOfEqual any_of_equal{};

/// The destination with values[k] at indices[k]; of several values for one place the last stays, as in NumPy.
/// Raises ShapeError unless there are as many indices as values.
template <class T, detail::Integer I>
Vec<T> scatter(const Vec<T>& destination, const Vec<I>& indices, const Vec<std::type_identity_t<T>>& values,
               detail::Here where = detail::Here::current()) {
  return detail::unflattened<Vec<T>>(
      detail::scatter(destination.parts(), {&indices.value(), 1}, values.parts(), false, where));
}
/// If several values have one place, any of them stays. This takes less time where it cannot be proved that
/// there are none. It is meant for places that are known to differ, or values that do not.
template <class T, detail::Integer I>
Vec<T> scatter(const Vec<T>& destination, const Vec<I>& indices, const Vec<std::type_identity_t<T>>& values,
               AnyOfEqual, detail::Here where = detail::Here::current()) {
  return detail::unflattened<Vec<T>>(
      detail::scatter(destination.parts(), {&indices.value(), 1}, values.parts(), true, where));
}
/// Into a matrix, or beyond: a std::tuple with a vector of indices for each axis.
template <class T, int N, detail::Integer... Is>
  requires(sizeof...(Is) == static_cast<std::size_t>(N))
Acc<T, N> scatter(const Acc<T, N>& destination, const std::tuple<Vec<Is>...>& indices,
                  const Vec<std::type_identity_t<T>>& values, detail::Here where = detail::Here::current()) {
  const auto places = std::apply([](const auto&... axis) { return std::array{axis.value()...}; }, indices);
  return detail::unflattened<Acc<T, N>>(
      detail::scatter(destination.parts(), places, values.parts(), false, where));
}
template <class T, int N, detail::Integer... Is>
  requires(sizeof...(Is) == static_cast<std::size_t>(N))
Acc<T, N> scatter(const Acc<T, N>& destination, const std::tuple<Vec<Is>...>& indices,
                  const Vec<std::type_identity_t<T>>& values, AnyOfEqual,
                  detail::Here where = detail::Here::current()) {
  const auto places = std::apply([](const auto&... axis) { return std::array{axis.value()...}; }, indices);
  return detail::unflattened<Acc<T, N>>(
      detail::scatter(destination.parts(), places, values.parts(), true, where));
}

/// permute(op, defaults, f, xs): the defaults, each combined by op with the elements of xs that f sends
/// there, in their order: default op x op y ... f maps the index of an element (for matrices: its indices) to
/// a place, an integer or a std::tuple with one for each axis of the defaults. Places outside are dropped, so
/// f may be partial; it need not be injective, nor reach every place. op is associative.
template <class Op, class T, int M, class F, int N>
Acc<T, M> permute(const Op& op, const Acc<T, M>& defaults, const F& f, const Acc<T, N>& xs,
                  detail::Here where = detail::Here::current()) {
  const detail::OperatorOn<T, Op> combine{op};
  const detail::FunctionOfIndices<N, M, F> target{f};
  return detail::unflattened<Acc<T, M>>(
      detail::permute(detail::Body(combine), defaults.parts(), detail::Body(target), xs.parts(), where));
}

/// histogram(op, neutral, k, bins, values): k elements, each `neutral op v1 op v2 ...` of the values whose
/// bin it is, in their order; op(neutral, v) need not be v. Values of bins outside 0 .. k - 1 are dropped.
/// Raises ShapeError unless there are as many bins as values, and for a negative or absurd k.
template <class Op, class T, detail::Integer I>
Vec<T> histogram(const Op& op, const std::type_identity_t<Exp<T>>& neutral, Index k, const Vec<I>& bins,
                 const Vec<T>& values, detail::Here where = detail::Here::current()) {
  const detail::OperatorOn<T, Op> combine{op};
  return detail::unflattened<Vec<T>>(detail::histogram(detail::Body(combine), neutral.parts(), k.value,
                                                       bins.value(), values.parts(), where));
}

}  // namespace fulgurite

#pragma GCC visibility pop
