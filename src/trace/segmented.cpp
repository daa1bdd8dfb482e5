// Folds and scans of the segments of an axis. A reduction is a map over the segments (and the other axes)
// with a reduction of each inside; scans are one scan of pairs (a segment starts here, value) along each
// line, under the operator that forgets what lies left of a start (Blelloch, Prefix sums and their
// applications, 1990). Equal segments are the rows of a matrix. A scan from the right reads lines backwards,
// with the operator's operands exchanged.
#include <fulgurite/staged_combinators.h>

#include <algorithm>
#include <optional>

#include "trace/operators.h"
#include "trace/segments.h"

namespace fulgurite::trace {

namespace {

using detail::Scanning;
using detail::Segments;
using detail::SegmentsBy;

// `computed()` where the condition does not hold, else `otherwise`: as a branch if computing it may fail.
template <class F>
Exprs unless(Tracer& t, Expr condition, const Exprs& otherwise, const char* origin, const Here& where,
             F&& computed) {
  soac::Lambda value = branch(t, origin, where, computed);
  const bool simple = value.body.empty() && std::ranges::none_of(value.results, scalar::can_fail);
  Exprs results;
  if (simple) {
    for (std::size_t k = 0; k < otherwise.size(); ++k)
      results.push_back(scalar::select(condition, otherwise[k], value.results[k]));
    return results;
  }
  for (Expr e : otherwise) results.push_back(t.fresh(e.kind(), "value"));
  t.add(results, soac::If{condition, {{}, {}, otherwise}, std::move(value)}, origin, where);
  return results;
}

Exprs with_inserted(std::span<const Expr> indices, std::size_t axis, Expr index) {
  Exprs all(indices.begin(), indices.end());
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(axis), index);
  return all;
}

// Arrays of the other extents, then `n`: for each index of the other axes one Soac over n points, whose
// results `results_at` computes from that index and the point's number.
template <class F>
Exprs lines(Tracer& t, const Exprs& others, Expr n, const std::vector<scalar::Kind>& kinds,
            const char* origin, const Here& where, F&& results_at) {
  const auto line = [&](std::span<const Expr> at) {
    Scope scope(t, origin, where);
    const Expr i = index_parameters(scope, 1)[0];
    soac::Lambda body = scope.close(results_at(at, i));
    Exprs names;
    for (scalar::Kind kind : kinds) names.push_back(t.fresh_array(kind, {n}, origin));
    t.add(names, soac::Soac{{n}, std::move(body)}, origin, where);
    return names;
  };
  if (others.empty()) return line({});
  Scope scope(t, origin, where);
  const Exprs indices = index_parameters(scope, others.size());
  soac::Lambda body = scope.close(line(indices));
  Exprs names;
  for (scalar::Kind kind : kinds)
    names.push_back(t.fresh_array(kind, with_inserted(others, others.size(), n), origin));
  t.add(names, soac::Soac{others, std::move(body)}, origin, where);
  return names;
}

// A scan of the segments of an axis.
class SegmentedScan {
 public:
  SegmentedScan(Tracer& t, const Segments& segments, const Scanning& how, const detail::Body& op,
                std::span<const Value> parts, const Here& where)
      : t_(t),
        arena_(t.arena()),
        segments_(segments),
        how_(how),
        op_(op),
        where_(where),
        arrays_(t.exprs(parts, where)),
        neutral_(t.exprs(how.neutral, where)),
        initial_(t.exprs(how.initial, where)),
        kinds_(kinds_of(arrays_)),
        shape_(t.shape(arrays_[0]).begin(), t.shape(arrays_[0]).end()),
        axis_(axis_of(arrays_[0], how.axis, how.origin, where)),
        others_(shape_) {
    others_.erase(others_.begin() + static_cast<std::ptrdiff_t>(axis_));
  }

  Spans spans() const { return spans_of(t_, segments_, arrays_, axis_, how_.origin, where_); }

  // Flags need no spans.
  Exprs scanned(const std::optional<Spans>& spans) const {
    return segments_.by == SegmentsBy::regular ? scanned_as_rows(*spans) : scanned_by_marks(spans);
  }

