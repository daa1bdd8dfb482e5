// Statements of random programs that single draws rarely make up: reads of what is stored elsewhere in the
// same array, inner arrays whose sizes loops change, scans beside histograms.
#pragma once

#include "folding.h"

namespace fulgurite::programs {

/// scatter(x, at, map([&](p) { return x[p] op ...; }, at)): elements computed from what they replace, at
/// places of which some are equal, and from an element beside.
inline void replace(Draw& d) {
  const Array* picked = d.pick([](const Array& a) { return a.rank() == 1 && a.kinds.size() == 1; });
  if (picked == nullptr) return;
  const Array x = *picked;
  const Kind kind = x.kinds[0];
  const Array at = places(d, x.shape[0], nullptr);
  const bool beside = d.one_in(3);
  const Array made = map_to(d, {at}, {kind}, [&](const std::vector<Scalar>& p, std::string& text) {
    Scalar place = converted(p[0], Kind::i64);
    if (beside)
      place = applied("rem", {applied("add", {applied("abs", {place}), constant(Kind::i64, 1)}),
                              applied("max", {of_extent(x.shape[0]), constant(Kind::i64, 1)})});
    const Scalar old = element_at(x, 0, {place}), more = expression(d, kind, 1);
    const Scalar result = applied(kind == Kind::boolean ? "bit_xor" : "add", {old, more});
    text = result.text;
    return Values{result.value};
  });
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = fg::scatter(" + x.name + ", " + at.name + ", " + made.name + ");");
  const Value place_values[] = {at.parts[0]};
  d.add(name, x.kinds, x.shape, detail::scatter(x.parts, place_values, made.parts, false, Here::current()));
}

/// So many drawn numbers, in a function of elements; their text goes to `text`.
inline Values drawn_elements(Draw& d, const Scalar& size, std::string& text) {
  const Extent length = d.extent(size.value, size.text);
  std::string index;
  const auto element = d.repeatable([&](std::span<const Value> at) {
    ++d.level;
    index = d.fresh("j");
    d.indices.push_back({{index, at[0]}, length.id});
    const Scalar x = expression(d, Kind::i64, 2);
    text = x.text;
    --d.level;
    return Values{x.value};
  });
  const Value extents[] = {size.value};
  Values elements = detail::generate(extents, Body(element), "generate", Here::current());
  text = "fg::generate(" + size.text + ", [&](auto " + index + ") { return " + text + "; })";
  return elements;
}

/// fg::scan(fg::plus, 0, numbers): of a vector of integers.
inline Values prefix_sums(const Values& numbers) {
  const Value zero[] = {literal(numbers[0].kind, 0)};
  const auto add = [](std::span<const Value> ab) { return Values{call("add", ab[0], ab[1])}; };
  const detail::Scanning how{.origin = "scan", .neutral = zero, .initial = {}};
  return detail::scan(how, Body(add), numbers, Here::current());
}

/// Small numbers, perhaps changed by a loop, which are the sizes of inner arrays, each folded to one element.
inline void rows_of_sizes(Draw& d) {
  const Extent n = draw_size(d, 8);
  const std::size_t change = d.below(6);
  const bool is_hidden = d.one_in(3);
  const auto step = static_cast<std::int64_t>(d.below(3)) - 1;
  std::string index, text;
  const auto size_of = d.repeatable([&](std::span<const Value> at) {
    ++d.level;
    index = d.fresh("i");
    d.indices.push_back({{index, at[0]}, n.id});
    Scalar size = applied("rem", {applied("abs", {expression(d, Kind::i64, 2)}), constant(Kind::i64, 6)});
    // No bound is known through a float.
    if (is_hidden) size = converted(converted(size, Kind::f32), Kind::i64);
    text = size.text;
    --d.level;
    return Values{size.value};
  });
  const Value extents[] = {n.value};
  Value sizes = detail::generate(extents, Body(size_of), "generate", Here::current())[0];
  std::string name = d.fresh("sizes");
  d.line("auto " + name + " = fg::generate(" + n.text + ", [&](auto " + index + ") { return " + text +
         "; });");
  if (change > 0) {
    const Value trips = literal(Kind::i64, static_cast<std::int64_t>(1 + d.below(4)));
    const auto by = std::to_string(step);
    const auto next = [&](std::span<const Value> x) {
      switch (change) {
        case 1: return Values{call("add", x[0], literal(Kind::i64, step))};
        case 2: return Values{call("max", call("sub", x[0], literal(Kind::i64, 1)), literal(Kind::i64, 0))};
        case 3: return Values{call("mul", x[0], literal(Kind::i64, step))};
        default: return Values{call("min", call("add", x[0], literal(Kind::i64, 1)), literal(Kind::i64, 7))};
      }
    };
    static constexpr const char* texts[] = {
        "", "x + ", "fg::max(x - 1, 0)", "x * ", "fg::min(x + 1, 7)", "fg::min(x + 1, 7)"};
    const auto once = [&](std::span<const Value> state) {
      const detail::Operand operands[] = {{state.subspan(1, 1)}};
      return detail::map(operands, Body(next), Here::current());
    };
    const std::size_t widths[] = {1};
    const Value initial[] = {sizes};
    sizes = detail::iterate(trips, Body(once), initial, widths, Here::current())[0];
    const std::string made = d.fresh("sizes");
    d.line("auto " + made + " = fg::iterate(.., [&](auto, auto v) { return fg::map([&](auto x) { return " +
           texts[change] + (change == 1 || change == 3 ? by : "") + "; }, v); }, " + name + ");");
    name = made;
  }
  // A fold of an array whose number of elements is an expression: a size, a product or a difference.
  const std::size_t how = d.below(4);
  std::string param, body_text;
  const auto row = d.repeatable([&](std::span<const Value> given) {
    ++d.level;
    param = d.fresh("n");
    Scalar size{param, given[0]};
    const Scalar multiple =
        applied("mul", {size, constant(Kind::i64, static_cast<std::int64_t>(1 + d.below(5)))});
    const Scalar factor =
        applied("rem", {applied("sub", {expression(d, Kind::i64, 1), multiple}), constant(Kind::i64, 4)});
    if (how == 1) size = applied("max", {applied("sub", {size, factor}), constant(Kind::i64, 0)});
    if (how == 2) size = applied("max", {applied("mul", {size, factor}), constant(Kind::i64, 0)});
    if (how == 3)
      size = applied("max", {applied("mul", {applied("sub", {size, constant(Kind::i64, 2)}), factor}),
                             constant(Kind::i64, 0)});
    Values elements = drawn_elements(d, size, body_text);
    if (d.one_in(2)) {
      elements = prefix_sums(elements);
      body_text = "fg::scan(fg::plus, 0, " + body_text + ")";
    }
    if (d.one_in(3)) {
      elements = detail::sort(elements, 1, "sort", Here::current());
      body_text = "fg::sort(" + body_text + ")";
    }
    if (d.one_in(2)) {  // read twice, in another order
      const Value reversed = detail::reverse(elements[0], 0, Here::current());
      const detail::Operand operands[] = {{elements}, {std::span(&reversed, 1)}};
      const auto product = [](std::span<const Value> ab) {
        return Values{call("bit_xor", ab[0], call("mul", ab[1], literal(Kind::i64, 3)))};
      };
      elements = detail::map(operands, Body(product), Here::current());
      body_text = "xor_with_reversed(" + body_text + ")";
    }
    const Value sum = detail::reduce("add", "sum", elements[0], std::nullopt, Here::current());
    body_text = "fg::sum(" + body_text + ")";
    --d.level;
    return Values{sum};
  });
  const detail::Operand operands[] = {{std::span(&sizes, 1)}};
  Values sums = detail::map(operands, Body(row), Here::current());
  const std::string made = d.fresh("v");
  d.line("auto " + made + " = fg::map([&](auto " + param + ") { return " + body_text + "; }, " + name + ");");
  d.add(made, {Kind::i64}, {n}, std::move(sums));
}

/// generate(n, [&](i) { rows of sizes, within; return their sum; }): sizes are elements of an inner array.
inline void inner_rows_of_sizes(Draw& d) {
  if (d.is_large || d.depth > 1) return;
  const Extent n = draw_size(d, 5);
  const std::string name = d.fresh("m");
  const auto body = d.repeatable([&](std::span<const Value> at) {
    ++d.level;
    const std::string index = d.fresh("i");
    d.indices.push_back({{index, at[0]}, n.id});
    d.outdent();
    d.line("auto " + name + " = fg::generate(" + n.text + ", [&](auto " + index + ") {");
    d.indent();
    rows_of_sizes(d);
    const Array rows = d.arrays.back();
    d.line("return fg::sum(" + rows.name + ");");
    --d.level;
    return Values{detail::reduce("add", "sum", rows.parts[0], std::nullopt, Here::current())};
  });
  const Value extents[] = {n.value};
  Values sums = detail::generate(extents, Body(body), "generate", Here::current());
  d.line("});");
  d.add(name, {Kind::i64}, {n}, std::move(sums));
}

/// generate(n, [&](i) { return fg::sum(fg::generate(m, [&](j) { return fg::iterate(k, .., row); })); }): rows
/// inside of a point, each of which a loop changes element by element.
inline void changed_rows(Draw& d) {
  if (d.is_large || d.depth > 1) return;
  const Extent n = draw_size(d, 5), rows = draw_size(d, 40);
  const Scalar width = applied("add", {of_extent(draw_size(d, 8)), constant(Kind::i64, 1)});
  const Scalar trips = d.one_in(2) ? width : constant(Kind::i64, static_cast<std::int64_t>(d.below(6)));
  const auto apart = static_cast<std::int64_t>(d.below(4));
  std::string outer, inner, text;
  const auto step = [&](std::span<const Value> state) {
    const auto place = [&](std::int64_t beyond) {
      return call("rem", call("add", state[0], literal(Kind::i64, beyond)), width.value);
    };
    const Value at[] = {place(0)}, from[] = {place(apart)};
    const Value element[] = {
        call("bit_xor", call("mul", detail::index(state[1], at, Here::current()), literal(Kind::i64, 3)),
             detail::index(state[1], from, Here::current()))};
    return detail::with(state.subspan(1), std::span<const Value>(at), element, Here::current());
  };
  const auto point = d.repeatable([&](std::span<const Value> at) {
    ++d.level;
    outer = d.fresh("i");
    d.indices.push_back({{outer, at[0]}, n.id});
    const auto row = d.repeatable([&](std::span<const Value> within) {
      ++d.level;
      inner = d.fresh("j");
      d.indices.push_back({{inner, within[0]}, rows.id});
      const Values begun = drawn_elements(d, width, text);
      const std::size_t widths[] = {1};
      text = "changed(" + trips.text + ", " + std::to_string(apart) + ", " + text + ")";
      --d.level;
      return detail::iterate(trips.value, Body(step), begun, widths, Here::current());
    });
    const Value extents[] = {rows.value};
    const Values made = detail::generate(extents, Body(row), "generate", Here::current());
    text = "fg::sum(fg::generate(" + rows.text + ", [&](auto " + inner + ") { return " + text + "; }))";
    --d.level;
    return Values{detail::reduce("add", "sum", made[0], std::nullopt, Here::current())};
  });
  const Value extents[] = {n.value};
  const std::string name = d.fresh("v");
  Values sums = detail::generate(extents, Body(point), "generate", Here::current());
  d.line("auto " + name + " = fg::generate(" + n.text + ", [&](auto " + outer + ") { return " + text +
         "; });");
  d.add(name, {Kind::i64}, {n}, std::move(sums));
}

/// Sums of rows that grow with the index, of which one, or some, are read at computed places.
inline void triangle(Draw& d) {
  const Extent n = draw_size(d, 8);
  const auto more = static_cast<std::int64_t>(d.below(3));
  const bool scans = d.one_in(2);
  std::string index, text;
  const auto row = d.repeatable([&](std::span<const Value> at) {
    ++d.level;
    index = d.fresh("i");
    d.indices.push_back({{index, at[0]}, n.id});
    const Scalar size = applied("add", {{index, at[0]}, constant(Kind::i64, more)});
    Values elements = drawn_elements(d, size, text);
    if (scans) elements = prefix_sums(elements);
    text = std::string("fg::sum(") + (scans ? "fg::scan(fg::plus, 0, " + text + ")" : text) + ")";
    --d.level;
    return Values{detail::reduce("add", "sum", elements[0], std::nullopt, Here::current())};
  });
  const Value extents[] = {n.value};
  const std::string name = d.fresh("v");
  Values sums = detail::generate(extents, Body(row), "generate", Here::current());
  d.line("auto " + name + " = fg::generate(" + n.text + ", [&](auto " + index + ") { return " + text +
         "; });");
  const Array made = d.add(name, {Kind::i64}, {n}, std::move(sums));
  if (d.one_in(3)) return;
  const Scalar place = applied("rem", {applied("abs", {expression(d, Kind::i64, 2)}),
                                       applied("max", {of_extent(n), constant(Kind::i64, 1)})});
  const std::string one = d.fresh("r");
  const Scalar element = element_at(made, 0, {place});
  d.line("auto " + one + " = " + element.text + ";");
  d.scalars.push_back({one, element.value});
  if (d.one_in(2)) d.arrays.pop_back();
}

/// generate(n, [&](i) { return fg::sum(fg::generate(k, [&](l) { return x[i + l] ...; })); }): sums of
/// windows, all of which lie in x.
inline void windows(Draw& d) {
  const Array* picked =
      d.pick([](const Array& a) { return a.rank() == 1 && a.kinds.size() == 1 && is_integer(a.kinds[0]); });
  if (picked == nullptr) return;
  const Array x = *picked;
  const bool multiplies = d.one_in(2);
  const Scalar width = applied("min", {of_extent(draw_size(d, 6)), of_extent(x.shape[0])});
  const Extent k = d.extent(width.value, width.text);
  const Scalar points =
      applied("add", {applied("sub", {of_extent(x.shape[0]), width}), constant(Kind::i64, 1)});
  const Extent n = d.extent(points.value, points.text);
  std::string index, text;
  const auto window = d.repeatable([&](std::span<const Value> at) {
    ++d.level;
    index = d.fresh("i");
    d.indices.push_back({{index, at[0]}, n.id});
    std::string inner;
    const auto element = d.repeatable([&](std::span<const Value> within) {
      ++d.level;
      inner = d.fresh("l");
      d.indices.push_back({{inner, within[0]}, k.id});
      const Scalar there = element_at(x, 0, {applied("add", {{index, at[0]}, {inner, within[0]}})});
      const Scalar value = applied(multiplies ? "mul" : "add", {there, expression(d, x.kinds[0], 1)});
      text = value.text;
      --d.level;
      return Values{value.value};
    });
    const Value extents[] = {k.value};
    const Values elements = detail::generate(extents, Body(element), "generate", Here::current());
    text = "fg::sum(fg::generate(" + k.text + ", [&](auto " + inner + ") { return " + text + "; }))";
    --d.level;
    return Values{detail::reduce("add", "sum", elements[0], std::nullopt, Here::current())};
  });
  const Value extents[] = {n.value};
  const std::string name = d.fresh("v");
  Values sums = detail::generate(extents, Body(window), "generate", Here::current());
  d.line("auto " + name + " = fg::generate(" + n.text + ", [&](auto " + index + ") { return " + text +
         "; });");
  d.add(name, x.kinds, {n}, std::move(sums));
}

/// cond(f < g, [&] { return fg::take(a, n); }, [&] { return a; }), and the sum of that: a size that floats
/// decide.
inline void size_by_floats(Draw& d) {
  const Array* picked =
      d.pick([](const Array& a) { return a.rank() == 1 && a.kinds.size() == 1 && is_integer(a.kinds[0]); });
  if (picked == nullptr) return;
  const Array a = *picked;
  const Kind kind = d.one_in(2) ? Kind::f32 : Kind::f64;
  const Scalar condition = applied(
      "lt", {applied("add", {expression(d, kind, 1), expression(d, kind, 1)}), expression(d, kind, 1)});
  const Scalar n = applied("min", {of_extent(draw_size(d, 6)), of_extent(a.shape[0])});
  const auto some = [&](std::span<const Value>) {
    return each(a, [&](const Value& v) { return detail::take(v, n.value, 0, Here::current()); });
  };
  const auto all = [&](std::span<const Value>) { return a.parts; };
  const std::size_t widths[] = {1};
  const std::string name = d.fresh("v"), sum = d.fresh("r");
  d.line("auto " + name + " = fg::cond(" + condition.text + ", [&] { return fg::take(" + a.name + ", " +
         n.text + "); }, [&] { return " + a.name + "; });");
  const Values parts = detail::cond(condition.value, Body(some), Body(all), widths, Here::current());
  d.line("auto " + sum + " = fg::sum(" + name + ");");
  d.scalars.push_back({sum, detail::reduce("add", "sum", parts[0], std::nullopt, Here::current())});
  if (d.one_in(2)) d.add_fresh(name, a.kinds, parts);
}

/// fg::max(fg::generate(n + 150, [&](i) { return i < n ? x[i] : c; })): a fold of an array with an end of
/// equal elements, or a beginning, that is longer than vectors are.
inline void padded_fold(Draw& d) {
  const Array* picked =
      d.pick([](const Array& a) { return a.rank() == 1 && a.kinds.size() == 1 && is_integer(a.kinds[0]); });
  if (picked == nullptr) return;
  const Array x = *picked;
  static constexpr const char* folds[] = {"max", "min", "sum"};
  static constexpr const char* ops[] = {"max", "min", "add"};
  const std::size_t which = d.below(3);
  const bool at_the_end = d.one_in(2);
  const Scalar padding = constant(Kind::i64, 150), own = of_extent(x.shape[0]);
  const Scalar size = applied("add", {own, padding}),
               c = constant(x.kinds[0], 1 + static_cast<std::int64_t>(d.below(20)));
  const auto element = [&](std::span<const Value> at) {
    const Scalar i{"i", at[0]}, place = at_the_end ? i : applied("sub", {i, padding});
    const Value inside = at_the_end ? call("lt", at[0], own.value) : call("ge", at[0], padding.value);
    const std::size_t widths[] = {1};
    const auto there = [&](std::span<const Value>) { return Values{element_at(x, 0, {place}).value}; };
    const auto padded = [&](std::span<const Value>) { return Values{c.value}; };
    return detail::cond(inside, Body(there), Body(padded), widths, Here::current());
  };
  const Value extents[] = {size.value};
  const Values elements = detail::generate(extents, Body(element), "generate", Here::current());
  const std::string name = d.fresh("r");
  d.line("auto " + name + " = fg::" + folds[which] + "(fg::generate(" + size.text +
         ", [&](auto i) { return " +
         (at_the_end ? "i < " + own.text + " ? " + x.name + "[i] : " + c.text
                     : "i >= 150 ? " + x.name + "[i - 150] : " + c.text) +
         "; }));");
  d.scalars.push_back(
      {name, detail::reduce(ops[which], folds[which], elements[0], std::nullopt, Here::current())});
}

/// A scan and a histogram of one array, which one walk computes.
inline void scan_and_count(Draw& d) {
  const Array* picked =
      d.pick([](const Array& a) { return a.rank() == 1 && a.kinds.size() == 1 && is_integer(a.kinds[0]); });
  if (picked == nullptr) return;
  const Array a = *picked;
  const std::string name = d.fresh("v"), bins = d.fresh("v");
  const Value zero = literal(a.kinds[0], 0);
  const Value neutral[] = {zero};
  const auto add = [](std::span<const Value> ab) { return Values{call("add", ab[0], ab[1])}; };
  d.line("auto " + name + " = fg::scan(fg::plus, 0, " + a.name + ");");
  d.add(name, a.kinds, a.shape, prefix_sums(a.parts));
  const Extent k = draw_size(d, 9);
  const auto bin = [&](std::span<const Value> x) {
    const Value bits = call("bit_and", x[0], literal(a.kinds[0], 7));
    return Values{detail::cast(bits, Kind::i64, Here::current())};
  };
  const detail::Operand operands[] = {{a.parts}};
  const Value at = detail::map(operands, Body(bin), Here::current())[0];
  d.line("auto " + bins + " = fg::histogram(fg::plus, 0, " + k.text + ", fg::cast<fg::i64>(" + a.name +
         " & 7), " + a.name + ");");
  d.add(bins, a.kinds, {k}, detail::histogram(Body(add), neutral, k.value, at, a.parts, Here::current()));
}

}  // namespace fulgurite::programs
