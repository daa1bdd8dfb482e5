// The scalar types that elements are made of.
#pragma once

#include <fulgurite/abi.h>

#include <concepts>
#include <cstdint>

#pragma GCC visibility push(default)

namespace fulgurite {

/// The types of numbers that arrays hold, besides bool: integers with and without sign, of 8 to 64 bits, and
/// floats of 32 and 64.
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using f32 = float;
using f64 = double;

namespace detail {

template <class T, class... Ts>
concept OneOf = (std::same_as<T, Ts> || ...);
template <class T>
concept Integer = OneOf<T, i8, i16, i32, i64, u8, u16, u32, u64>;
template <class T>
concept Float = OneOf<T, f32, f64>;
template <class T>
concept Number = Integer<T> || Float<T>;
template <class T>
concept Scalar = Number<T> || std::same_as<T, bool>;

enum class Kind : std::uint8_t { boolean, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 };

template <Scalar T>
constexpr Kind kind_of() {
  if constexpr (std::same_as<T, bool>) {
    return Kind::boolean;
  } else if constexpr (Float<T>) {
    return sizeof(T) == 4 ? Kind::f32 : Kind::f64;
  } else {
    constexpr int log_size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<Kind>(static_cast<int>(T(-1) < T(0) ? Kind::i8 : Kind::u8) + log_size);
  }
}

}  // namespace detail
}  // namespace fulgurite

#pragma GCC visibility pop
