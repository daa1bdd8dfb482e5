#include "schedule/lanes/costs.h"

#include <algorithm>

#include "base/match.h"
#include "schedule/rewrites/slice.h"
#include "soac/literal.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

using scalar::Expr;
using scalar::Kind;
using scalar::Op;

double Costs::of_point(const soac::Soac& soac) const {
  double sum = of(soac.body, by_.unknown_trips);
  for (const soac::Reduction& r : soac.reductions) sum += of_operator(r.op);
  for (const soac::Scatter& scatter : soac.scatters)
    for (const soac::Reduction& r : scatter.combine) sum += of(r.op, by_.unknown_trips);
  return sum;
}

double Costs::of_scans(const soac::Soac& soac) const {
  double sum = 0;
  for (const soac::Stm* s : scans_of(soac.body))
    sum += of(std::get<soac::Scan>(s->op).reduction.op, by_.unknown_trips);
  return sum;
}

double Costs::of_operators(const soac::Soac& soac) const {
  double sum = 0;
  for (const soac::Stm* s : scans_of(soac.body)) {
    const soac::Lambda& op = std::get<soac::Scan>(s->op).reduction.op;
    for (const soac::Stm& inner : op.body) sum += of(inner, by_.unknown_trips);
    scalar::for_each_node(op.results, [&](Expr e) { sum += of(e.op()); });
  }
  return sum;
}

bool Costs::waits_for_itself(const soac::Lambda& f) const {
  return std::ranges::any_of(f.body, [&](const soac::Stm& s) {
    return base::as<soac::Loop>(s.op) != nullptr && of(s, 1) <= by_.waiting_work;
  });
}

double Costs::of(Op op) const {
  const scalar::OpInfo& row = scalar::info(op);
  if (op == Op::div || op == Op::rem || op == Op::sqrt) return by_.cost_division;
  if (op == Op::pow || op == Op::atan2 || op == Op::hypot) return by_.cost_power;
  if (row.has('$')) return by_.cost_function;
  if (op == Op::fast_fma) return by_.cost_fused;
  return row.arity == 0 ? 0 : 1;
}

double Costs::of(std::span<const Expr> roots) const {
  double sum = 0;
  scalar::for_each_node(roots, [&](Expr e) {
    const bool is_index_arithmetic = e.kind() == Kind::i64 && e.type().rank == 0;
    if (e.op() != Op::index && !is_index_arithmetic) sum += of(e.op());
  });
  return sum;
}

// `trips`: iterations of a loop.
double Costs::of(const soac::Stm& s, double trips) const {
  if (soac::is_literal(s)) {
    const auto& op = std::get<soac::Soac>(s.op);
    std::vector<Expr> elements;
    for (const std::vector<Expr>& point : soac::points_of(op.dims[0].arena(), op))
      elements.insert(elements.end(), point.begin(), point.end());
    return of(elements);
  }
  double inner = 0;
  for (const auto& nested : soac::nested_in(s)) inner += of(*nested.lambda, trips);
  const double step = inner + by_.cost_step;
  return base::match(
      s.op, [&](const soac::Soac&) { return trips * step; }, [&](const soac::Scan&) { return step; },
      [&](const soac::Sort&) { return trips * step; }, [&](const soac::If&) { return step; },
      [&](const soac::Loop&) { return trips * step; }, [](const soac::Check&) { return 1.0; },
      [](const soac::Call&) { return 1.0; }, [&](const soac::Let& l) { return of(std::span(&l.value, 1)); });
}

double Costs::of(const soac::Lambda& f, double trips) const {
  double sum = of(f.results);
  for (const soac::Stm& s : f.body) sum += of(s, trips);
  return sum;
}

// Whether both operands are there, where an operator has to ask (lift.h), is known in the main loop.
double Costs::of_operator(const soac::Lambda& op) const {
  double sum = of(op, by_.unknown_trips);
  scalar::for_each_node(op.results, [&](Expr e) {
    const bool asks = e.op() == Op::select && e.arg(0).is_name() &&
                      std::ranges::find(op.params, e.arg(0).var()) != op.params.end();
    sum -= asks ? of(e.op()) : 0;
  });
  return sum;
}

}  // namespace fulgurite::schedule
