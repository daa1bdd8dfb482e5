// Loads of neighbouring windows of one array, as a moving average or a stencil makes them.
//
// A vector load that crosses a cache line costs two; of many windows that overlap, all but one in sixteen do.
// In: vectorised kernel IR. Out: the same where, of three or more contiguous loads of one buffer in one block
// whose indices differ by constants of at most the number of lanes, every third (of three: the middle one) is
// put together from the first and the last by a Permute, which uses another port of the processor. No other
// element is read than before.
#pragma once

#include "kernel/pass.h"

namespace fulgurite::tidy {

extern const kernel::Pass share_windows;

}  // namespace fulgurite::tidy
