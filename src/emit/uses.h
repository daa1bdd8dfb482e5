// How often, and where, a phase uses the names that it binds: whether a value can be printed in the place of
// its only use.
#pragma once

#include <unordered_map>

#include "kernel/ir.h"

namespace fulgurite::emit {

using scalar::Var;

struct Use {
  int count = 0;
  // The block that holds the statement of the last use; a loop's condition belongs to its head.
  const kernel::Block* block = nullptr;
};

/// The uses of every variable that the block or a block in it mentions. Within one statement equal
/// expressions count once: they are one node.
std::unordered_map<Var, Use> uses_of(const kernel::Block&);

}  // namespace fulgurite::emit
