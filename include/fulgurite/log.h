// Where the library's own messages go: warnings, what FULGURITE_DUMP prints, and why a rank of an MPI job
// ends it. Errors are exceptions and never come here.
#pragma once

#include <fulgurite/abi.h>

#include <functional>
#include <string_view>

#pragma GCC visibility push(default)

namespace fulgurite {

/// Gets one message: one or more lines, without a newline at the end. Any thread may call it, several at
/// once; what it throws is swallowed.
using Log = std::function<void(std::string_view message)>;

/// Messages of the process go to `to` from here on; an empty one stands for the standard error output, where
/// they go at first. Returns where they went before. Any thread may call it.
Log log_to(Log to);

}  // namespace fulgurite

#pragma GCC visibility pop
