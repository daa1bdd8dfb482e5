// A user's function as the tracer takes it: without its types, called with flat staged values, and with plain
// values for the parameters that are constants of a trace. Nothing here is for users.
#pragma once

#include <fulgurite/array.h>
#include <fulgurite/executable.h>
#include <fulgurite/results.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <ranges>

#pragma GCC visibility push(default)

namespace fulgurite::detail {

/// One component of a parameter of a traced function.
struct ParameterInfo {
  Kind kind;
  std::uint8_t rank;
  bool first;         // the first component of its parameter; the others share its shape
  unsigned argument;  // the position among the caller's arguments, from 1
};

/// A parameter of a user's function: staged, or a C++ value that is a constant of the trace. A staged one has
/// components of one rank, of these kinds.
template <class P>
struct Parameter {
  static constexpr bool is_staged = false;
  static constexpr std::size_t n_parts = 0;
  using Argument = const P&;
};
template <class T>
struct Parameter<Exp<T>> {
  static constexpr bool is_staged = true;
  static constexpr std::size_t n_parts = n_leaves<T>;
  static constexpr int rank = 0;
  static constexpr std::array<Kind, n_parts> kinds = leaf_kinds<T>;
  using Argument = const T&;
  static void view(const T& argument, ArgumentView* views) {
    for_each_leaf(argument, [&](std::size_t i, auto leaf) {
      views[i] = {static_cast<std::uint8_t>(kind_of<decltype(leaf)>()), 0, nullptr, nullptr, bits_of(leaf)};
    });
  }
};
template <class T, int N>
struct Parameter<Acc<T, N>> {
  static constexpr bool is_staged = true;
  static constexpr std::size_t n_parts = n_leaves<T>;
  static constexpr int rank = N;
  static constexpr std::array<Kind, n_parts> kinds = leaf_kinds<T>;
  using Argument = const ArrayArgument<T, N>&;
  static void view(const ArrayArgument<T, N>& argument, ArgumentView* views) { argument.view_as(views); }
};

// How many components come before the array of the others: 1 in a ragged array, whose offsets come first.
template <class P>
inline constexpr std::size_t n_alone = 0;

template <class... Ps>
inline constexpr std::size_t n_parameter_parts = (Parameter<Ps>::n_parts + ... + 0);

template <class P, std::size_t n>
constexpr void put_parameter(std::array<ParameterInfo, n>& infos, std::size_t& at, unsigned argument) {
  if constexpr (Parameter<P>::is_staged)
    for (std::size_t leaf = 0; leaf < Parameter<P>::n_parts; ++leaf)
      infos[at++] = {Parameter<P>::kinds[leaf], Parameter<P>::rank, leaf <= n_alone<P>, argument};
}
template <class... Ps>
inline constexpr std::array<ParameterInfo, n_parameter_parts<Ps...>> parameter_infos = [] {
  std::array<ParameterInfo, n_parameter_parts<Ps...>> infos{};
  [[maybe_unused]] std::size_t at = 0;
  [[maybe_unused]] unsigned argument = 0;
  (put_parameter<Ps>(infos, at, ++argument), ...);
  return infos;
}();

// Constants of a function's calls, without their types. Given constants are a std::tuple of references,
// kept ones a std::tuple of values; a function without such parameters has neither.
template <template <class> class Of, class... Ps>
using TupleOfConstants = decltype(std::tuple_cat(
    std::declval<std::conditional_t<Parameter<Ps>::is_staged, std::tuple<>, std::tuple<Of<Ps>>>>()...));
template <class P>
using ReferenceTo = const P&;
template <class... Ps>
using GivenConstants = TupleOfConstants<ReferenceTo, Ps...>;
template <class... Ps>
using KeptConstants = TupleOfConstants<std::type_identity_t, Ps...>;
template <class... Ps>
inline constexpr bool has_constants = !(Parameter<Ps>::is_staged && ...);

template <class T>
bool is_same_constant(const T& a, const T& b);
// Tuples, component by component.
template <class Kept, class Given, std::size_t... i>
bool are_same_constants(const Kept& kept, const Given& given, std::index_sequence<i...>) {
  return (is_same_constant(std::get<i>(kept), std::get<i>(given)) && ...);
}
// Whether a trace for one value is one for the other: by the bits of floats, as 0 and -0 are equal, and a NaN
// is not equal to itself; of a user's type its own == says it.
template <class T>
bool is_same_constant(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a == b ? std::signbit(a) == std::signbit(b) : a != a && b != b;
  } else if constexpr (std::ranges::random_access_range<const T>) {
    using Element = std::ranges::range_value_t<const T>;
    return std::ranges::equal(a, b,
                              [](const Element& x, const Element& y) { return is_same_constant(x, y); });
  } else if constexpr (TupleLike<T>) {
    return are_same_constants(a, b, std::make_index_sequence<std::tuple_size_v<T>>());
  } else {
    return a == b;
  }
}

