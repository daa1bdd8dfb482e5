// What does not compile, and what to write instead: declarations that overload resolution finds only where no
// other one fits, and that say so in the compiler's first line. None of them is ever called.
#pragma once

#include <fulgurite/array.h>
#include <fulgurite/map.h>
#include <fulgurite/ragged.h>
#include <fulgurite/reduce.h>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace detail {

template <class A, class T>
concept NoLiteralFor = std::is_arithmetic_v<A> && !LiteralFor<A, T>;
/// Operands of an operator that have different element types; a C++ value that T does not represent has one.
template <class A, class B>
inline constexpr bool of_two_types = false;
template <Staged A, Staged B>
inline constexpr bool of_two_types<A, B> = !std::same_as<ElementOf<A>, ElementOf<B>>;
template <Staged A, class B>
  requires(std::is_arithmetic_v<B>)
inline constexpr bool of_two_types<A, B> = !LiteralFor<B, ElementOf<A>>;
template <class A, Staged B>
  requires(std::is_arithmetic_v<A>)
inline constexpr bool of_two_types<A, B> = !LiteralFor<A, ElementOf<B>>;

template <RaggedLike A, class B>
  requires(RaggedLike<B> || ScalarOperand<B>)
inline constexpr bool of_two_types<A, B> =
    !std::is_convertible_v<const B&, RaggedOperand<typename A::Element>>;
template <ScalarOperand A, RaggedLike B>
inline constexpr bool of_two_types<A, B> =
    !std::is_convertible_v<const A&, RaggedOperand<typename B::Element>>;

template <class A, class B>
inline constexpr bool of_two_ranks = false;
template <class T, int N, int M>
inline constexpr bool of_two_ranks<Acc<T, N>, Acc<T, M>> = N != M;

/// Rows of unequal lengths, and an array.
template <class A, class B>
concept RowsAndArray = (RaggedLike<A> && StagedArray<B>) || (StagedArray<A> && RaggedLike<B>);

template <class X>
inline constexpr bool is_truth = false;
template <>
inline constexpr bool is_truth<Exp<bool>> = true;

template <class X>
inline constexpr bool is_real_array = false;
template <class T, int N>
inline constexpr bool is_real_array<Array<T, N>> = true;

template <class A, class B>
concept OfTwoTypes = of_two_types<A, B>;
template <class A, class B>
concept OfTwoRanks = of_two_ranks<A, B>;
template <class A, class B>
concept Comparisons = is_truth<A> || is_truth<B>;
template <class A, class B>
concept RealArrays = is_real_array<A> || is_real_array<B>;

}  // namespace detail

// clang-format off
#define FULGURITE_REFUSED_OF_TWO_TYPES                                                                        \
  FULGURITE_REFUSED("the operands of an operator have one element type, and none is converted silently: write " \
                    "fg::cast<T>(x), as in fg::sum(x) / fg::cast<float>(x.size())")
#define FULGURITE_REFUSED_OF_TWO_RANKS                                                                        \
  FULGURITE_REFUSED("the operands of an operator have one rank: to combine each row of a matrix with a vector, " \
                    "write fg::map([&](fg::Vec<float> row) { return row + v; }, fg::rows(m))")
#define FULGURITE_REFUSED_OF_ROWS                                                                             \
  FULGURITE_REFUSED("an operator does not combine rows of unequal lengths with an array: write r - "            \
                    "fg::broadcast(v, r) for an element of v for each row, r.values() for the elements of all rows")
#define FULGURITE_REFUSED_OPERATOR(op)                                                                        \
  template <class A, class B> requires detail::RowsAndArray<A, B>                                             \
  FULGURITE_REFUSED_OF_ROWS void operator op(const A&, const B&);                                             \
  template <class A, class B> requires detail::OfTwoTypes<A, B>                                               \
  FULGURITE_REFUSED_OF_TWO_TYPES void operator op(const A&, const B&);                                        \
  template <class A, class B> requires detail::OfTwoRanks<A, B>                                               \
  FULGURITE_REFUSED_OF_TWO_RANKS void operator op(const A&, const B&);
#define FULGURITE_REFUSED_ASSIGNMENT(op)                                                                      \
  template <class A, class B> requires detail::OfTwoTypes<A, B>                                               \
  FULGURITE_REFUSED_OF_TWO_TYPES void operator op(A&, const B&);                                              \
  template <class A, class B> requires detail::OfTwoRanks<A, B>                                               \
  FULGURITE_REFUSED_OF_TWO_RANKS void operator op(A&, const B&);
