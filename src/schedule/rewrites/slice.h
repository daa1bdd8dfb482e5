// What schedules and walks ask about functions, and the part of one that some expressions need: a phase
// evaluates of a body what it stores, no more.
#pragma once

#include "soac/ir.h"

namespace fulgurite::schedule {

/// The function with `results` as its results and the statements that they need. Checks stay, for reads
/// after them rely on them; unless they need a Scan and nothing else here does.
soac::Lambda slice(const scalar::Arena&, const soac::Lambda&, std::vector<scalar::Expr> results);

/// Whether the body has a Scan; its Scans, in order. One that only segments tell (segments_in_turn.h) is
/// none.
bool has_scan(const soac::Lambda&);
std::vector<const soac::Stm*> scans_of(const soac::Lambda&);
/// What a Scan starts with: `initial`, or the neutral element.
const std::vector<scalar::Expr>& first_of(const soac::Stm& scan);

/// Whether the operators of all its reductions commute.
bool commutes(const soac::Soac&);
/// Whether it combines values at computed places: a scatter with an operator.
bool has_bins(const soac::Soac&);

/// Whether evaluating the function makes arrays.
bool makes_arrays(const soac::Lambda&);
/// Whether a point of the Soac makes arrays, or its operators do: then it is scalar code. Results of few
/// elements (soac::is_literal) that nothing else reads are no arrays of the point: each element is stored by
/// itself.
bool makes_arrays(const soac::Soac&);
/// Whether points of the Soac have arrays as results.
bool gives_arrays(const soac::Soac&);
/// Whether it makes arrays that are not its results, nor parts of them.
bool keeps_arrays(const soac::Lambda&);

}  // namespace fulgurite::schedule
