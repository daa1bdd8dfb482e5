// Choices and loops, decided when the program runs. What they choose between and carry are scalars,
// composites, arrays and std::tuples or std::pairs of these; the size of an array may differ between branches
// and from iteration to iteration. A branch that is not taken costs nothing where arrays are made in it; a
// loop over arrays costs its kernels, and no copy of its state.
#pragma once

#include <fulgurite/results.h>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace detail {

/// What a value is when staged: an array itself, a std::tuple or std::pair with arrays in it one of staged
/// values, anything else an Exp.
template <class R, bool has_arrays = ResultOf<R>::has_arrays>
struct StagedValue {
  using type = Exp<typename ResultOf<R>::Element>;
  static type take(Unflatten& values) { return values.next<type>(); }
  static void add_widths(std::vector<std::size_t>& widths) {
    widths.push_back(n_leaves<typename type::Element>);
  }
  template <class X>
  static type convert(const X& x) {
    static_assert(std::is_constructible_v<type, const X&>,
                  "the branches of cond, a loop's state and its next one have one type");
    return type(x);
  }
};
template <class T, int N>
struct StagedValue<Acc<T, N>, true> {
  using type = Acc<T, N>;
  static type take(Unflatten& values) { return values.next<type>(); }
  static void add_widths(std::vector<std::size_t>& widths) { widths.push_back(n_leaves<T>); }
  static type convert(const type& x) { return x; }
};
template <template <class...> class Composite, class... Rs>
struct StagedComposite {
  using type = Composite<typename StagedValue<Rs>::type...>;
  static type take(Unflatten& values) { return type{StagedValue<Rs>::take(values)...}; }
  static void add_widths(std::vector<std::size_t>& widths) { (StagedValue<Rs>::add_widths(widths), ...); }
  template <class... Xs>
  static type convert(const Composite<Xs...>& xs) {
    static_assert(sizeof...(Xs) == sizeof...(Rs),
                  "the branches of cond, a loop's state and its next one are tuples of one size");
    return std::apply([](const auto&... x) { return type{StagedValue<Rs>::convert(x)...}; }, xs);
  }
};
template <class... Rs>
struct StagedValue<std::tuple<Rs...>, true> : StagedComposite<std::tuple, Rs...> {};
template <class A, class B>
struct StagedValue<std::pair<A, B>, true> : StagedComposite<std::pair, A, B> {};
template <class R>
using State = typename StagedValue<R>::type;

template <class... Rs>
std::vector<std::size_t> widths_of() {
  std::vector<std::size_t> widths;
  (StagedValue<Rs>::add_widths(widths), ...);
  return widths;
}

// The type that two branches have in common: a C++ value takes the type of a staged one.
template <class A, class B, bool has_arrays = ResultOf<A>::has_arrays || ResultOf<B>::has_arrays>
struct Branches {
  using TA = typename ResultOf<A>::Element;
  using TB = typename ResultOf<B>::Element;
  static constexpr bool b_is_literal = LiteralFor<B, TA>;
  using T = std::conditional_t<LiteralFor<A, TB> && !b_is_literal, TB, TA>;
  static_assert(std::is_same_v<TA, TB> || LiteralFor<A, T> || b_is_literal,
                "the branches of cond have one element type");
  using type = Exp<T>;
};
template <class A, class B>
struct Branches<A, B, true> {
  static_assert(std::is_same_v<A, B>, "the branches of cond have one type");
  using type = A;
};
template <class... As, class... Bs>
  requires(sizeof...(As) == sizeof...(Bs))
struct Branches<std::tuple<As...>, std::tuple<Bs...>, true> {
  using type = std::tuple<typename Branches<As, Bs>::type...>;
};
template <class A0, class A1, class B0, class B1>
struct Branches<std::pair<A0, A1>, std::pair<B0, B1>, true> {
  using type = std::pair<typename Branches<A0, B0>::type, typename Branches<A1, B1>::type>;
};

template <class X>
auto call_or_value(const X& x) {
  if constexpr (std::is_invocable_v<const X&>) {
    return x();
  } else {
    return x;
  }
}

template <class A, class B>
auto cond(Here where, const Exp<bool>& condition, const A& a, const B& b) {
  using S = typename Branches<decltype(call_or_value(a)), decltype(call_or_value(b))>::type;
  const auto then_branch = [&](std::span<const Value>) {
    return flattened(StagedValue<S>::convert(call_or_value(a)));
  };
  const auto else_branch = [&](std::span<const Value>) {
    return flattened(StagedValue<S>::convert(call_or_value(b)));
  };
  const Values results = cond(condition.value(), Body(then_branch), Body(else_branch), widths_of<S>(), where);
  Unflatten values(results);
  return StagedValue<S>::take(values);
}

