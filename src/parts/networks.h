// Networks of an operator over elements that the instances of a block share: which of them meet, in which
// step. Arrays are reduced by them within blocks (fold.h), where threads meet in any order; block_reduce and
// block_scan of the kernel language are such networks.
#pragma once

#include <cstdint>
#include <functional>

#include "kernel/build.h"

namespace fulgurite::parts {

using kernel::Builder;
using scalar::Expr;

/// Makes the code of a network: as loops of a kernel, or step by step.
struct Team {
  /// body(step) for step = 0, 1 ... n - 1, one after the other.
  std::function<void(int n, const std::function<void(Expr step)>& body)> steps;
  /// body(b, i) makes the code of an instance for each i < n, in any order; then all instances wait for each
  /// other.
  std::function<void(Expr n, const std::function<void(const Builder& b, Expr i)>& body)> par;
};

/// In an instance: element[to] = element[left] op element[right]
using Meet = std::function<void(const Builder&, Expr to, Expr left, Expr right)>;

/// A network over elements 0 to n - 1. All instances have waited for each other before it.
using Network = void(scalar::Arena&, const Team&, std::int64_t n, const Meet&);

/// Element 0 becomes the join of all of them, n being a power of two: each of a half meets its counterpart in
/// the other one. The operator commutes.
Network join_halves;
/// Each element becomes the join of all elements up to it, n >= 1: runs of 2^step elements are scanned, and
/// the last element of the left one of two neighbouring runs is joined to all elements of the right one
/// (Sklansky, "Conditional-sum addition logic", 1960).
Network scan_runs;

/// The networks that blocks use, on this thread. Tests exchange them.
struct BlockParts {
  Network* reduce = join_halves;
  Network* scan = scan_runs;
};
BlockParts& block_parts();

}  // namespace fulgurite::parts
