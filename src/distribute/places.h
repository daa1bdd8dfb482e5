// Of a formula what is known of the places that it gives, whatever the launch: whether the data say them.
#pragma once

#include <span>
#include <vector>

#include "distribute/formulas.h"

namespace fulgurite::distribute {

/// Whether each step gives places that depend on elements of arrays, which the formula does not keep near
/// those that the number of the task says. A store's places are known where they follow from an element for
/// each task, such as where its part of a result begins.
std::vector<bool> said_by_data(std::span<const runtime::Formula>, bool stores);

}  // namespace fulgurite::distribute
