// Why a main phase is walked as it is, in words for explanations.
#pragma once

#include "schedule/lanes/building.h"

namespace fulgurite::schedule {

std::vector<std::string> reasons_of(const Building&);

}  // namespace fulgurite::schedule
