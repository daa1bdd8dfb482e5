// A profile as a file for chrome://tracing and Perfetto: the Trace Event Format of Chromium.
#pragma once

#include <string>
#include <vector>

#include "lower/lower.h"
#include "runtime/profile.h"

namespace fulgurite::tool {

/// Complete events with times in microseconds, by thread. Kernels say what they are of (`notes`, of the
/// program whose plan they are in), the bytes that they move as its plan counts them, and how fast that was.
std::string to_trace(const std::vector<runtime::Event>& events, const std::vector<lower::LaunchNote>& notes);

}  // namespace fulgurite::tool
