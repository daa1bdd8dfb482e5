// Reads the text of kernel/print.h.
#pragma once

#include <string>
#include <string_view>

#include "kernel/ir.h"

namespace fulgurite::kernel {

/// A kernel with an arena of its own. Throws FormatError with `file` and the line. Rules of the IR other than
/// the grammar and the types of expressions are left to kernel::check.
Kernel parse(std::string_view text, std::string file = "");

}  // namespace fulgurite::kernel
