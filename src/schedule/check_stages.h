// Whether what a nest stages is what its points read.
#pragma once

#include <string>
#include <vector>

#include "schedule/ir.h"

namespace fulgurite::schedule {

/// Faults of the stages of a nest that walks the Soac: a stage serves a read of the Soac and has room for it;
/// an array that is nowhere in memory is read inside of stages only, and its elements cannot fail, as more of
/// them are computed than are read.
std::vector<std::string> faults_of_stages(scalar::Arena&, const Launch&, const Nest&, const soac::Soac&);

/// Whether the expression is a part of what the Soac computes.
bool reads(const soac::Soac&, Expr part);
/// Whether each point of the Soac computes it, whatever the branches in its body are.
bool always_reads(const soac::Soac&, Expr part);

}  // namespace fulgurite::schedule
