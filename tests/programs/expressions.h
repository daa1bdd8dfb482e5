// Random expressions of scalars: what elements are computed with, and what sizes, places and bounds are.
#pragma once

#include <array>

#include "draw.h"

namespace fulgurite::programs {

inline Scalar expression(Draw& d, Kind kind, int depth);

inline Kind draw_kind(Draw& d) {
  static constexpr Kind kinds[] = {Kind::i32, Kind::i32, Kind::i64, Kind::i64, Kind::i32,     Kind::f32,
                                   Kind::f64, Kind::f32, Kind::u8,  Kind::u32, Kind::boolean, Kind::boolean,
                                   Kind::i8,  Kind::i16, Kind::u16, Kind::u64};
  return kinds[d.below(std::size(kinds))];
}

inline Scalar applied(const char* op, const std::vector<Scalar>& operands) {
  static const std::map<std::string, std::string> infix = {
      {"add", "+"},     {"sub", "-"},          {"mul", "*"},        {"div", "/"},  {"rem", "%"},
      {"bit_and", "&"}, {"bit_or", "|"},       {"eq", "=="},        {"ne", "!="},  {"lt", "<"},
      {"le", "<="},     {"gt", ">"},           {"ge", ">="},        {"shl", "<<"}, {"shr", ">>"},
      {"bit_xor", "^"}, {"logical_and", "&&"}, {"logical_or", "||"}};
  static const std::map<std::string, std::string> prefix = {{"neg", "-"}, {"bit_not", "~"}};
  const auto apply = [&] {
    switch (operands.size()) {
      case 1: return detail::apply(op, {operands[0].value}, Here::current());
      case 2: return detail::apply(op, {operands[0].value, operands[1].value}, Here::current());
      default:
        return detail::apply(op, {operands[0].value, operands[1].value, operands[2].value}, Here::current());
    }
  };
  std::string text;
  if (const auto at = infix.find(op); at != infix.end())
    text = "(" + operands[0].text + " " + at->second + " " + operands[1].text + ")";
  else if (const auto sign = prefix.find(op); sign != prefix.end())
    text = (operands[0].kind() == Kind::boolean ? "!" : sign->second) + operands[0].text;
  else {
    std::vector<std::string> texts;
    for (const Scalar& s : operands) texts.push_back(s.text);
    text = "fg::" + std::string(op) + "(" + joined(texts) + ")";
  }
  return {text, apply()};
}

inline Scalar converted(const Scalar& x, Kind kind) {
  if (x.kind() == kind) return x;
  return {"fg::cast<" + std::string(name_of(kind)) + ">(" + x.text + ")",
          detail::cast(x.value, kind, Here::current())};
}

inline Scalar draw_constant(Draw& d, Kind kind) {
  static constexpr std::int64_t usual[] = {0, 1, 2, 3, -1, 5, 7, 4};
  static constexpr std::int64_t rare[] = {INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 255, 128, -128, 64};
  return constant(kind, d.one_in(12) ? rare[d.below(std::size(rare))] : usual[d.below(std::size(usual))]);
}

/// fg::cond(condition, [&] { return then; }, otherwise).
inline Scalar chosen(const Scalar& condition, const std::string& then_text,
                     const std::function<Value()>& then_value, const Scalar& otherwise) {
  const auto yes = [&](std::span<const Value>) { return Values{then_value()}; };
  const auto no = [&](std::span<const Value>) { return Values{otherwise.value}; };
  const std::size_t widths[] = {1};
  const Values results = detail::cond(condition.value, Body(yes), Body(no), widths, Here::current());
  return {"fg::cond(" + condition.text + ", [&] { return " + then_text + "; }, " + otherwise.text + ")",
          results[0]};
}

inline Scalar element_at(const Array& a, std::size_t part, const std::vector<Scalar>& at) {
  std::vector<std::string> texts;
  Values values;
  for (const Scalar& s : at) texts.push_back(s.text), values.push_back(s.value);
  std::string text = a.name + (at.size() == 1 ? "[" + texts[0] + "]" : "(" + joined(texts) + ")");
  if (a.kinds.size() > 1) text = "fg::get<" + std::to_string(part) + ">(" + text + ")";
  return {text, detail::index(a.parts[part], values, Here::current())};
}

inline Scalar of_extent(const Extent& e) {
  return {e.text, e.value};
}

/// An element of an array in scope: mostly a safe one.
inline Scalar read(Draw& d, Kind kind, int depth) {
  const Array* array = d.pick();
  if (array == nullptr) return draw_constant(d, kind);
  const Array a = *array;
  const std::size_t part = d.below(a.kinds.size());
  std::vector<Scalar> at;
  bool is_safe = true;
  for (const Extent& e : a.shape) {
    std::vector<Scalar> fitting;
    for (const Index_& i : d.indices)
      if (i.extent == e.id) fitting.push_back(i.scalar);
    if (!fitting.empty() && !d.one_in(3)) {
      at.push_back(fitting[fitting.size() - 1 - d.below(fitting.size())]);
    } else if (!fitting.empty() && d.one_in(2)) {  // the other way round
      at.push_back(applied("sub", {applied("sub", {of_extent(e), constant(Kind::i64, 1)}), fitting.back()}));
    } else {
      const std::size_t way = d.below(4);
      if (way < 2)
        at.push_back(constant(Kind::i64, static_cast<std::int64_t>(d.below(3))));
      else if (way == 3 && !d.scalars.empty() && !d.is_safe)  // an argument, which may be far outside
        at.push_back(converted(d.scalars.front(), Kind::i64));
      else
        at.push_back(expression(d, Kind::i64, depth - 1));
      is_safe = false;
    }
  }
  if (is_safe) return converted(element_at(a, part, at), kind);
  switch (d.is_safe ? 0 : d.below(8)) {
    case 6:  // modulo the size: divides by zero where there is nothing
      for (std::size_t k = 0; k < at.size(); ++k)
        at[k] = applied("rem", {applied("abs", {at[k]}), of_extent(a.shape[k])});
      return converted(element_at(a, part, at), kind);
    case 7:
      if (d.one_in(3)) return converted(element_at(a, part, at), kind);
      [[fallthrough]];
    default: {
      Scalar inside = constant(Kind::boolean, 1);
      for (std::size_t k = 0; k < at.size(); ++k)
        inside = applied("logical_and",
                         {inside, applied("logical_and", {applied("le", {constant(Kind::i64, 0), at[k]}),
                                                          applied("lt", {at[k], of_extent(a.shape[k])})})});
      if (depth > 1 && d.one_in(3))  // where it is read differs from element to element
        inside = applied("logical_and", {inside, expression(d, Kind::boolean, depth - 1)});
      std::string text;
      {
        std::vector<std::string> texts;
        for (const Scalar& s : at) texts.push_back(s.text);
        text = a.name + "(" + joined(texts) + ")";
        if (a.kinds.size() > 1) text = "fg::get<" + std::to_string(part) + ">(" + text + ")";
      }
      return converted(
          chosen(
              inside, text, [&] { return element_at(a, part, at).value; }, draw_constant(d, a.kinds[part])),
          kind);
    }
  }
}

inline Scalar leaf(Draw& d, Kind kind, int depth) {
  switch (d.below(6)) {
    case 0: return draw_constant(d, kind);
    case 1:
      if (!d.arrays.empty() && is_integer(kind) && d.one_in(4)) {
        const Array& a = d.arrays[d.below(d.arrays.size())];
        return converted(of_extent(a.shape[d.below(a.rank())]), kind);
      }
      [[fallthrough]];
    case 2:
      if (!d.indices.empty() && (is_integer(kind) || d.one_in(3)))
        return converted(d.indices[d.indices.size() - 1 - d.below(d.indices.size())].scalar, kind);
      [[fallthrough]];
    case 3:
      if (!d.scalars.empty() && !d.is_safe)  // a scalar may be an expression that fails
        return converted(d.scalars[d.scalars.size() - 1 - d.below(d.scalars.size())], kind);
      [[fallthrough]];
    default: return depth > 0 ? read(d, kind, depth) : draw_constant(d, kind);
  }
}

inline Scalar integer_expression(Draw& d, Kind kind, int depth) {
  static constexpr const char* two[] = {"add", "sub", "mul",     "add",    "sub",
                                        "min", "max", "bit_and", "bit_or", "bit_xor"};
  static constexpr const char* one[] = {"neg", "abs", "sign", "bit_not", "popcount", "clz", "ctz"};
  const auto operand = [&] { return expression(d, kind, depth - 1); };
  const std::size_t which = d.below(10);
  if (which < 6) {
    const char* op = two[d.below(std::size(two))];
    const Scalar a = operand();
    return applied(op, {a, operand()});
  }
  if (which == 6 || which == 10) return applied(one[d.below(std::size(one))], {operand()});
  if (which == 7 && d.one_in(4)) {  // a multiple, and perhaps more, divided again
    const auto factor = static_cast<std::int64_t>(2 + d.below(4));
    const Scalar by = constant(kind, factor);
    Scalar x = d.scalars.empty() || d.is_safe || d.one_in(2) ? operand() : converted(d.scalars.front(), kind);
    x = applied("mul", {x, by});
    if (d.one_in(2)) x = applied("add", {x, applied("rem", {operand(), by})});
    return applied(d.one_in(3) ? "rem" : "div", {x, by});
  }
  if (which == 7) {
    const Scalar a = operand();
    Scalar by = d.one_in(2) ? constant(kind, static_cast<std::int64_t>(1 + d.below(7))) : operand();
    if ((d.is_safe || !d.one_in(4)) && by.value.node != nullptr)
      by = applied("bit_or", {by, constant(kind, 1)});
    return applied(d.one_in(4) ? "ceil_div" : d.one_in(2) ? "div" : "rem", {a, by});
  }
  if (which == 8) {
    const Scalar a = operand();
    return applied(d.one_in(2) ? "shl" : "shr",
                   {a, d.one_in(3) ? operand() : constant(kind, static_cast<std::int64_t>(d.below(9)))});
  }
  const Kind from = draw_kind(d);
  Scalar x = expression(d, from, depth - 1);
  if (from == Kind::f32 && (kind == Kind::i32 || kind == Kind::u32) && d.one_in(2)) {
    x = applied("select", {applied("isnan", {x}), constant(from, 0), x});
    return {"fg::bitcast<" + std::string(name_of(kind)) + ">(" + x.text + ")",
            detail::bitcast(x.value, kind, Here::current())};
  }
  return converted(x, kind);
}

/// The sign of a NaN is left open; the lesser of one and 1 is 1.
inline Scalar with_a_sign(const Scalar& x) {
  return applied("min", {x, constant(x.kind(), 1)});
}

inline Scalar float_expression(Draw& d, Kind kind, int depth) {
  static constexpr const char* two[] = {"add", "sub", "mul",      "add", "mul",
                                        "min", "max", "copysign", "div", "rem"};
  static constexpr const char* one[] = {"neg",   "abs",   "sign", "floor", "ceil",
                                        "trunc", "round", "rint", "sqrt"};
  static constexpr const char* rounded[] = {"rsqrt", "cbrt",  "exp",   "exp2", "exp10", "expm1", "log",
                                            "log2",  "log10", "log1p", "sin",  "cos",   "tan",   "asin",
                                            "acos",  "atan",  "sinh",  "cosh", "tanh",  "asinh", "acosh",
                                            "atanh", "erf",   "erfc",  "pow",  "hypot", "atan2"};
  const auto operand = [&] { return expression(d, kind, depth - 1); };
  const std::size_t which = d.below(11);
  if (which < 6) {
    const std::string op = two[d.below(std::size(two))];
    Scalar a = operand(), b = operand();
    // Which of two zeros is the lesser is left open.
    if (op == "min" || op == "max") a = applied("abs", {a}), b = applied("abs", {b});
    if (op == "copysign") b = with_a_sign(b);
    return applied(op.c_str(), {a, b});
  }
  if (which == 6 || which == 10) return applied(one[d.below(std::size(one))], {operand()});
  if (which == 7) {
    const Scalar a = operand(), b = operand();
    return applied("fma", {a, b, operand()});
  }
  if (which == 8) {  // engines differ in the last bits: whether it is a number they agree on
    const Scalar least = applied("max", {operand(), constant(kind, 1)});
    Scalar is_no_number = constant(Kind::boolean, 0);
    for (int k = 0; k < 4; ++k) {
      const std::size_t f = d.below(std::size(rounded));
      const std::vector<Scalar> operands(f < 24 ? 1 : 2, least);
      is_no_number = applied("bit_xor", {is_no_number, applied("isnan", {applied(rounded[f], operands)})});
    }
    return converted(is_no_number, kind);
  }
  return converted(expression(d, d.one_in(2) ? Kind::i32 : draw_kind(d), depth - 1), kind);
}

/// An index beside a bound so large that their sums may wrap around.
inline Scalar beside_a_large_bound(Draw& d) {
  const auto index = [&] { return d.indices[d.indices.size() - 1 - d.below(d.indices.size())].scalar; };
  Scalar by = constant(Kind::i64, std::int64_t{1} << d.below(8));
  if (!d.arrays.empty() && d.one_in(2)) {
    const Array& a = d.arrays[d.below(d.arrays.size())];
    by = of_extent(a.shape[d.below(a.rank())]);
  } else if (d.one_in(4)) {
    by = index();
  }
  const Scalar bound = applied("mul", {by, constant(Kind::i64, std::int64_t{1} << (59 + d.below(4)))});
  const Scalar sum = applied(d.one_in(2) ? "add" : "sub", {index(), bound});
  std::vector sides{sum, draw_constant(d, Kind::i64)};
  if (d.one_in(2)) std::swap(sides[0], sides[1]);
  return applied(d.one_in(2) ? "lt" : "le", sides);
}

inline Scalar boolean_expression(Draw& d, int depth) {
  static constexpr const char* orders[] = {"lt", "le", "gt", "ge", "eq", "ne"};
  static constexpr const char* both[] = {"bit_and",    "bit_or", "bit_xor", "logical_and",
                                         "logical_or", "min",    "max",     "eq"};
  static constexpr const char* tests[] = {"isnan", "isinf", "isfinite"};
  const std::size_t which = d.below(8);
  if (which == 0 && !d.indices.empty() && d.one_in(2)) return beside_a_large_bound(d);
  if (which < 5) {
    Kind of = draw_kind(d);
    if (of == Kind::boolean) of = Kind::i32;
    const char* op = orders[d.below(std::size(orders))];
    const Scalar a = expression(d, of, depth - 1);
    return applied(op, {a, expression(d, of, depth - 1)});
  }
  if (which == 5) {
    const char* op = both[d.below(std::size(both))];
    const Scalar a = expression(d, Kind::boolean, depth - 1);
    return applied(op, {a, expression(d, Kind::boolean, depth - 1)});
  }
  if (which == 6)
    return applied(tests[d.below(3)], {expression(d, d.one_in(2) ? Kind::f32 : Kind::f64, depth - 1)});
  return applied("bit_not", {expression(d, Kind::boolean, depth - 1)});
}

inline Scalar expression(Draw& d, Kind kind, int depth) {
  if (depth <= 0 || d.is_exhausted()) return leaf(d, kind, depth);
  switch (d.below(8)) {
    case 0:
    case 1: return leaf(d, kind, depth);
    case 2: return read(d, kind, depth);
    case 3: {
      const Scalar c = expression(d, Kind::boolean, depth - 1), a = expression(d, kind, depth - 1);
      const Scalar b = expression(d, kind, depth - 1);
      return d.one_in(2) ? applied("select", {c, a, b}) : chosen(c, a.text, [&] { return a.value; }, b);
    }
    default: break;
  }
  if (kind == Kind::boolean) return boolean_expression(d, depth);
  return is_float(kind) ? float_expression(d, kind, depth) : integer_expression(d, kind, depth);
}

/// A size of at most so many: a constant, an array's, or computed from arguments, elements, quotients and
/// remainders; rarely negative.
inline Extent draw_size(Draw& d, std::int64_t most) {
  const auto extents_in_scope = [&] {
    std::vector<Extent> all;
    for (const Array& a : d.arrays)
      for (const Extent& e : a.shape) all.push_back(e);
    return all;
  };
  const Scalar zero = constant(Kind::i64, 0), top = constant(Kind::i64, most);
  Scalar x;
  switch (d.below(11)) {
    case 0:
      x = constant(Kind::i64, static_cast<std::int64_t>(d.below(static_cast<std::size_t>(most) + 1)));
      break;
    case 1:
    case 2:
    case 3:
      if (const auto all = extents_in_scope(); !all.empty()) {
        const Extent e = all[d.below(all.size())];
        if (most >= 20 && !d.one_in(3)) return e;
        x = applied("min", {of_extent(e), top});
        break;
      }
      [[fallthrough]];
    case 4: x = applied("min", {applied("max", {expression(d, Kind::i64, 1), zero}), top}); break;
    case 5:
      x = applied("rem", {applied("abs", {expression(d, Kind::i64, 1)}), constant(Kind::i64, most + 1)});
      break;
    case 6: {  // a quotient, or a remainder
      const auto all = extents_in_scope();
      const Scalar n = all.empty() ? top : applied("min", {of_extent(all[d.below(all.size())]), top});
      Scalar by = leaf(d, Kind::i64, 1);
      if (!d.one_in(4)) by = applied("max", {by, constant(Kind::i64, 1)});
      x = applied(d.one_in(2) ? "div" : "rem", {n, by});
      if (!d.one_in(4)) x = applied("max", {x, zero});
      break;
    }
    case 7: {  // computed with floats
      const Scalar f = expression(d, d.one_in(2) ? Kind::f32 : Kind::f64, 1);
      const Scalar small = applied("min", {applied("abs", {f}), constant(f.kind(), most)});
      x = converted(applied("select", {applied("isnan", {f}), constant(f.kind(), 1), small}), Kind::i64);
      break;
    }
    case 8: {  // a difference, or a product, of numbers of both signs
      const auto small = [&](std::int64_t below) {
        return applied("rem", {expression(d, Kind::i64, 1), constant(Kind::i64, below)});
      };
      const Scalar a = small(4), b = small(most / 3 + 1);
      x = applied("max", {applied(d.one_in(2) ? "sub" : "mul", {a, b}), zero});
      break;
    }
    case 9:  // one that grows with an index
      if (!d.indices.empty()) {
        x = applied("add", {applied("abs", {d.indices.back().scalar}),
                            constant(Kind::i64, static_cast<std::int64_t>(d.below(3)))});
        if (most < 20) x = applied("min", {x, top});
        break;
      }
      [[fallthrough]];
    default: {
      const auto all = extents_in_scope();
      const Scalar n = all.empty() ? top : applied("min", {of_extent(all[d.below(all.size())]), top});
      x = applied("max",
                  {applied("sub", {n, constant(Kind::i64, static_cast<std::int64_t>(d.below(4)))}), zero});
    }
  }
  const std::string name = d.fresh("n");
  d.line("auto " + name + " = " + x.text + ";");
  return d.extent(x.value, name);
}

}  // namespace fulgurite::programs
