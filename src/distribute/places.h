// What is known of the places that a formula gives, whatever the launch: whether the data say them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "distribute/formulas.h"
#include "kernel/ir.h"

namespace fulgurite::distribute {

/// Whether each step gives places that depend on elements of arrays, which the formula does not keep near
/// those that the number of the task says. A store's places are known where they follow from an element for
/// each task, such as where its part of a result begins.
std::vector<bool> said_by_data(std::span<const runtime::Formula>, bool stores);

/// Whether a block multiplies as hashes do: places that come of it are as good as data.
bool spreads(const kernel::Block&);
/// By a constant above it.
inline constexpr std::int64_t spreads_from = 65535;

}  // namespace fulgurite::distribute
