// Arguments and results of programs, written down.
#pragma once

#include <cmath>
#include <ostream>

#include "soac/interpret.h"

namespace fulgurite::soac {

template <class T>
constexpr Kind kind_of = std::is_same_v<T, bool>            ? Kind::boolean
                         : std::is_same_v<T, std::int8_t>   ? Kind::i8
                         : std::is_same_v<T, std::int16_t>  ? Kind::i16
                         : std::is_same_v<T, std::int32_t>  ? Kind::i32
                         : std::is_same_v<T, std::int64_t>  ? Kind::i64
                         : std::is_same_v<T, std::uint8_t>  ? Kind::u8
                         : std::is_same_v<T, std::uint16_t> ? Kind::u16
                         : std::is_same_v<T, std::uint32_t> ? Kind::u32
                         : std::is_same_v<T, std::uint64_t> ? Kind::u64
                         : std::is_same_v<T, float>         ? Kind::f32
                                                            : Kind::f64;

template <class T>
Value scalar_value(T x) {
  return Value::scalar(kind_of<T>, scalar::to_bits(x));
}

template <class T>
Value array_value(std::vector<std::int64_t> shape, const std::vector<T>& elements) {
  Value value{kind_of<T>, std::move(shape),
              std::vector<std::byte>(elements.size() * scalar::size_of(kind_of<T>))};
  for (std::size_t i = 0; i < elements.size(); ++i)
    value.set(i, scalar::to_bits(static_cast<T>(elements[i])));
  return value;
}
template <class T>
Value array_value(const std::vector<T>& elements) {
  return array_value<T>({static_cast<std::int64_t>(elements.size())}, elements);
}

template <class T>
std::vector<T> elements_of(const Value& value) {
  std::vector<T> list;
  for (std::size_t i = 0; i < value.size(); ++i) list.push_back(scalar::from_bits<T>(value.at(i)));
  return list;
}

/// Equal shapes and bits; NaN equals NaN, since which NaN is not specified.
inline bool same(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.shape != b.shape || a.bytes.size() != b.bytes.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a.at(i) == b.at(i)) continue;
    auto is_nan = [&](scalar::Bits x) {
      return scalar::is_float(a.kind) && scalar::evaluate(scalar::Op::isnan, a.kind, Kind::boolean, x);
    };
    if (!is_nan(a.at(i)) || !is_nan(b.at(i))) return false;
  }
  return true;
}

/// For failing tests.
inline void PrintTo(const Value& value, std::ostream* out) {
  *out << scalar::name_of(value.kind) << "[";
  for (std::size_t d = 0; d < value.shape.size(); ++d) *out << (d > 0 ? ", " : "") << value.shape[d];
  *out << "] {";
  for (std::size_t i = 0; i < std::min<std::size_t>(value.size(), 20); ++i) {
    *out << (i > 0 ? ", " : "");
    if (scalar::is_float(value.kind))
      *out << scalar::from_bits<double>(
          scalar::evaluate(scalar::Op::cast, value.kind, Kind::f64, value.at(i)));
    else if (scalar::is_signed(value.kind))
      *out << static_cast<std::int64_t>(value.at(i));
    else
      *out << value.at(i);
  }
  *out << (value.size() > 20 ? ", ...}" : "}");
}

}  // namespace fulgurite::soac
