// The limit of a process on the size of files that it writes (ulimit -f).
#pragma once

#include <cstdint>

namespace fulgurite::base {

// Whether a file of this many bytes is within the limit. A process that writes beyond it gets a signal that
// ends it.
bool may_write_file(std::uint64_t bytes);

}  // namespace fulgurite::base
