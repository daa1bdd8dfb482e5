// Associative operators on elements, for folds, scans and histograms: what the library knows, and others that
// are not commutative. On floats only those without rounding.
#pragma once

#include "expressions.h"

namespace fulgurite::programs {

struct Operator {
  std::string text;
  std::function<Values(std::span<const Value>)> body;
  Values neutral;  // empty: it has none
  std::string neutral_text;
  bool is_commutative = true;
};

/// An operator of one component, and its neutral element.
struct Known {
  const char* name;
  Value neutral;
};
inline Known draw_known(Draw& d, Kind kind) {
  const auto least = [&] {
    return detail::Value{nullptr, scalar::lowest(static_cast<scalar::Kind>(kind)), kind, 0};
  };
  const auto most = [&] {
    return detail::Value{nullptr, scalar::highest(static_cast<scalar::Kind>(kind)), kind, 0};
  };
  if (is_float(kind)) switch (d.below(3)) {
      case 0: return {"min", most()};
      case 1: return {"max", least()};
      default: return {"add", literal(kind, 0)};
    }
  if (kind == Kind::boolean) switch (d.below(3)) {
      case 0: return {"bit_and", literal(kind, 1)};
      case 1: return {"bit_or", literal(kind, 0)};
      default: return {"bit_xor", literal(kind, 0)};
    }
  switch (d.below(7)) {
    case 0:
    case 1: return {"add", literal(kind, 0)};
    case 2: return {"mul", literal(kind, 1)};
    case 3: return {"min", most()};
    case 4: return {"max", least()};
    case 5: return d.one_in(2) ? Known{"bit_and", literal(kind, -1)} : Known{"bit_or", literal(kind, 0)};
    default: return {"bit_xor", literal(kind, 0)};
  }
}

inline Value call(const char* op, const Value& a, const Value& b) {
  return detail::apply(op, {a, b}, Here::current());
}
inline Value call(const char* op, const Value& a, const Value& b, const Value& c) {
  return detail::apply(op, {a, b, c}, Here::current());
}

inline std::string literal_texts(const Values& values) {
  std::vector<std::string> texts;
  for (const Value& v : values)
    texts.push_back("bits " + std::to_string(v.bits_or_trace) + " as " + name_of(v.kind));
  return joined(texts);
}

/// A scalar in scope, or the index of an element around.
inline Scalar draw_outer(Draw& d) {
  if (!d.indices.empty() && d.one_in(2)) return d.indices.back().scalar;
  if (d.scalars.empty() || d.is_safe) return constant(Kind::i64, 2);
  return d.scalars[d.scalars.size() - 1 - d.below(d.scalars.size())];
}
/// The later of two elements if a condition on it holds, which is associative whatever the condition. It asks
/// what was in scope: a scalar, or an element of an array at a place that the element says.
inline Operator draw_later(Draw& d, const Kinds& kinds) {
  const std::size_t n = kinds.size();
  const auto mask = static_cast<std::int64_t>(1 + 2 * d.below(4));
  const Scalar limit = d.one_in(2) ? converted(draw_outer(d), Kind::i64) : constant(Kind::i64, mask / 2);
  const Array* picked = d.pick_rank(1);
  const Array table = picked == nullptr || d.one_in(2) ? Array() : *picked;
  const bool guards = !d.one_in(6);
  const auto is_taken = [=](const Value& element) {
    const Scalar x = converted({"b", element}, Kind::i64);
    const Scalar place = applied("bit_and", {x, constant(Kind::i64, mask)});
    if (table.kinds.empty()) return applied("ge", {place, limit}).value;
    const auto read = [&] {
      const Scalar found = converted(element_at(table, 0, {place}), Kind::i64);
      return applied("ge", {applied("bit_and", {found, constant(Kind::i64, mask)}), limit}).value;
    };
    if (!guards) return read();
    return chosen(applied("lt", {place, of_extent(table.shape[0])}), "", read, constant(Kind::boolean, 1))
        .value;
  };
  const std::string of = table.kinds.empty() ? "b" : table.name + (guards ? "[b] if it is there" : "[b]");
  return {"[&](auto a, auto b) { return " + of + " & " + std::to_string(mask) + " >= " + limit.text +
              " ? b : a; }",
          [=](std::span<const Value> ab) {
            const Value later = is_taken(ab[n]);
            Values results;
            for (std::size_t i = 0; i < n; ++i) results.push_back(call("select", later, ab[n + i], ab[i]));
            return results;
          },
          {},
          "",
          false};
}

/// An operator on elements of these kinds.
inline Operator draw_operator(Draw& d, const Kinds& kinds) {
  const std::size_t n = kinds.size();
  const std::size_t which = d.below(9);
  if (which == 8) return draw_later(d, kinds);
  if (which == 5)
    return {"[](auto a, auto) { return a; }",
            [n](std::span<const Value> ab) {
              return Values(ab.begin(), ab.begin() + static_cast<std::ptrdiff_t>(n));
            },
            {},
            "",
            false};
  if (which == 6)
    return {"[](auto, auto b) { return b; }",
            [n](std::span<const Value> ab) {
              return Values(ab.begin() + static_cast<std::ptrdiff_t>(n), ab.end());
            },
            {},
            "",
            false};
  if (which == 4 && n == 1 && is_integer(kinds[0]))  // with a statement in it
    return {"[](auto a, auto b) { return fg::cond(a < b, [&] { return b; }, a); }",
            [](std::span<const Value> ab) {
              const Scalar a{"a", ab[0]}, b{"b", ab[1]};
              return Values{chosen(applied("lt", {a, b}), "b", [&] { return b.value; }, a).value};
            },
            {Value{nullptr, scalar::lowest(static_cast<scalar::Kind>(kinds[0])), kinds[0], 0}},
            "lowest",
            false};
  if (which == 7 && n == 1 && is_integer(kinds[0])) {
    const Value zero = literal(kinds[0], 0);
    return {"[](auto a, auto b) { return fg::select(b != 0, b, a); }",
            [zero](std::span<const Value> ab) {
              return Values{call("select", call("ne", ab[1], zero), ab[1], ab[0])};
            },
            {zero},
            "0",
            false};
  }
  if (which >= 6 && n == 2 && kinds[0] == kinds[1] && is_integer(kinds[0]))
    return {"[](auto f, auto g) { return std::tuple{f0 * g0, f1 * g0 + g1}; }",
            [](std::span<const Value> v) {
              return Values{call("mul", v[0], v[2]), call("add", call("mul", v[1], v[2]), v[3])};
            },
            {literal(kinds[0], 1), literal(kinds[0], 0)},
            "{1, 0}",
            false};
  if (which >= 4 && n == 2 && kinds[0] != Kind::boolean && !is_float(kinds[0]))
    return {"[](auto a, auto b) { return fg::select(b0 > a0, b, a); }",
            [](std::span<const Value> v) {
              const Value more = call("gt", v[2], v[0]);
              return Values{call("select", more, v[2], v[0]), call("select", more, v[3], v[1])};
            },
            {},
            "",
            false};
  std::vector<Known> all;
  std::vector<std::string> names;
  Values neutral;
  for (Kind kind : kinds) {
    all.push_back(draw_known(d, kind));
    names.push_back(all.back().name);
    neutral.push_back(all.back().neutral);
  }
  return {"{" + joined(names) + "}",
          [all, n](std::span<const Value> ab) {
            Values results;
            for (std::size_t i = 0; i < n; ++i) results.push_back(call(all[i].name, ab[i], ab[n + i]));
            return results;
          },
          neutral, "{" + literal_texts(neutral) + "}", true};
}

/// NaN, or a float whose sums are exact; no two zeros differ. Else the value itself.
inline Scalar tamed(const Scalar& x) {
  const Kind kind = x.kind();
  if (!is_float(kind)) return x;
  const Scalar inside = applied("min", {applied("max", {x, constant(kind, -50)}), constant(kind, 50)});
  const Scalar whole = applied("add", {applied("rint", {inside}), constant(kind, 0)});
  return applied("select", {applied("isnan", {x}), x, whole});
}

/// Any element of these kinds.
inline std::pair<Values, std::string> draw_element(Draw& d, const Kinds& kinds, int depth,
                                                   bool is_tamed = false) {
  Values values;
  std::vector<std::string> texts;
  // Whether an initial value that fails is computed where nothing is scanned is left open.
  const bool was_safe = std::exchange(d.is_safe, is_tamed || d.is_safe);
  for (Kind kind : kinds) {
    Scalar x = expression(d, kind, depth);
    if (is_tamed) x = tamed(x);
    values.push_back(x.value);
    texts.push_back(x.text);
  }
  d.is_safe = was_safe;
  return {values, texts.size() == 1 ? texts[0] : "std::tuple{" + joined(texts) + "}"};
}

}  // namespace fulgurite::programs
