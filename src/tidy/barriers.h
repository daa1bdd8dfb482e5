// Barriers that order nothing go, and barriers that order only threads of one warp become the warp's
// barriers. The elements that a thread touches follow from its number (thread_forms.h), so that both
// questions are answered by looking at every access, not by rules.
//
// In: scalar kernel IR. Out: the same; neighbouring Par(block) statements of as many instances are one.
#pragma once

#include "kernel/pass.h"

namespace fulgurite::tidy {

extern const kernel::Pass barriers;

}  // namespace fulgurite::tidy
