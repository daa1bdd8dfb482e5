// Statements of random programs with statements in them: maps of rows, slices and elements, branches, loops,
// folds of rows.
#pragma once

#include "axes.h"
#include "branching_rows.h"
#include "growing_rows.h"
#include "idioms.h"
#include "interleaving.h"
#include "replaced_slices.h"
#include "segments.h"
#include "sharing.h"
#include "sliding.h"
#include "swapped_rows.h"

namespace fulgurite::programs {

inline void statement(Draw& d);

inline void statements(Draw& d, std::size_t most) {
  for (std::size_t n = 1 + d.below(most); n > 0 && d.budget > 0 && !d.is_exhausted(); --n) statement(d);
}

/// A scalar that depends on all of an array.
inline Scalar folded(Draw& d, const Array& of) {
  const Array a = tamed(d, of);
  const Known known = draw_known(d, a.kinds[0]);
  const auto body = [&](std::span<const Value> ab) { return Values{call(known.name, ab[0], ab[1])}; };
  const Value neutral[] = {known.neutral};
  const detail::Fold fold{.origin = "reduce", .neutral = neutral, .initial = {}};
  const Values results = detail::reduce(fold, Body(body), std::span(a.parts).first(1), Here::current());
  const std::string name = d.fresh("r");
  d.line("auto " + name + " = fg::reduce(fg::" + known.name + ", " + literal_texts({known.neutral}) + ", " +
         a.name + (a.kinds.size() > 1 ? " (part 0)" : "") + ");");
  return {name, results[0]};
}

/// The function's scalars of these kinds, computed from what is in scope, mostly from what was made last.
inline std::vector<Scalar> draw_results(Draw& d, const Kinds& kinds) {
  std::vector<Scalar> results;
  for (Kind kind : kinds) {
    Scalar x = expression(d, kind, 2);
    if (!d.arrays.empty() && d.one_in(2)) {
      const Scalar last = converted(folded(d, Array(d.arrays.back())), kind);
      x = d.one_in(2) ? last : applied(kind == Kind::boolean ? "bit_xor" : "add", {x, last});
    }
    if (!d.scalars.empty() && d.one_in(2))
      x = applied(kind == Kind::boolean ? "bit_xor" : "add", {x, converted(d.scalars.back(), kind)});
    results.push_back(x);
  }
  return results;
}
inline std::string texts_of(const std::vector<Scalar>& scalars) {
  std::vector<std::string> texts;
  for (const Scalar& s : scalars) texts.push_back(s.text);
  return joined(texts);
}
inline Values values_of(const std::vector<Scalar>& scalars) {
  Values values;
  for (const Scalar& s : scalars) values.push_back(s.value);
  return values;
}

/// map over elements, rows, or slices of one or two arrays, or over numbers, with statements in its function,
/// which gives elements, an array, or both.
inline void nest(Draw& d) {
  std::vector<Array> from;
  std::vector<detail::Operand> operands;
  std::vector<std::string> texts;
  std::vector<Extent> shape;
  std::size_t way = d.below(4);
  if (d.is_large || d.depth > 1) way = 3;  // few calls
  const Array* picked = way < 2 ? d.pick([](const Array& a) { return a.rank() > 1; }) : nullptr;
  if (picked == nullptr && way != 3) picked = d.pick_rank(1);
  detail::Pass pass = detail::Pass::elements;
  int axis = 0;
  if (picked != nullptr) {
    from.push_back(*picked);
    if (picked->rank() > 1) {
      pass = d.one_in(3) ? detail::Pass::slices : detail::Pass::rows;
      if (pass == detail::Pass::slices) axis = static_cast<int>(d.below(picked->rank()));
    }
    if (const Array* other = d.pick([&](const Array& b) { return b.is_like(from[0]); });
        other != nullptr && d.one_in(2))
      from.push_back(*other);
    shape = from[0].shape;
    if (pass == detail::Pass::rows) shape.pop_back();
    if (pass == detail::Pass::slices) shape = {shape[static_cast<std::size_t>(axis)]};
    for (const Array& a : from) {
      operands.push_back({a.parts, pass, axis});
      texts.push_back(pass == detail::Pass::rows ? "fg::rows(" + a.name + ")"
                      : pass == detail::Pass::slices
                          ? "fg::slices(" + a.name + ", fg::axis(" + std::to_string(axis) + "))"
                          : a.name);
    }
  } else {
    shape = {draw_size(d, 9)};
    texts.push_back(shape[0].text);
  }
  const std::string name = d.fresh("m");
  const Kinds kinds = draw_kinds(d);
  const bool wants_array = d.one_in(3);
  Kinds array_kinds;
  std::vector<Extent> array_shape;
  bool gives_array = false;
  const auto body = d.repeatable([&](std::span<const Value> arguments) {
    std::vector<std::string> params;
    ++d.level;
    if (from.empty()) {
      params.push_back(d.fresh("i"));
      d.indices.push_back({{params.back(), arguments[0]}, shape[0].id});
    }
    std::size_t at = 0;
    for (const Array& a : from) {
      params.push_back(d.fresh(pass == detail::Pass::elements ? "x" : "row"));
      const Values parts(arguments.begin() + static_cast<std::ptrdiff_t>(at),
                         arguments.begin() + static_cast<std::ptrdiff_t>(at + a.kinds.size()));
      at += a.kinds.size();
      if (pass == detail::Pass::elements) {
        d.add_scalars(params.back(), a.kinds, parts);
        continue;
      }
      std::vector<Extent> inner;
      if (pass == detail::Pass::rows)
        inner = {a.shape.back()};
      else
        for (std::size_t k = 0; k < a.rank(); ++k)
          if (k != static_cast<std::size_t>(axis)) inner.push_back(a.shape[k]);
      d.add(params.back(), a.kinds, inner, parts);
    }
    d.outdent();
    d.line("auto " + name + " = fg::" + (from.empty() ? "generate(" + texts[0] + ", " : "map(") +
           lambda_head(params) + " {");
    d.indent();
    statements(d, 3);
    const std::vector<Scalar> results = draw_results(d, kinds);
    const Array* array = !wants_array ? nullptr : d.pick([&](const Array& a) {
      return a.rank() + shape.size() <= 4 &&
             std::ranges::all_of(a.shape, [&](const Extent& e) { return e.level < d.level; });
    });
    gives_array = array != nullptr;
    Values values;
    if (gives_array) {
      array_kinds = array->kinds, array_shape = array->shape;
      values = array->parts;
      d.line("return std::tuple{" + array->name + ", " + texts_of(results) + "};");
    } else {
      d.line("return std::tuple{" + texts_of(results) + "};");
    }
    const Values scalars = values_of(results);
    values.insert(values.end(), scalars.begin(), scalars.end());
    --d.level;
    return values;
  });
  Values extents;
  for (const Extent& e : shape) extents.push_back(e.value);
  const Values results = from.empty() ? detail::generate(extents, Body(body), "generate", Here::current())
                                      : detail::map(operands, Body(body), Here::current());
  d.line(from.empty() ? "});" : "}, " + joined(texts) + ");");
  const auto n = static_cast<std::ptrdiff_t>(gives_array ? array_kinds.size() : 0);
  if (gives_array) {
    auto all = shape;
    all.insert(all.end(), array_shape.begin(), array_shape.end());
    if (all.size() <= 3)
      d.add("std::get<0>(" + name + ")", array_kinds, all, Values(results.begin(), results.begin() + n));
  }
  d.add(gives_array ? "std::get<1>(" + name + ")" : name, kinds, shape,
        Values(results.begin() + n, results.end()));
}

/// map(f, fg::rows(fg::group_by(k, key_of, xs))): rows of unequal lengths, some of them empty.
inline void nest_groups(Draw& d) {
  const Array* picked = d.pick_rank(1);
  if (picked == nullptr || d.is_large || d.depth > 1) return let(d);
  const Array a = *picked;
  const auto k = static_cast<std::int64_t>(1 + d.below(6));
  const Here here = Here::current();
  std::string key_text;
  const auto key_of = d.repeatable([&](std::span<const Value> x) {
    d.add_scalars("x", a.kinds, Values(x.begin(), x.end()));
    const Scalar key = applied("bit_and", {expression(d, Kind::i64, 2), constant(Kind::i64, 7)});
    key_text = key.text;
    return Values{key.value};
  });
  Values parts = detail::partition(literal(Kind::i64, k), Body(key_of), a.parts, here);
  std::rotate(parts.begin(), parts.end() - 1, parts.end());  // the offsets first
  const detail::Operand operands[] = {{parts, detail::Pass::ragged}};
  const std::string name = d.fresh("m");
  const Kinds kinds = draw_kinds(d);
  const auto body = d.repeatable([&](std::span<const Value> row) {
    ++d.level;
    const std::string param = d.fresh("row");
    d.outdent();
    d.line("auto " + name + " = fg::map([&](auto " + param + ") {");
    d.indent();
    d.add_fresh(param, a.kinds, Values(row.begin(), row.end()));
    statements(d, 2);
    const std::vector<Scalar> results = draw_results(d, kinds);
    d.line("return std::tuple{" + texts_of(results) + "};");
    --d.level;
    return values_of(results);
  });
  Values results = detail::map(operands, Body(body), here);
  d.line("}, fg::rows(fg::group_by(" + std::to_string(k) + ", [&](auto x) { return " + key_text + "; }, " +
         a.name + ")));");
  d.add_fresh(name, kinds, std::move(results));
}

/// Arrays of one type as another's values: those that fit best last.
inline const Array* draw_next(Draw& d, const Array& state) {
  const bool alike = !d.one_in(6);
  const Array* next = d.pick([&](const Array& a) {
    return a.kinds == state.kinds && a.rank() == state.rank() && (!alike || a.is_like(state));
  });
  return next;
}

inline void branch(Draw& d) {
  const Scalar condition = expression(d, Kind::boolean, 2);
  const Kinds kinds = draw_kinds(d);
  const Array* model = d.one_in(2) ? d.pick() : nullptr;
  const Array like = model == nullptr ? Array() : *model;
  const std::string name = d.fresh("c");
  const auto side = [&](std::span<const Value>) {
    statements(d, 2);
    const std::vector<Scalar> results = draw_results(d, kinds);
    Values values = values_of(results);
    std::string text = texts_of(results);
    if (model != nullptr) {
      const Array* array = draw_next(d, like);
      const Array& given = array == nullptr ? like : *array;
      values.insert(values.end(), given.parts.begin(), given.parts.end());
      text += ", " + given.name;
    }
    d.line("return std::tuple{" + text + "};");
    return values;
  };
  // Each part of the decisions goes to one branch; which is traced first does not matter.
  const auto yes = d.repeatable([&](std::span<const Value> none) {
    d.outdent();
    d.line("auto " + name + " = fg::cond(" + condition.text + ", [&] {");
    d.indent();
    return side(none);
  });
  std::vector<std::size_t> widths(kinds.size(), 1);
  if (model != nullptr) widths.push_back(like.kinds.size());
  std::function<Values(std::span<const Value>)> no;
  const auto otherwise = [&](std::span<const Value> none) {
    if (!no)
      no = d.repeatable([&](std::span<const Value> given) {
        d.outdent();
        d.line("}, [&] {");
        d.indent();
        return side(given);
      });
    return no(none);
  };
  const Values results = detail::cond(condition.value, Body(yes), Body(otherwise), widths, Here::current());
  d.line("});");
  const auto n = static_cast<std::ptrdiff_t>(kinds.size());
  for (std::size_t k = 0; k < kinds.size(); ++k)
    d.scalars.push_back({"std::get<" + std::to_string(k) + ">(" + name + ")", results[k]});
  if (model != nullptr)
    d.add_fresh("std::get<" + std::to_string(n) + ">(" + name + ")", like.kinds,
                Values(results.begin() + n, results.end()));
}

/// iterate and while_loop over up to two scalars and three arrays, which may take each other's places.
inline void loop(Draw& d) {
  Kinds kinds;
  for (std::size_t n = d.below(3); n > 0; --n) kinds.push_back(draw_kind(d));
  std::vector<Array> arrays;
  for (std::size_t n = kinds.empty() ? 1 + d.below(3) : d.below(4); n > 0; --n) {
    const Array* array = arrays.empty() || d.one_in(3) ? d.pick() : d.pick([&](const Array& a) {
      return a.kinds == arrays[0].kinds && a.is_like(arrays[0]);
    });
    if (array != nullptr) arrays.push_back(*array);
  }
  if (arrays.empty() && kinds.empty()) return;
  const bool counts = !d.one_in(3);
  const Scalar trips = d.one_in(2) ? constant(Kind::i64, static_cast<std::int64_t>(d.below(4)))
                                   : applied("min", {expression(d, Kind::i64, 1), constant(Kind::i64, 3)});
  Values initial;
  std::vector<std::size_t> widths;
  std::string starts;
  if (!counts) {  // how many are left
    initial.push_back(trips.value);
    widths.push_back(1);
    starts += ", " + trips.text;
  }
  for (const Scalar& s : draw_results(d, kinds)) {
    initial.push_back(s.value);
    widths.push_back(1);
    starts += ", " + s.text;
  }
  for (const Array& a : arrays) {
    initial.insert(initial.end(), a.parts.begin(), a.parts.end());
    widths.push_back(a.kinds.size());
    starts += ", " + a.name;
  }
  // A condition that an array decides is one that a device keeps.
  std::optional<std::size_t> asked;
  for (std::size_t k = 0; !counts && k < arrays.size(); ++k)
    if (arrays[k].kinds == Kinds{Kind::i32} && arrays[k].shape.size() == 1 && d.one_in(2)) asked = k;
  std::string condition_text = "[](auto left, auto...) { return left > 0; }";
  if (asked) {
    condition_text = "[](auto left";
    for (std::size_t k = 0; k < kinds.size() + *asked; ++k) condition_text += ", auto";
    condition_text += ", auto a, auto...) { return (left > 0) & (fg::sum(a) != 7); }";
  }
  const std::string name = d.fresh("l");
  std::vector<bool> keeps(arrays.size(), true);
  const auto body = d.repeatable([&](std::span<const Value> arguments) {
    std::vector<std::string> params{d.fresh(counts ? "i" : "left")};
    std::size_t at = 1;
    if (counts)
      d.indices.push_back({{params[0], arguments[0]}, -1});
    else
      d.scalars.push_back({params[0], arguments[0]});
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      params.push_back(d.fresh("s"));
      d.scalars.push_back({params.back(), arguments[at++]});
    }
    std::vector<Array> states;
    for (const Array& a : arrays) {
      params.push_back(d.fresh("a"));
      const Values parts(arguments.begin() + static_cast<std::ptrdiff_t>(at),
                         arguments.begin() + static_cast<std::ptrdiff_t>(at + a.kinds.size()));
      at += a.kinds.size();
      std::vector<Extent> shape = a.shape;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        shape[axis].value = detail::extent(parts[0], static_cast<int>(axis), Here::current());
        shape[axis].text = params.back() + ".size(" + std::to_string(axis) + ")";
      }
      states.push_back(d.add(params.back(), a.kinds, shape, parts));
    }
    d.outdent();
    d.line("auto " + name +
           " = fg::" + (counts ? "iterate(" + trips.text + ", " : "while_loop(" + condition_text + ", ") +
           lambda_head(params) + " {");
    d.indent();
    statements(d, 3);
    // State that a step changes, once or twice, and of which others may still read what it was.
    std::vector<std::optional<Array>> changed(states.size());
    for (std::size_t k = 0; k < states.size(); ++k) {
      if (!d.one_in(3)) continue;
      const Array former = d.one_in(4) ? states[d.below(states.size())] : states[k];
      if (!former.is_like(states[k]) || former.kinds != states[k].kinds) continue;
      update(d, former);
      changed[k] = d.arrays.back();
      if (!d.one_in(3)) continue;
      update(d, *changed[k]);
      changed[k] = d.arrays.back();
    }
    std::vector<Scalar> results = draw_results(d, kinds);
    if (!counts)
      results.insert(results.begin(), applied("sub", {{params[0], arguments[0]}, constant(Kind::i64, 1)}));
    Values values = values_of(results);
    std::string text = texts_of(results);
    for (std::size_t k = 0; k < states.size(); ++k) {
      const Array* next = draw_next(d, states[k]);
      const Array given = changed[k] ? *changed[k] : next == nullptr ? states[k] : *next;
      if (!given.is_like(states[k])) keeps[k] = false;
      values.insert(values.end(), given.parts.begin(), given.parts.end());
      text += (text.empty() ? "" : ", ") + given.name;
    }
    d.line("return std::tuple{" + text + "};");
    return values;
  });
  const auto condition = [&](std::span<const Value> state) {
    const Value goes_on = detail::apply("gt", {state[0], literal(Kind::i64, 0)}, Here::current());
    if (!asked) return Values{goes_on};
    std::size_t at = 1 + kinds.size();
    for (std::size_t k = 0; k < *asked; ++k) at += arrays[k].kinds.size();
    const Value sum = detail::reduce("add", "sum", state[at], std::nullopt, Here::current());
    const Value differs = detail::apply("ne", {sum, literal(Kind::i32, 7)}, Here::current());
    return Values{detail::apply("bit_and", {goes_on, differs}, Here::current())};
  };
  Values results = counts ? detail::iterate(trips.value, Body(body), initial, widths, Here::current())
                          : detail::while_loop(Body(condition), Body(body), initial, widths, Here::current());
  d.line("}" + starts + ");");
  std::size_t at = counts ? 0 : 1;
  const auto part = [&](std::size_t k) {
    return "std::get<" + std::to_string(k + (counts ? 0 : 1)) + ">(" + name + ")";
  };
  for (std::size_t k = 0; k < kinds.size(); ++k) d.scalars.push_back({part(k), results[at++]});
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const Array& a = arrays[k];
    Values parts(results.begin() + static_cast<std::ptrdiff_t>(at),
                 results.begin() + static_cast<std::ptrdiff_t>(at + a.kinds.size()));
    at += a.kinds.size();
    if (keeps[k])
      d.add(part(kinds.size() + k), a.kinds, a.shape, std::move(parts));
    else
      d.add_fresh(part(kinds.size() + k), a.kinds, std::move(parts));
  }
}

