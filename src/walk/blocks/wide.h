// Neighbouring points that one thread takes together, so that neighbouring elements are moved by accesses of
// up to 16 bytes, and a warp's accesses to an array are still one stretch of it.
#pragma once

#include "walk/blocks/threads.h"

namespace fulgurite::walk::blocks {

/// In: the statements of the points with these numbers, names, the first a multiple of how many there are;
/// they do not depend on each other but for variables. Out: the same with one access for the elements that
/// have these numbers, wherever a buffer's are all loaded or all stored.
kernel::Block widen(const scalar::Arena&, const kernel::Block&, std::span<const Expr> numbers);

/// Whether element i of each array that the kernel makes is to be element i of its buffer.
bool lie_at_their_numbers(const Emitter&, std::span<const Var> arrays);

/// In Par(block), thread t: the points from `from`, a multiple of n, on, before `to`, each thread n
/// neighbours at a time, widened; then the points that are left, fewer than n, by a thread each.
void in_runs(const Emitter&, const Block&, int n, Expr t, Expr from, Expr to,
             const std::function<void(Expr number)>& point);

}  // namespace fulgurite::walk::blocks
