// Rows that loops inside of points change or replace, as a condition says, beside a number that reads them.
#pragma once

#include "idioms.h"

namespace fulgurite::programs {

/// How one of two branches makes the next row and the next number from those before.
struct BranchOfRow {
  std::uint64_t row, number;  // which of the ways below
  std::int64_t at, read;      // places of the row, counted from the iteration's number
};

inline BranchOfRow draw_branch_of_row(Draw& d) {
  return {d.below(6), d.below(4), static_cast<std::int64_t>(d.below(3)),
          static_cast<std::int64_t>(d.below(3))};
}

/// `state`: the iteration's number, the row, and a number.
inline Values branch_of_row(const BranchOfRow& branch, std::span<const Value> state, const Value& width) {
  const Value &row = state[1], &number = state[2];
  const auto place = [&](std::int64_t beyond) {
    return call("rem", call("add", state[0], literal(Kind::i64, beyond)), width);
  };
  const auto element = [&](std::int64_t beyond) {
    const Value at[] = {place(beyond)};
    return detail::index(row, at, Here::current());
  };
  const auto changed = [&](const Value& from, std::int64_t beyond, const Value& to) {
    const Value at[] = {place(beyond)};
    return detail::with(std::span(&from, 1), std::span<const Value>(at), std::span(&to, 1),
                        Here::current())[0];
  };
  Value next = row;
  switch (branch.row) {
    case 0: next = changed(row, branch.at, number); break;
    case 1: next = changed(row, branch.at, call("bit_xor", element(branch.at), number)); break;
    case 2: next = changed(changed(row, branch.at, element(branch.read)), branch.at + 1, number); break;
    case 3: next = detail::reverse(row, 0, Here::current()); break;
    case 4: next = prefix_sums({row})[0]; break;
    default: break;
  }
  const Value read = branch.number == 0   ? literal(Kind::i64, 1)
                     : branch.number == 1 ? detail::reduce("add", "sum", row, std::nullopt, Here::current())
                                          : element(branch.read);
  return {next, call("add", call("mul", number, literal(Kind::i64, 3)), read)};
}

/// generate(n, [&](i) { row, s = iterate(k, cond(.., {row, s}, {row, s})); return sum(row) ^ s; })
inline void branching_rows(Draw& d) {
  if (d.is_large || d.depth > 1) return;
  const Extent n = draw_size(d, 5);
  const Scalar width = applied("add", {of_extent(draw_size(d, 8)), constant(Kind::i64, 1)});
  const auto trips = static_cast<std::int64_t>(d.below(6));
  const auto every = static_cast<std::int64_t>(2 + d.below(2));
  const BranchOfRow first = draw_branch_of_row(d), second = draw_branch_of_row(d);
  std::string index, text;
  const auto step = [&](std::span<const Value> state) {
    const Value is_first =
        call("eq", call("rem", state[0], literal(Kind::i64, every)), literal(Kind::i64, 0));
    const auto yes = [&](std::span<const Value>) { return branch_of_row(first, state, width.value); };
    const auto no = [&](std::span<const Value>) { return branch_of_row(second, state, width.value); };
    const std::size_t widths[] = {1, 1};
    return detail::cond(is_first, Body(yes), Body(no), widths, Here::current());
  };
  const auto point = d.repeatable([&](std::span<const Value> at) {
    ++d.level;
    index = d.fresh("i");
    d.indices.push_back({{index, at[0]}, n.id});
    Values begun = drawn_elements(d, width, text);
    begun.push_back(literal(Kind::i64, 5));
    const std::size_t widths[] = {1, 1};
    const Values end = detail::iterate(literal(Kind::i64, trips), Body(step), begun, widths, Here::current());
    --d.level;
    return Values{
        call("bit_xor", detail::reduce("add", "sum", end[0], std::nullopt, Here::current()), end[1])};
  });
  const Value extents[] = {n.value};
  const std::string name = d.fresh("v");
  Values sums = detail::generate(extents, Body(point), "generate", Here::current());
  d.line("auto " + name + " = fg::generate(" + n.text + ", [&](auto " + index + ") { return branching(" +
         std::to_string(trips) + ", " + text + "); });");
  d.add(name, {Kind::i64}, {n}, std::move(sums));
}

}  // namespace fulgurite::programs
