#include "base/check.h"

namespace fulgurite::base {

void check_failed(const char* condition, const std::string& message, const std::source_location& at) {
  throw InternalError(fmt::format("{} (this is a bug in Fulgurite: '{}' does not hold)", message, condition),
                      at);
}

}  // namespace fulgurite::base
