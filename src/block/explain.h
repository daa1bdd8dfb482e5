// What the emulator counted, as a user sees it: numbers with the lines that they belong to, and text.
#pragma once

#include <fulgurite/kernel/runner.h>

#include <string>

#include "kernel/emulate.h"

namespace fulgurite::block {

kernel::Traffic traffic_of(const kernel::Kernel&, const kernel::Counts&);

/// One paragraph for the launch, then a table of its stages.
std::string explanation(const std::string& kernel_name, const kernel::Traffic&);

}  // namespace fulgurite::block
