// Ragged arrays: vectors that are taken apart into rows by offsets. Rows that a function makes as a whole are
// made by classes of about equal lengths.
#include <fmt/format.h>
#include <fulgurite/staged_combinators.h>

#include <algorithm>
#include <functional>

#include "trace/items.h"
#include "trace/store.h"

namespace fulgurite::trace {

namespace {

using scalar::Kind;

// Rows whose lengths the function that makes them decides. It is traced twice: for the lengths, which say
// where each row lies, and for the elements. Rows of about one length (between two powers of two) are made
// together, as a matrix as wide as the longest of them, from which elements are scattered to their places:
// one long row among many short ones makes no wide matrix, and rows that lie side by side take about as long.
struct RowsOfItems {
  Tracer& t;
  Expr count;
  std::function<Exprs(Expr item)> results_of;
  const char* origin;
  Here where;

  static constexpr int n_classes = 48;  // of sizes of at most 2^47

  struct OneClass {
    Expr count, longest;
    std::function<Expr(Expr number)> item;
  };

  // The elements of all rows of a result, one row after the other.
  Exprs elements(const detail::RowOf& of, std::span<const Kind> kinds, Expr lengths, Expr offsets) const {
    const Exprs places = t.exprs(by_class(lengths), where);
    const Expr items = places[0], begins = places[1], classes = classes_with_items(begins);
    const Expr total = number_of_elements(t, offsets, origin, where);
    const Exprs nothing = tabulate_all(t, {total}, origin, where, [&](const Exprs&) { return zeros(kinds); });
    const auto with_class = [&](std::span<const Value> state) {
      const ItemEnds ends = ends_of(t, begins, integer_at(t, classes, t.expr(state[0], where)));
      const auto item = [&, ends](Expr number) {
        const Expr at = ends.first + number;
        return trace::element(t, items, {&at, 1});
      };
      const Expr n = t.settled(ends.end - ends.first, where);
      const Expr longest = extreme(t, Op::max, n, "longest", origin, where, [&](Expr number) {
        const Expr i = item(number);
        return trace::element(t, lengths, {&i, 1});
      });
      const OneClass rows{n, longest, item};
      return with_rows(t.exprs(state.subspan(1), where), rows, of, lengths, offsets);
    };
    const std::size_t widths[] = {kinds.size()};
    return t.exprs(detail::iterate(t.value(t.shape(classes)[0]), detail::Body(with_class), t.values(nothing),
                                   widths, where),
                   where);
  }