  // The totals of an exclusive scan: the last value of each segment, combined with its last element.
  Exprs totals(const Spans& spans, const Exprs& scanned) const {
    Exprs extents = shape_;
    extents[axis_] = spans.count;
    return tabulate_all(t_, std::move(extents), how_.origin, where_, [&](Exprs at) {
      const Expr segment = at[axis_], length = spans.length(segment);
      const auto total = [&] {
        const Expr start = spans.start(segment);
        at[axis_] = how_.from_right ? start : start + (length - 1);
        const Exprs so_far = elements(t_, scanned, at), last = elements(t_, arrays_, at);
        return called(so_far, last);
      };
      return either(t_, 0 < length, how_.origin, where_, total, [&] { return neutral_; });
    });
  }

 private:
  // The operator on what was combined so far and an element: from the right, that stands on its left.
  Exprs called(const Exprs& so_far, const Exprs& element) const {
    return t_.exprs(applied(t_.values(so_far), t_.values(element)), where_);
  }
  Values applied(Values so_far, Values element) const {
    if (how_.from_right) std::swap(so_far, element);
    so_far.insert(so_far.end(), element.begin(), element.end());
    return op_(so_far);
  }
  soac::Reduction running() const {
    return reduction(t_, {op_, how_.origin, false, how_.from_right}, kinds_, neutral_, initial_, where_);
  }
  Expr from_end(Expr n, Expr i) const { return n - 1 - i; }

  // The operator on (a segment starts here, value).
  soac::Lambda lifted() const {
    const auto k = static_cast<std::ptrdiff_t>(kinds_.size());
    std::vector<scalar::Kind> kinds = kinds_;
    kinds.insert(kinds.begin(), scalar::Kind::boolean);
    return operation(t_, kinds, how_.origin, where_, [&](const Exprs& p) {
      const Expr left_starts = p[0], starts = p[static_cast<std::size_t>(k) + 1];
      const Exprs a(p.begin() + 1, p.begin() + 1 + k), b(p.begin() + 2 + k, p.end());
      Exprs results = unless(t_, starts, b, how_.origin, where_, [&] { return called(a, b); });
      results.insert(results.begin(), left_starts | starts);
      return results;
    });
  }

  Exprs scanned_by_marks(const std::optional<Spans>& spans) const {
    const Expr n = shape_[axis_];
    const Marks starts = segments_.by == SegmentsBy::flags
                             ? starts_by_flags(t_, segments_, arrays_, axis_, how_.origin, where_)
                             : starts_by_spans(t_, *spans, n, how_.origin, where_);
    const Expr last = n - 1;
    const auto ends = [&](Expr i) {
      const Expr next = scalar::min(i + 1, last);
      const Expr is_last = equal(i, last);
      return is_last | starts(next);
    };
    // It is part of the segment's first element.
    const Exprs& first = initial_.empty() ? neutral_ : initial_;
    const Expr no = arena_.boolean(false);
    Exprs neutral = initial_.empty() ? neutral_ : Exprs();
    if (neutral.empty()) neutral = running().neutral;
    Exprs initial = initial_;  // the first element forgets it
    if (!neutral.empty()) neutral.insert(neutral.begin(), no);
    if (!initial.empty()) initial.insert(initial.begin(), no);
    const auto results_at = [&](std::span<const Expr> at, Expr i) {
      const Expr place = how_.from_right ? from_end(n, i) : i;
      const Expr begins = how_.from_right ? ends(place) : starts(place);
      Exprs operands = elements(t_, arrays_, with_inserted(at, axis_, place));
      if (!first.empty()) {
        const Exprs given = operands;
        operands =
            unless(t_, logical_not(begins), given, how_.origin, where_, [&] { return called(first, given); });
      }
      operands.insert(operands.begin(), begins);
      Exprs prefixes{t_.fresh(scalar::Kind::boolean, "started")};
      for (scalar::Kind kind : kinds_) prefixes.push_back(t_.fresh(kind, "prefix"));
      t_.add(prefixes, soac::Scan{{lifted(), neutral, initial, false}, operands, how_.inclusive}, how_.origin,
             where_);
      prefixes.erase(prefixes.begin());
      if (how_.inclusive) return prefixes;
      for (std::size_t k = 0; k < prefixes.size(); ++k)
        prefixes[k] = scalar::select(begins, first[k], prefixes[k]);
      return prefixes;
    };
    const Exprs scanned = lines(t_, others_, n, kinds_, how_.origin, where_, results_at);
    if (!how_.from_right && axis_ + 1 == shape_.size()) return scanned;
    return tabulate_all(t_, shape_, how_.origin, where_, [&](Exprs at) {
      const Expr i = at[axis_];
      at.erase(at.begin() + static_cast<std::ptrdiff_t>(axis_));
      at.push_back(how_.from_right ? from_end(n, i) : i);
      return elements(t_, scanned, at);
    });
  }

