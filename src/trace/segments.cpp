#include "trace/segments.h"

#include <fmt/format.h>

#include "trace/operators.h"

namespace fulgurite::trace {

namespace {

using detail::Segments;
using detail::SegmentsBy;

Expr integer(Tracer& t, Expr array, Expr i) {
  return cast(element(t, array, {&i, 1}), scalar::Kind::i64);
}

Spans by_lengths(Tracer& t, Expr lengths, Expr n, const Here& where) {
  Arena& arena = t.arena();
  const Expr k = t.shape(lengths)[0];
  const Expr bad = first_bad(t, k, "lengths", where, [&](Expr s) {
    const Expr length = integer(t, lengths, s);
    const Expr is_negative = length < 0, is_bad = is_negative | (n < length);
    return scalar::select(is_bad, s, nowhere);
  });
  t.check(equal(bad, nowhere),
          "lengths of segments of {1} elements are from 0 to {1}: that of segment {0} is not", {bad, n},
          where);

  soac::Reduction sum = known_reduction(t, Op::add, scalar::Kind::i64, "lengths", where);
  const Expr total = t.fresh(scalar::Kind::i64, "total");
  const Expr starts = t.fresh_array(scalar::Kind::i64, {k}, "starts");
  Scope scope(t, "lengths", where);
  const Expr s = index_parameters(scope, 1)[0];
  const Expr length = integer(t, lengths, s), start = t.fresh(scalar::Kind::i64, "start");
  t.add({start}, soac::Scan{copied(arena, sum), {length}, false}, "lengths", where);
  soac::Outputs outputs;
  outputs.reductions.push_back({std::move(sum), {length}, {total.var()}});
  outputs.mapped.push_back({start, starts.var()});
  t.add({k}, scope.close({}), std::move(outputs), "lengths", where);
  t.check(equal(total, n), "lengths of segments sum to {0}, but there are {1} elements", {total, n}, where);
  return {k, [&t, starts](Expr at) { return element(t, starts, {&at, 1}); },
          [&t, lengths](Expr at) { return integer(t, lengths, at); }};
}

Spans by_known_offsets(Tracer& t, Expr offsets) {
  const Expr one = t.arena().i64(1);
  return {t.shape(offsets)[0] - one, [&t, offsets](Expr s) { return integer(t, offsets, s); },
          [&t, offsets, one](Expr s) {
            const Expr from = integer(t, offsets, s);
            return integer(t, offsets, s + one) - from;
          }};
}

Spans by_offsets(Tracer& t, Expr offsets, Expr n, const Here& where) {
  Arena& arena = t.arena();
  const Expr zero = arena.i64(0), one = arena.i64(1), n_offsets = t.shape(offsets)[0];
  t.check(one <= n_offsets, "offsets of segments are one more than segments: there are none", {}, where);
  const Expr k = n_offsets - one;
  const Expr bad = first_bad(t, n_offsets, "offsets", where, [&](Expr s) {
    // Each is compared with the next one, where there is one: memory is read in order.
    const Expr here = integer(t, offsets, s), next = s + one, good = arena.i64(nowhere);
    const Expr compared = either(
        t, s < k, "offsets", where,
        [&] { return Exprs{scalar::select(integer(t, offsets, next) < here, next, good)}; },
        [&] { return Exprs{scalar::select(equal(here, n), good, k)}; })[0];
    const Expr is_late = differs(here, zero), is_first = equal(s, zero);
    const Expr starts_late = is_first & is_late;
    return scalar::select(starts_late, zero, compared);
  });
  t.check(equal(bad, nowhere),
          "offsets of segments ascend from 0 to the number of elements, which is {1}: offset {0} does not",
          {bad, n}, where);
  return by_known_offsets(t, offsets);
}

// Whether a segment starts at element i.
Expr is_start(Tracer& t, Expr flags, Expr i) {
  const Expr is_first = equal(i, 0);
  return is_first | element(t, flags, {&i, 1});
}

void check_flags(Tracer& t, Expr flags, const Exprs& arrays, std::size_t axis, const char* origin,
                 const Here& where) {
  if (arrays[0].type().rank == 1) {
    const NamedOperand operands[] = {{"the array of flags", {&flags, 1}}, {"the array of elements", arrays}};
    check_equal_shapes(t, origin, operands, where);
    return;
  }
  check_fits_axis(t, origin, flags, arrays[0], axis, where);
}

Spans by_flags(Tracer& t, Expr flags, Expr n, const Here& where) {
  Arena& arena = t.arena();
  const Expr zero = arena.i64(0), one = arena.i64(1);
  const Expr count = t.fresh(scalar::Kind::i64, "n_segments");
  const Expr ends = t.fresh_array(scalar::Kind::i64, {arena.i64(2)}, "ends");
  const Expr starts = t.fresh_array(scalar::Kind::i64, {count}, "starts");
  Scope scope(t, "flags", where);
  const Expr i = index_parameters(scope, 1)[0];
  const Expr class_of = scalar::select(is_start(t, flags, i), zero, one);
  soac::Outputs outputs;
  outputs.partitions.push_back({one, class_of, {i}, count.var(), ends.var(), {starts.var()}});
  t.add({n}, scope.close({}), std::move(outputs), "flags", where);
  const auto start = [&t, starts](Expr s) { return element(t, starts, {&s, 1}); };
  return {count, start, [start, count, n, one](Expr s) {
            const Expr next = s + one, last = count - one;
            const Expr from = start(s), to = start(scalar::min(next, last));
            return scalar::select(next < count, to, n) - from;
          }};
}

Spans by_length(Tracer& t, Expr length, Expr n, const Here& where) {
  Arena& arena = t.arena();
  const Expr one = arena.i64(1), divisor = scalar::max(length, one);
  const Expr is_positive = one <= length, divides = equal(n % divisor, 0);
  t.check(is_positive & divides,
          "regular segments of length {0} need a length from 1 and a multiple of it, not {1} elements",
          {length, n}, where);
  return {n / divisor, [length](Expr s) { return s * length; }, [length](Expr) { return length; }};
}

}  // namespace

Spans spans_of(Tracer& t, const Segments& segments, Expr n, const Here& where) {
  const Expr given =
      segments.by == SegmentsBy::regular ? t.settled(segments.value, where) : t.expr(segments.value, where);
  switch (segments.by) {
    case SegmentsBy::lengths: return by_lengths(t, given, n, where);
    case SegmentsBy::offsets: return by_offsets(t, given, n, where);
    case SegmentsBy::regular: return by_length(t, given, n, where);
    case SegmentsBy::known_offsets: return by_known_offsets(t, given);
    case SegmentsBy::flags: break;
  }
  return by_flags(t, given, n, where);
}

Spans spans_of(Tracer& t, const Segments& segments, const Exprs& arrays, std::size_t axis, const char* origin,
               const Here& where) {
  if (segments.by == SegmentsBy::flags)
    check_flags(t, t.expr(segments.value, where), arrays, axis, origin, where);
  return spans_of(t, segments, t.shape(arrays[0])[axis], where);
}

void check_no_segment_is_empty(Tracer& t, const Segments& segments, const Spans& spans, const char* origin,
                               const Here& where) {
  if (segments.by == SegmentsBy::flags || segments.by == SegmentsBy::regular) return;
  const Expr bad = first_bad(t, spans.count, origin, where,
                             [&](Expr s) { return scalar::select(0 < spans.length(s), nowhere, s); });
  t.check(equal(bad, nowhere), fmt::format("{}: segment {{0}} is empty: give a neutral element", origin),
          {bad}, where);
}

Marks starts_by_flags(Tracer& t, const Segments& segments, const Exprs& arrays, std::size_t axis,
                      const char* origin, const Here& where) {
  const Expr flags = t.expr(segments.value, where);
  check_flags(t, flags, arrays, axis, origin, where);
  return [&t, flags](Expr i) { return is_start(t, flags, i); };
}

Marks starts_by_spans(Tracer& t, const Spans& spans, Expr n, const char* origin, const Here& where) {
  const Expr no = t.arena().boolean(false), yes = t.arena().boolean(true);
  const Expr flags = t.fresh_array(scalar::Kind::boolean, {n}, "starts");
  soac::Scatter scatter{{n}, {}, {}, soac::OfEqual::unordered};
  {
    Scope scope(t, origin, where);
    index_parameters(scope, 1);
    scatter.initial = scope.close({no});
  }
  Scope scope(t, origin, where);
  const Expr s = index_parameters(scope, 1)[0];
  // An empty segment starts where the next one does, or after the last element, which is dropped.
  soac::Outputs outputs;
  outputs.scatters.push_back({std::move(scatter), {spans.start(s)}, {yes}, {flags.var()}});
  t.add({spans.count}, scope.close({}), std::move(outputs), origin, where);
  return [&t, flags](Expr i) { return element(t, flags, {&i, 1}); };
}

Exprs span_of(Tracer& t, std::span<const Expr> vectors, Expr first, Expr end, const Here& where) {
  const Expr length = t.settled(end - first, where);
  Exprs spans;
  for (Expr vector : vectors)
    spans.push_back(tabulate(t, {length}, "row", "row", where, [&](std::span<const Expr> k) {
      const Expr at = first + k[0];
      return element(t, vector, {&at, 1});
    }));
  return spans;
}

}  // namespace fulgurite::trace