 private:
  Exprs zeros(std::span<const Kind> kinds) const {
    Exprs all;
    for (Kind kind : kinds) all.push_back(cast(t.arena().i64(0), kind));
    return all;
  }
  // The items of each class in order, and where classes begin.
  Values by_class(Expr lengths) const {
    const Value all = detail::iota(t.value(count), detail::Kind::i64, where);
    const auto class_of = [&](std::span<const Value> item) {
      const Expr length = trace::element(t, lengths, t.exprs(item, where));
      const Expr bits = 63 - cast(t.arena().apply(Op::clz, {length}), Kind::i64);
      return Values{t.value(scalar::select(0 < length, bits, -1))};
    };
    return detail::partition(t.value(t.arena().i64(n_classes)), detail::Body(class_of), {&all, 1}, where);
  }
  Expr classes_with_items(Expr begins) const {
    const Value all = detail::iota(t.value(t.arena().i64(n_classes)), detail::Kind::i64, where);
    const auto has_items = [&](std::span<const Value> number) {
      const ItemEnds ends = ends_of(t, begins, t.expr(number[0], where));
      return Values{t.value(ends.first < ends.end)};
    };
    return t.expr(detail::filter(detail::Body(has_items), {&all, 1}, where)[0], where);
  }
  // Computed again, a row may have another length if sums of floats decide it, whose rounding is not the same
  // in every kernel.
  Expr element_of_row(Expr row, Expr k, Expr length) const {
    const Expr now = t.shape(row)[0];
    const Expr at = k + scalar::select(equal(now, length), 0, now);
    const Site site = t.index_site(
        "a row is not as long as it was when lengths were computed, at position {at}: no sum of floats, "
        "whose rounding differs from kernel to kernel, may decide a length",
        {&at, 1}, where);
    return t.arena().index(row, {&at, 1}, site);
  }
  Values with_rows(const Exprs& former, const OneClass& rows, const detail::RowOf& of, Expr lengths,
                   Expr offsets) const {
    const auto wide = [&](std::span<const Value> number) {
      const Expr item = rows.item(t.expr(number[0], where));
      const Expr length = trace::element(t, lengths, {&item, 1});
      const Exprs all = results_of(item);
      const auto row = std::span(all).subspan(of.first, of.components);
      return t.values(tabulate_all(t, {rows.longest}, origin, where, [&](const Exprs& k) {
        return either(
            t, k[0] < length, origin, where,
            [&] {
              Exprs given;
              for (Expr part : row) given.push_back(element_of_row(part, k[0], length));
              return given;
            },
            [&] { return zeros(kinds_of(row)); });
      }));
    };
    const Value n = t.value(rows.count);
    const Exprs matrix = t.exprs(detail::generate({&n, 1}, detail::Body(wide), origin, where), where);
    soac::Scatter scatter{{t.shape(former[0])[0]}, same_as(t, former, origin, where)};
    scatter.of_equal = soac::OfEqual::unordered;
    return store(t, {rows.count, rows.longest}, std::move(scatter), origin, where, [&](const Exprs& at) {
      const Expr item = rows.item(at[0]);
      const Expr first = trace::element(t, offsets, {&item, 1}),
                 length = trace::element(t, lengths, {&item, 1});
      return Stored{{scalar::select(at[1] < length, first + at[1], -1)}, trace::elements(t, matrix, at)};
    });
  }
};

// Values among which rows lie as `rows` says, each of them `width(row)` values, with the values that
// instead(k, values) gives in place of row k.
template <class Width, class Instead>
Exprs with_rows_replaced(std::span<const Expr> values, std::span<const detail::RowOf> rows, Width&& width,
                         Instead&& instead) {
  Exprs all;
  std::size_t behind = 0;  // the row before
  const auto append = [&](std::span<const Expr> more) { all.insert(all.end(), more.begin(), more.end()); };
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::size_t n_others = rows[k].first - behind, n_own = width(rows[k]);
    append(values.first(n_others));
    append(instead(k, values.subspan(n_others, n_own)));
    values = values.subspan(n_others + n_own);
    behind = rows[k].first + rows[k].components;
  }
  append(values);
  return all;
}

// The results, for all items, of a function that gives rows: a ragged array in place of each row. `over_all`
// maps a function over them, `arguments_of` gives the function's arguments for one.
template <class OverAll, class ArgumentsOf>
Values with_ragged_rows(Tracer& t, const detail::Body& f, std::span<const detail::RowOf> rows,
                        const char* origin, const Here& where, OverAll&& over_all,
                        ArgumentsOf&& arguments_of) {
  std::vector<std::vector<Kind>> kinds;
  const auto lengths_and_others = [&](std::span<const Value> arguments) {
    const Exprs given = t.exprs(f(arguments), where);
    const auto components = [](const detail::RowOf& row) { return row.components; };
    return t.values(with_rows_replaced(given, rows, components, [&](std::size_t, std::span<const Expr> row) {
      kinds.push_back(kinds_of(row));
      return Exprs{t.shape(row[0])[0]};
    }));
  };
  const Exprs made = t.exprs(over_all(detail::Body(lengths_and_others)), where);
  const auto one = [](const detail::RowOf&) { return std::size_t{1}; };
  return t.values(with_rows_replaced(made, rows, one, [&](std::size_t k, std::span<const Expr> length) {
    const Expr lengths = length[0], count = t.shape(lengths)[0];
    const Expr offsets =
        offsets_by_sizes(t, count, origin, where, [&](Expr item) { return element(t, lengths, {&item, 1}); });
    const RowsOfItems items{t, count, [&](Expr item) { return t.exprs(f(arguments_of(item)), where); },
                            origin, where};
    Exprs ragged = items.elements(rows[k], kinds[k], lengths, offsets);
    ragged.insert(ragged.begin(), offsets);
    return ragged;
  }));
}

}  // namespace
}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Value offsets_of(Segments segments, std::span<const Value> parts, Here where) {
  Tracer& t = Tracer::current(where);
  where = t.or_latest(where);
  const Exprs arrays = t.exprs(parts, where);
  const Spans spans = spans_of(t, segments, arrays, 0, "segments", where);
  return t.value(offsets_by_spans(t, segments, spans, t.shape(arrays[0])[0], "segments", where));
}