  // Equal segments: the rows of an array with one more axis, each scanned by itself.
  Exprs scanned_as_rows(const Spans& spans) const {
    const Expr length = spans.length({});
    const Exprs rows = lines(
        t_, with_inserted(others_, others_.size(), spans.count), length, kinds_, how_.origin, where_,
        [&](std::span<const Expr> at, Expr i) {
          const Expr inside = how_.from_right ? from_end(length, i) : i;
          const Expr place = spans.start(at.back()) + inside;
          const Exprs operands = elements(t_, arrays_, with_inserted(at.first(others_.size()), axis_, place));
          Exprs prefixes;
          for (scalar::Kind kind : kinds_) prefixes.push_back(t_.fresh(kind, "prefix"));
          t_.add(prefixes, soac::Scan{running(), operands, how_.inclusive}, how_.origin, where_);
          return prefixes;
        });
    return tabulate_all(t_, shape_, how_.origin, where_, [&](Exprs at) {
      const Expr i = at[axis_], in_row = i % length;
      at.erase(at.begin() + static_cast<std::ptrdiff_t>(axis_));
      at.insert(at.end(), {i / length, how_.from_right ? from_end(length, in_row) : in_row});
      return elements(t_, rows, at);
    });
  }

  Tracer& t_;
  Arena& arena_;
  const Segments& segments_;
  const Scanning& how_;
  const detail::Body& op_;
  const Here& where_;
  const Exprs arrays_, neutral_, initial_;
  const std::vector<scalar::Kind> kinds_;
  const Exprs shape_;
  const std::size_t axis_;
  Exprs others_;
};

}  // namespace
}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Values segmented_reduce(Segments segments, const Fold& how, Body op, std::span<const Value> parts,
                        Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs arrays = t.exprs(parts, where);
  const Exprs neutral = t.exprs(how.neutral, where), initial = t.exprs(how.initial, where);
  const std::size_t axis = axis_of(arrays[0], how.axis.value_or(-1), how.origin, where);
  const Spans spans = spans_of(t, segments, arrays, axis, how.origin, where);
  if (neutral.empty() && initial.empty()) check_no_segment_is_empty(t, segments, spans, how.origin, where);
  Exprs extents(t.shape(arrays[0]).begin(), t.shape(arrays[0]).end());
  extents[axis] = spans.count;
  return t.values(tabulate_all(t, std::move(extents), how.origin, where, [&](Exprs at) {
    soac::Reduction fold = reduction(t, {op, how.origin}, kinds_of(arrays), neutral, initial, where);
    const Expr length = spans.length(at[axis]), start = spans.start(at[axis]);
    Exprs names;
    for (Expr array : arrays) names.push_back(t.fresh(array.kind(), how.origin));
    Scope scope(t, how.origin, where);
    at[axis] = start + index_parameters(scope, 1)[0];
    soac::Lambda body = scope.close(elements(t, arrays, at));
    t.add(names, soac::Soac{{length}, std::move(body), {std::move(fold)}}, how.origin, where);
    return names;
  }));
}

Values segmented_scan(Segments segments, const Scanning& how, Body op, std::span<const Value> parts,
                      Here where) {
  Tracer& t = Tracer::current(where);
  const SegmentedScan scan(t, segments, how, op, parts, where);
  std::optional<Spans> spans;
  if (how.totals || segments.by != SegmentsBy::flags) spans = scan.spans();
  Exprs results = scan.scanned(spans);
  if (how.totals) {
    const Exprs totals = scan.totals(*spans, results);
    results.insert(results.end(), totals.begin(), totals.end());
  }
  return t.values(results);
}

}  // namespace fulgurite::detail
