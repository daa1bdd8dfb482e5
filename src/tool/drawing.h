// The data flow of a program before and after fusion as a picture (SVG 1.1).
#pragma once

#include <string>
#include <vector>

#include "pipeline.h"
#include "tool/explanation.h"

namespace fulgurite::tool {

/// `parameters`: what the user calls them (SizeNames).
std::string to_svg(const pipeline::Report&, const Explanation&,
                   const std::vector<std::string>& parameters = {});

}  // namespace fulgurite::tool
