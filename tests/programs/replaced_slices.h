// Loops that replace slices of an array by what other slices of it hold: some see what an update replaces,
// and others do not, as these are blocks, colours or rows beside it.
#pragma once

#include "folding.h"

namespace fulgurite::programs {

/// A slice of as many elements for each shift from 0 to 7: along each axis from `first` + shift on, some
/// elements apart.
struct SlicesOf {
  const Array& like;
  Values first;  // of each axis, at most `most_first`
  std::vector<std::string> first_texts;
  std::vector<std::int64_t> stride;
  static constexpr std::int64_t most_first = 4, most_shift = 4;

  std::vector<detail::Bounds> at(const std::vector<std::int64_t>& shifts, std::string& text) const {
    std::vector<detail::Bounds> bounds;
    for (std::size_t axis = 0; axis < like.rank(); ++axis) {
      const Scalar by = constant(Kind::i64, stride[axis]);
      const Scalar room =
          applied("sub", {of_extent(like.shape[axis]), constant(Kind::i64, most_first + most_shift)});
      const Scalar from =
          applied("add", {Scalar{first_texts[axis], first[axis]}, constant(Kind::i64, shifts[axis])});
      const Scalar to = applied("add", {from, applied("mul", {applied("div", {room, by}), by})});
      bounds.push_back({from.value, to.value, by.value});
      text += (axis > 0 ? ", " : "") + ("fg::Range{" + from.text + ", " + to.text + ", " + by.text + "}");
    }
    return bounds;
  }
};

inline std::vector<std::int64_t> drawn_shifts(Draw& d, const Array& a,
                                              const std::vector<std::int64_t>& stride) {
  std::vector<std::int64_t> shifts;
  for (std::size_t axis = 0; axis < a.rank(); ++axis) {
    const auto most = std::min<std::int64_t>(SlicesOf::most_shift, 2 * stride[axis]);
    shifts.push_back(static_cast<std::int64_t>(d.below(static_cast<std::size_t>(most) + 1)));
  }
  return shifts;
}

/// generate({n + .., m + ..}, [&](i, j) { return f(i, j); }): large enough for slices with some elements.
inline Array drawn_grid(Draw& d) {
  Array a{d.fresh("v"), {Kind::i32}, {}, {}};
  std::string texts;
  Values extents;
  for (std::size_t rank = d.one_in(2) ? 2 : 1; a.rank() < rank;) {
    const auto more = static_cast<std::int64_t>(d.below(a.rank() + 1 < rank ? 12 : 100));
    const Extent drawn = draw_size(d, 8);
    const Scalar n = d.one_in(2) ? applied("add", {of_extent(drawn), constant(Kind::i64, 9 + more)})
                                 : constant(Kind::i64, 9 + more);
    a.shape.push_back(d.extent(n.value, n.text));
    extents.push_back(n.value);
    texts += (texts.empty() ? "" : ", ") + n.text;
  }
  const auto element = [](std::span<const Value> at) {
    Value sum = literal(Kind::i64, 3);
    for (const Value& i : at) sum = call("mul", call("add", sum, i), literal(Kind::i64, 7919));
    return Values{call("rem", detail::cast(sum, Kind::i32, Here::current()), literal(Kind::i32, 997))};
  };
  a.parts = detail::generate(extents, Body(element), "generate", Here::current());
  d.line("auto " + a.name + " = fg::generate({" + texts + "}, grid_element);");
  return a;
}

/// iterate(trips, [&](k, u) { v = with(u, slice, f(slices of u)); return with(v, slice, f(slices of u, v));
/// }, a)
inline void replaced_slices(Draw& d) {
  if (d.is_large) return;
  const Array a = drawn_grid(d);
  const Scalar trips = constant(Kind::i64, static_cast<std::int64_t>(1 + d.below(3)));
  const std::string name = d.fresh("l");
  const auto step = d.repeatable([&](std::span<const Value> state) {
    const std::string k = d.fresh("k");
    std::vector<Array> versions{a};
    versions[0].name = d.fresh("u");
    versions[0].parts = {state[1]};
    d.outdent();
    d.line("auto " + name + " = fg::iterate(" + trips.text + ", [&](auto " + k + ", auto " +
           versions[0].name + ") {");
    d.indent();
    SlicesOf slices{a, {}, {}, {}};
    for (std::size_t axis = 0; axis < a.rank(); ++axis) {
      slices.stride.push_back(static_cast<std::int64_t>(1 + d.below(3)));
      const Scalar begin = constant(Kind::i64, static_cast<std::int64_t>(d.below(3)));
      const Scalar first = d.one_in(2) ? applied("add", {Scalar{k, state[0]}, begin}) : begin;
      slices.first.push_back(first.value);
      slices.first_texts.push_back(first.text);
    }
    for (std::size_t n = 1 + d.below(3); n > 0; --n) {
      const auto drawn = [&] {
        const Array& from = versions[d.one_in(3) ? 0 : versions.size() - 1];
        std::string text;
        const auto bounds = slices.at(drawn_shifts(d, a, slices.stride), text);
        return Scalar{from.name + ".slice(" + text + ")",
                      detail::slice(from.parts[0], bounds, Here::current())};
      };
      static constexpr const char* operators[] = {"add", "sub", "min", "max", "bit_xor"};
      Scalar value = drawn();
      for (std::size_t more = d.below(3); more > 0; --more)
        value = applied(operators[d.below(std::size(operators))], {value, drawn()});
      std::string text;
      const auto bounds = slices.at(drawn_shifts(d, a, slices.stride), text);
      Array next = a;
      next.name = d.fresh("u");
      next.parts = detail::with(versions.back().parts, std::span<const detail::Bounds>(bounds),
                                Values{value.value}, Here::current());
      d.line("auto " + next.name + " = fg::with(" + versions.back().name + ", {" + text + "}, " + value.text +
             ");");
      versions.push_back(std::move(next));
    }
    d.line("return " + versions.back().name + ";");
    return versions.back().parts;
  });
  const std::size_t widths[] = {1};
  Values last = detail::iterate(trips.value, Body(step), a.parts, widths, Here::current());
  d.line("}, " + a.name + ");");
  d.add(name, a.kinds, a.shape, std::move(last));
}

}  // namespace fulgurite::programs
