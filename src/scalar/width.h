// Widths of kinds, and kinds of a width.
#pragma once

#include "scalar/type.h"

namespace fulgurite::scalar {

/// Bits of one element in memory (boolean: 8).
int bits_of(Kind);
/// The integer kind of as many bits without a sign, and with one.
Kind unsigned_of(Kind);
Kind signed_of(Kind);

}  // namespace fulgurite::scalar