Values ragged_row(Value offsets, std::span<const Value> parts, Value number, Here where) {
  Tracer& t = Tracer::current(where);
  const Expr all = t.expr(offsets, where), i = t.expr(number, where);
  const Expr count = t.shape(all)[0] - 1;
  const Site site = t.index_site("row {0} at position {at} is outside {range}", {&i, 1}, where);
  const auto bound = [&](std::int64_t behind) {
    const Expr bounds = tabulate(t, {count}, "bounds", "row", where, [&](std::span<const Expr> s) {
      const Expr at = s[0] + behind;
      return element(t, all, {&at, 1});
    });
    return t.arena().index(bounds, {&i, 1}, site);
  };
  const Expr first = bound(0), end = bound(1);
  return t.values(span_of(t, t.exprs(parts, where), first, end, where));
}

Value segment_of_each(Value offsets, Value n, Here where) {
  Tracer& t = Tracer::current(where);
  return t.value(item_of_each(t, t.expr(offsets, where), t.settled(n, where), "rows", where));
}

void require_axis_of_rows(const char* what, int axis, Here where) {
  if (axis == 1 || axis == -1) return;
  throw ShapeError(
      fmt::format("{}: a ragged array has rows, and along axis {} there are none: write fg::axis(1)", what,
                  axis),
      where);
}

void require_number_of_elements(const char* what, Value n, Here where) {
  Tracer& t = Tracer::current(where);
  const Expr number = t.settled(n, where);
  t.check(0 <= number, fmt::format("{}({{0}}) of the elements of each row needs 0 <= n", what), {number},
          where);
}

void require_equal_rows(const char* what, std::span<const Value> offsets, Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs of_each = t.exprs(offsets, where);
  const Expr a = of_each[0], rows = t.shape(a)[0];
  for (std::size_t k = 1; k < of_each.size(); ++k) {
    const Expr b = of_each[k];
    if (a == b) continue;
    const Expr other_rows = t.shape(b)[0];
    t.check(
        equal(rows, other_rows),
        fmt::format("{} needs as many rows everywhere: ragged array 1 has {{0}}, ragged array {} has {{1}}",
                    what, k + 1),
        {rows - 1, other_rows - 1}, where);
    const Expr bad = first_bad(t, rows, what, where, [&](Expr s) {
      const Expr offset = element(t, a, {&s, 1}), other = element(t, b, {&s, 1});
      return scalar::select(differs(offset, other), s, nowhere);
    });
    t.check(equal(bad, nowhere), fmt::format("{} needs rows of equal lengths: row {{0}} differs", what),
            {bad - 1}, where);
  }
}

Values map_to_rows(std::span<const Operand> operands, Body f, std::span<const RowOf> rows, Here where) {
  Tracer& t = Tracer::current(where);
  return with_ragged_rows(
      t, f, rows, "map", where, [&](const Body& of_each) { return map(operands, of_each, where); },
      [&](Expr item) { return arguments(t, operands, {&item, 1}, where); });
}

Values generate_rows(Value n, Body f, std::span<const RowOf> rows, const char* origin, Here where) {
  Tracer& t = Tracer::current(where);
  return with_ragged_rows(
      t, f, rows, origin, where,
      [&](const Body& of_each) { return generate({&n, 1}, of_each, origin, where); },
      [&](Expr item) { return Values{t.value(item)}; });
}

}  // namespace fulgurite::detail
