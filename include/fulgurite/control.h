// Choices and loops over staged scalars, decided when the program runs.
#pragma once

#include <fulgurite/results.h>

namespace fulgurite {
namespace detail {

template <class X>
auto call_or_value(const X& x) {
  if constexpr (std::is_invocable_v<const X&>) {
    return x();
  } else {
    return x;
  }
}
template <class R>
using Plain = typename ResultOf<std::decay_t<R>>::Element;

template <class T>
using State = Exp<typename ResultOf<T>::Element>;

// One Exp, or a std::tuple of several.
template <class... States>
auto one_or_tuple(std::span<const Value> values) {
  Unflatten rest(values);
  std::tuple<States...> states{rest.next<States>()...};
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
    static_assert((std::is_constructible_v<States, const R&> && ...),
                  "the body of a loop over one value returns its next value");
    return flattened(std::tuple<States...>(States(result)...));
  } else {
    static_assert(TupleLike<R>,
                  "the body of a loop over several values returns a std::tuple of their next values");
    static_assert(std::tuple_size_v<R> == sizeof...(States),
                  "the body of a loop returns one next value for each initial one");
    return std::apply([](const auto&... xs) { return flattened(std::tuple<States...>{States(xs)...}); },
                      result);
  }
}

template <class Condition, class F, class... Inits>
auto while_loop(Here where, const Condition& condition, const F& body, const Inits&... inits) {
  static_assert(std::is_invocable_r_v<Exp<bool>, const Condition&, State<Inits>...>,
                "the condition of while_loop takes the state, one Exp for each initial value, and returns an "
                "Exp<bool>");
  static_assert(std::is_invocable_v<const F&, State<Inits>...>,
                "the body of while_loop takes the state, one Exp for each initial value");
  const auto tests = [&](std::span<const Value> state) {
    Unflatten values(state);
    std::tuple<State<Inits>...> states{values.next<State<Inits>>()...};
    return flattened(Exp<bool>(std::apply(condition, states)));
  };
  const auto steps = [&](std::span<const Value> state) {
    Unflatten values(state);
    std::tuple<State<Inits>...> states{values.next<State<Inits>>()...};
    return next_state<State<Inits>...>(std::apply(body, states));
  };
  const Values initial = flattened(std::tuple<State<Inits>...>{State<Inits>(inits)...});
  return one_or_tuple<State<Inits>...>(while_loop(Body(tests), Body(steps), initial, where));
}

template <class F, class... Inits>
auto iterate(Here where, const Index& trips, const F& body, const Inits&... inits) {
  constexpr bool counts = std::is_invocable_v<const F&, Exp<i64>, State<Inits>...>;
  static_assert(counts || std::is_invocable_v<const F&, State<Inits>...>,
                "the body of iterate takes the state, one Exp for each initial value, before it the "
                "iteration's number if it wants it");
  const auto steps = [&](std::span<const Value> arguments) {
    Unflatten values(arguments);
    std::tuple<Exp<i64>, State<Inits>...> all{values.next<Exp<i64>>(), values.next<State<Inits>>()...};
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
  const Values initial = flattened(std::tuple<State<Inits>...>{State<Inits>(inits)...});
  return one_or_tuple<State<Inits>...>(iterate(trips.value, Body(steps), initial, where));
}

}  // namespace detail

/// cond(c, a, b): a where c holds, else b; only that one is computed. a and b are staged or C++ values, or
/// functions without parameters that return them; composites work. Both have the same element type.
template <class A, class B>
auto cond(const Exp<bool>& condition, const A& a, const B& b, detail::Here where = detail::Here::current()) {
  using TA = detail::Plain<decltype(detail::call_or_value(a))>;
  using TB = detail::Plain<decltype(detail::call_or_value(b))>;
  constexpr bool b_is_literal = detail::LiteralFor<std::decay_t<B>, TA>;
  using T = std::conditional_t<detail::LiteralFor<std::decay_t<A>, TB> && !b_is_literal, TB, TA>;
  static_assert(std::is_same_v<TA, TB> || detail::LiteralFor<std::decay_t<A>, T> || b_is_literal,
                "the branches of cond have one element type");
  const auto then_branch = [&](std::span<const detail::Value>) {
    return detail::flattened(Exp<T>(detail::call_or_value(a)));
  };
  const auto else_branch = [&](std::span<const detail::Value>) {
    return detail::flattened(Exp<T>(detail::call_or_value(b)));
  };
  return detail::unflattened<Exp<T>>(
      detail::cond(condition.value(), detail::Body(then_branch), detail::Body(else_branch), where));
}

/// while_loop(condition, body, initial...): while condition(state...) holds, state = body(state...). The
/// state is one to eight scalars or composites; the body returns the next one, several as a std::tuple, and
/// so does while_loop.
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
/// more parameter gets the iteration's number first, an Exp<fg::i64> from 0. The state is one to eight
/// scalars or composites.
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
