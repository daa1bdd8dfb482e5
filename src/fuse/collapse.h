// A perfect nest is one Soac of higher rank: a map whose function is nothing but a map. Rows mapped
// elementwise are then no different from a matrix mapped elementwise.
#pragma once

#include "soac/ir.h"

namespace fulgurite::fuse {

/// Collapses the statement as far as it goes; true if it changed. The inside of its function is not looked
/// into.
bool collapse(soac::Stm&);

}  // namespace fulgurite::fuse
