// Maps whose reader stands after, or is, an update in place of an array that they read. Computed in their
// reader they read what the array has become; that is what they need where the update replaces other elements
// (soac/apart.h).
#pragma once

#include <optional>

#include "fuse/inline.h"

namespace fulgurite::fuse {

/// The map as it may stand after an update of arrays that it reads, reading what they become. Absent: it may
/// read an element that the update replaces, or needs an array as a whole, or may fail.
std::optional<soac::Stm> past_update(scalar::Arena&, const soac::Stm& map, const soac::Stm& update,
                                     std::span<const scalar::Var> updated);

/// Whether the reader updates all arrays in place that it does if it computes the producer's elements itself.
bool keeps_updates(scalar::Arena&, const Producer&, const soac::Stm& reader, const Path&);

}  // namespace fulgurite::fuse
