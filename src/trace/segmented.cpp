// Segments of vectors, given by lengths, offsets, flags or one length for all: reductions are a map over the
// segments with a reduction of each inside; scans are one scan of pairs (a segment starts here, value) under
// the operator that forgets what lies left of a start (Blelloch, Prefix sums and their applications, 1990).
// Equal segments are the rows of a matrix. Descriptions that do not fit the vector raise ShapeError.
#include <fmt/format.h>
#include <fulgurite/staged_combinators.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "trace/operators.h"
#include "trace/tracer.h"

namespace fulgurite::trace {

namespace {

using detail::Segments;
using detail::SegmentsBy;

struct Spans {
  Expr count;
  std::function<Expr(Expr segment)> start, length;
};

Expr integer(Tracer& t, Expr array, Expr i) {
  return t.arena().cast(element(t, array, {&i, 1}), scalar::Kind::i64);
}

// The least of what `bad_at` finds wrong at the points of {n}: each time a place, or `none`.
constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
template <class F>
Expr first_bad(Tracer& t, Expr n, const char* origin, const Here& where, F&& bad_at) {
  soac::Reduction least = known_reduction(t, Op::min, scalar::Kind::i64, origin, where);
  const Expr first = t.fresh(scalar::Kind::i64, "first_bad");
  Scope scope(t, origin, where);
  const Expr s = index_parameters(scope, 1)[0];
  t.add({first}, soac::Soac{{n}, scope.close({bad_at(s)}), {std::move(least)}}, origin, where);
  return first;
}

Spans by_lengths(Tracer& t, Expr lengths, Expr n, const Here& where) {
  Arena& arena = t.arena();
  const Expr k = t.shape(lengths)[0];
  const Expr bad = first_bad(t, k, "lengths", where, [&](Expr s) {
    const Expr length = integer(t, lengths, s);
    const Expr is_bad = arena.apply(Op::bit_or, {arena.lt(length, arena.i64(0)), arena.lt(n, length)});
    return arena.apply(Op::select, {is_bad, s, arena.i64(none)});
  });
  t.check(arena.eq(bad, arena.i64(none)),
          "lengths of segments of {1} elements are from 0 to {1}: that of segment {0} is not", {bad, n},
          where);

  soac::Reduction sum = known_reduction(t, Op::add, scalar::Kind::i64, "lengths", where);
  const Expr total = t.fresh(scalar::Kind::i64, "total");
  const Expr starts = t.fresh_array(scalar::Kind::i64, {k}, "starts");
  Scope scope(t, "lengths", where);
  const Expr s = index_parameters(scope, 1)[0];
  const Expr length = integer(t, lengths, s), start = t.fresh(scalar::Kind::i64, "start");
  t.add({start}, soac::Scan{copied(arena, sum), {length}, false}, "lengths", where);
  soac::Lambda body = scope.close({length, start});
  t.add({total, starts}, soac::Soac{{k}, std::move(body), {std::move(sum)}}, "lengths", where);
  t.check(arena.eq(total, n), "lengths of segments sum to {0}, but there are {1} elements", {total, n},
          where);
  return {k, [&t, starts](Expr at) { return element(t, starts, {&at, 1}); },
          [&t, lengths](Expr at) { return integer(t, lengths, at); }};
}

Spans by_offsets(Tracer& t, Expr offsets, Expr n, const Here& where) {
  Arena& arena = t.arena();
  const Expr zero = arena.i64(0), one = arena.i64(1), n_offsets = t.shape(offsets)[0];
  t.check(arena.le(one, n_offsets), "offsets of segments are one more than segments: there are none", {},
          where);
  const Expr k = arena.sub(n_offsets, one);
  const Expr bad = first_bad(t, n_offsets, "offsets", where, [&](Expr s) {
    // Each is compared with the next one, where there is one: memory is read in order.
    const auto select = [&](Expr condition, Expr a, Expr b) {
      return arena.apply(Op::select, {condition, a, b});
    };
    const Expr here = integer(t, offsets, s), next = arena.add(s, one), good = arena.i64(none);
    const Expr compared = either(
        t, arena.lt(s, k), "offsets", where,
        [&] { return Exprs{select(arena.lt(integer(t, offsets, next), here), next, good)}; },
        [&] { return Exprs{select(arena.eq(here, n), good, k)}; })[0];
    const Expr is_late = arena.apply(Op::ne, {here, zero}), is_first = arena.eq(s, zero);
    const Expr starts_late = arena.logical_and(is_first, is_late);
    return select(starts_late, zero, compared);
  });
  t.check(arena.eq(bad, arena.i64(none)),
          "offsets of segments ascend from 0 to the number of elements, which is {1}: offset {0} does not",
          {bad, n}, where);
  return {k, [&t, offsets](Expr s) { return integer(t, offsets, s); },
          [&t, offsets, one](Expr s) {
            const Expr from = integer(t, offsets, s);
            return t.arena().sub(integer(t, offsets, t.arena().add(s, one)), from);
          }};
}

// Whether a segment starts at element i.
Expr starts_by_flags(Tracer& t, Expr flags, Expr i) {
  return t.arena().apply(Op::bit_or, {t.arena().eq(i, t.arena().i64(0)), element(t, flags, {&i, 1})});
}

void check_flags(Tracer& t, Expr flags, const Exprs& arrays, const char* origin, const Here& where) {
  const NamedOperand operands[] = {{"the array of flags", {&flags, 1}}, {"the array of elements", arrays}};
  check_equal_shapes(t, origin, operands, where);
}

Spans by_flags(Tracer& t, Expr flags, Expr n, const Here& where) {
  Arena& arena = t.arena();
  const Expr zero = arena.i64(0), one = arena.i64(1);
  const Expr count = t.fresh(scalar::Kind::i64, "n_segments");
  const Expr ends = t.fresh_array(scalar::Kind::i64, {arena.i64(2)}, "ends");
  const Expr starts = t.fresh_array(scalar::Kind::i64, {count}, "starts");
  Scope scope(t, "flags", where);
  const Expr i = index_parameters(scope, 1)[0];
  soac::Soac soac{{n}, {}};
  soac.body = scope.close({arena.apply(Op::select, {starts_by_flags(t, flags, i), zero, one}), i});
  soac.partitions.push_back({one, 1});
  t.add({count, ends, starts}, std::move(soac), "flags", where);
  const auto start = [&t, starts](Expr s) { return element(t, starts, {&s, 1}); };
  return {count, start, [&arena, start, count, n, one](Expr s) {
            const Expr next = arena.add(s, one), last = arena.sub(count, one);
            const Expr from = start(s), to = start(arena.min(next, last));
            return arena.sub(arena.apply(Op::select, {arena.lt(next, count), to, n}), from);
          }};
}

Spans by_length(Tracer& t, Expr length, Expr n, const Here& where) {
  Arena& arena = t.arena();
  const Expr one = arena.i64(1), divisor = arena.max(length, one);
  const Expr is_positive = arena.le(one, length), divides = arena.eq(arena.rem(n, divisor), arena.i64(0));
  t.check(arena.logical_and(is_positive, divides),
          "regular segments of length {0} need a length from 1 and a multiple of it, not {1} elements",
          {length, n}, where);
  return {arena.div(n, divisor), [&arena, length](Expr s) { return arena.mul(s, length); },
          [length](Expr) { return length; }};
}

Spans spans_of(Tracer& t, const Segments& segments, const Exprs& arrays, const char* origin,
               const Here& where) {
  const Expr given =
      segments.by == SegmentsBy::regular ? t.settled(segments.value, where) : t.expr(segments.value, where);
  const Expr n = t.shape(arrays[0])[0];
  switch (segments.by) {
    case SegmentsBy::lengths: return by_lengths(t, given, n, where);
    case SegmentsBy::offsets: return by_offsets(t, given, n, where);
    case SegmentsBy::regular: return by_length(t, given, n, where);
    case SegmentsBy::flags: break;
  }
  check_flags(t, given, arrays, origin, where);
  return by_flags(t, given, n, where);
}

// For each segment one Soac over its elements, which `inside` makes; its results, scalars or arrays of
// `extents`, become arrays.
template <class F>
Exprs map_segments(Tracer& t, const Spans& spans, const Exprs& extents, const char* origin, const Here& where,
                   F&& inside) {
  Scope scope(t, origin, where);
  const Expr s = index_parameters(scope, 1)[0];
  soac::Lambda body = scope.close(inside(s));
  Exprs shape{spans.count}, names;
  shape.insert(shape.end(), extents.begin(), extents.end());
  for (Expr e : body.results) names.push_back(t.fresh_array(e.kind(), shape, origin));
  t.add(names, soac::Soac{{spans.count}, std::move(body)}, origin, where);
  return names;
}

// Whether a segment starts at an element, as a function of its place.
std::function<Expr(Expr)> starts_of(Tracer& t, const Segments& segments, const Exprs& arrays,
                                    const char* origin, const Here& where) {
  if (segments.by == SegmentsBy::flags) {
    const Expr flags = t.expr(segments.value, where);
    check_flags(t, flags, arrays, origin, where);
    return [&t, flags](Expr i) { return starts_by_flags(t, flags, i); };
  }
  const Spans spans = spans_of(t, segments, arrays, origin, where);
  const Expr n = t.shape(arrays[0])[0], no = t.arena().boolean(false), yes = t.arena().boolean(true);
  const Expr flags = t.fresh_array(scalar::Kind::boolean, {n}, "starts");
  soac::Scatter scatter{{n}, {}, {}, soac::OfEqual::unordered};
  {
    Scope scope(t, origin, where);
    index_parameters(scope, 1);
    scatter.initial = scope.close({no});
  }
  Scope scope(t, origin, where);
  const Expr s = index_parameters(scope, 1)[0];
  // An empty segment starts where the next one does, or behind the last element, which is dropped.
  soac::Soac soac{{spans.count}, scope.close({spans.start(s), yes})};
  soac.scatters.push_back(std::move(scatter));
  t.add({flags}, std::move(soac), origin, where);
  return [&t, flags](Expr i) { return element(t, flags, {&i, 1}); };
}

// `computed()` where the condition does not hold, else `otherwise`: as a branch if computing it may fail.
template <class F>
Exprs unless(Tracer& t, Expr condition, const Exprs& otherwise, const char* origin, const Here& where,
             F&& computed) {
  soac::Lambda value = branch(t, origin, where, computed);
  const bool simple = value.body.empty() && std::ranges::none_of(value.results, scalar::can_fail);
  Exprs results;
  if (simple) {
    for (std::size_t k = 0; k < otherwise.size(); ++k)
      results.push_back(t.arena().apply(Op::select, {condition, otherwise[k], value.results[k]}));
    return results;
  }
  for (Expr e : otherwise) results.push_back(t.fresh(e.kind(), "value"));
  t.add(results, soac::If{condition, {{}, {}, otherwise}, std::move(value)}, origin, where);
  return results;
}

Exprs called(Tracer& t, const detail::Body& op, const Exprs& left, const Exprs& right, const Here& where) {
  Exprs both = left;
  both.insert(both.end(), right.begin(), right.end());
  return t.exprs(op(t.values(both)), where);
}

// On (a segment starts here, value).
soac::Lambda lifted(Tracer& t, const detail::Body& op, std::vector<scalar::Kind> kinds, const char* origin,
                    const Here& where) {
  const auto k = static_cast<std::ptrdiff_t>(kinds.size());
  kinds.insert(kinds.begin(), scalar::Kind::boolean);
  return operation(t, kinds, origin, where, [&](const Exprs& p) {
    const Expr left_starts = p[0], starts = p[static_cast<std::size_t>(k) + 1];
    const Exprs a(p.begin() + 1, p.begin() + 1 + k), b(p.begin() + 2 + k, p.end());
    Exprs results = unless(t, starts, b, origin, where, [&] { return called(t, op, a, b, where); });
    results.insert(results.begin(), t.arena().apply(Op::bit_or, {left_starts, starts}));
    return results;
  });
}

// Equal segments: the rows of a matrix, each scanned by itself.
Exprs scan_rows(Tracer& t, const Spans& spans, const detail::Body& op, bool inclusive, const Exprs& first,
                const Exprs& arrays, const char* origin, const Here& where) {
  Arena& arena = t.arena();
  const Expr length = spans.length({});
  const Exprs rows = map_segments(t, spans, {length}, origin, where, [&](Expr s) {
    const std::vector<scalar::Kind> kinds = kinds_of(arrays);
    soac::Reduction running =
        reduction(t, {op, origin}, kinds, inclusive ? first : Exprs(), inclusive ? Exprs() : first, where);
    Exprs scanned, prefixes;
    for (scalar::Kind kind : kinds) scanned.push_back(t.fresh_array(kind, {length}, origin));
    Scope scope(t, origin, where);
    const Expr j = index_parameters(scope, 1)[0];
    const Exprs operands = elements(t, arrays, Exprs{arena.add(spans.start(s), j)});
    for (scalar::Kind kind : kinds) prefixes.push_back(t.fresh(kind, "prefix"));
    t.add(prefixes, soac::Scan{std::move(running), operands, inclusive}, origin, where);
    t.add(scanned, soac::Soac{{length}, scope.close(prefixes)}, origin, where);
    return scanned;
  });
  return tabulate_all(t, {t.shape(arrays[0])[0]}, origin, where, [&](const Exprs& at) {
    return elements(t, rows, Exprs{arena.div(at[0], length), arena.rem(at[0], length)});
  });
}

}  // namespace
}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Values segmented_reduce(Segments segments, Body op, std::span<const Value> neutral,
                        std::span<const Value> parts, Here where) {
  const char* const origin = "segmented_reduce";
  Tracer& t = Tracer::current(where);
  Arena& arena = t.arena();
  const Exprs arrays = t.exprs(parts, where), start_value = t.exprs(neutral, where);
  const Spans spans = spans_of(t, segments, arrays, origin, where);
  return t.values(map_segments(t, spans, {}, origin, where, [&](Expr s) {
    soac::Reduction fold = reduction(t, {op, origin}, kinds_of(arrays), start_value, {}, where);
    const Expr length = spans.length(s), start = spans.start(s);
    Exprs names;
    for (Expr array : arrays) names.push_back(t.fresh(array.kind(), origin));
    Scope scope(t, origin, where);
    const Expr j = index_parameters(scope, 1)[0];
    Exprs operands = elements(t, arrays, Exprs{arena.add(start, j)});
    soac::Lambda body = scope.close(std::move(operands));
    t.add(names, soac::Soac{{length}, std::move(body), {std::move(fold)}}, origin, where);
    return names;
  }));
}

