// Points that give one of two rows of one size, which loops inside of each other change and let change
// places: sizes of results say that each loop's state keeps its size.
#pragma once

#include <stdexcept>

#include "expressions.h"
#include "idioms.h"

namespace fulgurite::programs {

/// One of the loops inside of each other, and what an iteration does with the rows that the inner loops
/// leave.
struct SwappingLoop {
  std::int64_t trips;
  bool counts;                // iterate, else while_loop
  std::uint64_t first, then;  // the ways of swapped() below; both: as the rows' sums say
};

inline Values swapped(std::uint64_t way, const Value& a, const Value& b) {
  switch (way) {
    case 0: return {b, a};
    case 1: return {b, call("add", a, literal(Kind::i64, 1))};
    case 2: return {detail::reverse(b, 0, Here::current()), a};
    case 3: return {prefix_sums({a})[0], b};
    default: return {a, b};
  }
}

/// The rows after the loops from `level` on.
inline Values swapped_in(std::span<const SwappingLoop> loops, std::span<const Value> rows) {
  if (loops.empty()) return {rows[0], rows[1]};
  const SwappingLoop& loop = loops.front();
  const auto sum = [](const Value& row) {
    return detail::reduce("add", "sum", row, std::nullopt, Here::current());
  };
  const auto step = [&](std::span<const Value> rows_before) {
    const Values inner = swapped_in(loops.subspan(1), rows_before);
    if (loop.first == loop.then) return swapped(loop.first, inner[0], inner[1]);
    const auto yes = [&](std::span<const Value>) { return swapped(loop.first, inner[0], inner[1]); };
    const auto no = [&](std::span<const Value>) { return swapped(loop.then, inner[0], inner[1]); };
    const std::size_t widths[] = {1, 1};
    return detail::cond(call("lt", sum(inner[0]), sum(inner[1])), Body(yes), Body(no), widths,
                        Here::current());
  };
  if (loop.counts) {
    const auto body = [&](std::span<const Value> state) { return step(state.subspan(1)); };
    const std::size_t widths[] = {1, 1};
    return detail::iterate(literal(Kind::i64, loop.trips), Body(body), rows, widths, Here::current());
  }
  const auto condition = [&](std::span<const Value> state) {
    return Values{call("lt", state[2], literal(Kind::i64, loop.trips))};
  };
  const auto body = [&](std::span<const Value> state) {
    Values next = step(state.first(2));
    next.push_back(call("add", state[2], literal(Kind::i64, 1)));
    return next;
  };
  const Value begun[] = {rows[0], rows[1], literal(Kind::i64, 0)};
  const std::size_t widths[] = {1, 1, 1};
  return detail::while_loop(Body(condition), Body(body), begun, widths, Here::current());
}

/// generate(n, [&](i) { a, b = loops of loops(row of w, row of w); return a; })
inline void swapped_rows(Draw& d) {
  if (d.is_large || d.depth > 1) return;
  const Extent n = draw_size(d, 5), width = draw_size(d, 8);
  std::vector<SwappingLoop> loops(1 + d.below(3));
  std::string index, text, described;
  for (SwappingLoop& loop : loops) {
    loop = {static_cast<std::int64_t>(d.below(4)), d.below(3) > 0, d.below(5), d.below(5)};
    described += std::to_string(loop.trips) + (loop.counts ? "" : "w") + ":" + std::to_string(loop.first) +
                 "|" + std::to_string(loop.then) + " ";
  }
  const auto point = d.repeatable([&](std::span<const Value> at) {
    ++d.level;
    index = d.fresh("i");
    d.indices.push_back({{index, at[0]}, n.id});
    const Value begun = drawn_elements(d, of_extent(width), text)[0];
    const Value rows[] = {begun, call("mul", begun, literal(Kind::i64, 3))};
    const Values end = swapped_in(loops, rows);
    --d.level;
    return Values{end[0]};
  });
  const Value extents[] = {n.value};
  const std::string name = d.fresh("v");
  Values rows;
  try {
    rows = detail::generate(extents, Body(point), "generate", Here::current());
  } catch (const ShapeError& error) {  // others may be refused while traced; these have one size
    throw std::logic_error(described + error.what());
  }
  d.line("auto " + name + " = fg::generate(" + n.text + ", [&](auto " + index + ") { return swapped(" +
         described + ", " + text + "); });");
  d.add(name, {Kind::i64}, {n, width}, std::move(rows));
}

}  // namespace fulgurite::programs
