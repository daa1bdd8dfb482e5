// Names for sizes that are no extents (walk.h).
#pragma once

#include "soac/ir.h"

namespace fulgurite::soac {

/// The arguments of a function, where an argument that is no extent is replaced by a name if shapes of the
/// function's arrays depend on it; appends the Lets that bind the names.
std::vector<Expr> bind_for_shapes(scalar::Arena&, const Lambda&, std::vector<Expr> arguments,
                                  std::vector<Stm>& lets);

/// Binds by Lets the sizes of iteration spaces that are no extents. Inside a function of elements sizes may
/// be any expressions; these statements come from such a function, and now stand where only extents are
/// allowed.
void bind_sizes(scalar::Arena&, std::vector<Stm>&);

}  // namespace fulgurite::soac
