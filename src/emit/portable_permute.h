// Functions of portable C that move lanes: fg_permute_0to62by2_f32_x64(low, high), fg_pick_3_f32_x64(v), and
// the lists of lanes that their names say.
#pragma once

#include <string>
#include <vector>

#include "emit/portable_types.h"

namespace fulgurite::emit {

/// "0to62by2_5_7n3" -> 0, 2 ... 62, 5, 7, 7, 7
std::vector<int> lanes_named(std::string_view list);

/// Lanes of `low` and `high` side by side, both of type `from`.
std::string permute_function(const Registers&, const std::string& name, const VectorType& from,
                             const std::vector<int>& lanes);
std::string pick_function(const Registers&, const std::string& name, const VectorType& from, int lane);

}  // namespace fulgurite::emit
