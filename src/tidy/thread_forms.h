// Integer functions of a thread's number in one form each, whatever they were written as: a kernel knows how
// many threads it has, so a function of their number alone is known by its values. Recursive descriptions of
// a network and iterative ones come out as the same code, conditions that hold for all threads go, and
// divisions become shifts and masks.
//
//   constant; c + k * t; a permutation of the number's bits, moved and flipped:
//   t + (t & -8), (t & 3) + (t & -4) * 2, (...) ^ 7; for booleans true, false, t < c, c <= t, (t & 4) == 0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernel/pass.h"
#include "scalar/value.h"

namespace fulgurite::tidy {

/// The form of the function with these values (of kind i64 or boolean), in terms of t; absent if it has none.
scalar::Expr form_of(scalar::Arena&, std::span<const scalar::Bits> values, scalar::Kind, scalar::Expr t);

/// The body of a Par(block) of n instances in which `form` has said, for integers and conditions that depend
/// on the instance t alone, what to write instead (absent: nothing better).
using Form = std::function<scalar::Expr(scalar::Expr of_t, std::span<const scalar::Bits> values)>;
kernel::Block in_forms(scalar::Arena&, const kernel::Block&, scalar::Var t, std::int64_t n, const Form& form);

/// In every Par(block): indices, integers and conditions in these forms, as sums with what does not depend on
/// the thread; branches that no thread takes, or all take, are decided.
extern const kernel::Pass thread_forms;

}  // namespace fulgurite::tidy
