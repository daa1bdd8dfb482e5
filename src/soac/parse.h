// Reads the text of soac/print.h: exactly the program that is written, checked. Throws FormatError with the
// line of the text.
#pragma once

#include <string>
#include <string_view>

#include "soac/ir.h"

namespace fulgurite::soac {

/// `file` is named by errors. The program has an arena of its own.
Program parse(std::string_view text, std::string file = "");

}  // namespace fulgurite::soac
