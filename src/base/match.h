// Taking a closed std::variant apart.
//   match(stm.rhs, [](const Iota& i) { ... }, [](const Screma& s) { ... }, ...)
// calls the case of the alternative that is held. Every alternative must be handled and all cases return one
// type, else the program does not compile; passes do not write an `auto` catch-all, so that a new alternative
// is noticed where it must be. Dispatched by a switch: std::visit's function tables cost a third to a half
// more compile time and hide the missing case in a hundred lines of errors.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.h"

namespace fulgurite::base {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

// The alternative, with the constness and value category of the variant that holds it.
template <std::size_t I, class Variant>
using Alternative = decltype(std::get<I>(std::declval<Variant>()));

template <class Cases, class Alternative>
concept HandlesAlternative = std::is_invocable_v<Cases&, Alternative>;

template <std::size_t I, class Result, class Variant, class Cases>
  requires HandlesAlternative<Cases, Alternative<I, Variant>>
Result call_case(Variant&& v, Cases& cases) {
  static_assert(std::is_same_v<Result, std::invoke_result_t<Cases&, Alternative<I, Variant>>>,
                "all cases of a match return the same type");
  return cases(static_cast<Alternative<I, Variant>>(*std::get_if<I>(&v)));
}

// Alternatives from First on, sixteen to a switch.
template <std::size_t First, class Result, class Variant, class Cases>
Result dispatch(Variant&& v, Cases& cases) {
  constexpr std::size_t count = std::variant_size_v<std::remove_cvref_t<Variant>>;
  switch (v.index()) {
    case First + 0:
      return call_case<First + 0, Result>(std::forward<Variant>(v), cases);
      // clang-format off
    case First + 1: if constexpr (First + 1 < count) return call_case<First + 1, Result>(std::forward<Variant>(v), cases); break;
    case First + 2: if constexpr (First + 2 < count) return call_case<First + 2, Result>(std::forward<Variant>(v), cases); break;
    case First + 3: if constexpr (First + 3 < count) return call_case<First + 3, Result>(std::forward<Variant>(v), cases); break;
    case First + 4: if constexpr (First + 4 < count) return call_case<First + 4, Result>(std::forward<Variant>(v), cases); break;
    case First + 5: if constexpr (First + 5 < count) return call_case<First + 5, Result>(std::forward<Variant>(v), cases); break;
    case First + 6: if constexpr (First + 6 < count) return call_case<First + 6, Result>(std::forward<Variant>(v), cases); break;
    case First + 7: if constexpr (First + 7 < count) return call_case<First + 7, Result>(std::forward<Variant>(v), cases); break;
    case First + 8: if constexpr (First + 8 < count) return call_case<First + 8, Result>(std::forward<Variant>(v), cases); break;
    case First + 9: if constexpr (First + 9 < count) return call_case<First + 9, Result>(std::forward<Variant>(v), cases); break;
    case First + 10: if constexpr (First + 10 < count) return call_case<First + 10, Result>(std::forward<Variant>(v), cases); break;
    case First + 11: if constexpr (First + 11 < count) return call_case<First + 11, Result>(std::forward<Variant>(v), cases); break;
    case First + 12: if constexpr (First + 12 < count) return call_case<First + 12, Result>(std::forward<Variant>(v), cases); break;
    case First + 13: if constexpr (First + 13 < count) return call_case<First + 13, Result>(std::forward<Variant>(v), cases); break;
    case First + 14: if constexpr (First + 14 < count) return call_case<First + 14, Result>(std::forward<Variant>(v), cases); break;
    case First + 15: if constexpr (First + 15 < count) return call_case<First + 15, Result>(std::forward<Variant>(v), cases); break;
    // clang-format on
    default: break;
  }
  if constexpr (First + 16 < count) return dispatch<First + 16, Result>(std::forward<Variant>(v), cases);
  check_failed("!v.valueless_by_exception()", "match of a variant that holds nothing");
}

template <class Variant, class... Cases>
decltype(auto) match(Variant&& v, Cases&&... cases) {
  Overloaded all{std::forward<Cases>(cases)...};
  using All = decltype(all);
  static_assert(HandlesAlternative<All, Alternative<0, Variant>>,
                "match does not handle the first alternative");
  using Result = std::invoke_result_t<All&, Alternative<0, Variant>>;
  return dispatch<0, Result>(std::forward<Variant>(v), all);
}

// if (const auto* loop = as<Loop>(stm.rhs)): a question about one alternative.
template <class T, class... Alternatives>
const T* as(const std::variant<Alternatives...>& v) {
  return std::get_if<T>(&v);
}
template <class T, class... Alternatives>
T* as(std::variant<Alternatives...>& v) {
  return std::get_if<T>(&v);
}
template <class T, class... Alternatives>
const T* as(std::variant<Alternatives...>&& v) = delete;  // would dangle

}  // namespace fulgurite::base
