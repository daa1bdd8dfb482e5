// Statements outside of Soacs that become two versions of themselves, of which an If chooses one.
#pragma once

#include <functional>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::schedule {

/// if (condition) { first } else { second }, which both bind what `s` binds, by names of their own here.
soac::Stm one_of(scalar::Arena&, soac::Stm s, scalar::Expr condition, std::vector<soac::Stm> first,
                 std::vector<soac::Stm> second);

/// The program with each Soac outside of others replaced by what `rewrite` appends for it. `is_in_loop`: it
/// may run many times.
using RewriteSoac = std::function<void(soac::Stm, bool is_in_loop, std::vector<soac::Stm>& all)>;
soac::Program rewrite_soacs(soac::Program, const RewriteSoac& rewrite);

}  // namespace fulgurite::schedule
