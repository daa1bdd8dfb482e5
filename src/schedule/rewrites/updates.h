// What a statement updates in place, and what is left of it where others give some of its reductions.
#pragma once

#include <string>

#include "schedule/ir.h"

namespace fulgurite::schedule {

/// The arrays that the statement may update in place (soac/update.h): what it reads of them may be read of
/// what they become, as no point reads where another one stores.
std::vector<InPlace> updated_in_place(scalar::Arena&, const soac::Stm&);

/// The statement without its reductions that are `dropped`.
soac::Stm without_reductions(scalar::Arena&, soac::Stm, const std::vector<bool>& dropped);

/// What a launch is called: "map", "reduce", "filter" ...
std::string name_of_launch(const soac::Soac&);

}  // namespace fulgurite::schedule
