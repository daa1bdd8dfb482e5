// Proofs that no two points of a combinator store to one place, so that their order makes no difference.
// Places are seen as functions of the point, also through the arrays that they are read from:
//
//   - affine functions of the indices, in one or several axes (strides, reverses, transposes, reshapes);
//   - elements, at such places, of an array without equal elements: a Sort makes one from another such array,
//     as from an iota that is sorted by a key;
//   - running sums of numbers that are not negative, where the points that add 0 store outside: the positions
//     that an exclusive scan of flags gives to the elements that the flags keep;
//   - each of these with an invariant added, or where some condition holds, else a place outside;
//   - rotations, and the two positions of a split by flags: kept elements before the others, by a scan each.
//
// Arithmetic in 32 bits is taken not to wrap around, as it does not for 2^31 points: for more points,
// lowering has a single task store them (lower/grid.cpp).
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
    std::size_t number;  // of the name among the names that it binds
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
