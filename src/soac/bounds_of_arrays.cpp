// Bounds of combinators' results: values of reductions, numbers of elements kept, and the elements of
// arrays, which are bounded all together.
#include <algorithm>

#include "soac/bounds.h"
#include "soac/operation.h"
#include "soac/outputs.h"

namespace fulgurite::soac {

using scalar::Op;

namespace {

// Whether the value is always one of the two.
bool is_one_of(Expr e, Expr left, Expr right) {
  if (e == left || e == right) return true;
  switch (e.op()) {
    case Op::min:
    case Op::max: return is_one_of(e.arg(0), left, right) && is_one_of(e.arg(1), left, right);
    case Op::select: return is_one_of(e.arg(1), left, right) && is_one_of(e.arg(2), left, right);
    default: return false;
  }
}

}  // namespace

void Bounds::set_elements(Var array, const Interval& interval) {
  elements_[array] = interval;
  memo_.clear();
}

Interval Bounds::of_elements(Expr array) {
  if (!array.is_name()) return intervals_.any(array.kind());
  constexpr int most_arrays = 16;  // that are made of each other
  if (const auto made = made_.find(array.var()); made != made_.end() && arrays_ < most_arrays) {
    const Stm& s = *made->second;
    for (Var name : s.names) made_.erase(name);
    ++arrays_;
    learn(s);
    --arrays_;
  }
  const auto found = elements_.find(array.var());
  return found == elements_.end() ? intervals_.any(array.kind()) : found->second;
}

// The integer, or the elements of an array of them.
Interval Bounds::of_result(Expr e) {
  if (!scalar::is_integer(e.kind())) return {};
  if (e.type().rank == 0) return e.type().lanes == 1 ? of(e) : Interval();
  return of_elements(e);
}

// `x == neutral ? a : x` is a, or x of something.
Interval Bounds::without_neutral(Expr e, const Interval& interval) {
  if (e.op() != Op::select || e.arg(0).op() != Op::eq || !e.arg(2).is_name()) return interval;
  const auto found = names_.find(e.arg(2).var());
  if (found == names_.end() || !found->second.neutral) return interval;
  const Expr x = e.arg(2), neutral = found->second.neutral, is = e.arg(0);
  const bool is_asked = (is.arg(0) == x && is.arg(1) == neutral) || (is.arg(0) == neutral && is.arg(1) == x);
  if (!is_asked) return interval;
  const Interval of_something = found->second.interval;
  return intervals_.hull(of(e.arg(1)), of_something);
}

void Bounds::learn_soac(const Stm& s, const Soac& op) {
  const OutputView outputs = view_of(s);
  Expr points = arena_.i64(1);
  for (Expr extent : op.dims) points = points * extent;
  for (const OutputView::Partitioned& p : outputs.partitions) names_[p.kept] = {{}, points, false};
  memo_.clear();
  for (const Mapped& m : outputs.mapped) {
    std::vector<Expr> shape = arena_.info(m.array).shape;
    const auto own = static_cast<std::ptrdiff_t>(shape.size() - op.dims.size());
    const auto first = shape.begin() + static_cast<std::ptrdiff_t>(first_axis_of_results(op));
    if (own > 0) shape.erase(first, first + own);
    equate(shape, op.dims);
  }
  for (const OutputView::Scattered& scattered : outputs.scatters)
    for (Var array : scattered.arrays) equate(arena_.info(array).shape, scattered.to.shape);
  if (std::ranges::none_of(op.body.results, [](Expr e) { return scalar::is_integer(e.kind()); })) return;
  for (std::size_t d = 0; d < op.dims.size(); ++d) set_below(op.body.params[d], op.dims[d]);
  const Interval n_points = of(points), around = points_;
  points_ = n_points;
  const std::vector<Interval> results = results_of(op.body, {}, true);
  points_ = around;
  std::unordered_map<Expr, Interval> of_operand;
  for (std::size_t k = 0; k < results.size(); ++k) of_operand.emplace(op.body.results[k], results[k]);
  const auto of_operands = [&](std::span<const Expr> operands) {
    std::vector<Interval> list;
    for (Expr e : operands) list.push_back(of_operand.at(e));
    return list;
  };
  for (const OutputView::Reduced& r : outputs.reductions)
    learn_reduction(r.names, r.by, of_operands(r.operands), n_points);
  for (const OutputView::Scattered& scattered : outputs.scatters)
    learn_scatter(scattered.arrays, scattered.to, of_operands(scattered.values), n_points);
  for (const OutputView::Partitioned& p : outputs.partitions) {
    set_elements(p.offsets, intervals_.hull(intervals_.exactly(0), n_points));
    for (std::size_t k = 0; k < p.arrays.size(); ++k) set_elements(p.arrays[k], of_operand.at(p.values[k]));
  }
  for (const Mapped& m : outputs.mapped)
    if (scalar::is_integer(m.result.kind())) set_elements(m.array, of_operand.at(m.result));
}

void Bounds::learn_reduction(std::span<const Var> names, const Reduction& r,
                             std::span<const Interval> operands, const Interval& points) {
  if (!r.op.body.empty()) return;
  const std::size_t n = names.size();
  std::vector<Interval> starts;
  for (const std::vector<Expr>* values : {&r.neutral, &r.initial})
    for (Expr start : *values) starts.push_back(scalar::is_integer(start.kind()) ? of(start) : Interval());
  for (std::size_t k = 0; k < n; ++k) {
    const Expr e = r.op.results[k];
    if (!scalar::is_integer(e.kind()) || e.kind() == Kind::u64) continue;
    if (n == 1) {
      set(names[0], reduced(r.op, starts, operands[0], points));
    } else if (is_one_of(e, arena_.name(r.op.params[k]), arena_.name(r.op.params[n + k]))) {
      Interval one = operands[k];
      if (!r.initial.empty()) one = intervals_.hull(one, of(r.initial[k]));
      names_[names[k]] = {one, {}, false, r.neutral.empty() ? Expr() : r.neutral[k]};
      memo_.clear();
    }
  }
}

// Bounds by the operator's operation: from the least and the greatest operand, and from the sum of all.
Interval Bounds::reduced(const Lambda& op, std::span<const Interval> starts, const Interval& operand,
                         const Interval& points) {
  const Expr e = op.results[0], left = arena_.name(op.params[0]), right = arena_.name(op.params[1]);
  const Interval unknown = intervals_.any(e.kind());
  if (e.kind() == Kind::u64) return unknown;
  if (is_one_of(e, left, right)) {
    Interval all = operand;
    for (const Interval& start : starts) all = intervals_.hull(all, start);
    return all;
  }
  if (operation_of(op, 0) != Op::add) return unknown;
  const Interval zero = intervals_.exactly(0);
  const Interval most = intervals_.hull(operand, zero), times = intervals_.hull(zero, points);
  Interval sum = intervals_.mul(e.kind(), most, times);
  for (const Interval& start : starts) sum = intervals_.add(e.kind(), sum, start);
  return sum;
}

void Bounds::learn_scatter(std::span<const Var> names, const Scatter& scatter,
                           std::span<const Interval> values, const Interval& points) {
  for (std::size_t d = 0; d < scatter.shape.size(); ++d)
    set_below(scatter.initial.params[d], scatter.shape[d]);
  const std::vector<Interval> before = results_of(scatter.initial, {}, true);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!scalar::is_integer(scatter.initial.results[k].kind())) continue;
    if (scatter.combine.empty()) {
      set_elements(names[k], intervals_.hull(before[k], values[k]));
    } else if (const Lambda& op = scatter.combine[0].op; names.size() == 1 && op.body.empty()) {
      set_elements(names[0], reduced(op, before, values[0], points));
    }
  }
}

// The Scan reduces the points so far, which are not more than all points.
void Bounds::learn_scan(const Stm& s, const Scan& op) {
  if (op.operands.empty()) return set_below(s.names[0], arena_.info(op.segments.var()).shape[0] - 1);
  std::vector<Interval> operands;
  for (Expr e : op.operands) operands.push_back(scalar::is_integer(e.kind()) ? of(e) : Interval());
  learn_reduction(s.names, op.reduction, operands, points_);
}

void Bounds::learn_sort(const Stm& s, const Sort& op) {
  for (std::size_t k = 0; k < s.names.size(); ++k)
    if (scalar::is_integer(op.arrays[k].kind())) set_elements(s.names[k], of_result(op.arrays[k]));
}

}  // namespace fulgurite::soac