Values segmented_scan(Segments segments, bool inclusive, Body op, std::span<const Value> first,
                      std::span<const Value> parts, Here where) {
  const char* const origin = inclusive ? "segmented_scan" : "segmented_exclusive_scan";
  Tracer& t = Tracer::current(where);
  const Exprs arrays = t.exprs(parts, where), start_value = t.exprs(first, where);
  if (segments.by == SegmentsBy::regular) {
    const Spans spans = spans_of(t, segments, arrays, origin, where);
    return t.values(scan_rows(t, spans, op, inclusive, start_value, arrays, origin, where));
  }
  const auto starts = starts_of(t, segments, arrays, origin, where);
  const Expr no = t.arena().boolean(false);
  Exprs neutral =
      inclusive ? start_value : reduction(t, {op, origin}, kinds_of(arrays), {}, {}, where).neutral;
  Exprs initial = inclusive ? Exprs() : start_value;  // element 0 forgets it
  if (!neutral.empty()) neutral.insert(neutral.begin(), no);
  if (!initial.empty()) initial.insert(initial.begin(), no);
  const soac::Reduction running{lifted(t, op, kinds_of(arrays), origin, where), neutral, initial, false};
  return t.values(tabulate_all(t, {t.shape(arrays[0])[0]}, origin, where, [&](const Exprs& at) {
    const Expr start = starts(at[0]);
    Exprs operands = elements(t, arrays, at);
    if (!inclusive) {  // what a segment starts from is part of its first element
      const Exprs given = operands;
      operands = unless(t, t.arena().logical_not(start), given, origin, where,
                        [&] { return called(t, op, start_value, given, where); });
    }
    operands.insert(operands.begin(), start);
    Exprs prefixes{t.fresh(scalar::Kind::boolean, "started")};
    for (Expr array : arrays) prefixes.push_back(t.fresh(array.kind(), "prefix"));
    t.add(prefixes, soac::Scan{running, operands, inclusive}, origin, where);
    prefixes.erase(prefixes.begin());
    if (inclusive) return prefixes;
    for (std::size_t k = 0; k < prefixes.size(); ++k)
      prefixes[k] = t.arena().apply(Op::select, {start, start_value[k], prefixes[k]});
    return prefixes;
  }));
}

}  // namespace fulgurite::detail
