// The part of a function that some expressions need: a phase evaluates of a body what it stores, no more.
#pragma once

#include "soac/ir.h"

namespace fulgurite::lower {

/// The function with `results` as its results and the statements that they need. Checks stay, for reads
/// behind them rely on them; unless they need a Scan and nothing else here does.
soac::Lambda slice(const scalar::Arena&, const soac::Lambda&, std::vector<scalar::Expr> results);

/// The Scans of a body, in order.
bool has_scan(const soac::Lambda&);
std::vector<const soac::Stm*> scans_of(const soac::Lambda&);

}  // namespace fulgurite::lower
