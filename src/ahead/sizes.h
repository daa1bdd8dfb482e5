// What is known of sizes before a call: from extents and scalars alone.
#pragma once

#include <functional>
#include <string>

#include "ahead/program.h"

namespace fulgurite::ahead {

/// The statements of functions of extents and scalars (signature.h): the most elements that result r can
/// have, and the bytes of intermediate arrays that live at once, or a bound of that; -1 where that is
/// unknown.
std::string capacity_text(const Program&, std::size_t result);
/// `others`: bytes that a call takes besides. `resident`: how many blocks run at once, where a function of
/// extents can ask for that.
using ResidentText = std::function<std::string(const plan::Resident&)>;
std::string workspace_text(const Program&, std::int64_t others = 64, const ResidentText& resident = {});

}  // namespace fulgurite::ahead
