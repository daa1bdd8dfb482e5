// Maps whose array only the windows of one later combinator read (windows.h): its blocks compute the elements
// that their windows hold, into shared memory, and there is neither a launch nor an array of the map. At the
// edges of windows, which overlap, elements are computed by two blocks: at most a sixteenth of them.
#pragma once

#include <unordered_map>

#include "lower/policy.h"
#include "soac/ir.h"

namespace fulgurite::lower::gpu {

struct WindowProducer {
  soac::Lambda at;     // from an element's indices to its value
  scalar::Var reader;  // the first name that it binds
};
/// By the maps' arrays.
using WindowProducers = std::unordered_map<scalar::Var, WindowProducer>;

/// Of all bodies of the program that lowering goes through statement by statement.
WindowProducers window_producers(const soac::Program&, const Target&);

}  // namespace fulgurite::lower::gpu
