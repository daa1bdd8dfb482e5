// What a user's function returns, as flat staged values and back: Exp, Acc, C++ scalars, composites of them.
// The result type of map and the like follows from it.
#pragma once

#include <fulgurite/acc.h>

#pragma GCC visibility push(default)

namespace fulgurite {

template <class T>
class Ragged;

/// A vector that a function given to map or generate returns where lengths differ from call to call:
/// fg::map([](Vec<int> xs) { return fg::Row(fg::unique(xs)); }, fg::rows(m)) is a Ragged<int>. The function
/// is called twice while tracing. Lengths are computed first, then elements: a filter in it runs twice, a
/// sort, whose length is known before, once. No rounding of floats may decide a length (IndexError if it
/// does).
template <class T>
class Row {
 public:
  using Components = std::tuple<Vec<T>>;

  explicit Row(const Vec<T>& elements) : components_(elements) {}
  /// The vector.
  const Vec<T>& elements() const { return std::get<0>(components_); }
  /// The vector, as the one component of a composed value.
  const Components& components() const { return components_; }

 private:
  Components components_;
};

namespace detail {

template <class R>
concept Tuple = TupleLike<R>;

/// What a function that is called while tracing returns.
template <class F, class... Xs>
struct ReturnOf {
  using type = std::decay_t<std::invoke_result_t<const F&, Xs...>>;
  static_assert(!std::is_void_v<type>,
                "the function returns nothing: write `return` before its last expression");
};
template <class F, class... Xs>
using ReturnedBy = typename ReturnOf<F, Xs...>::type;

/// The element type of a result without arrays: Exp<T> and T give T; a tuple, pair or std::array of such
/// results gives a tuple, pair or std::array of their element types.
template <class R>
struct ResultOf {
  static_assert(check_element<R>());
  static constexpr bool has_arrays = false;
  using Element = R;
};
template <class X>
struct ResultOf<std::vector<X>> {
  static_assert(sizeof(X) == 0,
                "a std::vector is no result of a function that is traced: return a Vec, as fg::generate and "
                "fg::map make it, or a std::tuple of what it holds");
  static constexpr bool has_arrays = false;
  using Element = bool;
};
template <class T>
struct ResultOf<Exp<T>> {
  static constexpr bool has_arrays = false;
  using Element = T;
};
template <class T, int N>
struct ResultOf<Acc<T, N>> {
  static constexpr bool has_arrays = true;
};
template <class T>
struct ResultOf<Row<T>> {
  static constexpr bool has_arrays = true;
};
template <bool has_arrays_, template <class...> class Composite, class... Rs>
struct CompositeResult {
  static constexpr bool has_arrays = true;
};
template <template <class...> class Composite, class... Rs>
struct CompositeResult<false, Composite, Rs...> {
  static constexpr bool has_arrays = false;
  using Element = Composite<typename ResultOf<Rs>::Element...>;
};
template <class... Rs>
struct ResultOf<std::tuple<Rs...>> : CompositeResult<(ResultOf<Rs>::has_arrays || ...), std::tuple, Rs...> {};
template <class A, class B>
struct ResultOf<std::pair<A, B>>
    : CompositeResult<ResultOf<A>::has_arrays || ResultOf<B>::has_arrays, std::pair, A, B> {};
template <class R, std::size_t n>
struct ResultOf<std::array<R, n>> {
  static_assert(!ResultOf<R>::has_arrays, "return several arrays as a std::tuple");
  static constexpr bool has_arrays = false;
  using Element = std::array<typename ResultOf<R>::Element, n>;
};

/// A staged value that is some arrays under a name of its own, as Ragged is: components() gives a std::tuple
/// of them, and it is made of one.
template <class X>
concept Composed = requires(const X& x) {
  typename X::Components;
  { x.components() } -> std::same_as<const typename X::Components&>;
};

/// Appends the leaves of a result.
template <class R>
void flatten(const R& result, Values& values) {
  if constexpr (Staged<R>) {
    values.insert(values.end(), result.parts().begin(), result.parts().end());
  } else if constexpr (Composed<R>) {
    flatten(result.components(), values);
  } else if constexpr (TupleLike<R>) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (flatten(std::get<i>(result), values), ...);
    }(std::make_index_sequence<std::tuple_size_v<R>>());
  } else {
    for_each_leaf(result, [&](std::size_t, auto leaf) { values.push_back(literal(leaf)); });
  }
}
template <class R>
Values flattened(const R& result) {
  Values values;
  flatten(result, values);
  return values;
}

