// Statements of random programs on the axes of arrays: other orders, new axes, rows chosen, lines and rows
// sorted.
#pragma once

#include "folding.h"

namespace fulgurite::programs {

/// An axis of an array, from its front or from its back.
struct DrawnAxis {
  std::size_t along;
  int number;
  std::string text;
};
inline DrawnAxis draw_axis(Draw& d, std::size_t rank) {
  const std::size_t along = d.below(rank);
  const int number = static_cast<int>(along) - (d.one_in(2) ? static_cast<int>(rank) : 0);
  return {along, number, "fg::axis(" + std::to_string(number) + ")"};
}
inline const Array* pick_wide(Draw& d) {
  return d.pick([](const Array& a) { return a.rank() > 1; });
}

inline void reorder_axes(Draw& d) {
  const Array* picked = pick_wide(d);
  if (picked == nullptr) return;
  const Array a = *picked;
  std::vector<int> left, order;
  std::vector<Extent> shape;
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < a.rank(); ++k) left.push_back(static_cast<int>(k));
  while (!left.empty()) {
    const auto at = left.begin() + static_cast<std::ptrdiff_t>(d.below(left.size()));
    shape.push_back(a.shape[static_cast<std::size_t>(*at)]);
    order.push_back(d.one_in(3) ? *at - static_cast<int>(a.rank()) : *at);
    texts.push_back(std::to_string(order.back()));
    left.erase(at);
  }
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = fg::transpose(" + a.name + ", {" + joined(texts) + "});");
  d.add(name, a.kinds, shape,
        each(a, [&](const Value& v) { return detail::transpose(v, order, Here::current()); }));
}

inline void replicate_along(Draw& d) {
  const Array* picked = d.pick([](const Array& a) { return a.rank() < 3; });
  if (picked == nullptr || d.is_large) return;
  const Array a = *picked;
  const DrawnAxis axis = draw_axis(d, a.rank() + 1);
  const Extent n = draw_size(d, 6);
  auto shape = a.shape;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis.along), n);
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = fg::replicate(" + n.text + ", " + a.name + ", " + axis.text + ");");
  d.add(name, a.kinds, shape,
        each(a, [&](const Value& v) { return detail::replicate(v, n.value, axis.number, Here::current()); }));
}

/// What has one index on an axis, kept by a mask: one at hand, or of the indices.
inline void keep_slices(Draw& d) {
  const Array* picked = d.one_in(4) ? d.pick() : pick_wide(d);
  if (picked == nullptr) return;
  const Array a = *picked;
  const DrawnAxis axis = draw_axis(d, a.rank());
  const Extent n = a.shape[axis.along];
  const Array* given = d.pick([&](const Array& x) {
    return x.rank() == 1 && x.kinds == Kinds{Kind::boolean} && x.shape[0].id == n.id;
  });
  std::string mask_text;
  Value mask;
  if (given != nullptr && d.one_in(2)) {
    mask = given->parts[0], mask_text = given->name;
  } else {
    const auto every = static_cast<std::int64_t>(1 + d.below(4));
    const Value number = detail::iota(n.value, Kind::i64, Here::current());
    mask = call("lt", call("rem", number, literal(Kind::i64, every)), literal(Kind::i64, every / 2 + 1));
    mask_text = "fg::iota(" + n.text + ") % " + std::to_string(every) + " < " + std::to_string(every / 2 + 1);
  }
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = fg::filter(" + mask_text + ", " + a.name + ", " + axis.text + ");");
  Values parts = detail::filter(mask, a.parts, axis.number, Here::current());
  auto shape = a.shape;
  shape[axis.along] = d.extent(detail::extent(parts[0], axis.number, Here::current()),
                               name + ".size(" + std::to_string(axis.number) + ")");
  d.add(name, a.kinds, shape, std::move(parts));
}

