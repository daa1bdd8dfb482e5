// What a statement becomes before phases are made of it: the arrays that it updates in place, the reductions
// that others give.
#pragma once

#include <string>

#include "soac/ir.h"

namespace fulgurite::schedule {

/// The statement with its reads of arrays that it may update in place made reads of what they become: of the
/// same elements, as no point reads where another one stores.
soac::Stm reading_what_it_updates(scalar::Arena&, const soac::Stm&);

/// The statement without these of its reductions.
soac::Stm without_reductions(soac::Stm, const std::vector<bool>& dropped);

/// What a launch is called: "map", "reduce", "filter" ...
std::string name_of_launch(const soac::Soac&);

}  // namespace fulgurite::schedule
