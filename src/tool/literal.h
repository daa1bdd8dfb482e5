// Scalars as text, on a command line and in what is shown: the 64 bits of a value (scalar/value.h) on the
// other side.
#pragma once

#include <string>
#include <string_view>

#include "scalar/value.h"

namespace fulgurite::tool {

/// Throws FormatError with a reason for a text that is no such value. "2.5", "-3", "0x1f", "inf", "true".
scalar::Bits parse_literal(scalar::Kind, std::string_view text);

/// The value of an element in memory.
scalar::Bits load(scalar::Kind, const void* from);

/// The value for people: shortest text that reads back as the same value.
std::string print_literal(scalar::Kind, scalar::Bits);

}  // namespace fulgurite::tool