/// Takes staged values off the front of flat ones.
class Unflatten {
 public:
  explicit Unflatten(std::span<const Value> values) : rest_(values) {}
  template <Staged X>
  X next() {
    Parts<ElementOf<X>> parts;
    for (Value& part : parts) {
      part = rest_.front();
      rest_ = rest_.subspan(1);
    }
    return X(parts);
  }
  template <Composed X>
  X next() {
    using Components = typename X::Components;
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return X(Components{next<std::tuple_element_t<i, Components>>()...});
    }(std::make_index_sequence<std::tuple_size_v<Components>>());
  }

 private:
  std::span<const Value> rest_;
};

template <class X>
X unflattened(std::span<const Value> values) {
  return Unflatten(values).next<X>();
}

/// What N axes of calls to a function that returns R make: elements become arrays, arrays get N more axes,
/// tuples with arrays in them become tuples.
template <class R, int N, bool has_arrays = ResultOf<R>::has_arrays>
struct Mapped {
  using type = Acc<typename ResultOf<R>::Element, N>;
  static type take(Unflatten& values) { return values.next<type>(); }
};
template <class T, int M, int N>
struct Mapped<Acc<T, M>, N, true> {
  using type = Acc<T, M + N>;
  static type take(Unflatten& values) { return values.next<type>(); }
};
template <class T, int N>
struct Mapped<Row<T>, N, true> {
  static_assert(N == 1, "rows of lengths of their own are made of a vector of items: a Ragged has two axes");
  using type = Ragged<T>;
  static type take(Unflatten& values) { return values.next<type>(); }
};
template <class... Rs, int N>
struct Mapped<std::tuple<Rs...>, N, true> {
  using type = std::tuple<typename Mapped<Rs, N>::type...>;
  static type take(Unflatten& values) { return type{Mapped<Rs, N>::take(values)...}; }
};
template <class A, class B, int N>
struct Mapped<std::pair<A, B>, N, true> {
  using type = std::pair<typename Mapped<A, N>::type, typename Mapped<B, N>::type>;
  static type take(Unflatten& values) { return type{Mapped<A, N>::take(values), Mapped<B, N>::take(values)}; }
};

/// The rows of lengths of their own among the flat values of a result.
template <class R>
struct RowsIn {
  static void add(std::vector<RowOf>&, std::size_t& at) {
    if constexpr (!ResultOf<R>::has_arrays) at += n_leaves<typename ResultOf<R>::Element>;
  }
};
template <class T, int N>
struct RowsIn<Acc<T, N>> {
  static void add(std::vector<RowOf>&, std::size_t& at) { at += n_leaves<T>; }
};
template <class T>
struct RowsIn<Row<T>> {
  static void add(std::vector<RowOf>& rows, std::size_t& at) {
    rows.push_back({at, n_leaves<T>});
    at += n_leaves<T>;
  }
};
template <class... Rs>
struct RowsIn<std::tuple<Rs...>> {
  static void add(std::vector<RowOf>& rows, std::size_t& at) { (RowsIn<Rs>::add(rows, at), ...); }
};
template <class A, class B>
struct RowsIn<std::pair<A, B>> : RowsIn<std::tuple<A, B>> {};
template <class R>
std::vector<RowOf> rows_in() {
  std::vector<RowOf> rows;
  std::size_t at = 0;
  RowsIn<R>::add(rows, at);
  return rows;
}

/// An operator on two elements of type T as the tracer calls it. Refers to `op`.
template <class T, class Op>
struct OperatorOn {
  static_assert(std::is_invocable_v<const Op&, Exp<T>, Exp<T>>,
                "the operator takes two Exp of the array's element type");
  static_assert(std::is_constructible_v<Exp<T>, const ReturnedBy<Op, Exp<T>, Exp<T>>&>,
                "the operator returns the array's element type");
  const Op& op;

  Values operator()(std::span<const Value> operands) const {
    constexpr std::size_t n = n_leaves<T>;
    return flattened(
        Exp<T>(op(unflattened<Exp<T>>(operands.first(n)), unflattened<Exp<T>>(operands.last(n)))));
  }
};

}  // namespace detail
}  // namespace fulgurite

#pragma GCC visibility pop
