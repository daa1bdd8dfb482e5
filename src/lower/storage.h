// Storage for the values of names that branches and iterations of the plan assign: moving them moves no
// element of an array.
#pragma once

#include "lower/launches.h"

namespace fulgurite::lower {

/// A slot of the host, or the place of an array, of which a scalar that stays on the device is element 0.
struct Storage {
  plan::Slot slot = -1;
  plan::Place place = -1;
};

/// New storage for the names, which holds nothing yet.
std::vector<Storage> fresh_storage(Launches&, std::span<const Var> names);
/// New storage for the names, which holds these values.
std::vector<Storage> copies_of(Launches&, std::span<const Expr> values, std::span<const Var> names);
/// Storage that was made for the names holds these values from here on.
void assign_values(Launches&, std::span<const Storage> to, std::span<const Expr> values,
                   std::span<const Var> names);
void move_values(Host&, std::span<const Storage> to, std::span<const Storage> from);
/// From here on the names mean what the storage holds.
void bind_names(Launches&, std::span<const Var> names, std::span<const Storage>);

}  // namespace fulgurite::lower
