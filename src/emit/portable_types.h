// Vectors of portable C as types: one register, or a struct of several.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emit/level.h"

namespace fulgurite::emit {

struct VectorType {
  std::string kind;
  int lanes;
  friend auto operator<=>(const VectorType&, const VectorType&) = default;

  std::string name() const { return lanes == 1 ? kind : kind + "x" + std::to_string(lanes); }
};

/// The type that a word names: f32x16, b1x8.
std::optional<VectorType> vector_type(std::string_view word);

/// How a level holds vectors.
class Registers {
 public:
  explicit Registers(Level level) : level_(level), bytes_(register_bytes(level)) {}

  Level level() const { return level_; }
  int bytes() const { return bytes_; }
  bool has_bit_masks() const { return level_ == Level::v4; }
  /// Lanes that one register holds.
  int most_lanes(std::string_view kind) const;
  int lanes_of_part(const VectorType& t) const { return std::min(t.lanes, most_lanes(t.kind)); }
  int parts(const VectorType& t) const { return t.lanes / lanes_of_part(t); }
  /// "v.p2", or v itself.
  std::string part(const std::string& v, const VectorType& t, int number) const;
  std::string definition(const VectorType& t) const;
  /// Definitions of all that the texts name, parts first.
  std::string definitions(std::string_view text) const;

 private:
  Level level_;
  int bytes_;
};

}  // namespace fulgurite::emit