#define FULGURITE_REFUSED_ORDER(op)                                                                           \
  template <class A, class B> requires detail::RowsAndArray<A, B>                                             \
  FULGURITE_REFUSED_OF_ROWS void operator op(const A&, const B&);                                             \
  template <class A, class B> requires detail::Comparisons<A, B>                                              \
  FULGURITE_REFUSED("a comparison gives an Exp<bool>, which has no order: write 0 < x && x < 1 in place of "    \
                    "0 < x < 1")                                                                              \
  void operator op(const A&, const B&);                                                                       \
  template <class A, class B> requires(detail::OfTwoTypes<A, B> && !detail::Comparisons<A, B>)                \
  FULGURITE_REFUSED_OF_TWO_TYPES void operator op(const A&, const B&);                                        \
  template <class A, class B> requires detail::OfTwoRanks<A, B>                                               \
  FULGURITE_REFUSED_OF_TWO_RANKS void operator op(const A&, const B&);
#define FULGURITE_REFUSED_ON_VALUES(op)                                                                       \
  template <class A, class B> requires detail::RealArrays<A, B>                                               \
  FULGURITE_REFUSED("operators work on staged arrays, in a program: fg::run([](fg::Vec<float> x, fg::Vec<float> y) " \
                    "{ return x + y; }, a, b) computes with real arrays, fg::constant(a) is one in a program")  \
  void operator op(const A&, const B&);

FULGURITE_REFUSED_OPERATOR(+) FULGURITE_REFUSED_OPERATOR(-) FULGURITE_REFUSED_OPERATOR(*)
FULGURITE_REFUSED_OPERATOR(/) FULGURITE_REFUSED_OPERATOR(%) FULGURITE_REFUSED_OPERATOR(&)
FULGURITE_REFUSED_OPERATOR(|) FULGURITE_REFUSED_OPERATOR(^) FULGURITE_REFUSED_OPERATOR(<<)
FULGURITE_REFUSED_OPERATOR(>>) FULGURITE_REFUSED_OPERATOR(==) FULGURITE_REFUSED_OPERATOR(!=)
FULGURITE_REFUSED_ASSIGNMENT(+=) FULGURITE_REFUSED_ASSIGNMENT(-=) FULGURITE_REFUSED_ASSIGNMENT(*=)
FULGURITE_REFUSED_ASSIGNMENT(/=) FULGURITE_REFUSED_ASSIGNMENT(%=)
FULGURITE_REFUSED_ORDER(<) FULGURITE_REFUSED_ORDER(<=) FULGURITE_REFUSED_ORDER(>) FULGURITE_REFUSED_ORDER(>=)
FULGURITE_REFUSED_ON_VALUES(+) FULGURITE_REFUSED_ON_VALUES(-) FULGURITE_REFUSED_ON_VALUES(*) FULGURITE_REFUSED_ON_VALUES(/)

#undef FULGURITE_REFUSED_OF_TWO_TYPES
#undef FULGURITE_REFUSED_OF_TWO_RANKS
#undef FULGURITE_REFUSED_OF_ROWS
#undef FULGURITE_REFUSED_OPERATOR
#undef FULGURITE_REFUSED_ASSIGNMENT
#undef FULGURITE_REFUSED_ORDER
#undef FULGURITE_REFUSED_ON_VALUES
    // clang-format on

    /// A stream.
    template <template <class, class> class Stream, class Char, class Traits, detail::Staged X>
    FULGURITE_REFUSED(
        "a staged value has no value while the program is traced: print what the compiled program returns, "
        "or "
        "return the value beside its result, in a std::tuple")
    void
    operator<<(Stream<Char, Traits>&, const X&);

// The function is missing, or comes last.
template <detail::Mappable X, class... Xs>
  requires(!(detail::Mappable<Xs> && ...) || sizeof...(Xs) == 0)
FULGURITE_REFUSED("map takes the function first: write fg::map(f, xs)")
void map(const X&, const Xs&...);
template <class F, class... Xs>
  requires(!detail::Mappable<F> && !((detail::Mappable<Xs> || std::same_as<Xs, detail::Here>) && ...))
FULGURITE_REFUSED(
    "map takes staged arrays after the function: give std::vectors to a program, as in "
    "fg::run([](fg::Vec<float> "
    "x) { return fg::map(f, x); }, xs), and call f itself on an Exp")
void map(const F&, const Xs&...);

