// The scalar operations of random programs, drawn from a list of numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "choices.h"
#include "scalar/value.h"
#include "soac/ir.h"

namespace fulgurite::testing {

using scalar::Arena;
using scalar::Expr;
using scalar::Kind;
using scalar::Op;

class RandomOperations {
 protected:
  explicit RandomOperations(std::vector<std::uint8_t> numbers) : choices_(std::move(numbers)) {}

  Expr unary(Expr a) {
    Arena& arena = *arena_;
    switch (choices_.below(4)) {
      case 0: return arena.apply(Op::neg, {a});
      case 1: return cast(arena.apply(Op::sin, {cast(a, Kind::f64)}), Kind::i32);  // expensive
      case 2: return arena.apply(Op::popcount, {a});
      default: return arena.apply(Op::abs, {a});
    }
  }

  Expr combine(Expr a, Expr b) {
    Arena& arena = *arena_;
    switch (choices_.below(7)) {
      case 0: return a + b;
      case 1: return a - b;
      case 2: return a * b;
      case 3: return min(a, b);
      case 4: return select(a < b, b, arena.apply(Op::bit_xor, {a, b}));
      case 5: return arena.apply(Op::div, {a, (b | 1) + a}, 3);
      default: return max(a, b);
    }
  }

  soac::Reduction reduction() {
    Arena& arena = *arena_;
    const Expr a = arena.fresh({Kind::i32}, "l"), b = arena.fresh({Kind::i32}, "r");
    soac::Reduction reduction;
    reduction.op.params = {a.var(), b.var()};
    const std::size_t which = choices_.below(3);
    // The last of them is not commutative: the later operand wins unless it is 0.
    const Expr zero = arena.constant(Kind::i32, 0);
    reduction.op.results = {which == 0   ? Expr(a + b)
                            : which == 1 ? Expr(max(a, b))
                                         : select(equal(b, zero), a, b)};
    reduction.neutral = {which == 1 ? arena.constant(Kind::i32, scalar::lowest(Kind::i32)) : zero};
    reduction.commutative = which != 2;
    return reduction;
  }

  Choices choices_;
  std::shared_ptr<Arena> arena_ = std::make_shared<Arena>();
};

}  // namespace fulgurite::testing
