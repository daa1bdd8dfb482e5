// Scalars and arrays as the interpreter holds them: bytes in row-major order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scalar/expr.h"
#include "scalar/value.h"

namespace fulgurite::soac {

/// A scalar (no shape) or an array: elements in row-major order, booleans one byte each.
struct Value {
  scalar::Kind kind = scalar::Kind::i64;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;

  static Value scalar(scalar::Kind, scalar::Bits);
  std::size_t size() const { return bytes.size() / scalar::size_of(kind); }
  scalar::Bits at(std::size_t i) const;
  void set(std::size_t i, scalar::Bits);
  /// Sets the elements at one point of a space. The row's axes stand between the space's outer axes and its
  /// inner ones, whose extents are `behind`.
  void set_row(const Value& row, std::uint64_t point, std::span<const std::int64_t> behind);
  friend bool operator==(const Value&, const Value&) = default;
};

/// One element in memory.
scalar::Bits load(scalar::Kind, const std::byte* from);
void store(scalar::Kind, scalar::Bits, std::byte* to);

/// The number of the segment that element i lies in, where segments begin at the offsets (i64).
std::uint64_t segment_of(const Value& offsets, std::uint64_t i);

/// Whether the value has the kind, the rank and the constant extents of an argument of such a name.
bool is_for(const scalar::VarInfo& parameter, const Value&);

/// "f32[3, 4]"
std::string shape_text(scalar::Kind, std::span<const std::int64_t> shape);

}  // namespace fulgurite::soac
