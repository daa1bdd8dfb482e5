// A profile as a file for chrome://tracing and Perfetto: the Trace Event Format of Chromium.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/profile.h"

namespace fulgurite::tool {

/// What one process of a job, or the only one, spent its time on.
struct ProcessProfile {
  std::string events;    // as text, for another process to join
  std::int64_t end = 0;  // nanoseconds from its beginning, at a moment that is the same for all of a job
};

/// Complete events with times in microseconds, by thread. Kernels say what they are of, the bytes that they
/// move as the plan counts them, and how fast that was; exchanges between ranks say with whom, and how many
/// bytes.
std::string to_events(const std::vector<runtime::Event>& events);

/// One trace of all processes, which are called rank 0 and so on if there are several.
std::string to_trace(const std::vector<ProcessProfile>& processes);

/// Throws FormatError if no file can be made there: long work should not be lost because its result cannot be
/// written.
void check_writable(const std::string& path);

}  // namespace fulgurite::tool
