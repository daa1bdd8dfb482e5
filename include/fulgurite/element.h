// What can be an element of an array, and composite elements as what they are stored as: their leaves, the
// scalars in order of declaration.
#pragma once

#include <fulgurite/reflect.h>

#include <bit>
#include <cstddef>
#include <cstdint>

#pragma GCC visibility push(default)

namespace fulgurite::detail {

// The size of a struct with these fields in this order: larger than that of one that packs some of them into
// bit-fields.
template <class... Fields>
constexpr std::size_t size_without_bit_fields(std::size_t alignment, const std::tuple<Fields&...>*) {
  std::size_t size = 0;
  ((size = (size + alignof(Fields) - 1) / alignof(Fields) * alignof(Fields) + sizeof(Fields)), ...);
  return (size + alignment - 1) / alignment * alignment;
}

/// Refuses, in our words, what cannot be an element.
template <class T>
constexpr bool check_element() {
  if constexpr (!Scalar<T> && !TupleLike<T>) {
    constexpr bool aggregate = std::is_class_v<T> && std::is_aggregate_v<T>;
    static_assert(
        aggregate,
        "an element is bool, an integer of <cstdint>, float, double, or composed of elements as std::tuple, "
        "std::pair, std::array or plain aggregate: a struct without constructors, private fields, virtual "
        "functions");
    if constexpr (aggregate) {
      static_assert(std::is_copy_assignable_v<T>, "an element has no references and no const fields");
      static_assert(!requires { T{AnyBase<T>{}}; }, "an element has no base classes: make the base a field");
      static_assert(count_fields<T>() > 0, "an element without fields holds nothing");
      static_assert(count_fields<T>() <= 16, "an element has at most 16 fields: nest some of them");
      static_assert(
          size_without_bit_fields(alignof(T), static_cast<FieldReferences<T>*>(nullptr)) == sizeof(T),
          "an element has no bit-fields");
    }
  }
  return true;
}

template <class T>
constexpr std::size_t count_leaves() {
  static_assert(check_element<T>());
  if constexpr (Scalar<T>) {
    return 1;
  } else {
    return []<std::size_t... i>(std::index_sequence<i...>) {
      return (count_leaves<Field<T, i>>() + ...);
    }(std::make_index_sequence<n_fields<T>>());
  }
}
template <class T>
inline constexpr std::size_t n_leaves = count_leaves<T>();

/// The number of leaves before field i.
template <class T, std::size_t i>
inline constexpr std::size_t first_leaf = [] {
  if constexpr (i == 0) {
    return std::size_t{0};
  } else {
    return first_leaf<T, i - 1> + n_leaves<Field<T, i - 1>>;
  }
}();

/// Calls f(std::integral_constant<std::size_t, i>) for each field i.
template <class T, class F>
constexpr void for_each_field(F&& f) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (f(std::integral_constant<std::size_t, i>()), ...);
  }(std::make_index_sequence<n_fields<T>>());
}

template <class T, std::size_t n>
constexpr void put_kinds(std::array<Kind, n>& kinds, std::size_t first) {
  if constexpr (Scalar<T>) {
    kinds[first] = kind_of<T>();
  } else {
    for_each_field<T>([&](auto i) { put_kinds<Field<T, i>>(kinds, first + first_leaf<T, i>); });
  }
}
template <class T>
inline constexpr std::array<Kind, n_leaves<T>> leaf_kinds = [] {
  std::array<Kind, n_leaves<T>> kinds{};
  put_kinds<T>(kinds, 0);
  return kinds;
}();

/// A scalar as 64 bits: integers extended, f32 in the low half.
template <Scalar T>
constexpr std::uint64_t bits_of(T value) {
  if constexpr (std::same_as<T, f32>) {
    return std::bit_cast<std::uint32_t>(value);
  } else if constexpr (std::same_as<T, f64>) {
    return std::bit_cast<std::uint64_t>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}
template <Scalar T>
constexpr T from_bits(std::uint64_t bits) {
  if constexpr (std::same_as<T, f32>) {
    return std::bit_cast<f32>(static_cast<std::uint32_t>(bits));
  } else if constexpr (std::same_as<T, f64>) {
    return std::bit_cast<f64>(bits);
  } else {
    return static_cast<T>(bits);
  }
}

/// Calls f(leaf number, scalar) for each leaf of the value.
template <class T, class F>
void for_each_leaf(const T& value, F&& f, std::size_t first = 0) {
  if constexpr (Scalar<T>) {
    f(first, value);
  } else {
    T copy = value;
    auto fields = fields_of(copy);
    for_each_field<T>([&](auto i) { for_each_leaf(std::get<i>(fields), f, first + first_leaf<T, i>); });
  }
}

/// The value whose leaves `get.operator()<Scalar>(leaf number)` gives.
template <class T, class Get>
T from_leaves(Get&& get, std::size_t first = 0) {
  if constexpr (Scalar<T>) {
    return get.template operator()<T>(first);
  } else {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return T{from_leaves<Field<T, i>>(get, first + first_leaf<T, i>)...};
    }(std::make_index_sequence<n_fields<T>>());
  }
}

}  // namespace fulgurite::detail

#pragma GCC visibility pop
