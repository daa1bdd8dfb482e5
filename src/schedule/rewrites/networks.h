// Rows of a matrix that a map sorts, for CPUs: each lane sorts a row by a network of comparisons.
#pragma once

#include "schedule/policy.h"
#include "soac/ir.h"

namespace fulgurite::schedule {

/// The program with maps outside of Soacs whose points sort arrays, of sizes that all points share, in two
/// versions: with networks (soac/sort_network.h), where rows have at most `network_bytes` and lanes keep them
/// (lanes/kept_arrays.h), and as they are.
soac::Program sort_by_networks(soac::Program, int vector_bytes, const LanesPolicy&);

}  // namespace fulgurite::schedule
