#include "trace/items.h"

#include <fmt/format.h>

#include "soac/items.h"

namespace fulgurite::trace {

Expr is_no_size(Expr size) {
  const Expr is_negative = size < 0, is_larger = most_elements < size;
  return is_negative | is_larger;
}

void check_item_sizes(Tracer& t, Expr bad, const std::string& origin, const Here& where) {
  t.check(equal(bad, nowhere), fmt::format("{}: the size of item {{0}} is negative, or above 2^47", origin),
          {bad}, where);
}

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
  const Expr items = t.fresh_array(scalar::Kind::i64, {n}, "item");
  const soac::Stm like{{}, soac::Let{}, {where.file_name(), where.line()}, origin};
  for (soac::Stm& s : soac::item_of_each(t.arena(), offsets, items.var(), like))
    t.add({t.arena().name(s.names[0])}, std::move(s.op), origin, where);
  return items;
}

}  // namespace fulgurite::trace
