// Elements of arrays: the scalar types, and what is composed of them by std::tuple, std::pair, std::array and
// plain aggregates, nested as one likes. Composite elements are taken apart into their scalars ("leaves"), in
// order of declaration: arrays of them are stored as one array for each leaf. Aggregates are reflected by
// structured bindings, up to 16 fields.
#pragma once

#include <fulgurite/kind.h>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)

namespace fulgurite::detail {

struct AnyField {
  template <class U>
  operator U() const;
};
template <class T>
struct AnyBase {
  template <class U>
    requires(std::is_base_of_v<U, T> && !std::is_same_v<U, T>)
  operator U() const;
};

template <class T, std::size_t... i>
constexpr bool takes_fields(std::index_sequence<i...>) {
  return requires { T{(void(i), AnyField{})...}; };
}
// The largest n for which T{x1, ..., xn} can be written; 17 means "more than 16".
template <class T, std::size_t n = 17>
constexpr std::size_t count_fields() {
  if constexpr (n == 0 || takes_fields<T>(std::make_index_sequence<n>())) {
    return n;
  } else {
    return count_fields<T, n - 1>();
  }
}

template <class T>
concept TupleLike = requires { std::tuple_size<T>::value; };

/// References to the fields of `v`, in order.
template <class T>
constexpr auto fields_of(T& v) {
  using Plain = std::remove_const_t<T>;
  if constexpr (TupleLike<Plain>) {
    return std::apply([](auto&... x) { return std::tie(x...); }, v);
  } else {
    constexpr std::size_t n = count_fields<Plain>();
    // clang-format off
    if constexpr (n == 1) { auto& [a] = v; return std::tie(a); }
    else if constexpr (n == 2) { auto& [a, b] = v; return std::tie(a, b); }
    else if constexpr (n == 3) { auto& [a, b, c] = v; return std::tie(a, b, c); }
    else if constexpr (n == 4) { auto& [a, b, c, d] = v; return std::tie(a, b, c, d); }
    else if constexpr (n == 5) { auto& [a, b, c, d, e] = v; return std::tie(a, b, c, d, e); }
    else if constexpr (n == 6) { auto& [a, b, c, d, e, f] = v; return std::tie(a, b, c, d, e, f); }
    else if constexpr (n == 7) { auto& [a, b, c, d, e, f, g] = v; return std::tie(a, b, c, d, e, f, g); }
    else if constexpr (n == 8) { auto& [a, b, c, d, e, f, g, h] = v; return std::tie(a, b, c, d, e, f, g, h); }
    else if constexpr (n == 9) { auto& [a, b, c, d, e, f, g, h, i] = v; return std::tie(a, b, c, d, e, f, g, h, i); }
    else if constexpr (n == 10) { auto& [a, b, c, d, e, f, g, h, i, j] = v; return std::tie(a, b, c, d, e, f, g, h, i, j); }
    else if constexpr (n == 11) { auto& [a, b, c, d, e, f, g, h, i, j, k] = v; return std::tie(a, b, c, d, e, f, g, h, i, j, k); }
    else if constexpr (n == 12) { auto& [a, b, c, d, e, f, g, h, i, j, k, l] = v; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l); }
    else if constexpr (n == 13) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = v; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m); }
    else if constexpr (n == 14) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o] = v; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o); }
    else if constexpr (n == 15) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p] = v; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p); }
    else { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q] = v; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q); }
    // clang-format on
  }
}

template <class T>
using FieldReferences = decltype(fields_of(std::declval<const T&>()));
template <class T>
inline constexpr std::size_t n_fields = std::tuple_size_v<FieldReferences<T>>;
template <class T, std::size_t i>
using Field = std::remove_cvref_t<std::tuple_element_t<i, FieldReferences<T>>>;
template <class T, std::size_t n>
concept HasFields = !Scalar<T> && n_fields<T> == n;

}  // namespace fulgurite::detail

#pragma GCC visibility pop
