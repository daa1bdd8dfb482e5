// Maps whose array only the windows of one later combinator read (schedule/blocks/windows.h): its blocks
// compute the elements that their windows hold, into shared memory, and there is neither a launch nor an
// array of the map. At the edges of windows, which overlap, elements are computed by two blocks: few of them.
#pragma once

#include <unordered_map>

#include "schedule/surroundings.h"

namespace fulgurite::schedule {

struct WindowProducer {
  soac::Lambda at;     // from an element's indices to its value
  scalar::Var reader;  // the first name that it binds
};
/// The producers by the maps' arrays.
using WindowProducers = std::unordered_map<scalar::Var, WindowProducer>;

/// Finds them in all bodies of the program that lowering goes through statement by statement.
WindowProducers window_producers(const soac::Program&, const Device&, const Policy&);

}  // namespace fulgurite::schedule
