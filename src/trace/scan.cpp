// Scans: arrays of equal shapes in, arrays of the running results along one axis out, and the results for
// whole lines if they are asked for. A line is one Soac with a Scan in its body (and a reduction beside it
// for the total); over the other axes it stands inside a map. A scan from the right reads its line backwards,
// with the operator's operands exchanged; its results, and results along an axis that is not the innermost,
// are reached through a view.
#include <fulgurite/staged_combinators.h>

#include "trace/operators.h"
#include "trace/tracer.h"

namespace fulgurite::trace {

namespace {

using detail::Scanning;

struct Line {
  Exprs totals, scanned;
};

// The line at these indices of the other axes.
Line scan_line(Tracer& t, const Scanning& how, const detail::Body& op, const Exprs& arrays,
               std::span<const Expr> others, const Here& where) {
  Arena& arena = t.arena();
  const std::size_t axis = axis_of(arrays[0], how.axis, how.origin, where);
  const Expr n = t.shape(arrays[0])[axis];
  const std::vector<scalar::Kind> kinds = kinds_of(arrays);
  const Exprs neutral = t.exprs(how.neutral, where), initial = t.exprs(how.initial, where);
  const soac::Reduction running =
      reduction(t, {op, how.origin, false, how.from_right}, kinds, neutral, initial, where);
  soac::Outputs outputs;
  Line names;
  if (how.totals) {
    outputs.reductions.push_back({copied(arena, running), {}, {}});
    for (scalar::Kind kind : kinds) names.totals.push_back(t.fresh(kind, "total"));
  }
  for (scalar::Kind kind : kinds) names.scanned.push_back(t.fresh_array(kind, {n}, how.origin));

  Scope scope(t, how.origin, where);
  const Expr i = index_parameters(scope, 1)[0];
  Exprs at(others.begin(), others.end());
  at.insert(at.begin() + static_cast<std::ptrdiff_t>(axis), how.from_right ? n - 1 - i : i);
  const Exprs operands = elements(t, arrays, at);
  Exprs prefixes;
  for (scalar::Kind kind : kinds) prefixes.push_back(t.fresh(kind, "prefix"));
  t.add(prefixes, soac::Scan{running, operands, how.inclusive}, how.origin, where);
  for (soac::Outputs::Reduced& total : outputs.reductions) {
    total.operands = operands;
    total.names = vars_of(names.totals);
  }
  for (std::size_t k = 0; k < prefixes.size(); ++k)
    outputs.mapped.push_back({prefixes[k], names.scanned[k].var()});
  t.add({n}, scope.close({}), std::move(outputs), how.origin, where);
  return names;
}

}  // namespace
}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Values scan(const Scanning& how, Body op, std::span<const Value> parts, Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs arrays = t.exprs(parts, where);
  const Exprs shape(t.shape(arrays[0]).begin(), t.shape(arrays[0]).end());
  const std::size_t rank = shape.size(), k = arrays.size();
  const std::size_t axis = axis_of(arrays[0], how.axis, how.origin, where);
  const auto at_axis = static_cast<std::ptrdiff_t>(axis);

  Exprs scanned, totals;
  if (rank == 1) {
    Line line = scan_line(t, how, op, arrays, {}, where);
    scanned = std::move(line.scanned);
    totals = std::move(line.totals);
  } else {
    Exprs others = shape;
    others.erase(others.begin() + at_axis);
    const Exprs made = [&] {
      Scope scope(t, how.origin, where);
      const Exprs indices = index_parameters(scope, others.size());
      const Line line = scan_line(t, how, op, arrays, indices, where);
      Exprs results = line.scanned;
      results.insert(results.end(), line.totals.begin(), line.totals.end());
      soac::Lambda body = scope.close(std::move(results));
      Exprs names;
      for (std::size_t i = 0; i < body.results.size(); ++i) {
        Exprs extents = others;
        if (i < k) extents.push_back(shape[axis]);
        names.push_back(t.fresh_array(body.results[i].kind(), std::move(extents), how.origin));
      }
      t.add(names, soac::Soac{others, std::move(body)}, how.origin, where);
      return names;
    }();
    scanned.assign(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(k));
    totals.assign(made.begin() + static_cast<std::ptrdiff_t>(k), made.end());
  }
  if (how.from_right || axis + 1 != rank)
    scanned = tabulate_all(t, shape, how.origin, where, [&](const Exprs& indices) {
      Exprs at = indices;
      at.erase(at.begin() + at_axis);
      at.push_back(how.from_right ? shape[axis] - 1 - indices[axis] : indices[axis]);
      return elements(t, scanned, at);
    });
  scanned.insert(scanned.end(), totals.begin(), totals.end());
  return t.values(scanned);
}

}  // namespace fulgurite::detail
