// A program for some extents of its arguments.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "soac/ir.h"

namespace fulgurite::simplify {

/// The program where these extents of its parameters, names that stand in the parameters' shapes, are the
/// numbers given: constants, in the shapes too. It is equal to the program for all arguments with these
/// extents, and may be called with no others.
soac::Program specialise(soac::Program, const std::unordered_map<soac::Var, std::int64_t>& extents);

}  // namespace fulgurite::simplify
