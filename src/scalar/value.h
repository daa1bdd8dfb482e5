// Values of scalar expressions, and the one definition of what each operation computes: constant folding, the
// interpreter and the host program all call `evaluate`. A value travels as 64 bits: booleans 0/1, integers
// sign- or zero-extended from their kind, f32 in the low 32 bits (upper bits zero), f64 as is.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>

#include "scalar/expr.h"

namespace fulgurite::scalar {

using Bits = std::uint64_t;

// T: bool, std::(u)int8..64_t, float, double.
template <class T>
Bits to_bits(T value) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<std::uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<Bits>(value);
  else
    return static_cast<Bits>(value);  // sign-extends signed, zero-extends unsigned integers
}

template <class T>
T from_bits(Bits bits) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<double>(bits);
  else if constexpr (std::is_same_v<T, bool>)
    return bits & 1;
  else
    return static_cast<T>(bits);
}

/// The value of one operation on operands of kind `operand` giving `result` (they differ for compare, test,
/// convert). Every rule of docs/semantics.md. Integer division by zero gives 0 here: the caller has tested
/// the divisor and raised ArithmeticError.
Bits evaluate(Op, Kind operand, Kind result, Bits a, Bits b = 0, Bits c = 0);
/// evaluate() on as many operands as `to` has elements; b and c are null for operations with fewer operands.
void evaluate_all(Op, Kind operand, Kind result, const Bits* a, const Bits* b, const Bits* c,
                  std::span<Bits> to);

/// The value of an expression of scalars that reads no array and divides by nothing that is 0.
Bits value_of(Expr, const std::function<Bits(Var)>& name);

/// Neutral elements of the named operators, and extreme values.
Bits lowest(Kind);   // -inf for floats
Bits highest(Kind);  // +inf for floats
Bits zero(Kind);
Bits one(Kind);

}  // namespace fulgurite::scalar
