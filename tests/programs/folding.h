// Statements of random programs that combine elements: folds, scans, histograms, filters, sorts, stencils.
#pragma once

#include "arranging.h"

namespace fulgurite::programs {

inline void reduce(Draw& d) {
  const Array* picked = d.pick();
  if (picked == nullptr) return;
  const Array a = tamed(d, *picked);
  const Operator op = draw_operator(d, a.kinds);
  detail::Fold fold{
      .origin = "reduce", .commutative = op.is_commutative && d.one_in(2), .neutral = {}, .initial = {}};
  std::string text = fold.commutative ? "reduce_comm(" : "reduce(", starts;
  Values initial;
  if (op.neutral.empty() || d.one_in(4)) {
    if (d.one_in(4)) {
      starts = "";
    } else {
      auto [element, element_text] = draw_element(d, a.kinds, 1, true);
      initial = element, starts = element_text + ", ", text = "fold(";
      fold.initial = initial, fold.commutative = false, fold.origin = "fold";
    }
  } else {
    fold.neutral = op.neutral, starts = op.neutral_text + ", ";
  }
  if (fold.commutative) fold.origin = "reduce_comm";
  const std::string name = d.fresh("r");
  std::string of_axis;
  if (a.rank() > 1 && d.one_in(2)) {
    fold.axis = static_cast<int>(d.below(a.rank())) - (d.one_in(2) ? static_cast<int>(a.rank()) : 0);
    of_axis = ", fg::axis(" + std::to_string(*fold.axis) + ")";
  }
  d.line("auto " + name + " = fg::" + text + op.text + ", " + starts + a.name + of_axis + ");");
  Values results = detail::reduce(fold, Body(op.body), a.parts, Here::current());
  if (!fold.axis) return d.add_scalars(name, a.kinds, results);
  auto shape = a.shape;
  shape.erase(shape.begin() + (*fold.axis < 0 ? *fold.axis + static_cast<int>(a.rank()) : *fold.axis));
  d.add(name, a.kinds, shape, std::move(results));
}

/// sum, product, min, max, all, any, count, argmin, argmax.
inline void known_reduce(Draw& d) {
  const Array* picked = d.pick([](const Array& a) { return a.kinds.size() == 1; });
  if (picked == nullptr) return;
  Array a = tamed(d, *picked);
  const Kind kind = a.kinds[0];
  // Products that a sum takes without rounding, as nothing else reads them.
  if (is_float(kind) && !d.is_large && d.one_in(2)) {
    a = map_to(d, {a, a}, {kind}, [](const std::vector<Scalar>& x, std::string& text) {
      const Scalar product = applied("mul", {x[0], applied("sub", {x[1], constant(x[1].kind(), 1)})});
      text = product.text;
      return Values{product.value};
    });
    d.arrays.pop_back();
  }
  std::optional<int> axis;
  if (a.rank() > 1) axis = static_cast<int>(d.below(a.rank()));
  const bool all = a.rank() == 1 || d.one_in(2);
  const std::string name = d.fresh("r");
  Value result;
  std::string text;
  const auto of = all ? std::optional<int>() : axis;
  if (kind == Kind::boolean) {
    switch (d.below(3)) {
      case 0: text = "all", result = detail::reduce("bit_and", "all", a.parts[0], of, Here::current()); break;
      case 1: text = "any", result = detail::reduce("bit_or", "any", a.parts[0], of, Here::current()); break;
      default:
        text = "count";
        result = detail::reduce("add", "count", detail::cast(a.parts[0], Kind::i64, Here::current()), of,
                                Here::current());
    }
  } else {
    const std::size_t which = d.below(is_float(kind) ? 5 : 6);
    if (which < 2 && (a.rank() == 1 || !all)) {
      text = which == 0 ? "argmin" : "argmax";
      result = detail::arg_reduce(which == 0 ? "lt" : "gt", text.c_str(), a.parts[0], axis.value_or(0),
                                  Here::current());
    } else {
      static constexpr const char* ops[] = {"add", "add", "add", "min", "max", "mul"};
      static constexpr const char* names[] = {"sum", "sum", "sum", "min", "max", "product"};
      text = names[which];
      if (text == "min" || text == "max") a = tamed(d, a);  // which of two zeros is the least is left open
      result = detail::reduce(ops[which], names[which], a.parts[0], of, Here::current());
    }
  }
  d.line("auto " + name + " = fg::" + text + "(" + a.name +
         (result.rank > 0 ? ", fg::axis(" + std::to_string(*axis) + ")" : "") + ");");
  if (result.rank == 0) return d.add_scalars(name, {result.kind}, {result});
  auto shape = a.shape;
  shape.erase(shape.begin() + *axis);
  d.add(name, {result.kind}, shape, {result});
}

inline void scan(Draw& d) {
  const Array* picked = d.pick();
  if (picked == nullptr) return;
  const Array a = tamed(d, *picked);
  const Operator op = draw_operator(d, a.kinds);
  detail::Scanning how{.origin = "scan", .neutral = {}, .initial = {}};
  how.from_right = d.one_in(3);
  how.axis = static_cast<int>(d.below(a.rank())) - (d.one_in(2) ? static_cast<int>(a.rank()) : 0);
  Values initial;
  std::string text = "scan", starts;
  switch (d.below(4)) {
    case 0:
    case 1:
      if (!op.neutral.empty() && !d.one_in(4)) how.neutral = op.neutral, starts = op.neutral_text + ", ";
      break;
    case 2: {
      auto [element, element_text] = draw_element(d, a.kinds, 1, true);
      initial = element, starts = element_text + ", ", text = "exclusive_scan";
      how.inclusive = false, how.initial = initial;
      break;
    }
    default:
      if (!op.neutral.empty()) {
        how.inclusive = false, how.totals = true, how.neutral = op.neutral;
        text = "scan_with_total", starts = op.neutral_text + ", ";
      }
  }
  if (how.from_right) text = text == "scan_with_total" ? "scan_right_with_total" : text + "_right";
  how.origin = text.c_str();
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = fg::" + text + "(" + op.text + ", " + starts + a.name + ", fg::axis(" +
         std::to_string(how.axis) + "));");
  Values results = detail::scan(how, Body(op.body), a.parts, Here::current());
  const auto middle = results.begin() + static_cast<std::ptrdiff_t>(a.kinds.size());
  d.add(how.totals ? "std::get<0>(" + name + ")" : name, a.kinds, a.shape, Values(results.begin(), middle));
  if (!how.totals) return;
  const Values totals(middle, results.end());
  if (a.rank() == 1) return d.add_scalars("std::get<1>(" + name + ")", a.kinds, totals);
  auto shape = a.shape;
  shape.erase(shape.begin() + (how.axis < 0 ? how.axis + static_cast<int>(a.rank()) : how.axis));
  d.add("std::get<1>(" + name + ")", a.kinds, shape, totals);
}

/// The array's elements in one axis.
inline Array flattened(Draw& d, const Array& a) {
  const Value n[] = {detail::size(a.parts[0], Here::current())};
  Values parts = each(a, [&](const Value& v) { return detail::reshape(v, n, Here::current()); });
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = fg::flatten(" + a.name + ");");
  return d.add_fresh(name, a.kinds, std::move(parts));
}

inline void histogram(Draw& d) {
  const Array* wide = d.one_in(3) ? d.pick([](const Array& x) { return x.rank() > 1; }) : nullptr;
  const Array* picked = wide == nullptr ? d.pick_rank(1) : wide;
  if (picked == nullptr) return;
  const bool is_wide = wide != nullptr;
  const Array first = tamed(d, *picked);
  const Array a = is_wide ? flattened(d, first) : first;
  Operator op = draw_operator(d, a.kinds);
  const std::string name = d.fresh("v");
  const bool permutes = op.neutral.empty() || is_wide || d.one_in(3);
  if (!permutes) {
    const Extent k = draw_size(d, 9);
    const Array bins = places(d, k, &a.shape[0]);
    d.line("auto " + name + " = fg::histogram(" + op.text + ", " + op.neutral_text + ", " + k.text + ", " +
           bins.name + ", " + a.name + ");");
    d.add(name, a.kinds, {k},
          detail::histogram(Body(op.body), op.neutral, k.value, bins.parts[0], a.parts, Here::current()));
    return;
  }
  const Array* other = d.pick([&](const Array& b) { return b.kinds == a.kinds; });
  const Array to = is_wide ? first : tamed(d, other == nullptr ? a : *other);
  std::string index, result;
  const auto body = d.repeatable([&](std::span<const Value> at) {
    ++d.level;
    index = d.fresh("i");
    d.indices.push_back({{index, at[0]}, a.shape[0].id});
    Values results;
    std::vector<std::string> texts;
    for (const Extent& e : to.shape) {
      Scalar x = expression(d, Kind::i64, 2);
      if (!d.one_in(4))
        x = applied("rem", {applied("abs", {x}), applied("max", {of_extent(e), constant(Kind::i64, 1)})});
      results.push_back(x.value);
      texts.push_back(x.text);
    }
    result = joined(texts);
    --d.level;
    return results;
  });
  Values parts = detail::permute(Body(op.body), to.parts, Body(body), a.parts, Here::current());
  d.line("auto " + name + " = fg::permute(" + op.text + ", " + to.name + ", [&](auto " + index +
         ") { return std::tuple{" + result + "}; }, " + a.name + ");");
  d.add(name, a.kinds, to.shape, std::move(parts));
}

/// filter, partition by a condition or in classes.
inline void choose(Draw& d) {
  const Array* picked = d.pick_rank(1);
  if (picked == nullptr) return;
  const Array a = *picked;
  const std::size_t which = d.below(4);
  const std::string name = d.fresh("v");
  std::string param, result;
  const auto body = d.repeatable([&](std::span<const Value> x) {
    ++d.level;
    param = d.fresh("x");
    d.add_scalars(param, a.kinds, Values(x.begin(), x.end()));
    const Scalar e = expression(d, which == 3 ? (d.one_in(2) ? Kind::i32 : Kind::i64) : Kind::boolean, 2);
    result = e.text;
    --d.level;
    return Values{e.value};
  });
  const auto f = [&] { return "[&](auto " + param + ") { return " + result + "; }"; };
  const auto n = static_cast<std::ptrdiff_t>(a.kinds.size());
  if (which < 2) {
    Values parts = detail::filter(Body(body), a.parts, Here::current());
    d.line("auto " + name + " = fg::filter(" + f() + ", " + a.name + ");");
    d.add_fresh(name, a.kinds, std::move(parts));
    return;
  }
  const Extent k = d.one_in(2) ? draw_size(d, 5) : Extent{-1, literal(Kind::i64, 3), "3", 0};
  const Value classes = d.one_in(6) ? k.value : call("max", k.value, literal(Kind::i64, 1));
  const Values parts = which == 2 ? detail::partition(Body(body), a.parts, Here::current())
                                  : detail::partition(classes, Body(body), a.parts, Here::current());
  d.line("auto " + name + " = fg::partition(" + (which == 3 ? "fg::max(" + k.text + ", 1), " : "") + f() +
         ", " + a.name + ");");
  d.add_fresh("std::get<0>(" + name + ")", a.kinds, Values(parts.begin(), parts.begin() + n));
  d.add_fresh("std::get<1>(" + name + ")", which == 2 ? a.kinds : Kinds{Kind::i64},
              Values(parts.begin() + n, parts.end()));
}

/// A comparison of elements of n components.
inline auto comparison(std::size_t order, std::size_t n) {
  return [order, n](std::span<const Value> ab) {
    // By what is left of a division, so that elements are equal that are not the same; or downwards.
    Value a = ab[0], b = ab[n];
    if (order == 1 && is_integer(a.kind)) {
      const Value three = literal(a.kind, 3);
      a = detail::apply("rem", {a, three}, Here::current()),
      b = detail::apply("rem", {b, three}, Here::current());
    }
    if (is_float(a.kind))
      a = detail::cast(a, Kind::i32, Here::current()), b = detail::cast(b, Kind::i32, Here::current());
    if (a.kind == Kind::boolean)
      a = detail::cast(a, Kind::u8, Here::current()), b = detail::cast(b, Kind::u8, Here::current());
    if (order == 2 && n > 1 && is_integer(ab[1].kind))  // not a key: by both
      return Values{
          call("bit_or", call("lt", a, b), call("bit_and", call("eq", a, b), call("gt", ab[1], ab[n + 1])))};
    return Values{call(order == 0 ? "gt" : "lt", a, b)};
  };
}

inline void sort(Draw& d) {
  const Array* picked = d.pick_rank(1);
  if (picked == nullptr) return;
  const Array keys = *picked;
  const Array* other = d.pick([&](const Array& b) { return b.is_like(keys); });
  const Array values = other == nullptr ? keys : *other;
  const std::size_t which = d.below(4);
  Values vectors = keys.parts;
  Kinds kinds = keys.kinds;
  std::string text = which == 1 ? "argsort(" : which == 2 ? "sort_by_key(" : "sort(", after = keys.name;
  if (which == 1)
    vectors.push_back(
        detail::iota(detail::extent(keys.parts[0], 0, Here::current()), Kind::i64, Here::current())),
        kinds.push_back(Kind::i64);
  if (which == 2) {
    detail::require_equal_shapes("sort_by_key", operands_of({keys, values}), Here::current());
    vectors.insert(vectors.end(), values.parts.begin(), values.parts.end());
    kinds.insert(kinds.end(), values.kinds.begin(), values.kinds.end());
    after += ", " + values.name;
  }
  const std::size_t n = keys.kinds.size();
  // The interpreter takes minutes to merge 10^5 elements.
  const bool compares = d.one_in(2) && (!d.is_large || d.one_in(8));
  const std::size_t order = d.below(3);
  const auto less = comparison(order, n);
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = fg::" + text +
         (compares ? std::string("order ") + std::to_string(order) + ", " : "") + after + ");");
  const char* origin = which == 1 ? "argsort" : which == 2 ? "sort_by_key" : "sort";
  const Values sorted = compares ? detail::sort(Body(less), vectors, n, origin, Here::current())
                                 : detail::sort(vectors, n, origin, Here::current());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(n);
  if (which != 1)
    d.add(which == 2 ? "std::get<0>(" + name + ")" : name, keys.kinds, keys.shape,
          Values(sorted.begin(), middle));
  if (which == 1) d.add(name, {Kind::i64}, keys.shape, Values(middle, sorted.end()));
  if (which == 2) d.add("std::get<1>(" + name + ")", values.kinds, keys.shape, Values(middle, sorted.end()));
}

inline void stencil(Draw& d) {
  const std::vector<Array> from = draw_alike(d);
  if (from.empty() || from[0].rank() > 3) return;
  const std::size_t rank = from[0].rank();
  const auto edge = static_cast<detail::Edge>(d.below(4));
  const Kinds kinds = draw_kinds(d);
  const std::string name = d.fresh("v");
  std::string result;
  const bool is_function = d.one_in(2);
  detail::Neighbours* near = nullptr;
  const auto body = d.repeatable([&](std::span<const Value>) {
    ++d.level;
    std::vector<Scalar> read;
    for (std::size_t n = 2 + d.below(3); n > 0; --n) {
      const std::size_t k = d.below(from.size());
      std::vector<int> offsets;
      std::vector<std::string> texts;
      for (std::size_t axis = 0; axis < rank; ++axis) {
        offsets.push_back(static_cast<int>(d.below(d.one_in(8) ? 9 : 3)) - 1);
        texts.push_back(std::to_string(offsets.back()));
      }
      const std::string element = "u" + std::to_string(k) + "(" + joined(texts) + ")";
      for (const Value& v : near->read(k, offsets)) read.push_back({element, v});
    }
    d.scalars.insert(d.scalars.end(), read.begin(), read.end());
    Values values;
    std::vector<std::string> texts;
    for (Kind kind : kinds) {
      Scalar x = d.one_in(2) ? expression(d, kind, 2) : converted(read[0], kind);
      for (std::size_t k = 1; k < read.size(); ++k)
        x = applied(kind == Kind::boolean ? "bit_xor"
                    : d.one_in(2)         ? "sub"
                                          : "add",
                    {x, converted(read[k], kind)});
      values.push_back(x.value);
      texts.push_back(x.text);
    }
    result = joined(texts);
    --d.level;
    return values;
  });
  const auto seen = [&](detail::Neighbours& given) {
    near = &given;
    return body({});
  };
  std::vector<std::function<Values(std::span<const Value>)>> outside;
  for (const Array& a : from)
    outside.push_back([&, kinds = a.kinds](std::span<const Value> at) {
      Values values;
      for (Kind kind : kinds)
        values.push_back(is_function
                             ? detail::cast(call("sub", at[0], literal(Kind::i64, 2)), kind, Here::current())
                             : literal(kind, 3));
      return values;
    });
  std::vector<Body> bodies;
  if (edge == detail::Edge::outside)
    for (const auto& f : outside) bodies.push_back(Body(f));
  Values parts = detail::stencil(detail::StencilBody(seen), edge, bodies, operands_of(from), Here::current());
  static constexpr const char* names[] = {"clamp", "wrap", "mirror", "function"};
  d.line("auto " + name + " = fg::stencil([&](auto... u) { return std::tuple{" + result +
         "}; }, fg::boundary::" + names[static_cast<std::size_t>(edge)] +
         (edge == detail::Edge::outside
              ? is_function ? "([](auto i, auto...) { return i - 2; })" : "([](auto...) { return 3; })"
              : "") +
         ", " + names_of(from) + ");");
  d.add(name, kinds, from[0].shape, std::move(parts));
}

}  // namespace fulgurite::programs
