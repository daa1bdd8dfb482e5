// Expansion of elements into several ones each, and folds of these.
#include <fulgurite/staged_combinators.h>

#include <algorithm>

#include "trace/items.h"
#include "trace/store.h"

namespace fulgurite::trace {

namespace {

using scalar::Kind;

// Elements of items: `element_of` gives them from the number of the item and that of the element in it.
template <class F>
Exprs elements_of_items(Tracer& t, Expr offsets, const char* origin, const Here& where, F&& element_of) {
  const Expr n = number_of_elements(t, offsets, origin, where);
  const Expr items = item_of_each(t, offsets, n, origin, where);
  return tabulate_all(t, {n}, origin, where, [&](const Exprs& at) {
    const Expr item = element(t, items, at);
    return element_of(item, at[0] - element(t, offsets, {&item, 1}));
  });
}

// A user's function of an item, of which `vectors` are the components, that gives an integer.
Expr size_from(Tracer& t, const detail::Body& size_of, const Exprs& vectors, Expr item, const Here& where) {
  return cast(t.exprs(size_of(t.values(elements(t, vectors, {&item, 1}))), where)[0], Kind::i64);
}
Exprs element_from(Tracer& t, const detail::Body& element_of, const Exprs& vectors, Expr item, Expr number,
                   const Here& where) {
  Exprs arguments = elements(t, vectors, {&item, 1});
  arguments.push_back(number);
  return t.exprs(element_of(t.values(arguments)), where);
}

// An item with more elements is long: it is folded in pieces, so that no thread or lane is left with most of
// the work.
constexpr std::int64_t most_of_short = 1024;
constexpr std::int64_t most_of_piece = 128;

// The folds of the elements of each item.
struct ExpandedFolds {
  Tracer& t;
  const detail::Fold& how;
  const detail::Body& op;
  const detail::Body& size_of;
  const detail::Body& element_of;
  Exprs vectors;
  Here where;

  Expr count() const { return t.shape(vectors[0])[0]; }
  Expr size(Expr item) const { return size_from(t, size_of, vectors, item, where); }

  // Raises ShapeError for a size that no array has.
  Expr largest_size() const {
    soac::Reduction least = known_reduction(t, Op::min, Kind::i64, how.origin, where);
    soac::Reduction greatest = known_reduction(t, Op::max, Kind::i64, how.origin, where);
    const Expr bad = t.fresh(Kind::i64, "first_bad"), largest = t.fresh(Kind::i64, "largest");
    {
      Scope scope(t, how.origin, where);
      const Expr s = index_parameters(scope, 1)[0], given = size(s);
      soac::Outputs outputs;
      outputs.reductions.push_back(
          {std::move(least), {scalar::select(is_no_size(given), s, nowhere)}, {bad.var()}});
      outputs.reductions.push_back({std::move(greatest), {given}, {largest.var()}});
      t.add({count()}, scope.close({}), std::move(outputs), how.origin, where);
    }
    check_item_sizes(t, bad, how.origin, where);
    return largest;
  }

  // A fold of n elements; `element` gives number k of them.
  template <class F>
  Exprs fold(Expr n, F&& element) const {
    const Exprs neutral = t.exprs(how.neutral, where);
    soac::Reduction by = reduction(t, {op, how.origin}, kinds_of(neutral), neutral, {}, where);
    const Expr extent = t.settled(n, where);
    Exprs names;
    for (Expr e : neutral) names.push_back(t.fresh(e.kind(), how.origin));
    Scope scope(t, how.origin, where);
    soac::Lambda body = scope.close(element(index_parameters(scope, 1)[0]));
    t.add(names, soac::Soac{{extent}, std::move(body), {std::move(by)}}, how.origin, where);
    return names;
  }
  Exprs element(Expr item, Expr number) const {
    return element_from(t, element_of, vectors, item, number, where);
  }

