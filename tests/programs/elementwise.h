// Statements of random programs that compute elements: maps, generators, operators on arrays, tuples.
#pragma once

#include "operators.h"

namespace fulgurite::programs {

inline std::string lambda_head(const std::vector<std::string>& params) {
  std::string text = "[&](";
  for (std::size_t i = 0; i < params.size(); ++i) text += (i > 0 ? ", auto " : "auto ") + params[i];
  return text + ")";
}
inline std::vector<detail::Operand> operands_of(const std::vector<Array>& arrays) {
  std::vector<detail::Operand> operands;
  for (const Array& a : arrays) operands.push_back({a.parts});
  return operands;
}
inline std::string names_of(const std::vector<Array>& arrays) {
  std::vector<std::string> names;
  for (const Array& a : arrays) names.push_back(a.name);
  return joined(names);
}

/// One to three arrays that are meant to have one shape.
inline std::vector<Array> draw_alike(Draw& d) {
  const Array* first = d.pick();
  if (first == nullptr) return {};
  std::vector<Array> all{*first};
  for (std::size_t more = d.below(3); more > 0; --more)
    if (const Array* other = d.pick([&](const Array& a) { return a.is_like(all[0]); })) all.push_back(*other);
  return all;
}

inline Kinds draw_kinds(Draw& d) {
  switch (d.below(6)) {
    case 4: {
      const Kind kind = d.one_in(2) ? Kind::i32 : Kind::i64;
      return {kind, kind};
    }
    case 5: {
      Kinds kinds{draw_kind(d)};
      for (std::size_t more = 1 + d.below(2); more > 0; --more) kinds.push_back(draw_kind(d));
      return kinds;
    }
    default: return {draw_kind(d)};
  }
}

/// map of elements; the parts of the results of one call are `kinds`.
inline const Array& map_to(Draw& d, const std::vector<Array>& from, const Kinds& kinds,
                           const std::function<Values(const std::vector<Scalar>&, std::string&)>& f,
                           const char* name = "v") {
  std::string result;
  std::vector<std::string> params;
  const std::string made = d.fresh(name);
  const auto body = d.repeatable([&](std::span<const Value> elements) {
    ++d.level;
    std::vector<Scalar> given;
    params.clear();
    std::size_t at = 0;
    for (const Array& a : from) {
      params.push_back(d.fresh("x"));
      d.add_scalars(params.back(), a.kinds,
                    Values(elements.begin() + static_cast<std::ptrdiff_t>(at),
                           elements.begin() + static_cast<std::ptrdiff_t>(at + a.kinds.size())));
      for (std::size_t k = 0; k < a.kinds.size(); ++k)
        given.push_back(d.scalars[d.scalars.size() - a.kinds.size() + k]);
      at += a.kinds.size();
    }
    Values results = f(given, result);
    --d.level;
    return results;
  });
  const auto operands = operands_of(from);
  Values parts = detail::map(operands, Body(body), Here::current());
  d.line("auto " + made + " = fg::map(" + lambda_head(params) + " { return " + result + "; }, " +
         names_of(from) + ");");
  return d.add(made, kinds, from[0].shape, std::move(parts));
}

inline void map(Draw& d) {
  const std::vector<Array> from = draw_alike(d);
  if (from.empty()) return;
  const Kinds kinds = draw_kinds(d);
  map_to(d, from, kinds, [&](const std::vector<Scalar>& given, std::string& text) {
    Values results;
    std::vector<std::string> texts;
    for (Kind kind : kinds) {
      Scalar x = expression(d, kind, 3);
      if (d.one_in(2))
        x = applied(kind == Kind::boolean ? "bit_xor" : "add",
                    {x, converted(given[d.below(given.size())], kind)});
      results.push_back(x.value);
      texts.push_back(x.text);
    }
    text = kinds.size() == 1 ? texts[0] : "std::tuple{" + joined(texts) + "}";
    return results;
  });
}

inline void generate(Draw& d) {
  const std::size_t rank = d.one_in(3) ? 2 + d.below(2) : 1;
  std::vector<Extent> shape;
  std::vector<std::string> extent_texts, params;
  Values extents;
  for (std::size_t k = 0; k < rank; ++k) {
    shape.push_back(draw_size(d, rank == 1 ? 20 : rank == 2 ? 9 : 5));
    extents.push_back(shape.back().value);
    extent_texts.push_back(shape.back().text);
  }
  const Kinds kinds = draw_kinds(d);
  const std::string made = d.fresh("g");
  std::string result;
  const auto body = d.repeatable([&](std::span<const Value> at) {
    ++d.level;
    params.clear();
    for (std::size_t k = 0; k < rank; ++k) {
      params.push_back(d.fresh("i"));
      d.indices.push_back({{params.back(), at[k]}, shape[k].id});
    }
    auto [values, text] = draw_element(d, kinds, 3);
    result = text;
    --d.level;
    return values;
  });
  Values parts = detail::generate(extents, Body(body), "generate", Here::current());
  d.line("auto " + made + " = fg::generate(" +
         (rank == 1 ? extent_texts[0] : "{" + joined(extent_texts) + "}") + ", " + lambda_head(params) +
         " { return " + result + "; });");
  d.add(made, kinds, shape, std::move(parts));
}

inline void iota(Draw& d) {
  const Extent n = draw_size(d, 20);
  Kind kind = draw_kind(d);
  if (kind == Kind::boolean) kind = Kind::i64;
  const std::string made = d.fresh("v");
  d.line("auto " + made + " = fg::iota<" + name_of(kind) + ">(" + n.text + ");");
  d.add(made, {kind}, {n}, {detail::iota(n.value, kind, Here::current())});
}

inline void replicate(Draw& d) {
  const Extent n = draw_size(d, 20);
  const Kinds kinds = draw_kinds(d);
  const auto [element, text] = draw_element(d, kinds, 2);
  const auto body = [&](std::span<const Value>) { return element; };
  const std::string made = d.fresh("v");
  d.line("auto " + made + " = fg::replicate(" + n.text + ", " + text + ");");
  const Values extents{n.value};
  d.add(made, kinds, {n}, detail::generate(extents, Body(body), "replicate", Here::current()));
}

inline void let(Draw& d) {
  const Scalar x = expression(d, draw_kind(d), 3);
  const std::string name = d.fresh("x");
  d.line("auto " + name + " = " + x.text + ";");
  d.scalars.push_back({name, x.value});
}

/// Operators and functions on whole arrays.
inline void operate(Draw& d) {
  const Array* picked = d.pick([](const Array& a) { return a.kinds.size() == 1; });
  if (picked == nullptr) return;
  const Array a = *picked;
  const Kind kind = a.kinds[0];
  const Array* other = d.pick([&](const Array& b) {
    return b.kinds == a.kinds && (b.is_like(a) || d.one_in(30)) && b.rank() == a.rank();
  });
  Scalar second =
      other != nullptr && !d.one_in(3) ? Scalar{other->name, other->parts[0]} : expression(d, kind, 1);
  const Scalar first{a.name, a.parts[0]};
  static constexpr const char* of_integers[] = {"add",    "sub",     "mul", "min",      "max", "bit_and",
                                                "bit_or", "bit_xor", "div", "ceil_div", "lt",  "eq"};
  static constexpr const char* of_floats[] = {"add", "sub", "mul", "div", "lt", "le", "copysign"};
  static constexpr const char* of_booleans[] = {"bit_and", "bit_or", "bit_xor", "eq", "ne"};
  Scalar made;
  if (d.one_in(6)) {
    made = converted(first, draw_kind(d));
  } else if (kind == Kind::boolean) {
    made = applied(of_booleans[d.below(std::size(of_booleans))], {first, second});
  } else if (is_float(kind)) {
    const std::string_view op = of_floats[d.below(std::size(of_floats))];
    made = applied(op.data(), {first, op == "copysign" ? with_a_sign(second) : second});
  } else {
    const char* op = of_integers[d.below(std::size(of_integers))];
    if (std::string_view(op).ends_with("div") && !d.one_in(4))
      second = applied("bit_or", {second, constant(kind, 1)});
    made = d.one_in(4) ? applied(op, {second, first}) : applied(op, {first, second});
  }
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = " + made.text + ";");
  d.add(name, {made.kind()}, a.shape, {made.value});
}

/// Arrays made one of tuples, and taken apart.
inline void zip(Draw& d) {
  const std::vector<Array> from = draw_alike(d);
  if (from.empty()) return;
  Kinds kinds;
  Values parts;
  const std::string name = d.fresh("v");
  if (from[0].kinds.size() > 1) {
    d.line("auto " + name + " = fg::unzip(" + from[0].name + ");");
    for (std::size_t k = 0; k < from[0].kinds.size(); ++k)
      d.add("std::get<" + std::to_string(k) + ">(" + name + ")", {from[0].kinds[k]}, from[0].shape,
            {from[0].parts[k]});
    return;
  }
  for (const Array& a : from) {
    if (kinds.size() + a.kinds.size() > 4) break;
    kinds.insert(kinds.end(), a.kinds.begin(), a.kinds.end());
    parts.insert(parts.end(), a.parts.begin(), a.parts.end());
  }
  detail::require_equal_shapes("zip", operands_of(from), Here::current());
  d.line("auto " + name + " = fg::zip(" + names_of(from) + ");");
  d.add(name, kinds, from[0].shape, parts);
}

/// The array with floats that every engine adds up to the same.
inline Array tamed(Draw& d, const Array& a) {
  if (std::ranges::none_of(a.kinds, is_float)) return a;
  return map_to(d, {a}, a.kinds, [](const std::vector<Scalar>& given, std::string& text) {
    Values results;
    std::vector<std::string> texts;
    for (const Scalar& x : given) {
      results.push_back(tamed(x).value);
      texts.push_back(tamed(x).text);
    }
    text = given.size() == 1 ? texts[0] : "std::tuple{" + joined(texts) + "}";
    return results;
  });
}

}  // namespace fulgurite::programs