/// sort, argsort and sort_by_key of each line along an axis, by the order of the type or by a comparison.
inline void sort_lines(Draw& d) {
  const Array* picked = pick_wide(d);
  if (picked == nullptr) return;
  const Array keys = *picked;
  const Array* other = d.pick([&](const Array& b) { return b.is_like(keys); });
  const Array values = other == nullptr ? keys : *other;
  const DrawnAxis axis = draw_axis(d, keys.rank());
  const std::size_t which = d.below(3), n = keys.kinds.size();
  const bool compares = d.one_in(2);
  static constexpr const char* names[] = {"sort", "argsort", "sort_by_key"};
  const char* origin = names[which];
  const Here here = Here::current();
  // By the remainders of integers, then downwards: a comparison of more than a key, which merges.
  const auto less = [&](std::span<const Value> ab) {
    Value a = ab[0], b = ab[n];
    if (!is_integer(a.kind)) a = detail::cast(a, Kind::i32, here), b = detail::cast(b, Kind::i32, here);
    const Value three = literal(a.kind, 3);
    const Value a_rest = detail::apply("rem", {a, three}, here),
                b_rest = detail::apply("rem", {b, three}, here);
    return Values{call("bit_or", call("lt", a_rest, b_rest),
                       call("bit_and", call("eq", a_rest, b_rest), call("gt", a, b)))};
  };
  const auto sorted = [&](std::span<const Value> line) {
    Values vectors(line.begin(), line.end());
    if (which == 1) vectors.push_back(detail::iota(detail::extent(line[0], 0, here), Kind::i64, here));
    const Values made = compares ? detail::sort(Body(less), vectors, n, origin, here)
                                 : detail::sort(vectors, n, origin, here);
    return which == 1 ? Values{made.back()} : made;
  };
  Values parts = keys.parts;
  if (which == 2) {
    detail::require_equal_shapes(origin, operands_of({keys, values}), here);
    parts.insert(parts.end(), values.parts.begin(), values.parts.end());
  }
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = fg::" + origin + "(" + (compares ? "by_remainders, " : "") + keys.name +
         (which == 2 ? ", " + values.name : "") + ", " + axis.text + ");");
  const Values results = detail::on_lines(parts, axis.number, Body(sorted), origin, here);
  if (which == 1) {
    d.add(name, {Kind::i64}, keys.shape, results);
    return;
  }
  const auto middle = results.begin() + static_cast<std::ptrdiff_t>(n);
  d.add(which == 2 ? "std::get<0>(" + name + ")" : name, keys.kinds, keys.shape,
        Values(results.begin(), middle));
  if (which == 2) d.add("std::get<1>(" + name + ")", values.kinds, keys.shape, Values(middle, results.end()));
}