struct ConstantsType {
  bool (*equal)(const void* kept, const void* given);
  void* (*keep)(const void* given);
  void (*destroy)(void* kept);
};
template <class Kept, class Given>
inline constexpr ConstantsType constants_type{
    [](const void* kept, const void* given) {
      return are_same_constants(*static_cast<const Kept*>(kept), *static_cast<const Given*>(given),
                                std::make_index_sequence<std::tuple_size_v<Kept>>());
    },
    [](const void* given) -> void* { return new Kept(*static_cast<const Given*>(given)); },
    [](void* kept) { delete static_cast<Kept*>(kept); }};

/// A user's function, which it owns.
class Traceable {
 public:
  using Call = Values (*)(void* f, std::span<const Value> staged, const void* given_constants);

  template <class F>
  Traceable(F f, Call call, std::span<const ParameterInfo> parameters, const ConstantsType* constants)
      : f_(new F(std::move(f))),
        captured_bytes_(std::is_class_v<F> && !std::is_empty_v<F> ? sizeof(F) : 0),
        destroy_([](void* object) { delete static_cast<F*>(object); }),
        call_(call),
        parameters_(parameters),
        constants_(constants) {}
  Traceable(Traceable&& from) noexcept
      : f_(std::exchange(from.f_, nullptr)),
        captured_bytes_(from.captured_bytes_),
        destroy_(from.destroy_),
        call_(from.call_),
        parameters_(from.parameters_),
        constants_(from.constants_) {}
  ~Traceable() { destroy_(f_); }

  Values operator()(std::span<const Value> staged, const void* given_constants) const {
    return call_(f_, staged, given_constants);
  }
  /// The size of a lambda that captures, or of another function object with members; else 0.
  std::size_t captured_bytes() const { return captured_bytes_; }
  std::span<const ParameterInfo> parameters() const { return parameters_; }
  /// Null: no parameter is a constant of the trace.
  const ConstantsType* constants() const { return constants_; }

 private:
  void* f_;
  std::size_t captured_bytes_;
  void (*destroy_)(void*);
  Call call_;
  std::span<const ParameterInfo> parameters_;
  const ConstantsType* constants_;
};

/// Calls f once with staged parameters. Throws TraceError, ShapeError, and what f throws. `retrace`: f was
/// traced before.
std::shared_ptr<const TracedProgram> trace(const char* name, const Traceable& f, const void* given_constants,
                                           bool retrace, Here where);

template <class P>
inline constexpr bool is_comparable = Parameter<P>::is_staged || requires(const P& p) { p == p; };

// The signature of a function pointer, lambda or other function object.
template <class F>
struct SignatureOf {
  static_assert(sizeof(F) == 0,
                "a program is a function, or a lambda or function object whose parameter types are written "
                "out (no auto)");
  using type = void();
};
template <class F>
  requires requires { &F::operator(); }
