// Rows that loops inside of points make longer and shorter, by numbers that are elements of the rows.
#pragma once

#include "idioms.h"

namespace fulgurite::programs {

/// How an iteration makes the next row.
struct GrowthOfRow {
  std::uint64_t way;
  std::int64_t sizes;  // how many sizes what is added may have
};

inline Value remainder_of(const Value& x, const Value& by) {
  const auto absolute = [](const Value& v) { return call("max", v, call("sub", literal(Kind::i64, 0), v)); };
  return call("rem", absolute(call("rem", x, by)), by);
}
inline Value length_of(const Value& row) {
  return detail::extent(row, 0, Here::current());
}
inline Value joined(const Value& a, const Value& b) {
  const detail::Operand both[] = {{std::span(&a, 1)}, {std::span(&b, 1)}};
  return detail::concat(both, 0, Here::current())[0];
}
inline Value element_of(const Value& row, const Value& number) {
  const Value at[] = {remainder_of(number, length_of(row))};
  return detail::index(row, at, Here::current());
}
/// The first `size` multiples of a number.
inline Value multiples_of(const Value& number, const Value& size) {
  const Value extents[] = {size};
  const auto multiple = [&](std::span<const Value> at) { return Values{call("mul", at[0], number)}; };
  return detail::generate(extents, Body(multiple), "generate", Here::current())[0];
}

/// `row` has one element at least, and so has the next one.
inline Value grown(const GrowthOfRow& growth, const Value& row, const Value& number) {
  const Value size = remainder_of(element_of(row, number), literal(Kind::i64, growth.sizes));
  const Value more = multiples_of(call("add", number, literal(Kind::i64, 1)), size);
  switch (growth.way) {
    case 0: return joined(row, more);
    case 1: return joined(more, detail::sort(Values{row}, 1, "sort", Here::current())[0]);
    case 2: {
      const detail::Bounds rest{call("div", length_of(row), literal(Kind::i64, 2)), length_of(row),
                                literal(Kind::i64, 1)};
      return joined(detail::slice(row, std::span(&rest, 1), Here::current()), more);
    }
    case 3: return joined(row, row);
    case 4: return prefix_sums({joined(more, row)})[0];
    case 5: {  // by classes, of which there are as many as an element says
      const Value classes = call("add", size, literal(Kind::i64, 2));
      const auto in_classes = [&](std::span<const Value> x) { return Values{remainder_of(x[0], classes)}; };
      return detail::partition(classes, Body(in_classes), Values{row}, Here::current())[0];
    }
    default: return multiples_of(number, call("add", size, literal(Kind::i64, 1)));
  }
}

/// generate(n, [&](i) { row, s = iterate(k, grown); return sum(row) ^ s; }), or while_loop
inline void growing_rows(Draw& d) {
  if (d.is_large || d.depth > 1) return;
  const Extent n = draw_size(d, 5);
  const Scalar width = applied("add", {of_extent(draw_size(d, 8)), constant(Kind::i64, 1)});
  const auto trips = static_cast<std::int64_t>(d.below(6));
  const bool counts = d.one_in(2), asks_array = d.one_in(2);
  const GrowthOfRow first{d.below(7), static_cast<std::int64_t>(1 + d.below(6))};
  const GrowthOfRow second{d.below(7), static_cast<std::int64_t>(1 + d.below(6))};
  const std::size_t widths[] = {1, 1, 1};
  // State: how many iterations are left, the row, and a number, after the iteration's number if the
  // loop counts.
  const auto step = [&](std::span<const Value> state) {
    const Value &row = state[counts ? 2 : 1], &number = state[counts ? 3 : 2];
    const Value is_first = call("eq", remainder_of(number, literal(Kind::i64, 2)), literal(Kind::i64, 0));
    const auto yes = [&](std::span<const Value>) { return Values{grown(first, row, number)}; };
    const auto no = [&](std::span<const Value>) { return Values{grown(second, row, number)}; };
    const std::size_t one[] = {1};
    const Value next = detail::cond(is_first, Body(yes), Body(no), one, Here::current())[0];
    const Value left = call("sub", state[counts ? 1 : 0], literal(Kind::i64, 1));
    return Values{left, next, call("add", call("mul", number, literal(Kind::i64, 3)), length_of(row))};
  };
  const auto condition = [&](std::span<const Value> state) {
    const Value goes_on = call("gt", state[0], literal(Kind::i64, 0));
    if (!asks_array) return Values{goes_on};
    const Value size = remainder_of(element_of(state[1], state[2]), literal(Kind::i64, 7));
    const Value sorted = detail::sort(Values{multiples_of(state[2], size)}, 1, "sort", Here::current())[0];
    const Value last = detail::reduce("add", "sum", prefix_sums({sorted})[0], std::nullopt, Here::current());
    return Values{call("bit_and", goes_on, call("ne", last, literal(Kind::i64, 6)))};
  };
  std::string index, text;
  const auto point = d.repeatable([&](std::span<const Value> at) {
    ++d.level;
    index = d.fresh("i");
    d.indices.push_back({{index, at[0]}, n.id});
    const Values begun{literal(Kind::i64, trips), drawn_elements(d, width, text)[0], literal(Kind::i64, 5)};
    const Values end = counts
                           ? detail::iterate(begun[0], Body(step), begun, widths, Here::current())
                           : detail::while_loop(Body(condition), Body(step), begun, widths, Here::current());
    --d.level;
    return Values{
        call("bit_xor", detail::reduce("add", "sum", end[1], std::nullopt, Here::current()), end[2])};
  });
  const Value extents[] = {n.value};
  const std::string name = d.fresh("v");
  Values sums = detail::generate(extents, Body(point), "generate", Here::current());
  d.line("auto " + name + " = fg::generate(" + n.text + ", [&](auto " + index + ") { return grown_in_" +
         (counts ? "iterate(" : "while_loop(") + std::to_string(trips) + ", " + text + "); });");
  d.add(name, {Kind::i64}, {n}, std::move(sums));
}

}  // namespace fulgurite::programs
