// Dead code: names that nothing uses, and buffers that nothing reads.
#pragma once

#include "kernel/pass.h"

namespace fulgurite::tidy {

/// Removes Let, Load and Declare statements (with their Assigns) whose name no remaining statement uses, and
/// loops and branches left empty; and the names of Atomics that nothing uses.
extern const kernel::Pass remove_dead;

}  // namespace fulgurite::tidy
