#include "soac/value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"

namespace fulgurite::soac {

using scalar::Bits;
using scalar::Kind;

bool is_for(const scalar::VarInfo& parameter, const Value& value) {
  if (value.kind != parameter.type.kind || value.shape.size() != parameter.shape.size()) return false;
  return std::ranges::equal(parameter.shape, value.shape, [](scalar::Expr known, std::int64_t extent) {
    return !known.is_constant() || known.is_constant(extent);
  });
}

Bits load(Kind kind, const std::byte* from) {
  auto as = [&]<class T>(T value) {
    std::memcpy(&value, from, sizeof value);
    return scalar::to_bits(value);
  };
  switch (kind) {
    case Kind::boolean: return as(std::uint8_t{}) != 0;
    case Kind::i8: return as(std::int8_t{});
    case Kind::i16: return as(std::int16_t{});
    case Kind::i32: return as(std::int32_t{});
    case Kind::i64: return as(std::int64_t{});
    case Kind::u8: return as(std::uint8_t{});
    case Kind::u16: return as(std::uint16_t{});
    case Kind::u32: return as(std::uint32_t{});
    case Kind::u64: return as(std::uint64_t{});
    case Kind::f32: return as(std::uint32_t{});
    case Kind::f64: return as(std::uint64_t{});
  }
  return 0;
}

/// The low bytes of the value: the machine is little-endian.
void store(Kind kind, Bits bits, std::byte* to) {
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(to, &bits, scalar::size_of(kind));
}

void Value::set_row(const Value& row, std::uint64_t point, std::span<const std::int64_t> behind) {
  std::uint64_t step = 1;
  for (std::int64_t extent : behind) step *= static_cast<std::uint64_t>(extent);
  const std::size_t n = row.size(), bytes_each = scalar::size_of(kind);
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint64_t at = (point / step * n + k) * step + point % step;
    std::memcpy(bytes.data() + at * bytes_each, row.bytes.data() + k * bytes_each, bytes_each);
  }
}

std::uint64_t segment_of(const Value& offsets, std::uint64_t i) {
  std::uint64_t first = 0, next = offsets.size();
  while (1 < next - first) {
    const std::uint64_t middle = first + (next - first) / 2;
    (offsets.at(middle) <= i ? first : next) = middle;
  }
  return first;
}

std::string shape_text(Kind kind, std::span<const std::int64_t> shape) {
  return shape.empty() ? std::string(scalar::name_of(kind))
                       : fmt::format("{}[{}]", scalar::name_of(kind), fmt::join(shape, ", "));
}

Value Value::scalar(Kind kind, Bits bits) {
  Value value{kind, {}, std::vector<std::byte>(scalar::size_of(kind))};
  store(kind, bits, value.bytes.data());
  return value;
}

Bits Value::at(std::size_t i) const {
  FULGURITE_CHECK(i < size(), "element {} of {}", i, size());
  return load(kind, bytes.data() + i * scalar::size_of(kind));
}

void Value::set(std::size_t i, Bits bits) {
  FULGURITE_CHECK(i < size(), "element {} of {}", i, size());
  store(kind, bits, bytes.data() + i * scalar::size_of(kind));
}

}  // namespace fulgurite::soac
