#include "trace/items.h"

#include "trace/store.h"

namespace fulgurite::trace {

Expr offsets_by_spans(Tracer& t, const detail::Segments& segments, const Spans& spans, Expr n,
                      const char* origin, const Here& where) {
  if (segments.by == detail::SegmentsBy::offsets || segments.by == detail::SegmentsBy::known_offsets) {
    const Expr given = t.expr(segments.value, where);
    if (given.kind() == scalar::Kind::i64) return given;
    return tabulate(t, {t.shape(given)[0]}, "offsets", origin, where,
                    [&](std::span<const Expr> s) { return integer_at(t, given, s[0]); });
  }
  return tabulate(t, {spans.count + 1}, "offsets", origin, where, [&](std::span<const Expr> s) {
    return either(
        t, s[0] < spans.count, origin, where, [&] { return Exprs{spans.start(s[0])}; },
        [&] { return Exprs{n}; })[0];
  });
}

Expr number_of_elements(Tracer& t, Expr offsets, const char* origin, const Here& where) {
  const Expr last = t.shape(offsets)[0] - 1;
  const Expr n = t.settled(element(t, offsets, {&last, 1}), where);
  check_sizes(t, origin, {&n, 1}, where);
  return n;
}

Expr item_of_each(Tracer& t, Expr offsets, Expr n, const char* origin, const Here& where) {
  soac::Scatter scatter{{n},
                        contents(t, 1, origin, where, [&](const Exprs&) { return Exprs{t.arena().i64(0)}; })};
  scatter.of_equal = soac::OfEqual::unordered;  // of items that begin in one place one has elements
  const Expr k = t.shape(offsets)[0] - 1;
  const Values begins = store(t, {k}, std::move(scatter), origin, where, [&](const Exprs& s) {
    const auto [first, end] = ends_of(t, offsets, s[0]);
    return Stored{{scalar::select(first < end, first, -1)}, {s[0]}};
  });
  const Expr begun = t.expr(begins[0], where);
  const Expr items = t.fresh_array(scalar::Kind::i64, {n}, "item");
  soac::Reduction greatest = known_reduction(t, Op::max, scalar::Kind::i64, origin, where);
  Scope scope(t, origin, where);
  const Expr i = index_parameters(scope, 1)[0], item = t.fresh(scalar::Kind::i64, "item");
  t.add({item}, soac::Scan{std::move(greatest), {element(t, begun, {&i, 1})}, true}, origin, where);
  soac::Outputs outputs;
  outputs.mapped.push_back({item, items.var()});
  t.add({n}, scope.close({}), std::move(outputs), origin, where);
  return items;
}

}  // namespace fulgurite::trace
