// Reads the text of print.h, an edited schedule.
#pragma once

#include <string>
#include <string_view>

#include "schedule/ir.h"

namespace fulgurite::schedule {

/// `original` is the launch that the text was printed from: names of the text are its names, and phases of a
/// name compute what its phase of this name does. Phases may be reordered, dropped, and walked differently.
/// Throws FormatError with `file` and the line; what is read is not checked (check.h).
Launch parse(scalar::Arena&, std::string_view text, const Launch& original, std::string file = "");

}  // namespace fulgurite::schedule
