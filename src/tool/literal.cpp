#include "tool/literal.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace fulgurite::tool {
namespace {

using scalar::Bits;
using scalar::Kind;

// Calls f with a zero of the kind's type.
template <class F>
auto with_type(Kind kind, F&& f) {
  switch (kind) {
    case Kind::boolean: return f(bool());
    case Kind::i8: return f(std::int8_t());
    case Kind::i16: return f(std::int16_t());
    case Kind::i32: return f(std::int32_t());
    case Kind::i64: return f(std::int64_t());
    case Kind::u8: return f(std::uint8_t());
    case Kind::u16: return f(std::uint16_t());
    case Kind::u32: return f(std::uint32_t());
    case Kind::u64: return f(std::uint64_t());
    case Kind::f32: return f(float());
    case Kind::f64: break;
  }
  return f(double());
}

[[noreturn]] void refuse(Kind kind, std::string_view text) {
  const char* example = kind == Kind::boolean ? "true or false"
                        : is_float(kind)      ? "as in 2.5 or 1e-3"
                                              : "as in 42";
  throw FormatError(fmt::format("'{}' is not {} {}: write {}", text,
                                scalar::is_integer(kind) && is_signed(kind) ? "an" : "a", name_of(kind),
                                example));
}

Bits boolean(std::string_view text) {
  if (text == "true" || text == "1") return 1;
  if (text == "false" || text == "0") return 0;
  refuse(Kind::boolean, text);
}

// The magnitude is read apart from the sign, so that -0x80 and a minus sign before an unsigned number are
// understood.
template <class T>
Bits integer(Kind kind, std::string_view text) {
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  if (hexadecimal) digits.remove_prefix(2);
  std::uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, hexadecimal ? 16 : 10);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) refuse(kind, text);
  constexpr auto lowest = std::numeric_limits<T>::lowest();
  constexpr auto highest = std::numeric_limits<T>::max();
  const std::uint64_t limit =
      negative ? 0 - static_cast<std::uint64_t>(lowest) : static_cast<std::uint64_t>(highest);
  if (error == std::errc::result_out_of_range || magnitude > limit)
    throw FormatError(fmt::format("{} is outside {} ({} to {})", text, name_of(kind), std::int64_t{lowest},
                                  std::uint64_t{highest}));
  return scalar::to_bits(static_cast<T>(negative ? 0 - magnitude : magnitude));
}

template <class T>
Bits floating(Kind kind, std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  T value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) refuse(kind, text);
  // The number is too large, or too close to 0: the wider type tells which, or else the exponent.
  if (error == std::errc::result_out_of_range) {
    const double wide = std::strtod(std::string(digits).c_str(), nullptr);
    if (std::abs(wide) > 1)
      throw FormatError(fmt::format("{} is outside {} (magnitudes up to {})", text, name_of(kind),
                                    std::numeric_limits<T>::max()));
    value = static_cast<T>(wide);
  }
  return scalar::to_bits(value);
}

}  // namespace

Bits parse_literal(Kind kind, std::string_view text) {
  return with_type(kind, [&]<class T>(T) -> Bits {
    if constexpr (std::is_same_v<T, bool>)
      return boolean(text);
    else if constexpr (std::is_floating_point_v<T>)
      return floating<T>(kind, text);
    else
      return integer<T>(kind, text);
  });
}

Bits load(Kind kind, const void* from) {
  return with_type(kind, [&]<class T>(T value) {
    if constexpr (std::is_same_v<T, bool>)
      value = *static_cast<const unsigned char*>(from) != 0;  // whatever byte stands there
    else
      std::memcpy(&value, from, sizeof value);
    return scalar::to_bits(value);
  });
}

std::string print_literal(Kind kind, Bits bits) {
  return with_type(kind, [&]<class T>(T) {
    if constexpr (sizeof(T) == 1 && !std::is_same_v<T, bool>)
      return fmt::format("{}", static_cast<int>(scalar::from_bits<T>(bits)));
    else
      return fmt::format("{}", scalar::from_bits<T>(bits));
  });
}

}  // namespace fulgurite::tool