  Exprs of_whole_items() const {
    return tabulate_all(t, {count()}, how.origin, where, [&](const Exprs& item) {
      return fold(size(item[0]), [&](Expr k) { return element(item[0], k); });
    });
  }
  // Short items as a whole; of long ones pieces first, then the pieces of each.
  Exprs of_short_and_long() const {
    const Exprs of_short = tabulate_all(t, {count()}, how.origin, where, [&](const Exprs& item) {
      const Expr n = size(item[0]);
      return fold(scalar::select(n <= most_of_short, n, 0), [&](Expr k) { return element(item[0], k); });
    });
    const Expr items = long_items(), n_items = t.shape(items)[0];
    const auto item_at = [&](Expr number) { return trace::element(t, items, {&number, 1}); };
    const Expr offsets = offsets_by_sizes(t, n_items, how.origin, where, [&](Expr number) {
      return (size(item_at(number)) + (most_of_piece - 1)) / most_of_piece;
    });
    const Exprs pieces = elements_of_items(t, offsets, how.origin, where, [&](Expr number, Expr piece) {
      const Expr item = item_at(number), first = piece * most_of_piece;
      const Expr rest = size(item) - first;
      return fold(scalar::min(rest, most_of_piece), [&](Expr k) { return element(item, first + k); });
    });
    soac::Scatter scatter{{count()}, same_as(t, of_short, how.origin, where)};
    scatter.of_equal = soac::OfEqual::unordered;
    return t.exprs(store(t, {n_items}, std::move(scatter), how.origin, where,
                         [&](const Exprs& number) {
                           const ItemEnds ends = ends_of(t, offsets, number[0]);
                           return Stored{{item_at(number[0])}, fold(ends.end - ends.first, [&](Expr k) {
                                           return elements(t, pieces, Exprs{ends.first + k});
                                         })};
                         }),
                   where);
  }
  Expr long_items() const {
    const Value all = detail::iota(t.value(count()), detail::Kind::i64, where);
    const auto is_long = [&](std::span<const Value> item) {
      const Expr n = size(t.expr(item[0], where));
      return Values{t.value(most_of_short < n)};
    };
    return t.expr(detail::filter(detail::Body(is_long), {&all, 1}, where)[0], where);
  }
};

}  // namespace
}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Values expand(Body size_of, Body element_of, std::span<const Value> parts, const char* origin, Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs vectors = t.exprs(parts, where);
  const Expr offsets = offsets_by_sizes(t, t.shape(vectors[0])[0], origin, where, [&](Expr item) {
    return size_from(t, size_of, vectors, item, where);
  });
  Exprs results = elements_of_items(t, offsets, origin, where, [&](Expr item, Expr number) {
    return element_from(t, element_of, vectors, item, number, where);
  });
  results.insert(results.begin(), offsets);
  return t.values(results);
}

Values expand_reduce(const Fold& how, Body op, Body size_of, Body element_of, std::span<const Value> parts,
                     Here where) {
  Tracer& t = Tracer::current(where);
  const ExpandedFolds folds{t, how, op, size_of, element_of, t.exprs(parts, where), where};
  const Expr largest = folds.largest_size();
  if (t.is_in_points()) return t.values(folds.of_whole_items());
  const auto whole = [&](std::span<const Value>) { return t.values(folds.of_whole_items()); };
  const auto in_parts = [&](std::span<const Value>) { return t.values(folds.of_short_and_long()); };
  const std::size_t widths[] = {how.neutral.size()};
  return cond(t.value(largest <= most_of_short), Body(whole), Body(in_parts), widths, where);
}

Values replicate(Segments segments, std::span<const Value> parts, Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs vectors = t.exprs(parts, where);
  const Expr k = t.shape(vectors[0])[0];
  const auto as_many = [&](Expr count) {
    t.check(equal(count, k),
            "replicate needs a segment for each element: there are {0} segments, {1} elements", {count, k},
            where);
  };
  Expr offsets;
  if (segments.by == SegmentsBy::regular) {
    const Expr length = t.settled(segments.value, where);
    check_sizes(t, "replicate", std::array{k, length}, where);
    return t.values(tabulate_all(t, {k * length}, "replicate", where, [&](const Exprs& at) {
      return elements(t, vectors, Exprs{at[0] / scalar::max(length, 1)});
    }));
  }
  const Expr given = t.expr(segments.value, where);
  if (segments.by == SegmentsBy::lengths) {
    as_many(t.shape(given)[0]);
    offsets = offsets_by_sizes(t, k, "replicate", where, [&](Expr s) { return integer_at(t, given, s); });
  } else {
    Expr n = t.shape(given)[0];
    if (segments.by != SegmentsBy::flags) {
      // The last offset says how many there are; where there is none, spans_of does.
      const Expr last = scalar::max(n - 1, 0);
      n = either(
          t, 0 < n, "replicate", where, [&] { return Exprs{integer_at(t, given, last)}; },
          [&] { return Exprs{t.arena().i64(0)}; })[0];
      n = t.settled(scalar::max(n, 0), where);
      check_sizes(t, "replicate", {&n, 1}, where);
    }
    const Spans spans = spans_of(t, segments, n, where);
    as_many(spans.count);
    offsets = offsets_by_spans(t, segments, spans, n, "replicate", where);
  }
  return t.values(elements_of_items(t, offsets, "replicate", where,
                                    [&](Expr item, Expr) { return elements(t, vectors, {&item, 1}); }));
}

}  // namespace fulgurite::detail
