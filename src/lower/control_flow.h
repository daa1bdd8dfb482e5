// Branches and loops: if they hold combinators or arrays they are control flow of the plan, others are a
// kernel of one task. The arrays of their results and of a loop's state have places of their own, which
// change hands: no element moves.
#pragma once

#include "lower/launches.h"

namespace fulgurite::lower {

void branch(Launches&, const soac::Stm&, const soac::If&, const LowerBody&);

void loop(Launches&, const soac::Stm&, const soac::Loop&, const LowerBody&);

}  // namespace fulgurite::lower
