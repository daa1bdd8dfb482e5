// Scans that wait for others: their operands depend on what those bind. What is computed in several steps.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "lower/emitter.h"

namespace fulgurite::lower::gpu {

using Levels = std::unordered_map<Var, int>;  // of Scans, by the first name that they bind

/// 0: the operands need no Scan; else one more than the highest of those that they need.
int level_of(const soac::Lambda& body, std::span<const Expr> operands, const Levels&);

/// Of each Scan of the body, in order.
std::vector<int> levels_of(const soac::Lambda& body);

/// The elements of arrays that the rest of the body needs beside what is folded in the order of the points
/// first: Scans and reductions whose operands need no Scan.
std::vector<Expr> read_again(const soac::Soac&);

}  // namespace fulgurite::lower::gpu
