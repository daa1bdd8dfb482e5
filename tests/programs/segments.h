// Statements of random programs that fold and scan the segments of an axis.
#pragma once

#include "folding.h"

namespace fulgurite::programs {

/// Segments of an axis of n elements, and their text.
inline std::pair<detail::Segments, std::string> draw_segments(Draw& d, const Extent& n) {
  const Here here = Here::current();
  detail::Segments segments{};
  std::string by;
  switch (d.below(4)) {
    case 0: {
      const Array* flags = d.pick([&](const Array& x) {
        return x.rank() == 1 && x.kinds == Kinds{Kind::boolean} && x.shape[0].id == n.id;
      });
      Value fs;
      if (flags != nullptr) {
        fs = flags->parts[0], by = "fg::flags(" + flags->name + ")";
      } else {
        const auto every = static_cast<std::int64_t>(1 + d.below(5));
        fs = detail::apply(
            "eq",
            {detail::apply("rem", {detail::iota(n.value, Kind::i64, here), literal(Kind::i64, every)}, here),
             literal(Kind::i64, 0)},
            here);
        by = "fg::flags(fg::iota(" + n.text + ") % " + std::to_string(every) + " == 0)";
      }
      segments = {detail::SegmentsBy::flags, fs};
      break;
    }
    case 1: {  // all in the second of three
      const auto body = [&](std::span<const Value> i) {
        return Values{
            call("select", call("eq", i[0], literal(Kind::i64, 1)), n.value, literal(Kind::i64, 0))};
      };
      const Value three[] = {literal(Kind::i64, 3)};
      segments = {detail::SegmentsBy::lengths, detail::generate(three, Body(body), "generate", here)[0]};
      by = "fg::lengths({0, " + n.text + ", 0})";
      break;
    }
    case 2: {  // offsets 0, then an ascending half, all
      const auto cut = static_cast<std::int64_t>(1 + d.below(4));
      const auto body = [&](std::span<const Value> i) {
        return Values{detail::apply(
            "div", {detail::apply("mul", {i[0], n.value}, here), literal(Kind::i64, cut)}, here)};
      };
      const Value count[] = {literal(Kind::i64, cut + 1)};
      segments = {detail::SegmentsBy::offsets, detail::generate(count, Body(body), "generate", here)[0]};
      by = "fg::offsets(generate(" + std::to_string(cut + 1) + ", i * " + n.text + " / " +
           std::to_string(cut) + "))";
      break;
    }
    default: {
      const Scalar length = d.one_in(2) ? constant(Kind::i64, static_cast<std::int64_t>(1 + d.below(2)))
                                        : applied("max", {of_extent(n), constant(Kind::i64, 1)});
      segments = {detail::SegmentsBy::regular, length.value};
      by = "fg::regular(" + length.text + ")";
    }
  }
  return {segments, by};
}

inline void segmented(Draw& d) {
  const Array* picked = d.one_in(3) ? d.pick([](const Array& x) { return x.rank() > 1; }) : d.pick_rank(1);
  if (picked == nullptr) return;
  const Array a = tamed(d, *picked);
  const std::size_t along = d.below(a.rank());
  const int axis = static_cast<int>(along) - (d.one_in(2) ? static_cast<int>(a.rank()) : 0);
  const Operator op = draw_operator(d, a.kinds);
  const auto [segments, by] = draw_segments(d, a.shape[along]);
  const auto [element, element_text] = draw_element(d, a.kinds, 1, true);
  const bool has_neutral = !op.neutral.empty() && !d.one_in(6);
  const std::string starts = has_neutral ? op.neutral_text + ", " : "";
  const Values neutral = has_neutral ? op.neutral : Values();
  const std::string name = d.fresh("v");
  const auto line = [&](const std::string& what, const std::string& before) {
    d.line("auto " + name + " = fg::" + what + "(" + op.text + ", " + before + by + ", " + a.name +
           ", fg::axis(" + std::to_string(axis) + "));");
  };
  if (d.one_in(3)) {
    const bool from_value = d.one_in(3);
    const char* origin = from_value ? "segmented_fold" : "segmented_reduce";
    line(origin, from_value ? element_text + ", " : starts);
    const Values none;
    const detail::Fold fold{.origin = origin,
                            .neutral = from_value ? none : neutral,
                            .initial = from_value ? element : none,
                            .axis = axis};
    d.add_fresh(name, a.kinds,
                detail::segmented_reduce(segments, fold, Body(op.body), a.parts, Here::current()));
    return;
  }
  detail::Scanning how{.origin = "", .neutral = {}, .initial = {}, .axis = axis};
  how.from_right = d.one_in(2);
  how.totals = has_neutral && d.one_in(3);
  how.inclusive = !how.totals && d.one_in(2);
  if (how.inclusive || how.totals)
    how.neutral = neutral;
  else
    how.initial = element;
  std::string text = how.inclusive || how.totals ? "segmented_scan" : "segmented_exclusive_scan";
  text += std::string(how.from_right ? "_right" : "") + (how.totals ? "_with_totals" : "");
  how.origin = text.c_str();
  line(text, how.inclusive || how.totals ? starts : element_text + ", ");
  const Values results = detail::segmented_scan(segments, how, Body(op.body), a.parts, Here::current());
  const auto middle = results.begin() + static_cast<std::ptrdiff_t>(a.kinds.size());
  d.add(how.totals ? "std::get<0>(" + name + ")" : name, a.kinds, a.shape, Values(results.begin(), middle));
  if (how.totals) d.add_fresh("std::get<1>(" + name + ")", a.kinds, Values(middle, results.end()));
}

/// The larger of an element's first component and k % 3, beside its others.
inline Values with_number(const Array& a, std::span<const Value> of, const Value& k) {
  Values element(of.begin(), of.end());
  if (a.kinds[0] == Kind::boolean) return element;
  const Value number = detail::cast(call("rem", k, literal(Kind::i64, 3)), a.kinds[0], Here::current());
  element[0] = call("max", element[0], number);
  return element;
}

/// Element i of a vector i % few times, each time combined with the number of the time or as it is; or the
/// folds of these.
inline void expanded(Draw& d) {
  const Array* picked = d.pick_rank(1);
  if (picked == nullptr) return;
  const Array a = tamed(d, *picked);
  const Here here = Here::current();
  const auto few = static_cast<std::int64_t>(1 + d.below(5));
  Values parts = a.parts;
  parts.push_back(detail::iota(a.shape[0].value, Kind::i64, here));
  const auto size_of = [&](std::span<const Value> item) {
    return Values{call("rem", item.back(), literal(Kind::i64, few))};
  };
  const auto element_of = [&](std::span<const Value> item) {
    return with_number(a, item.first(a.kinds.size()), item.back());
  };
  const std::string size_text = "i % " + std::to_string(few);
  const Operator op = draw_operator(d, a.kinds);
  const std::string name = d.fresh("v");
  if (!op.neutral.empty() && d.one_in(2)) {
    d.line("auto " + name + " = fg::expand_reduce(" + size_text + ", max of x[0] and k % 3, " + op.text +
           ", " + op.neutral_text + ", " + a.name + ");");
    const detail::Fold fold{.origin = "expand_reduce", .neutral = op.neutral, .initial = {}};
    d.add_fresh(name, a.kinds,
                detail::expand_reduce(fold, Body(op.body), Body(size_of), Body(element_of), parts, here));
    return;
  }
  d.line("auto " + name + " = fg::expand(" + size_text + ", max of x[0] and k % 3, " + a.name + ");");
  Values results = detail::expand(Body(size_of), Body(element_of), parts, "expand", here);
  results.erase(results.begin());  // the offsets
  d.add_fresh(name, a.kinds, results);
}

/// A row of i % few elements for element i of a vector, all of them or those that pass; the rows' elements.
inline void made_rows(Draw& d) {
  const Array* picked = d.pick_rank(1);
  if (picked == nullptr) return;
  const Array a = tamed(d, *picked);
  const Here here = Here::current();
  const auto few = static_cast<std::int64_t>(1 + d.below(9));
  const bool is_filtered = d.one_in(2);
  Values parts = a.parts;
  parts.push_back(detail::iota(a.shape[0].value, Kind::i64, here));
  const auto row_of = [&](std::span<const Value> item) {
    const Value size = call("rem", item.back(), literal(Kind::i64, few));
    const auto element_of = [&](std::span<const Value> k) {
      return with_number(a, item.first(a.kinds.size()), k[0]);
    };
    const Values all = detail::generate({&size, 1}, Body(element_of), "generate", here);
    const auto passes = [&](std::span<const Value> element) {
      return Values{call("ne", element[0], literal(a.kinds[0], 1))};
    };
    return is_filtered ? detail::filter(Body(passes), all, here) : all;
  };
  const std::string name = d.fresh("v");
  d.line("auto " + name + " = fg::map(i -> fg::Row of i % " + std::to_string(few) +
         " elements, max of x[0] and k % 3" + (is_filtered ? ", that are not 1, " : ", ") + a.name +
         ").values();");
  const detail::Operand operand{parts};
  const detail::RowOf rows{0, a.kinds.size()};
  Values results = detail::map_to_rows({&operand, 1}, Body(row_of), {&rows, 1}, here);
  results.erase(results.begin());  // the offsets
  d.add_fresh(name, a.kinds, results);
}

/// The rows of a ragged array sorted by themselves; of these all elements, or the first few.
inline void sort_rows(Draw& d) {
  const Array* picked = d.pick_rank(1);
  if (picked == nullptr) return;
  const Array a = *picked;
  const Here here = Here::current();
  const auto [segments, by] = draw_segments(d, a.shape[0]);
  const Value offsets = detail::offsets_of(segments, a.parts, here);
  const std::size_t n = a.kinds.size(), order = d.below(3);
  const bool compares = d.one_in(2) && (!d.is_large || d.one_in(8));
  const auto less = comparison(order, n);
  Values sorted = compares ? detail::sort_rows(Body(less), a.parts, n, offsets, "sort", here)
                           : detail::sort_rows(a.parts, n, offsets, "sort", here);
  const std::string name = d.fresh("v");
  std::string text = std::string("fg::sort(") + (compares ? "order " + std::to_string(order) + ", " : "") +
                     "fg::segments(" + by + ", " + a.name + "))";
  if (d.depth > 0 || d.one_in(2)) {
    d.line("auto " + name + " = " + text + ".values();");
    d.add(name, a.kinds, a.shape, std::move(sorted));
    return;
  }
  const auto few = static_cast<std::int64_t>(1 + d.below(4));
  const auto first_few = [&](std::span<const Value> row) {
    const Value size = call("min", detail::extent(row[0], 0, here), literal(Kind::i64, few));
    Values first;
    for (const Value& part : row) first.push_back(detail::take(part, size, 0, here));
    return first;
  };
  d.line("auto " + name + " = fg::map(row -> fg::Row of at most " + std::to_string(few) +
         " elements, fg::rows(" + text + ")).values();");
  sorted.insert(sorted.begin(), offsets);
  const detail::Operand operand{sorted, detail::Pass::ragged};
  const detail::RowOf rows{0, n};
  Values results = detail::map_to_rows({&operand, 1}, Body(first_few), {&rows, 1}, here);
  results.erase(results.begin());  // the offsets
  d.add_fresh(name, a.kinds, results);
}

}  // namespace fulgurite::programs
