// The executable specification of the array IR: obvious loops over whole programs, one element at a time.
// Every engine must agree with it as docs/semantics.md says. Slow is fine, surprising is not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "soac/ir.h"
#include "soac/value.h"

namespace fulgurite::soac {

struct InterpretOptions {
  std::uint64_t max_bytes = std::uint64_t{1} << 33;  // of all arrays that are alive; OutOfMemory beyond
  std::uint64_t max_points = UINT64_MAX;             // of all combinators together; OutOfMemory beyond
};

/// The program's results. `args` fit its parameters in kind and rank, else ShapeError; extents come from
/// them. Raises the errors of the program's sites: ShapeError, IndexError, ArithmeticError.
std::vector<Value> interpret(const Program&, std::span<const Value> args, InterpretOptions = {});

/// Throws the site's error, whose message quotes the values and the position (base/quote.h).
[[noreturn]] void raise(const SiteInfo&, std::span<const std::int64_t> values, std::int64_t position = 0);

}  // namespace fulgurite::soac
