#include <fulgurite/log.h>

#include <utility>

#include "base/log.h"

namespace fulgurite {

Log log_to(Log to) {
  return base::log_to(std::move(to));
}

}  // namespace fulgurite
