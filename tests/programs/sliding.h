// Reads at places beside the own one by a number of any sign, which may be the size of an array in a branch.
#pragma once

#include "folding.h"

namespace fulgurite::programs {

/// generate(n - w + c, [&](i) { return x[i + w]; }), and sums of slices from i to i + w. The number w is a
/// few elements, or below 0, so that many of these programs fail.
inline void sliding(Draw& d) {
  const Array* picked =
      d.pick([](const Array& a) { return a.rank() == 1 && a.kinds.size() == 1 && is_integer(a.kinds[0]); });
  if (picked == nullptr || d.is_safe) return;
  const Array x = *picked;
  const Scalar any = converted(draw_outer(d), Kind::i64);
  const Scalar few = applied("max", {applied("min", {any, constant(Kind::i64, 5)}), constant(Kind::i64, -2)});
  const Scalar w{d.fresh("x"), few.value};
  d.line("auto " + w.text + " = " + few.text + ";");
  if (d.one_in(2)) {
    const auto some = [&](std::span<const Value>) {
      const auto own = [](std::span<const Value> at) { return Values{at[0]}; };
      const Value extents[] = {w.value};
      const Values elements = detail::generate(extents, Body(own), "generate", Here::current());
      return Values{detail::reduce("add", "sum", elements[0], std::nullopt, Here::current())};
    };
    const auto none = [](std::span<const Value>) { return Values{literal(Kind::i64, 0)}; };
    const std::size_t widths[] = {1};
    const std::string sum = d.fresh("r");
    d.line("auto " + sum + " = fg::cond(" + w.text + " > 0, [&] { return fg::sum(fg::iota(" + w.text +
           ")); }, [] { return Exp<i64>(0); });");
    const Value condition = call("lt", literal(Kind::i64, 0), w.value);
    d.scalars.push_back({sum, detail::cond(condition, Body(some), Body(none), widths, Here::current())[0]});
  }
  const bool sums = d.one_in(2);
  const Scalar more = constant(Kind::i64, static_cast<std::int64_t>(d.below(3)) - 1 + sums);
  const Scalar size = applied("add", {applied("sub", {of_extent(x.shape[0]), w}), more});
  const Extent n = d.extent(size.value, size.text);
  const auto element = [&](std::span<const Value> at) {
    const Scalar i{"i", at[0]}, end = applied("add", {i, w});
    if (!sums) return Values{element_at(x, 0, {end}).value};
    const detail::Bounds bounds{i.value, end.value, literal(Kind::i64, 1)};
    const Value window = detail::slice(x.parts[0], std::span(&bounds, 1), Here::current());
    return Values{detail::reduce("add", "sum", window, std::nullopt, Here::current())};
  };
  const Value extents[] = {n.value};
  const std::string name = d.fresh("v");
  Values parts = detail::generate(extents, Body(element), "generate", Here::current());
  d.line("auto " + name + " = fg::generate(" + n.text + ", [&](auto i) { return " +
         (sums ? "fg::sum(" + x.name + ".slice(i, i + " + w.text + "))" : x.name + "[i + " + w.text + "]") +
         "; });");
  d.add(name, x.kinds, {n}, std::move(parts));
}

}  // namespace fulgurite::programs
