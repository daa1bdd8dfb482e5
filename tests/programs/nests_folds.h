// Operators with which random nests fold and scan, on one component or several, as a user's lambda on tuples
// and structs has them. On floats none of them rounds what nests_arguments.h draws.
#pragma once

#include "operators.h"

namespace fulgurite::programs::nests {

inline Value number(Kind kind, std::int64_t value) {
  return literal(kind, value);
}
inline Value select(const Value& condition, const Value& yes, const Value& no) {
  return call("select", condition, yes, no);
}
inline Value to(Kind kind, const Value& x) {
  return x.kind == kind ? x : detail::cast(x, kind, Here::current());
}
/// An integer as a small number of another kind.
inline Value small(Kind kind, const Value& x) {
  return to(kind, call("rem", x, number(x.kind, 8)));
}

/// Elements and their places become components, which the operator joins, and one value at last.
struct Folding {
  std::function<Values(const Value& x, const Value& at)> lift;
  std::function<Values(std::span<const Value>)> join;  // of two elements
  Values neutral;
  std::function<Value(std::span<const Value>)> result;
};

/// Each component by an operation of its own.
inline Folding by_operations(std::vector<const char*> ops, Values neutral) {
  Folding folding;
  const std::size_t n = ops.size();
  folding.lift = [n](const Value& x, const Value&) { return Values(n, x); };
  folding.join = [ops, n](std::span<const Value> ab) {
    Values joined;
    for (std::size_t k = 0; k < n; ++k) joined.push_back(call(ops[k], ab[k], ab[n + k]));
    return joined;
  };
  folding.neutral = std::move(neutral);
  folding.result = [n](std::span<const Value> all) { return n == 1 ? all[0] : call("sub", all[0], all[1]); };
  return folding;
}

inline Value lowest(Kind kind) {
  return {nullptr, scalar::lowest(static_cast<scalar::Kind>(kind)), kind, 0};
}
inline Value highest(Kind kind) {
  return {nullptr, scalar::highest(static_cast<scalar::Kind>(kind)), kind, 0};
}

/// The least element, or the greatest, and the first place or the last at which it stands.
inline Folding with_place(Kind kind, bool is_least, bool is_first) {
  Folding folding;
  folding.lift = [](const Value& x, const Value& at) { return Values{x, to(Kind::i64, at)}; };
  folding.join = [=](std::span<const Value> ab) {
    const Value &x = ab[0], &y = ab[2];
    Value takes = is_least ? call("lt", y, x) : call("gt", y, x);
    // The neutral element of integers may be equal to others, and its place then has to lose on both sides.
    const Value takes_equal = is_integer(kind) ? call(is_first ? "lt" : "gt", ab[3], ab[1])
                                               : number(Kind::boolean, is_first ? 0 : 1);
    takes = call("logical_or", takes, call("logical_and", call("eq", x, y), takes_equal));
    return Values{select(takes, y, x), select(takes, ab[3], ab[1])};
  };
  folding.neutral = {is_least ? highest(kind) : lowest(kind), number(Kind::i64, is_first ? 1 << 20 : -1)};
  folding.result = [kind](std::span<const Value> all) {
    return call("add", small(kind, all[1]),
                call("min", call("max", all[0], number(kind, 0)), number(kind, 100)));
  };
  return folding;
}

/// The last element that is not zero.
inline Folding last_of_all(Kind kind) {
  Folding folding = by_operations({"add"}, {number(kind, 0)});
  folding.join = [zero = number(kind, 0)](std::span<const Value> ab) {
    return Values{select(call("ne", ab[1], zero), ab[1], ab[0])};
  };
  return folding;
}

/// x -> a x + b, one after the other: of integers.
inline Folding compositions(Kind kind) {
  Folding folding = by_operations({"mul", "add"}, {number(kind, 1), number(kind, 0)});
  folding.lift = [kind](const Value& x, const Value& at) { return Values{x, small(kind, at)}; };
  folding.join = [](std::span<const Value> fg) {
    return Values{call("mul", fg[0], fg[2]), call("add", call("mul", fg[1], fg[2]), fg[3])};
  };
  return folding;
}

/// Products of complex integers.
inline Folding complex_products(Kind kind) {
  Folding folding = by_operations({"mul", "mul"}, {number(kind, 1), number(kind, 0)});
  folding.lift = [kind](const Value& x, const Value& at) { return Values{x, small(kind, at)}; };
  folding.join = [](std::span<const Value> ab) {
    return Values{call("sub", call("mul", ab[0], ab[2]), call("mul", ab[1], ab[3])),
                  call("add", call("mul", ab[0], ab[3]), call("mul", ab[1], ab[2]))};
  };
  return folding;
}

/// How many elements are greater than 1.
inline Folding count(Kind kind) {
  Folding folding = by_operations({"add"}, {number(Kind::i64, 0)});
  folding.lift = [kind](const Value& x, const Value&) {
    return Values{detail::cast(call("gt", x, number(kind, 1)), Kind::i64, Here::current())};
  };
  return folding;
}

inline Folding folding(std::size_t which, Kind kind) {
  const Value zero = number(kind, 0);
  switch (which) {
    case 1: return by_operations({"max"}, {lowest(kind)});
    case 2: return by_operations({"min"}, {highest(kind)});
    case 3: return with_place(kind, true, true);
    case 4: return with_place(kind, false, false);
    case 5: return last_of_all(kind);
    case 6: return by_operations({"add", "max"}, {zero, is_float(kind) ? number(kind, -100) : lowest(kind)});
    case 7: return is_float(kind) ? by_operations({"add", "add"}, {zero, zero}) : compositions(kind);
    case 8:
      return is_float(kind) ? by_operations({"max"}, {lowest(kind)}) : by_operations({"bit_xor"}, {zero});
    case 9: return is_float(kind) ? last_of_all(kind) : complex_products(kind);
    case 10: return count(kind);
    default: return by_operations({"add"}, {zero});
  }
}

/// The elements of arrays of equal shapes, computed one by one.
inline Values each_of(const Values& arrays, const std::function<Values(std::span<const Value>)>& f) {
  std::vector<detail::Operand> operands;
  for (const Value& array : arrays) operands.push_back({std::span(&array, 1)});
  return detail::map(operands, Body(f), Here::current());
}

inline Values generated(const Values& extents, const std::function<Values(std::span<const Value>)>& f) {
  return detail::generate(extents, Body(f), "generate", Here::current());
}

inline Value folded(const Folding& how, const Values& components) {
  const detail::Fold fold{.origin = "reduce", .neutral = how.neutral, .initial = {}};
  return how.result(detail::reduce(fold, Body(how.join), components, Here::current()));
}

/// Along an axis: one value for each place on the others.
inline Value folded(const Folding& how, const Values& components, int axis) {
  const detail::Fold fold{.origin = "reduce", .neutral = how.neutral, .initial = {}, .axis = axis};
  const Values all = detail::reduce(fold, Body(how.join), components, Here::current());
  return each_of(all, [&](std::span<const Value> x) { return Values{how.result(x)}; })[0];
}

inline Value scanned(const Folding& how, const Values& components, int axis, bool from_right) {
  const detail::Scanning scanning{.origin = from_right ? "scan_right" : "scan",
                                  .from_right = from_right,
                                  .neutral = how.neutral,
                                  .initial = {},
                                  .axis = axis};
  const Values all = detail::scan(scanning, Body(how.join), components, Here::current());
  return each_of(all, [&](std::span<const Value> x) { return Values{how.result(x)}; })[0];
}

}  // namespace fulgurite::programs::nests
