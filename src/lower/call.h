// A launch of a kernel that the user wrote, in the kernel language.
#pragma once

#include "lower/launches.h"

namespace fulgurite::lower {

/// Appends the launch to the plan, and before it what makes copies of updated arrays that something else
/// still reads. The kernel stays as it is, but for the numbers of its sites.
void call(Launches&, const soac::Stm&, const soac::Call&);

}  // namespace fulgurite::lower
