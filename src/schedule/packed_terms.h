// Sums of products of small integers, several terms of which one operation adds: an operand of some
// neighbouring terms is packed in one integer, their word.
#pragma once

#include <optional>

#include "soac/ir.h"

namespace fulgurite::schedule {

/// How the words of two operands are added to a sum: `step` of that of `first`, that of `second`, the sum.
struct PackedTerms {
  scalar::Op step;
  scalar::Expr first, second;
};

/// The reduction is a sum in 32 bits of products of two operands which, packed `together` in 32 bits, keep
/// their values: 2 of signed numbers of 16 bits, or 4 of 8 bits, of which one operand is unsigned. Nothing:
/// it is none, or there is no such operation.
std::optional<PackedTerms> packed_terms(scalar::Arena&, const soac::Soac& reduction, std::int64_t together);

}  // namespace fulgurite::schedule