struct SignatureOf<F> : SignatureOf<decltype(&F::operator())> {};
template <class R, class... Ps>
struct SignatureOf<R (*)(Ps...)> {
  static_assert(!std::is_void_v<R>,
                "a program returns what it computes, and this function returns nothing: write `return` "
                "before its last expression");
  static_assert(
      (is_comparable<std::decay_t<Ps>> && ...),
      "a parameter that is neither Exp nor Vec is a constant of the program, which is compared with "
      "that of the next call: give its type an operator==, or make it an Exp, Vec or Mat");
  using type = std::decay_t<R>(std::decay_t<Ps>...);
};
// clang-format off
template <class R, class... Ps> struct SignatureOf<R (*)(Ps...) noexcept> : SignatureOf<R (*)(Ps...)> {};
template <class C, class R, class... Ps> struct SignatureOf<R (C::*)(Ps...)> : SignatureOf<R (*)(Ps...)> {};
template <class C, class R, class... Ps> struct SignatureOf<R (C::*)(Ps...) const> : SignatureOf<R (*)(Ps...)> {};
template <class C, class R, class... Ps> struct SignatureOf<R (C::*)(Ps...) noexcept> : SignatureOf<R (*)(Ps...)> {};
template <class C, class R, class... Ps> struct SignatureOf<R (C::*)(Ps...) const noexcept> : SignatureOf<R (*)(Ps...)> {};
// clang-format on

// The number of constants before parameter i.
template <class... Ps>
constexpr std::size_t constants_before(std::size_t i) {
  constexpr bool staged[] = {Parameter<Ps>::is_staged..., true};
  std::size_t n = 0;
  for (std::size_t k = 0; k < i; ++k) n += !staged[k];
  return n;
}
// What a function is called with: a composed value that comes from outside is checked.
template <class P>
P staged_argument(Unflatten& staged) {
  if constexpr (Composed<P>) {
    return staged.next<P>().checked();
  } else {
    return staged.next<P>();
  }
}
template <class P, std::size_t constant, class Given>
P take_argument(Unflatten& staged, const void* given) {
  if constexpr (Parameter<P>::is_staged) {
    return staged_argument<P>(staged);
  } else {
    return std::get<constant>(*static_cast<const Given*>(given));
  }
}
// What f returns. Arguments between braces are made from left to right.
template <class R>
struct Returned {
  template <class F, class... Ps>
  explicit Returned(F& f, Ps&&... arguments) : values(flattened<R>(f(std::forward<Ps>(arguments)...))) {}
  Values values;
};

template <class F, class Signature>
struct Caller;
template <class F, class R, class... Ps>
struct Caller<F, R(Ps...)> {
  static Values call(void* f, std::span<const Value> values, const void* given) {
    Unflatten staged(values);
    return call(*static_cast<F*>(f), staged, given, std::index_sequence_for<Ps...>());
  }
  static constexpr std::span<const ParameterInfo> parameters() { return parameter_infos<Ps...>; }
  static constexpr const ConstantsType* constants() {
    if constexpr (has_constants<Ps...>) return &constants_type<KeptConstants<Ps...>, GivenConstants<Ps...>>;
    return nullptr;
  }

 private:
  template <std::size_t... i>
  static Values call(F& f, [[maybe_unused]] Unflatten& staged, [[maybe_unused]] const void* given,
                     std::index_sequence<i...>) {
    if constexpr (has_constants<Ps...>) {
      return Returned<R>{
          f, take_argument<Ps, constants_before<Ps...>(i), GivenConstants<Ps...>>(staged, given)...}
          .values;
    } else {
      return Returned<R>{f, staged_argument<Ps>(staged)...}.values;
    }
  }
};

template <class F>
Traceable make_traceable(F f) {
  using Call = Caller<F, typename SignatureOf<F>::type>;
  return Traceable(std::move(f), &Call::call, Call::parameters(), Call::constants());
}

}  // namespace fulgurite::detail

#pragma GCC visibility pop
