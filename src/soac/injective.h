// Proofs that no two points of a combinator store to one place, so that it makes no difference in which order
// they store. Places are looked at as functions of the point, through the arrays that they are read from:
//
//   - affine functions of the indices, in one or several axes (strides, reverses, transposes, reshapes);
//   - elements, at such places, of an array without equal elements: what a Sort makes of an array without
//     equal elements, as of an iota that is sorted by a key;
//   - running sums of what is not negative, where the points that add nothing store outside: the positions
//     that an exclusive scan of flags gives to what the flags keep;
//   - each of these with an invariant added, or where some condition holds, else a place outside;
//   - rotations, and the two positions of a split by flags: what is kept before what is not, by a scan each.
//
// What is computed in 32 bits is taken not to wrap around, as that of 2^31 points does not: lowering has one
// task store more points than that (lower/grid.cpp).
#pragma once

#include <unordered_map>

#include "soac/equal_sizes.h"
#include "soac/ir.h"

namespace fulgurite::soac {

/// Where arrays come from: the earlier statements, in all scopes around. They stay where they are as long as
/// this refers to them.
class Origins {
 public:
  void add(const Stm& stm);
  struct Origin {
    const Stm* stm;
    std::size_t number;  // of the name among those that it binds
  };
  const Origin* of(Var name) const;

 private:
  std::unordered_map<Var, Origin> origins_;
};

/// Proven: every two points of the Soac that store to the scatter's arrays have different places.
bool stores_apart(Arena&, const EqualSizes&, const Origins&, const Soac&, std::size_t scatter);

/// Proven: all points store the same values.
bool stores_one_value(Arena&, const EqualSizes&, const Origins&, const Soac&, std::size_t scatter);

}  // namespace fulgurite::soac
