// Formulas: expressions written as arithmetic. `a + b * 2` is a value that remembers its operands; it becomes
// nodes where an Expr is wanted. They are then made from left to right: C++ leaves open which operand of an
// operator is evaluated first, expressions are numbered in the order in which they are made, and the text of
// kernels must not depend on the compiler that built the library.
//
// `!`, `&&`, `||` and `==` of expressions keep their C++ meaning: whether an expression is there, and whether
// two are one node. The operations are logical_not, `&`, `|` and `equal`.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "scalar/expr.h"

namespace fulgurite::scalar {

/// How the operands of a formula, which are expressions by then, become one: what Arena::apply gives, and the
/// operations that Arena::apply does not make. Divisors are known not to be 0.
struct Apply {
  Op op;
  Expr operator()(std::span<const Expr> args) const { return args.back().arena().apply(op, args); }
};
struct Cast {
  Kind kind;
  Expr operator()(std::span<const Expr> args) const;
};
struct Bitcast {
  Kind kind;
  Expr operator()(std::span<const Expr> args) const;
};
struct Splat {
  int lanes;
  Expr operator()(std::span<const Expr> args) const;
};
struct AnyLane {
  Expr operator()(std::span<const Expr> args) const;
};
struct AllLanes {
  Expr operator()(std::span<const Expr> args) const;
};

/// The constant of the other's kind and lanes: how a number stands beside an expression.
Expr number_beside(Expr other, std::int64_t number);

/// What may stand beside it: a number is a constant of its kind.
template <class T>
concept Number =
    (std::integral<T> || std::is_enum_v<T>) && std::convertible_to<T, std::int64_t> && !std::same_as<T, bool>;

template <class Make, class... Operands>
class [[nodiscard]] Formula {
 public:
  constexpr Formula(Make make, Operands... operands) : make_(make), operands_(operands...) {}

  operator Expr() const {
    constexpr std::size_t n = sizeof...(Operands);
    // Braces are evaluated in order.
    auto args = std::apply([](const auto&... o) { return std::array<Expr, n>{made(o)...}; }, operands_);
    std::size_t at = 0;
    const auto give_number = [&](const auto& operand) {
      // The last two operands of an operation are of one kind.
      if constexpr (Number<std::remove_cvref_t<decltype(operand)>>)
        args[at] = number_beside(args[at + 1 < n ? n - 1 : n - 2], operand);
      ++at;
    };
    std::apply([&](const auto&... o) { (give_number(o), ...); }, operands_);
    return make_(args);
  }

 private:
  static Expr made(Expr e) { return e; }
  static Expr made(std::int64_t) { return {}; }

  Make make_;
  std::tuple<Operands...> operands_;
};

template <class>
inline constexpr bool is_formula = false;
template <class Make, class... Operands>
inline constexpr bool is_formula<Formula<Make, Operands...>> = true;

/// An expression, or what becomes one.
template <class T>
concept Made = std::same_as<T, Expr> || is_formula<T>;

/// Whether they become one node.
template <Made A, Made B>
  requires(is_formula<A> || is_formula<B>)
bool operator==(A a, B b) {
  const Expr left = a, right = b;
  return left == right;
}

#define FULGURITE_FORMULA(function, op)                             \
  template <Made A, Made B>                                         \
  constexpr auto function(A a, B b) {                               \
    return Formula(Apply{Op::op}, a, b);                            \
  }                                                                 \
  template <Made A, Number B>                                       \
  constexpr auto function(A a, B b) {                               \
    return Formula(Apply{Op::op}, a, static_cast<std::int64_t>(b)); \
  }                                                                 \
  template <Number A, Made B>                                       \
  constexpr auto function(A a, B b) {                               \
    return Formula(Apply{Op::op}, static_cast<std::int64_t>(a), b); \
  }
FULGURITE_FORMULA(operator+, add)
FULGURITE_FORMULA(operator-, sub)
FULGURITE_FORMULA(operator*, mul)
FULGURITE_FORMULA(operator/, div)
FULGURITE_FORMULA(operator%, rem)
FULGURITE_FORMULA(operator<<, shl)
FULGURITE_FORMULA(operator>>, shr)
FULGURITE_FORMULA(operator&, bit_and)
FULGURITE_FORMULA(operator|, bit_or)
FULGURITE_FORMULA(operator<, lt)
FULGURITE_FORMULA(operator<=, le)
FULGURITE_FORMULA(equal, eq)
FULGURITE_FORMULA(differs, ne)
FULGURITE_FORMULA(min, min)
FULGURITE_FORMULA(max, max)
#undef FULGURITE_FORMULA

template <Made A>
constexpr auto logical_not(A a) {
  return Formula(Apply{Op::bit_not}, a);
}
template <Made C, Made A, Made B>
constexpr auto select(C condition, A yes, B no) {
  return Formula(Apply{Op::select}, condition, yes, no);
}
template <Made C, Made A, Number B>
constexpr auto select(C condition, A yes, B no) {
  return Formula(Apply{Op::select}, condition, yes, static_cast<std::int64_t>(no));
}
template <Made C, Number A, Made B>
constexpr auto select(C condition, A yes, B no) {
  return Formula(Apply{Op::select}, condition, static_cast<std::int64_t>(yes), no);
}
template <Made A>
constexpr auto cast(A a, Kind kind) {
  return Formula(Cast{kind}, a);
}
template <Made A>
constexpr auto bitcast(A a, Kind kind) {
  return Formula(Bitcast{kind}, a);
}
/// A vector is returned as it is.
template <Made A>
constexpr auto splat(A a, int lanes) {
  return Formula(Splat{lanes}, a);
}
template <Made A>
constexpr auto any(A mask) {
  return Formula(AnyLane{}, mask);
}
template <Made A>
constexpr auto all(A mask) {
  return Formula(AllLanes{}, mask);
}

}  // namespace fulgurite::scalar
