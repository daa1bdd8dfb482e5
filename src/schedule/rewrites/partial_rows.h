// A map whose function is one reduction and scalars (rows.h), in two steps: parts of each point's reduction,
// then these parts joined. Both are legal Soacs.
#pragma once

#include <span>

#include "soac/ir.h"

namespace fulgurite::schedule {

/// The map's reduction with neutral elements, as the only statement of its function.
soac::Lambda with_neutral(scalar::Arena&, const soac::Soac& map);

/// The only statement of such a function.
const soac::Soac& reduction_of(const soac::Lambda&);

/// A map that gives the reductions of each point and nothing else, to fresh arrays.
soac::Stm unfinished(scalar::Arena&, const soac::Stm& map);

/// Part t of point number p, of each component, is element p * of_point + t * of_part of an array.
struct PartialRows {
  std::span<const scalar::Var> arrays;
  scalar::Expr n;  // parts of each point
  scalar::Expr of_point, of_part;
};
/// The map with the parts of each point reduced instead of its own points. Binds what the map binds.
soac::Stm joined(scalar::Arena&, const soac::Stm& map, const PartialRows&);

}  // namespace fulgurite::schedule
