// Scans that wait for other Scans, as their operands depend on the values of these: computed in several
// steps.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::schedule {

using scalar::Expr;
using scalar::Var;

using Levels = std::unordered_map<Var, int>;  // of Scans, by the first name that they bind

/// 0 if the operands need no Scan; else one more than the highest level among the Scans that they need.
int level_of(const soac::Lambda& body, std::span<const Expr> operands, const Levels&);

/// The level of each Scan of the body, in order.
std::vector<int> levels_of(const soac::Lambda& body);

/// Whether each mapped result needs no Scan: beside something that is folded in the order of the points, it
/// is stored when that is computed.
std::vector<bool> are_early(const soac::Soac&);

/// The elements of arrays that a later step of the body needs beside what is computed first: operands of
/// Scans and reductions that need no Scan, and early results.
std::vector<Expr> read_again(const soac::Soac&);

}  // namespace fulgurite::schedule
