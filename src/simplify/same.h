// Equality of statements up to the names that they bind and the places where they were written.
#pragma once

#include "soac/ir.h"

namespace fulgurite::simplify {

bool is_same(scalar::Arena&, const soac::Stm& a, const soac::Stm& b);
bool is_same(scalar::Arena&, const soac::Lambda& a, const soac::Lambda& b);

}  // namespace fulgurite::simplify
