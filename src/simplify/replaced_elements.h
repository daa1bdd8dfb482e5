// Elements of an array that a loop reads until it replaces them in a copy of the array:
//   y = loop (x) times n do (k, s) { s1 = with(s, k + 1, .. x[k + 1] ..); return s1 }
//     becomes  y = loop (x) times n do (k, s) { s1 = with(s, k + 1, .. s[k + 1] ..); return s1 }
// The loop then may change x where it lies. The forward pass of Thomas' solver is of this form.
#pragma once

#include "soac/ir.h"

namespace fulgurite::simplify {

/// Reads such elements of the states of the loop, statement i of the function. States begin as the array, or
/// as the array with elements at constant places replaced, which iterations do not come to.
void read_of_states(scalar::Arena&, soac::Lambda& f, std::size_t i);

}  // namespace fulgurite::simplify
