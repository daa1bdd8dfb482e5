// Statements of random programs that put elements in other places, and read or store them there.
#pragma once

#include "elementwise.h"

namespace fulgurite::programs {

inline Scalar nonnegative_sub(const Scalar& a, std::int64_t by) {
  return applied("max", {applied("sub", {a, constant(Kind::i64, by)}), constant(Kind::i64, 0)});
}

/// A range within an extent, or rarely anywhere: start, stop and stride.
struct DrawnRange {
  detail::Bounds bounds;
  std::string text;
};
inline DrawnRange draw_range(Draw& d, const Extent& n) {
  const Scalar size = of_extent(n), zero = constant(Kind::i64, 0);
  const auto range = [](const Scalar& start, const Scalar& stop, const Scalar& stride) {
    return DrawnRange{{start.value, stop.value, stride.value},
                      start.text + ", " + stop.text + ", " + stride.text};
  };
  const auto inside = [&](const Scalar& x) { return applied("min", {applied("max", {x, zero}), size}); };
  const auto stride = static_cast<std::int64_t>(1 + d.below(3));
  switch (d.below(8)) {
    case 0: return range(zero, nonnegative_sub(size, 1), constant(Kind::i64, stride));
    case 1:
      return range(applied("min", {constant(Kind::i64, static_cast<std::int64_t>(d.below(3))), size}), size,
                   constant(Kind::i64, stride));
    case 2:  // reversed
      return range(applied("sub", {size, constant(Kind::i64, 1)}), constant(Kind::i64, -1),
                   constant(Kind::i64, -stride));
    case 3: {
      const Scalar start = inside(expression(d, Kind::i64, 1));
      return range(start, applied("max", {start, inside(expression(d, Kind::i64, 1))}),
                   constant(Kind::i64, stride));
    }
    case 4: {  // downwards from some place
      const Scalar start =
          applied("min", {applied("max", {expression(d, Kind::i64, 1), constant(Kind::i64, -1)}),
                          applied("sub", {size, constant(Kind::i64, 1)})});
      return range(start, constant(Kind::i64, -1), constant(Kind::i64, -stride));
    }
    case 5: {  // a stride that is computed
      const Scalar by = applied("max", {applied("rem", {expression(d, Kind::i64, 1), constant(Kind::i64, 5)}),
                                        constant(Kind::i64, 1)});
      return range(zero, size, by);
    }
    case 6: {
      const Scalar by = applied("min", {applied("rem", {expression(d, Kind::i64, 1), constant(Kind::i64, 5)}),
                                        constant(Kind::i64, -1)});
      return range(applied("sub", {size, constant(Kind::i64, 1)}), constant(Kind::i64, -1), by);
    }
    default:
      if (!d.one_in(3)) return range(zero, size, constant(Kind::i64, stride));
      const Scalar start = expression(d, Kind::i64, 1), stop = expression(d, Kind::i64, 1);
      return range(start, stop, expression(d, Kind::i64, 1));
  }
}

inline Values each(const Array& a, const std::function<Value(const Value&)>& f) {
  Values parts;
  for (const Value& part : a.parts) parts.push_back(f(part));
  return parts;
}

inline void slice(Draw& d) {
  const Array* picked = d.pick();
  if (picked == nullptr) return;
  const Array a = *picked;
  std::vector<detail::Bounds> bounds;
  std::vector<std::string> texts;
  for (const Extent& e : a.shape) {
    const DrawnRange range = draw_range(d, e);
    bounds.push_back(range.bounds);
    texts.push_back(a.rank() == 1 ? range.text : "{" + range.text + "}");
  }
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = " + a.name + ".slice(" + joined(texts) + ");");
  d.add_fresh(name, a.kinds,
              each(a, [&](const Value& v) { return detail::slice(v, bounds, Here::current()); }));
}

/// take, drop, reverse, rotate, transpose, reshape, a row.
inline void arrange(Draw& d) {
  const Array* picked = d.pick();
  if (picked == nullptr) return;
  const Array a = *picked;
  const std::size_t axis = d.below(a.rank());
  const int number =
      d.one_in(2) ? static_cast<int>(axis) : static_cast<int>(axis) - static_cast<int>(a.rank());
  const std::string axis_text = ", fg::axis(" + std::to_string(number) + ")";
  const std::string name = d.fresh("v");
  const Here here = Here::current();
  auto shape = a.shape;
  switch (d.below(8)) {
    case 0:
    case 1: {
      const bool takes = d.one_in(2);
      Scalar n = of_extent(draw_size(d, 8));
      if (!d.one_in(6)) n = applied("min", {n, of_extent(a.shape[axis])});
      d.line("auto " + name + " = fg::" + (takes ? "take(" : "drop(") + a.name + ", " + n.text + axis_text +
             ");");
      auto parts = each(a, [&](const Value& v) {
        return takes ? detail::take(v, n.value, number, here) : detail::drop(v, n.value, number, here);
      });
      shape[axis] =
          d.extent(detail::extent(parts[0], number, here), name + ".size(" + std::to_string(number) + ")");
      d.add(name, a.kinds, shape, std::move(parts));
      return;
    }
    case 2:
      d.line("auto " + name + " = fg::reverse(" + a.name + axis_text + ");");
      d.add(name, a.kinds, shape, each(a, [&](const Value& v) { return detail::reverse(v, number, here); }));
      return;
    case 3: {
      const Scalar by = expression(d, Kind::i64, 1);
      d.line("auto " + name + " = fg::rotate(" + a.name + ", " + by.text + axis_text + ");");
      d.add(name, a.kinds, shape, detail::rotate(a.parts, by.value, number, here));
      return;
    }
    case 4:
      if (a.rank() == 2) {
        d.line("auto " + name + " = fg::transpose(" + a.name + ");");
        d.add(name, a.kinds, {a.shape[1], a.shape[0]},
              each(a, [&](const Value& v) { return detail::transpose(v, std::array{1, 0}, here); }));
        return;
      }
      [[fallthrough]];
    case 5:
      if (a.rank() > 1) {
        Scalar i = d.indices.empty() || d.one_in(2)
                       ? constant(Kind::i64, static_cast<std::int64_t>(d.below(2)))
                       : d.indices.back().scalar;
        if (!d.one_in(5))
          i = applied("rem",
                      {applied("abs", {i}), applied("max", {of_extent(a.shape[0]), constant(Kind::i64, 1)})});
        d.line("auto " + name + " = " + a.name + "[" + i.text + "];");
        shape.erase(shape.begin());
        d.add(name, a.kinds, shape,
              each(a, [&](const Value& v) { return detail::index(v, std::span(&i.value, 1), here); }));
        return;
      }
      [[fallthrough]];
    default: {
      // Flat; as one more axis of length 1; or cut in rows, which fit where the length is a multiple.
      std::vector<Scalar> extents;
      Scalar size = constant(Kind::i64, 1);
      for (const Extent& e : a.shape)
        size = size.value.node == nullptr ? of_extent(e) : applied("mul", {size, of_extent(e)});
      switch (d.below(4)) {
        case 0: extents = {size}; break;
        case 1:
          if (a.rank() < 3) {
            extents = {constant(Kind::i64, 1)};
            for (const Extent& e : a.shape) extents.push_back(of_extent(e));
            break;
          }
          [[fallthrough]];
        case 2:
          if (a.rank() == 2) {
            extents = {of_extent(a.shape[1]), of_extent(a.shape[0])};
            break;
          }
          [[fallthrough]];
        default: {
          const Scalar k = applied("max", {of_extent(draw_size(d, 6)), constant(Kind::i64, 1)});
          const Scalar rows = applied("div", {size, k});
          const auto kept = applied("mul", {rows, k});
          const Value flat_extent[] = {size.value};
          auto flat = each(a, [&](const Value& v) { return detail::reshape(v, flat_extent, here); });
          if (!d.one_in(4))
            for (Value& v : flat) v = detail::take(v, kept.value, 0, here);
          const Value two[] = {rows.value, k.value};
          for (Value& v : flat) v = detail::reshape(v, two, here);
          d.line("auto " + name + " = fg::reshape(fg::take(fg::flatten(" + a.name + "), " + kept.text +
                 "), {" + rows.text + ", " + k.text + "});");
          d.add_fresh(name, a.kinds, std::move(flat));
          return;
        }
      }
      Values values;
      std::vector<std::string> texts;
      for (const Scalar& e : extents) values.push_back(e.value), texts.push_back(e.text);
      d.line("auto " + name + " = fg::reshape(" + a.name + ", {" + joined(texts) + "});");
      d.add_fresh(name, a.kinds, each(a, [&](const Value& v) { return detail::reshape(v, values, here); }));
    }
  }
}

inline void concat(Draw& d) {
  const Array* picked = d.pick();
  if (picked == nullptr) return;
  const Array a = *picked;
  const std::size_t axis = d.below(a.rank());
  std::vector<Array> all{a};
  for (std::size_t more = 1 + d.below(3); more > 0; --more)
    if (const Array* b = d.pick([&](const Array& x) {
          if (x.kinds != a.kinds || x.rank() != a.rank()) return false;
          for (std::size_t k = 0; k < x.rank(); ++k)
            if (k != axis && x.shape[k].id != a.shape[k].id) return false;
          return true;
        }))
      all.push_back(*b);
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = fg::concat(fg::axis(" + std::to_string(axis) + "), " + names_of(all) + ");");
  auto shape = a.shape;
  Values parts = detail::concat(operands_of(all), static_cast<int>(axis), Here::current());
  shape[axis] = d.extent(detail::extent(parts[0], static_cast<int>(axis), Here::current()),
                         name + ".size(" + std::to_string(axis) + ")");
  d.add(name, a.kinds, shape, std::move(parts));
}

/// An integer vector of places below a size, by some rule; its length may be asked to be that of `like`.
inline Array places(Draw& d, const Extent& below, const Extent* like) {
  const Array* given = d.pick([&](const Array& a) {
    return a.rank() == 1 && a.kinds.size() == 1 && is_integer(a.kinds[0]) &&
           (like == nullptr || a.shape[0].id == like->id);
  });
  if (given != nullptr && d.one_in(4)) return *given;
  const Extent n = like != nullptr ? *like : draw_size(d, 20);
  const std::size_t rule = d.below(5);
  std::string index;
  std::string text;
  const std::string name = d.fresh("p");
  const auto body = d.repeatable([&](std::span<const Value> at) {
    ++d.level;
    index = d.fresh("i");
    const Scalar i{index, at[0]}, size = of_extent(below), one = constant(Kind::i64, 1);
    d.indices.push_back({i, n.id});
    Scalar x = i;
    switch (rule) {
      case 0: x = applied("sub", {applied("sub", {size, one}), i}); break;
      case 1:
        x = applied("rem", {applied("abs", {expression(d, Kind::i64, 2)}), applied("max", {size, one})});
        break;
      case 2:
        x = applied("rem", {applied("add", {i, constant(Kind::i64, static_cast<std::int64_t>(d.below(4)))}),
                            applied("max", {size, one})});
        break;
      case 3:
        x = applied("min", {applied("max", {expression(d, Kind::i64, 2), constant(Kind::i64, 0)}),
                            applied("sub", {size, one})});
        break;
      default: x = d.one_in(3) ? expression(d, Kind::i64, 2) : applied("div", {i, constant(Kind::i64, 2)});
    }
    text = x.text;
    --d.level;
    return Values{x.value};
  });
  const Value extents[] = {n.value};
  Values parts = detail::generate(extents, Body(body), "generate", Here::current());
  d.line("auto " + name + " = fg::generate(" + n.text + ", [&](auto " + index + ") { return " + text +
         "; });");
  return d.add(name, {Kind::i64}, {n}, std::move(parts));
}

inline void gather(Draw& d) {
  const Array* picked = d.pick_rank(1);
  if (picked == nullptr) return;
  const Array a = *picked;
  const Array at = places(d, a.shape[0], nullptr);
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = fg::gather(" + a.name + ", " + at.name + ");");
  d.add(name, a.kinds, at.shape, detail::gather(a.parts, at.parts[0], Here::current()));
}

inline void backpermute(Draw& d) {
  const Array* picked = d.pick();
  if (picked == nullptr) return;
  const Array a = *picked;
  const std::size_t rank = 1 + d.below(2);
  std::vector<Extent> shape;
  Values extents;
  std::vector<std::string> texts, params;
  for (std::size_t k = 0; k < rank; ++k) {
    shape.push_back(draw_size(d, rank == 1 ? 20 : 7));
    extents.push_back(shape.back().value);
    texts.push_back(shape.back().text);
  }
  const std::string name = d.fresh("v");
  std::string result;
  const auto body = d.repeatable([&](std::span<const Value> at) {
    ++d.level;
    params.clear();
    for (std::size_t k = 0; k < rank; ++k) {
      params.push_back(d.fresh("i"));
      d.indices.push_back({{params.back(), at[k]}, shape[k].id});
    }
    Values results;
    std::vector<std::string> parts;
    for (const Extent& e : a.shape) {
      Scalar x = expression(d, Kind::i64, 2);
      if (!d.one_in(8))
        x = applied("rem", {applied("abs", {x}), applied("max", {of_extent(e), constant(Kind::i64, 1)})});
      results.push_back(x.value);
      parts.push_back(x.text);
    }
    result = parts.size() == 1 ? parts[0] : "std::tuple{" + joined(parts) + "}";
    --d.level;
    return results;
  });
  Values parts = detail::backpermute(extents, Body(body), a.parts, Here::current());
  d.line("auto " + name + " = fg::backpermute({" + joined(texts) + "}, " + lambda_head(params) +
         " { return " + result + "; }, " + a.name + ");");
  d.add(name, a.kinds, shape, std::move(parts));
}

inline void scatter(Draw& d) {
  const Array* picked = d.pick();
  if (picked == nullptr) return;
  const Array to = *picked;
  const Array* values = d.pick([&](const Array& a) { return a.rank() == 1 && a.kinds == to.kinds; });
  Array from;
  std::vector<Array> at;
  const std::string name = d.fresh("v");
  const bool any = d.one_in(4);
  if (any) {  // equal values for all places: any may stay
    const Extent n = draw_size(d, 20);
    const auto [element, text] = draw_element(d, to.kinds, 1);
    const auto body = [&, same = element](std::span<const Value>) { return same; };
    const Value extents[] = {n.value};
    const std::string made = d.fresh("v");
    d.line("auto " + made + " = fg::replicate(" + n.text + ", " + text + ");");
    from = d.add(made, to.kinds, {n}, detail::generate(extents, Body(body), "replicate", Here::current()));
  } else if (values != nullptr) {
    from = *values;
  } else {
    return;
  }
  Values place_values;
  for (const Extent& e : to.shape) {
    at.push_back(places(d, e, &from.shape[0]));
    place_values.push_back(at.back().parts[0]);
  }
  d.line("auto " + name + " = fg::scatter(" + to.name + ", " +
         (at.size() == 1 ? at[0].name : "std::tuple{" + names_of(at) + "}") + ", " + from.name +
         (any ? ", fg::any_of_equal" : "") + ");");
  d.add(name, to.kinds, to.shape, detail::scatter(to.parts, place_values, from.parts, any, Here::current()));
}

/// An array with an element, or a slice, replaced.
inline void update(Draw& d, const Array& a) {
  const std::string name = d.fresh("v");
  if (d.one_in(2)) {
    Values at;
    std::vector<std::string> texts;
    for (const Extent& e : a.shape) {
      Scalar i = expression(d, Kind::i64, 1);
      if (!d.one_in(6))
        i = applied("rem", {applied("abs", {i}), applied("max", {of_extent(e), constant(Kind::i64, 1)})});
      at.push_back(i.value);
      texts.push_back(i.text);
    }
    const auto [element, text] = draw_element(d, a.kinds, 2);
    d.line("auto " + name + " = fg::with(" + a.name + ", {" + joined(texts) + "}, " + text + ");");
    d.add(name, a.kinds, a.shape,
          detail::with(a.parts, std::span<const Value>(at), element, Here::current()));
    return;
  }
  std::vector<detail::Bounds> bounds;
  std::vector<std::string> texts;
  for (const Extent& e : a.shape) {
    const DrawnRange range = draw_range(d, e);
    bounds.push_back(range.bounds);
    texts.push_back("fg::Range{" + range.text + "}");
  }
  // A slice of an array like it, mostly another one, elsewhere; or computed elements.
  const Array* other = d.pick([&](const Array& b) { return b.kinds == a.kinds && b.is_like(a); });
  const Array b = other == nullptr ? a : *other;
  std::vector<detail::Bounds> from = bounds;
  std::string of = b.name + ".slice(" + joined(texts) + ")";
  if (a.rank() == 1 && d.one_in(2)) {  // as many elements from the front
    const Value n = detail::extent(detail::slice(a.parts[0], bounds, Here::current()), 0, Here::current());
    from = {{literal(Kind::i64, 0), n, literal(Kind::i64, 1)}};
    of = "fg::take(" + b.name + ", " + a.name + ".slice(" + joined(texts) + ").size())";
  }
  Values parts = each(b, [&](const Value& v) { return detail::slice(v, from, Here::current()); });
  if (d.one_in(3)) {
    for (Value& v : parts) v = detail::reverse(v, 0, Here::current());
    of = "fg::reverse(" + of + ")";
  }
  d.line("auto " + name + " = fg::with(" + a.name + ", {" + joined(texts) + "}, " + of + ");");
  d.add(name, a.kinds, a.shape,
        detail::with(a.parts, std::span<const detail::Bounds>(bounds), parts, Here::current()));
}
inline void update(Draw& d) {
  const Array* picked = d.pick();
  if (picked == nullptr) return;
  const Array a = *picked;
  update(d, a);
}

}  // namespace fulgurite::programs