// One staged value, or a std::tuple of several.
template <class... States>
auto one_or_tuple(std::span<const Value> values) {
  Unflatten rest(values);
  std::tuple<States...> states{StagedValue<States>::take(rest)...};
  if constexpr (sizeof...(States) == 1) {
    return std::get<0>(states);
  } else {
    return states;
  }
}

// A loop body's results, each converted to the state's type.
template <class... States, class R>
Values next_state(const R& result) {
  if constexpr (sizeof...(States) == 1) {
    return flattened(std::tuple<States...>(StagedValue<States>::convert(result)...));
  } else {
    static_assert(TupleLike<R>,
                  "the body of a loop over several values returns a std::tuple of their next values");
    static_assert(std::tuple_size_v<R> == sizeof...(States),
                  "the body of a loop returns one next value for each initial one");
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      // The get() of an Exp of a tuple, as cond gives it, is found by its argument.
      using std::get;
      return flattened(std::tuple<States...>{StagedValue<States>::convert(get<i>(result))...});
    }(std::index_sequence_for<States...>());
  }
}

template <class Condition, class F, class... Inits>
auto while_loop(Here where, const Condition& condition, const F& body, const Inits&... inits) {
  static_assert(std::is_invocable_r_v<Exp<bool>, const Condition&, State<Inits>...>,
                "the condition of while_loop takes the state, one Exp or Acc for each initial value, and "
                "returns an Exp<bool>");
  static_assert(std::is_invocable_v<const F&, State<Inits>...>,
                "the body of while_loop takes the state, one Exp or Acc for each initial value");
  const auto tests = [&](std::span<const Value> state) {
    Unflatten values(state);
    std::tuple<State<Inits>...> states{StagedValue<Inits>::take(values)...};
    return flattened(Exp<bool>(std::apply(condition, states)));
  };
  const auto steps = [&](std::span<const Value> state) {
    Unflatten values(state);
    std::tuple<State<Inits>...> states{StagedValue<Inits>::take(values)...};
    return next_state<State<Inits>...>(std::apply(body, states));
  };
  const Values initial = flattened(std::tuple<State<Inits>...>{StagedValue<Inits>::convert(inits)...});
  return one_or_tuple<State<Inits>...>(
      while_loop(Body(tests), Body(steps), initial, widths_of<Inits...>(), where));
}

template <class F, class... Inits>
auto iterate(Here where, const Index& trips, const F& body, const Inits&... inits) {
  constexpr bool counts = std::is_invocable_v<const F&, Exp<i64>, State<Inits>...>;
  static_assert(counts || std::is_invocable_v<const F&, State<Inits>...>,
                "the body of iterate takes the state, one Exp or Acc for each initial value, before it the "
                "iteration's number if it wants it");
  const auto steps = [&](std::span<const Value> arguments) {
    Unflatten values(arguments);
    std::tuple<Exp<i64>, State<Inits>...> all{values.next<Exp<i64>>(), StagedValue<Inits>::take(values)...};
    return std::apply(
        [&](const Exp<i64>& number, const auto&... states) {
          if constexpr (counts) {
            return next_state<State<Inits>...>(body(number, states...));
          } else {
            return next_state<State<Inits>...>(body(states...));
          }
        },
        all);
  };
  const Values initial = flattened(std::tuple<State<Inits>...>{StagedValue<Inits>::convert(inits)...});
  return one_or_tuple<State<Inits>...>(
      iterate(trips.value, Body(steps), initial, widths_of<Inits...>(), where));
}

}  // namespace detail

/// cond(c, a, b): a where c holds, else b; only that one is computed. a and b are staged or C++ values,
/// arrays, std::tuples with arrays in them, or functions without parameters that return these. Both are of
/// one type; arrays in them need not be of one size.
template <class A, class B>
auto cond(const Exp<bool>& condition, const A& a, const B& b, detail::Here where = detail::Here::current()) {
  return detail::cond(where, condition, a, b);
}

