// Points that choose what they read by quotients and remainders of their index by small constants.
#pragma once

#include "folding.h"

namespace fulgurite::programs {

/// A place made of a quotient, a remainder or neighbouring bits of an index.
inline Scalar divided_place(Draw& d, const Scalar& i, std::int64_t by) {
  const auto number = [&](std::int64_t below) {
    return constant(Kind::i64, static_cast<std::int64_t>(d.below(static_cast<std::size_t>(below))));
  };
  const Scalar c = constant(Kind::i64, by);
  const auto quotient = [&](const Scalar& of) { return applied("div", {of, c}); };
  switch (d.below(9)) {
    case 0:
    case 1:
    case 2: return quotient(i);
    case 3: return applied("rem", {i, c});
    case 4: return applied("add", {applied("mul", {quotient(i), c}), number(by)});
    case 5: return applied("bit_xor", {i, number(4)});
    case 6: return applied("shr", {i, number(3)});
    case 7: return quotient(applied("add", {applied("mul", {i, constant(Kind::i64, 3)}), number(4)}));
    default:
      return applied("add", {applied("mul", {quotient(i), constant(Kind::i64, 2)}),
                             applied("bit_and", {i, constant(Kind::i64, 1)})});
  }
}

/// generate(n * c, [&](i) { return fg::cond(i % c == k, x[i / c], y[i / c] op ..); }), where other sizes and
/// places are drawn, so that some of these programs fail.
inline void interleaving(Draw& d) {
  const auto is_vector = [](const Array& a) { return a.rank() == 1; };
  const Array *first = d.pick(is_vector), *second = d.pick(is_vector);
  if (first == nullptr || d.is_safe) return;
  const Array x = *first, y = *second;
  const auto by = static_cast<std::int64_t>(2 + d.below(7));
  const Scalar c = constant(Kind::i64, by);
  const Scalar whole = of_extent(x.shape[0]), times = applied("mul", {whole, c});
  const Scalar sizes[] = {times, times, whole, applied("mul", {applied("div", {whole, c}), c}),
                          applied("sub", {times, constant(Kind::i64, 1)})};
  const Scalar size = sizes[d.below(std::size(sizes))];
  const Extent n = d.extent(size.value, size.text);
  const Kind kind = x.kinds[0];
  std::string text, index;
  const auto body = d.repeatable([&](std::span<const Value> at) {
    ++d.level;
    index = d.fresh("i");
    const Scalar i{index, at[0]};
    d.indices.push_back({i, n.id});
    const Scalar place = divided_place(d, i, by);
    const auto element = [&] { return element_at(x, 0, {place}); };
    const Scalar b = converted(element_at(y, 0, {divided_place(d, i, by)}), kind);
    const Scalar which =
        constant(Kind::i64, static_cast<std::int64_t>(d.below(static_cast<std::size_t>(by))));
    const Scalar is_it = applied("eq", {applied("rem", {i, c}), which});
    const Scalar other = d.one_in(2) ? b : expression(d, kind, 2);
    const std::string of_pair = x.name + "[" + place.text + "]";
    const std::string first_text = x.kinds.size() > 1 ? "fg::get<0>(" + of_pair + ")" : of_pair;
    Scalar result;
    switch (d.below(3)) {
      case 0: result = applied("select", {is_it, element(), other}); break;
      case 1: result = chosen(is_it, first_text, [&] { return element().value; }, other); break;
      default: result = applied(kind == Kind::boolean ? "logical_or" : "max", {element(), other});
    }
    text = result.text;
    --d.level;
    return Values{result.value};
  });
  const Value extents[] = {n.value};
  Values parts = detail::generate(extents, Body(body), "generate", Here::current());
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = fg::generate(" + n.text + ", [&](auto " + index + ") { return " + text +
         "; });");
  d.add(name, {kind}, {n}, std::move(parts));
}

}  // namespace fulgurite::programs
