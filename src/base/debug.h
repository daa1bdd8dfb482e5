// What the environment variable FULGURITE_DEBUG asks for, for finding faults: words separated by commas.
//   captures   each call traces its function again, and compares
//   perf       perf names kernels: where each is goes to /tmp/perf-PID.map
//   gdb        debuggers name kernels and the user's lines
#pragma once

#include <string_view>

namespace fulgurite::base {

bool debugs(std::string_view word);

/// Throws FormatError for a word that there is not.
void check_debug_words();

}  // namespace fulgurite::base