// clang-format off
#define FULGURITE_REFUSED_ORDER(name, example)                                                  \
  template <detail::StagedArray X, class... Xs>                                                 \
    requires(!((detail::StagedArray<Xs> || std::same_as<Xs, detail::Here>) || ...))             \
  FULGURITE_REFUSED(#name " takes the function first: write " example) void name(const X&, const Xs&...);
FULGURITE_REFUSED_ORDER(reduce, "fg::reduce(op, neutral, xs)")
FULGURITE_REFUSED_ORDER(fold, "fg::fold(op, initial, xs)")
FULGURITE_REFUSED_ORDER(scan, "fg::scan(op, neutral, xs)")
FULGURITE_REFUSED_ORDER(exclusive_scan, "fg::exclusive_scan(op, initial, xs)")
FULGURITE_REFUSED_ORDER(filter, "fg::filter(f, xs)")
FULGURITE_REFUSED_ORDER(partition, "fg::partition(f, xs)")
#undef FULGURITE_REFUSED_ORDER
// clang-format on
template <detail::StagedArray X, class F>
  requires(!detail::StagedArray<F> && !std::same_as<F, detail::Here>)
FULGURITE_REFUSED("sort takes the comparison first: write fg::sort(less, xs)")
void sort(const X&, const F&);

template <class T, int N>
FULGURITE_REFUSED("an axis is named: write fg::sum(m, fg::axis(0))")
void sum(const Acc<T, N>&, int);
template <int N>
FULGURITE_REFUSED("a sum is of numbers: fg::count(c) says how many elements of an array of bool are true")
void sum(const Acc<bool, N>&);
template <class X>
  requires(!detail::StagedArray<X>)
FULGURITE_REFUSED(
    "sum takes a staged array: give real ones to a program, as in fg::run([](fg::Vec<float> x) { return "
    "fg::sum(x); }, xs)")
void sum(const X&);

template <detail::StagedArray C, class A, class B>
FULGURITE_REFUSED(
    "cond takes one Exp<bool> and chooses one of two values: fg::select(c, x, y) chooses element by element")
void cond(const C&, const A&, const B&);
template <class X>
FULGURITE_REFUSED("constant takes an fg::Array: write fg::constant(fg::Array<float>(v)) for a std::vector v")
void constant(const X&);

}  // namespace fulgurite

#pragma GCC visibility pop

// The functions of <cmath> and <algorithm> that are called with staged values.
namespace std {
// clang-format off
#define FULGURITE_REFUSED_IN_STD(name)                                                               \
  template <class X, class... Xs>                                                                    \
    requires(fulgurite::detail::Staged<X> || (fulgurite::detail::Staged<Xs> || ...))                 \
  FULGURITE_REFUSED("std::" #name " does not know staged values: write fg::" #name) void name(const X&, const Xs&...);
FULGURITE_REFUSED_IN_STD(abs) FULGURITE_REFUSED_IN_STD(floor) FULGURITE_REFUSED_IN_STD(ceil) FULGURITE_REFUSED_IN_STD(trunc)
FULGURITE_REFUSED_IN_STD(round) FULGURITE_REFUSED_IN_STD(fmod) FULGURITE_REFUSED_IN_STD(fma) FULGURITE_REFUSED_IN_STD(sqrt)
FULGURITE_REFUSED_IN_STD(cbrt) FULGURITE_REFUSED_IN_STD(pow) FULGURITE_REFUSED_IN_STD(hypot) FULGURITE_REFUSED_IN_STD(exp)
FULGURITE_REFUSED_IN_STD(exp2) FULGURITE_REFUSED_IN_STD(expm1) FULGURITE_REFUSED_IN_STD(log) FULGURITE_REFUSED_IN_STD(log2)
FULGURITE_REFUSED_IN_STD(log10) FULGURITE_REFUSED_IN_STD(log1p) FULGURITE_REFUSED_IN_STD(sin) FULGURITE_REFUSED_IN_STD(cos)
FULGURITE_REFUSED_IN_STD(tan) FULGURITE_REFUSED_IN_STD(asin) FULGURITE_REFUSED_IN_STD(acos) FULGURITE_REFUSED_IN_STD(atan)
FULGURITE_REFUSED_IN_STD(atan2) FULGURITE_REFUSED_IN_STD(sinh) FULGURITE_REFUSED_IN_STD(cosh) FULGURITE_REFUSED_IN_STD(tanh)
FULGURITE_REFUSED_IN_STD(erf) FULGURITE_REFUSED_IN_STD(isnan) FULGURITE_REFUSED_IN_STD(isinf) FULGURITE_REFUSED_IN_STD(isfinite)
#undef FULGURITE_REFUSED_IN_STD
template <fulgurite::detail::Staged X>
FULGURITE_REFUSED("std::min does not know staged values: write fg::min") void min(const X&, const X&);
template <fulgurite::detail::Staged X>
FULGURITE_REFUSED("std::max does not know staged values: write fg::max") void max(const X&, const X&);
// clang-format on
}  // namespace std
