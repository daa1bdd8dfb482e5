#include "base/file_limit.h"

#include <sys/resource.h>

namespace fulgurite::base {

bool may_write_file(std::uint64_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || bytes <= limit.rlim_cur;
}

}  // namespace fulgurite::base
