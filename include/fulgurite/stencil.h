// Stencils: each element of the result is a function of the elements around its place in one or several
// arrays of equal shapes, of one to three axes. The function is written as for one point:
//   auto five_point = [](auto u, auto f) {
//     return 0.25f * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - f(0, 0));
//   };
//   auto next = fg::stencil(five_point, fg::boundary::clamp, u, f);
// Costs one reading and one writing of memory for each point: neighbours come from the cache, or from a
// block's shared memory.
#pragma once

#include <fulgurite/results.h>
#include <fulgurite/staged_layout.h>

#pragma GCC visibility push(default)
// The number of dimensions is an int. As the length of a std::array, g++ takes it for one that may be
// negative.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"

namespace fulgurite {
namespace detail {

/// What the function given to stencil gets of an array: its elements at a distance from the point.
template <class T, int N>
class Neighbourhood {
 public:
  Neighbourhood(Neighbours& neighbours, std::size_t array) : neighbours_(&neighbours), array_(array) {}

  Exp<T> operator()(int i) const
    requires(N == 1)
  {
    return at({i});
  }
  Exp<T> operator()(int i, int j) const
    requires(N == 2)
  {
    return at({i, j});
  }
  Exp<T> operator()(int i, int j, int k) const
    requires(N == 3)
  {
    return at({i, j, k});
  }

 private:
  Exp<T> at(const std::array<int, N>& offsets) const {
    return unflattened<Exp<T>>(neighbours_->read(array_, offsets));
  }

  Neighbours* neighbours_;
  std::size_t array_;
};

template <Edge edge_>
struct NamedBoundary {
  static constexpr Edge edge = edge_;
  template <int N, class... Ts>
  std::tuple<> outside() const {
    return {};
  }
};
/// One function for each array, or one for all.
template <class... Fs>
struct FunctionBoundary {
  static constexpr Edge edge = Edge::outside;
  std::tuple<Fs...> functions;

  template <int N, class... Ts>
  auto outside() const {
    static_assert(sizeof...(Fs) == 1 || sizeof...(Fs) == sizeof...(Ts),
                  "a boundary has one function, or one value, for all arrays, or one for each");
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return std::tuple{of_array<N, Ts>(std::get<(sizeof...(Fs) == 1 ? 0 : i)>(functions))...};
    }(std::index_sequence_for<Ts...>());
  }

 private:
  template <int N, class T, class F>
  static auto of_array(const F& f) {
    return [&f](std::span<const Value> indices) {
      return [&]<std::size_t... k>(std::index_sequence<k...>) {
        static_assert(std::is_invocable_v<const F&, std::conditional_t<k == k, Exp<i64>, void>...>,
                      "the function of a boundary takes one Exp<fg::i64> index for each axis");
        return flattened(Exp<T>(f(Exp<i64>(Parts<i64>{indices[k]})...)));
      }(std::make_index_sequence<N>());
    };
  }
};
template <class T>
struct Always {
  T value;
  template <class... Indices>
  const T& operator()(const Indices&...) const {
    return value;
  }
};

template <class F, class Boundary, class T, class... Ts, int N>
auto stencil(Here where, const F& f, const Boundary& boundary, const Acc<T, N>& x, const Acc<Ts, N>&... xs) {
  static_assert(N <= 3, "stencils are of arrays of one to three axes");
  static_assert(
      std::is_invocable_v<const F&, Neighbourhood<T, N>, Neighbourhood<Ts, N>...>,
      "the function given to stencil takes one neighbourhood for each array: [](auto u, auto v) { return "
      "u(-1) + v(0); }");
  using R = ReturnedBy<F, Neighbourhood<T, N>, Neighbourhood<Ts, N>...>;
  static_assert(!ResultOf<R>::has_arrays, "the function given to stencil returns elements, not arrays");
  const auto body = [&](Neighbours& from) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return flattened<R>(f(Neighbourhood<T, N>(from, 0), Neighbourhood<Ts, N>(from, i + 1)...));
    }(std::index_sequence_for<Ts...>());
  };
  const auto outside = boundary.template outside<N, T, Ts...>();
  const auto bodies = std::apply(
      [](const auto&... functions) { return std::array<Body, sizeof...(functions)>{Body(functions)...}; },
      outside);
  const Operand operands[] = {{x.parts()}, {xs.parts()}...};
  const Values results = stencil(StencilBody(body), Boundary::edge, bodies, operands, where);
  Unflatten values(results);
  return Mapped<R, N>::take(values);
}

}  // namespace detail

/// What a stencil reads outside its arrays.
namespace boundary {
/// The nearest element.
inline constexpr detail::NamedBoundary<detail::Edge::clamp> clamp;
/// The array again: index -1 is n - 1.
inline constexpr detail::NamedBoundary<detail::Edge::wrap> wrap;
/// The array reflected at its first and last element, which are not repeated: index -1 is 1, n is n - 2.
inline constexpr detail::NamedBoundary<detail::Edge::mirror> mirror;
/// One value for all arrays, or one for each.
template <class... Ts>
detail::FunctionBoundary<detail::Always<Ts>...> constant(const Ts&... values) {
  return {{detail::Always<Ts>{values}...}};
}
/// A function of the indices, some of them outside the array, for all arrays, or one for each.
template <class... Fs>
detail::FunctionBoundary<Fs...> function(const Fs&... fs) {
  return {{fs...}};
}
}  // namespace boundary

/// stencil(f, boundary, xs, ys, ...): f of the neighbourhoods at each index of up to four arrays of equal
/// shapes (else ShapeError). f is called twice while tracing, for points whose neighbours are all inside,
/// which are not asked for the boundary, and for the others; a neighbourhood gives the element at an offset,
/// a C++ int for each axis: u(-1, 0) is in the row above. f returning several elements gives an array of
/// tuples. Arrays smaller than the neighbourhood, also empty ones, are fine.
template <class F, class Boundary, class A, int N>
auto stencil(const F& f, const Boundary& boundary, const Acc<A, N>& a,
             detail::Here where = detail::Here::current()) {
  return detail::stencil(where, f, boundary, a);
}
template <class F, class Boundary, class A, class B, int N>
auto stencil(const F& f, const Boundary& boundary, const Acc<A, N>& a, const Acc<B, N>& b,
             detail::Here where = detail::Here::current()) {
  return detail::stencil(where, f, boundary, a, b);
}
template <class F, class Boundary, class A, class B, class C, int N>
auto stencil(const F& f, const Boundary& boundary, const Acc<A, N>& a, const Acc<B, N>& b, const Acc<C, N>& c,
             detail::Here where = detail::Here::current()) {
  return detail::stencil(where, f, boundary, a, b, c);
}
template <class F, class Boundary, class A, class B, class C, class D, int N>
auto stencil(const F& f, const Boundary& boundary, const Acc<A, N>& a, const Acc<B, N>& b, const Acc<C, N>& c,
             const Acc<D, N>& d, detail::Here where = detail::Here::current()) {
  return detail::stencil(where, f, boundary, a, b, c, d);
}

}  // namespace fulgurite

#pragma GCC diagnostic pop
#pragma GCC visibility pop