/// while_loop(condition, body, initial...): while condition(state...) holds, state = body(state...). The
/// state is one to eight scalars, composites, arrays, or std::tuples with arrays in them; the body returns
/// the next one, several as a std::tuple, and so does while_loop. Arrays keep their type and rank; they may
/// get other sizes.
template <class C, class F, class S1>
auto while_loop(const C& condition, const F& body, const S1& s1,
                detail::Here where = detail::Here::current()) {
  return detail::while_loop(where, condition, body, s1);
}
template <class C, class F, class S1, class S2>
auto while_loop(const C& condition, const F& body, const S1& s1, const S2& s2,
                detail::Here where = detail::Here::current()) {
  return detail::while_loop(where, condition, body, s1, s2);
}
template <class C, class F, class S1, class S2, class S3>
auto while_loop(const C& condition, const F& body, const S1& s1, const S2& s2, const S3& s3,
                detail::Here where = detail::Here::current()) {
  return detail::while_loop(where, condition, body, s1, s2, s3);
}
template <class C, class F, class S1, class S2, class S3, class S4>
auto while_loop(const C& condition, const F& body, const S1& s1, const S2& s2, const S3& s3, const S4& s4,
                detail::Here where = detail::Here::current()) {
  return detail::while_loop(where, condition, body, s1, s2, s3, s4);
}
template <class C, class F, class S1, class S2, class S3, class S4, class S5>
auto while_loop(const C& condition, const F& body, const S1& s1, const S2& s2, const S3& s3, const S4& s4,
                const S5& s5, detail::Here where = detail::Here::current()) {
  return detail::while_loop(where, condition, body, s1, s2, s3, s4, s5);
}
template <class C, class F, class S1, class S2, class S3, class S4, class S5, class S6>
auto while_loop(const C& condition, const F& body, const S1& s1, const S2& s2, const S3& s3, const S4& s4,
                const S5& s5, const S6& s6, detail::Here where = detail::Here::current()) {
  return detail::while_loop(where, condition, body, s1, s2, s3, s4, s5, s6);
}
template <class C, class F, class S1, class S2, class S3, class S4, class S5, class S6, class S7>
auto while_loop(const C& condition, const F& body, const S1& s1, const S2& s2, const S3& s3, const S4& s4,
                const S5& s5, const S6& s6, const S7& s7, detail::Here where = detail::Here::current()) {
  return detail::while_loop(where, condition, body, s1, s2, s3, s4, s5, s6, s7);
}
template <class C, class F, class S1, class S2, class S3, class S4, class S5, class S6, class S7, class S8>
auto while_loop(const C& condition, const F& body, const S1& s1, const S2& s2, const S3& s3, const S4& s4,
                const S5& s5, const S6& s6, const S7& s7, const S8& s8,
                detail::Here where = detail::Here::current()) {
  return detail::while_loop(where, condition, body, s1, s2, s3, s4, s5, s6, s7, s8);
}

/// iterate(n, body, initial...): state = body(state...), n times (none if n is negative). A body with one
/// more parameter gets the iteration's number first, an Exp<fg::i64> from 0. The state is as
/// while_loop's.
template <class F, class S1>
auto iterate(Index n, const F& body, const S1& s1, detail::Here where = detail::Here::current()) {
  return detail::iterate(where, n, body, s1);
}
template <class F, class S1, class S2>
auto iterate(Index n, const F& body, const S1& s1, const S2& s2,
             detail::Here where = detail::Here::current()) {
  return detail::iterate(where, n, body, s1, s2);
}
template <class F, class S1, class S2, class S3>
auto iterate(Index n, const F& body, const S1& s1, const S2& s2, const S3& s3,
             detail::Here where = detail::Here::current()) {
  return detail::iterate(where, n, body, s1, s2, s3);
}
template <class F, class S1, class S2, class S3, class S4>
auto iterate(Index n, const F& body, const S1& s1, const S2& s2, const S3& s3, const S4& s4,
             detail::Here where = detail::Here::current()) {
  return detail::iterate(where, n, body, s1, s2, s3, s4);
}
template <class F, class S1, class S2, class S3, class S4, class S5>
auto iterate(Index n, const F& body, const S1& s1, const S2& s2, const S3& s3, const S4& s4, const S5& s5,
             detail::Here where = detail::Here::current()) {
  return detail::iterate(where, n, body, s1, s2, s3, s4, s5);
}
template <class F, class S1, class S2, class S3, class S4, class S5, class S6>
auto iterate(Index n, const F& body, const S1& s1, const S2& s2, const S3& s3, const S4& s4, const S5& s5,
             const S6& s6, detail::Here where = detail::Here::current()) {
  return detail::iterate(where, n, body, s1, s2, s3, s4, s5, s6);
}
template <class F, class S1, class S2, class S3, class S4, class S5, class S6, class S7>
auto iterate(Index n, const F& body, const S1& s1, const S2& s2, const S3& s3, const S4& s4, const S5& s5,
             const S6& s6, const S7& s7, detail::Here where = detail::Here::current()) {
  return detail::iterate(where, n, body, s1, s2, s3, s4, s5, s6, s7);
}
template <class F, class S1, class S2, class S3, class S4, class S5, class S6, class S7, class S8>
auto iterate(Index n, const F& body, const S1& s1, const S2& s2, const S3& s3, const S4& s4, const S5& s5,
             const S6& s6, const S7& s7, const S8& s8, detail::Here where = detail::Here::current()) {
  return detail::iterate(where, n, body, s1, s2, s3, s4, s5, s6, s7, s8);
}

}  // namespace fulgurite

#pragma GCC visibility pop
