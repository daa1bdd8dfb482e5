// The body of a Soac in which arrays of few elements are scalars, one for each element: loops and combinators
// over a constant number of points are unrolled, and what stays runs on the elements.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::simplify {

/// What is unrolled at most.
struct UnrollLimits {
  std::int64_t elements = 16;         // of one array
  std::int64_t looped_elements = 64;  // of one array, where loops carry arrays or elements are replaced
  std::int64_t steps = 40000;         // nodes of expressions that are looked at
  std::int64_t nodes = 3000;          // nodes of expressions in the end
  // By indices that are known at run time only. This many take as long as memory does, and a second to
  // compile.
  std::int64_t selects = 512;
  std::int64_t sorted = 8;  // elements that are sorted
  std::int64_t chain = 16;  // points that one sum takes before it is added to an outer one
};
inline constexpr UnrollLimits unroll_limits;

struct Unrolled {
  std::vector<soac::Stm> body;
  /// A result of the body: a scalar, the name of an array of an enclosing scope, or (absent) the elements.
  struct Result {
    scalar::Expr value;
    std::vector<scalar::Expr> elements;
  };
  std::vector<Result> results;
};

/// Absent: something in the body cannot be unrolled, or there is too much of it. `most`: elements of an
/// array.
std::optional<Unrolled> unrolled(scalar::Arena&, const soac::Lambda&, std::int64_t most);

/// The function with such a body: arrays that it gives are literals, the last statements of its body.
std::optional<soac::Lambda> with_literals(scalar::Arena&, const soac::Lambda&, std::int64_t most);

}  // namespace fulgurite::simplify
