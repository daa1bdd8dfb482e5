// Element kinds and the types of scalar expressions, shared by the array IR, the kernel IR and the plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fulgurite::scalar {

enum class Kind : std::uint8_t { boolean, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 };
inline constexpr int n_kinds = 11;

std::size_t size_of(Kind);       // bytes of one element in memory (boolean: 1)
std::string_view name_of(Kind);  // "bool", "i8" ... "f64"
std::optional<Kind> kind_named(std::string_view);
bool is_float(Kind);
bool is_signed(Kind);   // signed integers and floats
bool is_integer(Kind);  // not boolean, not float

/// The type of an expression. `rank` > 0 only for the name of an array (array IR) or of a buffer (kernel IR:
/// rank 1); `lanes` > 1 only for the vectors of the kernel IR, where a boolean with lanes is a mask.
struct Type {
  Kind kind = Kind::i64;
  std::uint8_t rank = 0;
  std::uint16_t lanes = 1;
  friend bool operator==(const Type&, const Type&) = default;
};
std::string to_string(Type);  // "f32", "f32[,]" (rank 2), "f32x16"

}  // namespace fulgurite::scalar
