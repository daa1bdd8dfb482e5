// Which names of a program are needed for its results. Single results of a statement count by themselves: a
// mapped result, a branch's result or a loop's state that nothing reads is not needed even if its neighbours
// are. Checks are needed where they are reached.
#pragma once

#include <unordered_set>

#include "soac/ir.h"

namespace fulgurite::soac {

std::unordered_set<Var> needed_names(const Program&);

}  // namespace fulgurite::soac
