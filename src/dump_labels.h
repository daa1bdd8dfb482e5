// What FULGURITE_DUMP may ask for (base/dump.h).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "soac/pass.h"

namespace fulgurite::pipeline {

/// Labels of stages, of these passes over programs, of rewrites for schedules and of passes over kernels, in
/// order.
std::vector<std::string_view> dump_labels(std::span<const soac::Pass* const>);

/// Throws FormatError if the environment variable asks for a label that there is not.
void check_dump_labels(std::span<const soac::Pass* const>);

}  // namespace fulgurite::pipeline