/// The first few elements of each line in its order, or where they stand.
inline void select_lines(Draw& d) {
  const Array* picked = pick_wide(d);
  if (picked == nullptr) return;
  const Array a = *picked;
  const DrawnAxis axis = draw_axis(d, a.rank());
  const bool wants_places = d.one_in(2);
  const auto n = static_cast<std::int64_t>(1 + d.below(4));
  const Here here = Here::current();
  const auto sorted_line = [&](std::span<const Value> line) {
    Values vectors(line.begin(), line.end());
    const std::size_t n_keys = vectors.size();
    if (wants_places) vectors.push_back(detail::iota(detail::extent(line[0], 0, here), Kind::i64, here));
    Values sorted = detail::sort(vectors, n_keys, wants_places ? "argsort" : "sort", here);
    if (wants_places) sorted.erase(sorted.begin(), sorted.end() - 1);
    return sorted;
  };
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = fg::take(fg::" + (wants_places ? "argsort(" : "sort(") + a.name + ", " +
         axis.text + "), " + std::to_string(n) + ", " + axis.text + ");");
  Values results = detail::on_lines(a.parts, axis.number, Body(sorted_line), "sort", here);
  for (Value& v : results) v = detail::take(v, literal(Kind::i64, n), axis.number, here);
  auto shape = a.shape;
  shape[axis.along] = d.extent(detail::extent(results[0], axis.number, here),
                               name + ".size(" + std::to_string(axis.number) + ")");
  d.add(name, wants_places ? std::vector{Kind::i64} : a.kinds, shape, std::move(results));
}

/// Rows, or what has one index on another axis, in the order of their keys.
inline void sort_slices(Draw& d) {
  const Array* picked = pick_wide(d);
  if (picked == nullptr) return;
  const Array a = *picked;
  const DrawnAxis axis = draw_axis(d, a.rank());
  const Array* given =
      d.pick([&](const Array& x) { return x.rank() == 1 && x.shape[0].id == a.shape[axis.along].id; });
  if (given == nullptr) return;
  const Array keys = *given;
  const Here here = Here::current();
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = fg::sort_by_key(" + keys.name + ", " + a.name + ", " + axis.text + ");");
  detail::require_fits_axis("sort_by_key", keys.parts[0], a.parts[0], axis.number, here);
  Values vectors = keys.parts;
  vectors.push_back(detail::iota(keys.shape[0].value, Kind::i64, here));
  Values sorted = detail::sort(vectors, keys.kinds.size(), "sort_by_key", here);
  d.add("std::get<1>(" + name + ")", a.kinds, a.shape,
        detail::at_places(a.parts, sorted.back(), axis.number, "sort_by_key", here));
  sorted.pop_back();
  d.add("std::get<0>(" + name + ")", keys.kinds, keys.shape, std::move(sorted));
}

inline void axes(Draw& d) {
  switch (d.below(6)) {
    case 0: return reorder_axes(d);
    case 1: return replicate_along(d);
    case 2: return keep_slices(d);
    case 3: return sort_lines(d);
    case 4: return select_lines(d);
    default: return sort_slices(d);
  }
}

/// A fold, or a scan, of rows: element by element, or by a function of the whole rows.
inline void fold_rows(Draw& d) {
  const Array* picked = d.pick_rank(2);
  if (picked == nullptr) return;
  const Array a = tamed(d, *picked);
  const bool scans = d.one_in(2), columns = d.one_in(3);
  const Extent& length = a.shape[columns ? 0 : 1];
  const Operator op = draw_operator(d, a.kinds);
  if (op.neutral.empty()) return;
  const bool turns = d.one_in(4) && op.is_commutative;  // reads the rows elsewhere
  const std::size_t n = a.kinds.size();
  const auto body = [&](std::span<const Value> ab) {
    Values left(ab.begin(), ab.begin() + static_cast<std::ptrdiff_t>(n)),
        right(ab.begin() + static_cast<std::ptrdiff_t>(n), ab.end());
    if (turns) {  // reversed twice, so that it stays associative
      for (Value& v : left) v = detail::reverse(v, 0, Here::current());
      for (Value& v : right) v = detail::reverse(v, 0, Here::current());
    }
    const detail::Operand operands[] = {{left}, {right}};
    Values made = detail::map(operands, Body(op.body), Here::current());
    if (turns)
      for (Value& v : made) v = detail::reverse(v, 0, Here::current());
    return made;
  };
  const auto neutral_body = [&](std::span<const Value>) { return op.neutral; };
  const Value extents[] = {length.value};
  const Values neutral = detail::generate(extents, Body(neutral_body), "replicate", Here::current());
  const detail::Operand slices{a.parts, detail::Pass::slices, columns ? 1 : 0};
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = fg::" + (scans ? "scan(" : "reduce(") + (turns ? "turned " : "") + "zip " +
         op.text + ", fg::replicate(" + length.text + ", " + op.neutral_text +
         "), fg::" + (columns ? "columns(" : "rows(") + a.name + "));");
  if (scans)
    d.add(name, a.kinds, a.shape, detail::scan(Body(body), neutral, slices, Here::current()));
  else
    d.add(name, a.kinds, {length}, detail::reduce(Body(body), neutral, slices, Here::current()));
}

}  // namespace fulgurite::programs