/// A kernel of the kernel language, called for blocks of four elements.
inline void call_kernel(Draw& d) {
  const Array* picked = d.pick([](const Array& a) { return a.rank() == 1 && a.kinds == Kinds{Kind::i32}; });
  if (picked == nullptr || d.level > 0) return let(d);
  const Array a = *picked;
  static const auto turned = kernel::kernel("turned", kernel::block<int>(4), [](kernel::Pull<int> x) {
    return kernel::zip_with(plus, x, kernel::sync(kernel::reverse(x)));
  });
  const Scalar n = applied(
      "mul", {applied("div", {of_extent(a.shape[0]), constant(Kind::i64, 4)}), constant(Kind::i64, 4)});
  const Value whole = detail::take(a.parts[0], n.value, 0, Here::current());
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = kernel::call(turned, fg::take(" + a.name + ", " + n.text + "));");
  const Vec<i32> made = kernel::call(turned, Vec<i32>(detail::Parts<i32>{whole}));
  d.add_fresh(name, a.kinds, {made.value()});
}

struct Statement {
  const char* name;
  void (*draw)(Draw&);
  int weight;
  bool has_function;
};
inline constexpr Statement all_statements[] = {
    {"map", map, 4, false},
    {"generate", generate, 2, false},
    {"iota", iota, 1, false},
    {"replicate", replicate, 1, false},
    {"operate", operate, 3, false},
    {"zip", zip, 2, false},
    {"slice", slice, 3, false},
    {"arrange", arrange, 4, false},
    {"concat", concat, 2, false},
    {"gather", gather, 2, false},
    {"backpermute", backpermute, 1, false},
    {"scatter", scatter, 3, false},
    {"update", update, 4, false},
    {"reduce", reduce, 3, false},
    {"known_reduce", known_reduce, 2, false},
    {"scan", scan, 3, false},
    {"segmented", segmented, 2, false},
    {"expanded", [](Draw& d) { return d.depth > 1 ? let(d) : expanded(d); }, 1, false},
    {"made_rows", [](Draw& d) { return d.depth > 0 ? let(d) : made_rows(d); }, 1, false},
    {"histogram", histogram, 3, false},
    {"choose", choose, 3, false},
    {"sort", sort, 2, false},
    {"sort_rows", sort_rows, 1, false},
    {"stencil", stencil, 2, false},
    {"replace", replace, 2, false},
    {"scan_and_count", scan_and_count, 1, false},
    {"share", share, 3, false},
    {"padded_fold", padded_fold, 1, true},
    {"size_by_floats", size_by_floats, 1, true},
    {"triangle", triangle, 1, true},
    {"windows", windows, 1, true},
    {"sliding", sliding, 1, true},
    {"interleaving", interleaving, 2, false},
    {"replaced_slices", replaced_slices, 3, true},
    {"rows_of_sizes", [](Draw& d) { return d.is_large || d.depth > 1 ? let(d) : rows_of_sizes(d); }, 2, true},
    {"inner_rows_of_sizes", inner_rows_of_sizes, 2, true},
    {"changed_rows", changed_rows, 2, true},
    {"branching_rows", branching_rows, 2, true},
    {"swapped_rows", swapped_rows, 2, true},
    {"growing_rows", growing_rows, 2, true},
    {"let", let, 1, false},
    {"fold_rows", fold_rows, 1, true},
    {"nest", nest, 5, true},
    {"nest_groups", nest_groups, 2, true},
    {"branch", branch, 3, true},
    {"call_kernel", call_kernel, 1, false},
    {"loop", loop, 5, true},
    {"axes", axes, 4, false},
};

inline void statement(Draw& d) {
  static const int total = [] {
    int sum = 0;
    for (const Statement& s : all_statements) sum += s.weight;
    return sum;
  }();
  --d.budget;
  if (d.is_large && d.depth == 0 && d.one_in(6)) return scan_and_count(d);
  auto at = static_cast<int>(d.below(static_cast<std::size_t>(total)));
  for (const Statement& s : all_statements) {
    at -= s.weight;
    if (at >= 0) continue;
    if (s.has_function && d.depth >= (d.is_large ? 1 : 3)) return let(d);
    return s.draw(d);
  }
}

}  // namespace fulgurite::programs
