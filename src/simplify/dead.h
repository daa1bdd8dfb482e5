// Dead code: statements whose names nothing mentions, and the results of Soacs, Ifs and Loops that nothing
// reads, with everything that only they needed. Checks stay. A failure of an element that nothing needs goes
// with it (docs/semantics.md, evaluation on demand).
#pragma once

#include "soac/walk.h"

namespace fulgurite::simplify {

/// Drops what the results do not need. Every result is needed.
void remove_dead(soac::Program&);
void remove_dead(scalar::Arena&, soac::Lambda&);
/// Drops dead statements of a program or function, given the names that are needed after them; `live` grows
/// by what the statements need.
void remove_dead(scalar::Arena&, std::vector<soac::Stm>&, soac::Vars& live);

}  // namespace fulgurite::simplify
