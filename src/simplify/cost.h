// What one evaluation of an expression costs, in quarters of a load from the nearest cache: the one place
// where the numbers stand that decide between computing again and keeping in memory. Shared nodes count once;
// index arithmetic folds into addresses.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "soac/walk.h"

namespace fulgurite::simplify {

struct Costs {
  int load = 4;       // an element of an array
  int operation = 1;  // sum, product, comparison, select, conversion, bit operation
  int division = 8;   // of floats, square root
  int integer_division = 12;
  int function = 20;  // transcendental
  int loop = 1000;    // a statement that loops: more expensive than any expression
  int cheap = 8;  // at most this: computing again is preferred to an array in memory (one store and one load)
};
inline constexpr Costs costs;

int cost_of(std::span<const scalar::Expr> roots);
/// The cost of one evaluation of the body; inner Soacs and Loops count as `loop`, an If as its more expensive
/// branch.
int cost_of(const soac::Lambda&);
/// The cost of one of many elements that the function computes, each from its index. Arithmetic that does not
/// depend on the index costs nothing, as a kernel computes it once for all elements of a task, nor do Ifs
/// whose answers are known.
int cost_of_element(const soac::Lambda&, const std::function<bool(scalar::Expr condition)>& is_known = {});
inline bool is_cheap(int cost) {
  return cost <= costs.cheap;
}

}  // namespace fulgurite::simplify
