// What is known of sizes before a call: from extents and scalars alone.
#pragma once

#include <string>

#include "ahead/program.h"

namespace fulgurite::ahead {

/// The statements of functions of extents and scalars (signature.h): the most elements that result r can
/// have, and the bytes of intermediate arrays that live at once, or a bound of that; -1 where nobody knows.
std::string capacity_text(const Program&, std::size_t result);
/// `others`: bytes that a call takes besides.
std::string workspace_text(const Program&, std::int64_t others = 64);

}  // namespace fulgurite::ahead
