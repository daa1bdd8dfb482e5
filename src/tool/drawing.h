// The data flow of a program before and after fusion as a picture (SVG 1.1).
#pragma once

#include <string>

#include "pipeline.h"
#include "tool/explanation.h"

namespace fulgurite::tool {

std::string to_svg(const pipeline::Report&, const Explanation&);

}  // namespace fulgurite::tool
