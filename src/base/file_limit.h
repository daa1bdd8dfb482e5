// The limit of a process on the size of files that it writes (ulimit -f).
#pragma once

#include <cstdint>

namespace fulgurite::base {

// Whether a file of so many bytes is within it. Who writes beyond is sent a signal that ends the process.
bool may_write_file(std::uint64_t bytes);

}  // namespace fulgurite::base
