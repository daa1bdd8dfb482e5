// Arrays with some elements replaced: a scatter into what the old array holds, so that the plan may write
// into the old array's memory where nothing reads that any more.
#include <fmt/format.h>
#include <fulgurite/staged_combinators.h>

#include "trace/store.h"

namespace fulgurite::detail {

using namespace trace;

Values with(std::span<const Value> parts, std::span<const Value> indices, std::span<const Value> element,
            Here where) {
  Tracer& t = Tracer::current(where);
  Arena& arena = t.arena();
  const Exprs arrays = t.exprs(parts, where), place = t.exprs(indices, where),
              values = t.exprs(element, where);
  for (std::size_t k = 0; k < place.size(); ++k) {
    const Expr extent = t.shape(arrays[0])[k];
    const Expr above = 0 <= place[k], below = place[k] < extent;
    t.check(above & below,
            place.size() == 1 ? "with: index {0} is outside an array of {1}"
                              : fmt::format("with: index {{0}} is outside {{1}} along axis {}", k),
            {place[k], extent}, where, SiteError::index);
  }
  soac::Scatter sink{shape_of(t, arrays[0]), same_as(t, arrays, "with", where), {}, soac::OfEqual::unordered};
  return store(t, {arena.i64(1)}, std::move(sink), "with", where,
               [&](const Exprs&) { return Stored{place, values}; });
}

Values with(std::span<const Value> parts, std::span<const Bounds> axes, std::span<const Value> values,
            Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs arrays = t.exprs(parts, where), from = t.exprs(values, where);
  // The slice itself is not read: it makes the checks and says how large it is.
  const Expr old = t.expr(slice(parts[0], axes, where), where);
  const NamedOperand operands[] = {{"the slice", {&old, 1}}, {"what replaces it", from}};
  check_equal_shapes(t, "with", operands, where);
  // No stride is 0, as the slice has checked.
  soac::Scatter sink{shape_of(t, arrays[0]), same_as(t, arrays, "with", where), {}, soac::OfEqual::unordered};
  return store(t, shape_of(t, old), std::move(sink), "with", where, [&](const Exprs& at) {
    Stored stored;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const Expr start = t.settled(axes[k].start, where), stride = t.settled(axes[k].stride, where);
      stored.place.push_back(start + at[k] * stride);
    }
    stored.values = elements(t, from, at);
    return stored;
  });
}

}  // namespace fulgurite::detail
