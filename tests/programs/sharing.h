// Statements of random programs that need elements which cost something more than once: those beside an
// element, a part of them and their fold, folds in order of one or of two equal components.
#pragma once

#include "folding.h"

namespace fulgurite::programs {

/// A map of roots, which are whole numbers.
inline Array roots_of(Draw& d, const Array& a) {
  const bool branches = d.one_in(3);
  return map_to(d, {a}, {Kind::i32}, [&](const std::vector<Scalar>& x, std::string& text) {
    const Scalar small = converted(applied("bit_and", {x[0], constant(x[0].kind(), 15)}), Kind::f32);
    const Scalar root = applied("sqrt", {applied("mul", {small, small})});
    Scalar whole = converted(applied("rint", {root}), Kind::i32);
    if (branches)
      whole = chosen(
          applied("lt", {whole, constant(Kind::i32, 4)}), "7", [] { return literal(Kind::i32, 7); }, whole);
    text = whole.text;
    return Values{whole.value};
  });
}

/// Differences of elements that are `distance` apart along an axis.
inline void differences(Draw& d, const Array& a, std::size_t axis) {
  const auto distance = static_cast<std::int64_t>(1 + d.below(d.one_in(4) ? 20 : 2));
  const int number = static_cast<int>(axis);
  const Scalar by = applied("min", {constant(Kind::i64, distance), of_extent(a.shape[axis])});
  const Scalar rest = applied("sub", {of_extent(a.shape[axis]), by});
  const Here here = Here::current();
  const Value later = detail::drop(a.parts[0], by.value, number, here);
  const Value earlier = detail::take(a.parts[0], rest.value, number, here);
  const std::string name = d.fresh("v"), of_axis = ", fg::axis(" + std::to_string(number) + "))";
  d.line("auto " + name + " = fg::drop(" + a.name + ", " + by.text + of_axis + " * 3 - fg::take(" + a.name +
         ", " + rest.text + of_axis + ";");
  const Value three = detail::apply("mul", {later, literal(Kind::i32, 3)}, here);
  d.add_fresh(name, a.kinds, {detail::apply("sub", {three, earlier}, here)});
}

/// The last element that is not 0: an operator that does not commute. Of two components, those of the result
/// are exchanged, or not, which makes no difference where they are equal.
inline void last_of(Draw& d, const Array& a) {
  const std::size_t n = 1 + d.below(2);
  const bool are_exchanged = d.one_in(2), scans = d.one_in(2);
  const auto last = [&](std::span<const Value> ab) {
    Values results;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t from = are_exchanged ? n - 1 - k : k;
      const Value is_zero = call("eq", ab[n + from], literal(Kind::i32, 0));
      results.push_back(call("select", is_zero, ab[from], ab[n + k]));
    }
    return results;
  };
  const Values neutral(n, literal(Kind::i32, 0)), parts(n, a.parts[0]);
  const Kinds kinds(n, Kind::i32);
  const std::string name = d.fresh(scans ? "v" : "r");
  d.line("auto " + name + " = fg::" + (scans ? "scan" : "reduce") + "(last" +
         (n == 1          ? ", 0, "
          : are_exchanged ? "_exchanged, {0, 0}, "
                          : "_each, {0, 0}, ") +
         (n == 1 ? a.name : "fg::zip(" + a.name + ", " + a.name + ")") + ");");
  if (scans) {
    const detail::Scanning how{.origin = "scan", .neutral = neutral, .initial = {}};
    d.add(name, kinds, a.shape, detail::scan(how, Body(last), parts, Here::current()));
  } else {
    const detail::Fold fold{.origin = "reduce", .neutral = neutral, .initial = {}};
    d.add_scalars(name, kinds, detail::reduce(fold, Body(last), parts, Here::current()));
  }
}

inline void half_of(Draw& d, const Array& a) {
  const Scalar half = applied("div", {of_extent(a.shape[0]), constant(Kind::i64, 2)});
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = fg::take(" + a.name + ", " + half.text + ");");
  d.add_fresh(name, a.kinds, {detail::take(a.parts[0], half.value, 0, Here::current())});
}

inline void sum_of(Draw& d, const Array& a) {
  const std::string name = d.fresh("r");
  d.line("auto " + name + " = fg::sum(" + a.name + ");");
  d.add_scalars(name, a.kinds, {detail::reduce("add", "sum", a.parts[0], std::nullopt, Here::current())});
}

/// A map, and one to three statements that need its elements. It may be a result, or is in no scope any more.
inline void share(Draw& d) {
  const Array* picked =
      d.pick([](const Array& a) { return a.rank() <= 3 && a.kinds.size() == 1 && is_integer(a.kinds[0]); });
  if (picked == nullptr) return;
  const bool is_kept = d.one_in(3);
  const Array a = roots_of(d, *picked);
  if (!is_kept) d.arrays.pop_back();
  for (std::size_t n = 1 + d.below(3); n > 0; --n) switch (d.below(5)) {
      case 0:
      case 1: differences(d, a, d.below(a.rank())); break;
      case 2: last_of(d, a); break;
      case 3: half_of(d, a); break;
      default: sum_of(d, a);
    }
}

}  // namespace fulgurite::programs
