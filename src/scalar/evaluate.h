// The value of an operation on operands given as bits: the rows of op.def call the functions of operations.h.
// A row whose rule is not below, or that has no function of its name for a kind that its flags allow, does
// not compile. Needs nothing of the C++ library but what headers define.
#pragma once

#include "scalar/operations.h"

namespace fulgurite::scalar {

/// The program that evaluates defines what happens where an operation has no value on a kind. Only an error
/// of Fulgurite itself asks for such a value.
[[noreturn]] void undefined_op(Op, Kind);

template <class T>
struct As {
  using type = T;
};

/// Calls f(As<T>()) with the C++ type of the kind.
template <class F>
auto with_type(Kind kind, F&& f) {
  switch (kind) {
    case Kind::boolean: return f(As<bool>());
    case Kind::i8: return f(As<std::int8_t>());
    case Kind::i16: return f(As<std::int16_t>());
    case Kind::i32: return f(As<std::int32_t>());
    case Kind::i64: return f(As<std::int64_t>());
    case Kind::u8: return f(As<std::uint8_t>());
    case Kind::u16: return f(As<std::uint16_t>());
    case Kind::u32: return f(As<std::uint32_t>());
    case Kind::u64: return f(As<std::uint64_t>());
    case Kind::f32: return f(As<float>());
    case Kind::f64: return f(As<double>());
  }
  undefined_op(Op::constant, kind);
}

/// Whether an operation with these flags takes operands of type T.
template <class T>
constexpr bool takes(std::string_view flags) {
  const char letter = operations::Boolean<T> ? 'B' : operations::Integer<T> ? 'I' : 'F';
  return flags.find(letter) != std::string_view::npos;
}

// The results of the rules that compute a value from operands of one kind: a function of op.def that returns
// another type does not compile.
namespace by_rule {
template <class T>
Bits same(std::same_as<T> auto value) {
  return to_bits(value);
}
template <operations::Integer T>
Bits shift(std::same_as<T> auto value) {
  return to_bits(value);
}
template <class T>
Bits compare(std::same_as<bool> auto value) {
  return to_bits(value);
}
template <class T>
Bits test(std::same_as<bool> auto value) {
  return to_bits(value);
}
}  // namespace by_rule

// What a row becomes by its rule, in the switch below.
#define FULGURITE_OF_1(name) operations::name(x)
#define FULGURITE_OF_2(name) operations::name(x, y)
#define FULGURITE_OF_3(name) operations::name(x, y, z)
#define FULGURITE_COMPUTED(rule, name, arity, flags)                                    \
  case Op::name:                                                                        \
    if constexpr (takes<T>(flags)) return by_rule::rule<T>(FULGURITE_OF_##arity(name)); \
    break;
#define FULGURITE_ROW_same(name, arity, flags) FULGURITE_COMPUTED(same, name, arity, flags)
#define FULGURITE_ROW_shift(name, arity, flags) FULGURITE_COMPUTED(shift, name, arity, flags)
#define FULGURITE_ROW_compare(name, arity, flags) FULGURITE_COMPUTED(compare, name, arity, flags)
#define FULGURITE_ROW_test(name, arity, flags) FULGURITE_COMPUTED(test, name, arity, flags)
#define FULGURITE_ROW_select(name, arity, flags) \
  case Op::name: return operations::name(from_bits<bool>(a), b, c);
#define FULGURITE_ROW_convert(name, arity, flags) \
  case Op::name: return with_type(result, [&]<class To>(As<To>) { return to_bits(operations::name<To>(x)); });
#define FULGURITE_ROW_leaf(name, arity, flags) \
  case Op::name: break;
#define FULGURITE_ROW_special(name, arity, flags) \
  case Op::name: break;

/// evaluate() for operands whose C++ type is T. A caller that knows the operation gets its code alone, hence
/// the attribute.
template <class T>
[[gnu::always_inline]] inline Bits evaluate_as(Op op, Kind operand, Kind result, Bits a, Bits b, Bits c) {
  [[maybe_unused]] const T x = from_bits<T>(a), y = from_bits<T>(b), z = from_bits<T>(c);
  switch (op) {
#define FULGURITE_OP(name, arity, rule, flags, spelling, description) FULGURITE_ROW_##rule(name, arity, flags)
#include "scalar/op.def"
  }
  undefined_op(op, operand);
}

/// evaluate(), without the parts of the library that are not headers.
inline Bits evaluate_scalar(Op op, Kind operand, Kind result, Bits a, Bits b, Bits c) {
  return with_type(operand, [&]<class T>(As<T>) { return evaluate_as<T>(op, operand, result, a, b, c); });
}

}  // namespace fulgurite::scalar
