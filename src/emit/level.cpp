#include "emit/level.h"

namespace fulgurite::emit {

std::string_view name_of(Level level) {
  constexpr std::array<std::string_view, 4> names = {"generic", "v2", "v3", "v4"};
  return names[static_cast<std::size_t>(level)];
}

int register_bytes(Level level) {
  return level == Level::v4 ? 64 : level == Level::v3 ? 32 : 16;
}

}  // namespace fulgurite::emit
