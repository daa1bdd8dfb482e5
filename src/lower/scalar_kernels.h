// Kernels of one task: scalar code between the other launches that needs the memory of the device.
#pragma once

#include "lower/launches.h"

namespace fulgurite::lower {

/// Launches one kernel that computes all of these. Returns arrays, whose elements 0 are the values.
std::vector<Var> compute_scalars(Launches&, std::span<const Expr> values);

/// The value on the host: computed there, or fetched from a kernel where it reads an array.
plan::Slot value_of(Launches&, Expr);

/// Launches a kernel for a statement without combinators and arrays, and binds the statement's names.
void scalar_statement(Launches&, const soac::Stm&);

/// Launches the kernel that decides whether a loop goes on: flags[0] is 1 or 0, flags[1] counts iterations.
void loop_condition(Launches&, const soac::Stm& loop, Expr holds, Var flags);

}  // namespace fulgurite::lower
