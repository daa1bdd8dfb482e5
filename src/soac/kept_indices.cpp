#include "soac/kept_indices.h"

#include <algorithm>

#include "soac/outputs.h"

namespace fulgurite::soac {

using scalar::Op;

namespace {

bool is_index(Expr operand, Var index, bool in_tile) {
  constexpr std::size_t least_size = 4;  // of kinds in which a tile's indices do not wrap
  if (operand.is_name()) return operand.var() == index;
  return in_tile && operand.op() == Op::cast && is_integer(operand.kind()) &&
         scalar::size_of(operand.kind()) >= least_size && is_index(operand.arg(0), index, in_tile);
}

bool is_negative(Expr e) {
  return e.is_constant() && e.type() == scalar::Type{Kind::i64} && static_cast<std::int64_t>(e.bits()) < 0;
}

}  // namespace

bool chooses(const Lambda& op, std::size_t k) {
  const Var left = op.params[k], right = op.params[op.results.size() + k];
  const Expr e = op.results[k];
  if (e.op() != Op::select || !e.arg(1).is_name() || !e.arg(2).is_name()) return false;
  const Var yes = e.arg(1).var(), no = e.arg(2).var();
  return (yes == left && no == right) || (yes == right && no == left);
}

bool keeps_index(const Soac& soac, const Lambda& op, std::span<const Expr> operands, std::size_t k) {
  return soac.dims.size() == 1 && operands[k].is_name() && operands[k].var() == soac.body.params[0] &&
         chooses(op, k);
}

bool chooses_operands(const Stm& s) {
  const auto& soac = std::get<Soac>(s.op);
  const OutputView outputs = view_of(s);
  for (const auto& r : outputs.reductions)
    for (std::size_t k = 0; k < r.by.op.results.size(); ++k) {
      const bool is_same = r.operands[k].is_constant() && r.operands[k] == r.by.op.results[k];
      if (!r.by.op.body.empty() || (!is_same && !chooses(r.by.op, k))) return false;
    }
  return !soac.reductions.empty();
}

bool keeps_index(const Soac& soac, std::size_t reduction, std::size_t component) {
  const OutputView::Reduced r = view_of(soac).reductions[reduction];
  return keeps_index(soac, r.by.op, r.operands, component);
}

KeptIndices::KeptIndices(const Soac& soac, const Reduction& r, std::span<const Expr> operands, bool in_tile)
    : op_(r.op), n_(r.op.results.size()) {
  const Var index = soac.body.params[0];
  std::set<std::size_t> below;  // left components that are indices of points before, or negative
  for (std::size_t k = 0; k < n_; ++k) {
    const bool is_right = is_index(operands[k], index, in_tile);
    if (is_right) rights_.insert(op_.params[n_ + k]);
    if (is_right && chooses(op_, k)) greater_.emplace(op_.params[k], op_.params[n_ + k]);
    const bool starts_below = r.neutral.empty() || is_negative(r.neutral[k]);
    if ((operands[k].is_name() ? is_right : is_negative(operands[k])) && starts_below) below.insert(k);
  }
  // By induction: each point leaves there what was there, or the point's own index.
  while (std::erase_if(below, [&](std::size_t k) { return !is_made_of(op_.results[k], below); }) > 0) {
  }
  for (std::size_t k : below) below_.insert(op_.params[k]);
}

bool KeptIndices::is_less(Expr a, Expr b) const {
  if (!b.is_name() || !rights_.contains(b.var())) return false;
  if (is_negative(a)) return true;
  if (!a.is_name()) return false;
  const auto found = greater_.find(a.var());
  return below_.contains(a.var()) || (found != greater_.end() && found->second == b.var());
}

bool KeptIndices::is_at_most(Expr a, Expr b) const {
  // In a smaller kind an index may be negative.
  const bool is_zero = a.is_constant(0) && a.type() == scalar::Type{Kind::i64};
  return is_less(a, b) || (is_zero && b.is_name() && rights_.contains(b.var()));
}

bool KeptIndices::is_made_of(Expr e, const std::set<std::size_t>& below) const {
  if (e.op() == Op::select) return is_made_of(e.arg(1), below) && is_made_of(e.arg(2), below);
  if (!e.is_name()) return is_negative(e);
  const auto param = std::ranges::find(op_.params, e.var());
  if (param == op_.params.end()) return false;
  return below.contains(static_cast<std::size_t>(param - op_.params.begin()) % n_);
}

}  // namespace fulgurite::soac
