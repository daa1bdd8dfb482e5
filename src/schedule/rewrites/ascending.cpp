#include "schedule/rewrites/ascending.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "schedule/rewrites/lift.h"
#include "schedule/rewrites/rewrite.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

using scalar::Expr;
using scalar::Kind;
using scalar::Op;
using scalar::Var;

bool is_index(Expr operand, Var index, bool in_tile) {
  constexpr std::size_t least_size = 4;  // of kinds in which a tile's indices do not wrap
  if (operand.is_name()) return operand.var() == index;
  return in_tile && operand.op() == Op::cast && is_integer(operand.kind()) &&
         scalar::size_of(operand.kind()) >= least_size && is_index(operand.arg(0), index, in_tile);
}

// Whether the operator gives either the left or the right one of the k-th components.
bool chooses(const soac::Lambda& op, std::size_t k) {
  const Var left = op.params[k], right = op.params[op.results.size() + k];
  const Expr e = op.results[k];
  if (e.op() != Op::select || !e.arg(1).is_name() || !e.arg(2).is_name()) return false;
  const Var yes = e.arg(1).var(), no = e.arg(2).var();
  return (yes == left && no == right) || (yes == right && no == left);
}

// Whether the k-th component of a reduction of the Soac is the index of one of the points.
bool keeps_index(const soac::Soac& soac, const soac::Lambda& op, std::span<const Expr> operands,
                 std::size_t k) {
  return soac.dims.size() == 1 && operands[k].is_name() && operands[k].var() == soac.body.params[0] &&
         chooses(op, k);
}

// What a loop in ascending order knows of the components of one reduction.
class KeptIndices {
 public:
  KeptIndices(const soac::Soac& soac, const soac::Reduction& r, std::span<const Expr> operands, bool in_tile)
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

  bool is_less(Expr a, Expr b) const {
    if (!b.is_name() || !rights_.contains(b.var())) return false;
    if (is_negative(a)) return true;
    if (!a.is_name()) return false;
    const auto found = greater_.find(a.var());
    return below_.contains(a.var()) || (found != greater_.end() && found->second == b.var());
  }
  bool is_at_most(Expr a, Expr b) const {
    // In a smaller kind an index may be negative.
    const bool is_zero = a.is_constant(0) && a.type() == scalar::Type{Kind::i64};
    return is_less(a, b) || (is_zero && b.is_name() && rights_.contains(b.var()));
  }

 private:
  static bool is_negative(Expr e) {
    return e.is_constant() && e.type() == scalar::Type{Kind::i64} && static_cast<std::int64_t>(e.bits()) < 0;
  }
  bool is_made_of(Expr e, const std::set<std::size_t>& below) const {
    if (e.op() == Op::select) return is_made_of(e.arg(1), below) && is_made_of(e.arg(2), below);
    if (!e.is_name()) return is_negative(e);
    const auto param = std::ranges::find(op_.params, e.var());
    if (param == op_.params.end()) return false;
    return below.contains(static_cast<std::size_t>(param - op_.params.begin()) % n_);
  }

  const soac::Lambda& op_;
  const std::size_t n_;
  std::set<Var> rights_, below_;          // right components that are the index; left ones that are less
  std::unordered_map<Var, Var> greater_;  // right component by left one
};

std::optional<soac::Stm> ascending(scalar::Arena& arena, const soac::Stm& s, bool in_tile) {
  soac::Stm result = s;
  auto& soac = std::get<soac::Soac>(result.op);
  const soac::OutputView outputs = soac::view_of(s);
  const bool stores = !soac.scatters.empty() || !soac.partitions.empty() || !outputs.mapped.empty();
  if (soac.dims.size() != 1 || stores) return {};
  bool changed = false;
  for (std::size_t g = 0; g < soac.reductions.size(); ++g) {
    soac::Lambda& op = soac.reductions[g].op;
    if (!op.body.empty()) continue;
    const KeptIndices indices(soac, soac.reductions[g], outputs.reductions[g].operands, in_tile);
    scalar::Substitution decide(arena, [&](Expr e) -> Expr {
      if (e.op() != Op::lt && e.op() != Op::le && e.op() != Op::eq && e.op() != Op::ne) return {};
      const bool less = indices.is_less(e.arg(0), e.arg(1)), more = indices.is_less(e.arg(1), e.arg(0));
      if (!less && !more) {
        const bool is_at_most = e.op() == Op::le && indices.is_at_most(e.arg(0), e.arg(1));
        return is_at_most ? arena.boolean(true) : Expr();
      }
      return arena.boolean(e.op() == Op::ne || (less && e.op() != Op::eq));
    });
    for (Expr& e : op.results) {
      const Expr decided = decide(e);
      changed = changed || decided != e;
      e = decided;
    }
  }
  if (!changed) return {};
  return made_by(rewrite::ascending, arena, std::move(result));
}

}  // namespace

std::optional<soac::Stm> behind_first(scalar::Arena& arena, const soac::Stm& s, bool in_tile) {
  const std::optional<soac::Stm> holding = holding_values(arena, s);
  std::optional<soac::Stm> result = ascending(arena, holding ? *holding : s, in_tile);
  return result ? result : holding;
}

std::optional<soac::Stm> piece_after_first(scalar::Arena& arena, const soac::Stm& all, const soac::Stm& piece,
                                           bool in_tile) {
  const std::optional<soac::Stm> known = behind_first(arena, all, in_tile);
  const auto reductions = [](const soac::Stm& s) { return std::get<soac::Soac>(s.op).reductions; };
  if (!known || reductions(all) != reductions(piece)) return {};
  soac::Stm result = piece;
  std::get<soac::Soac>(result.op).reductions = reductions(*known);
  return result;
}

bool chooses_operands(const soac::Stm& s) {
  const auto& soac = std::get<soac::Soac>(s.op);
  const soac::OutputView outputs = soac::view_of(s);
  for (const auto& r : outputs.reductions)
    for (std::size_t k = 0; k < r.by.op.results.size(); ++k) {
      const bool is_same = r.operands[k].is_constant() && r.operands[k] == r.by.op.results[k];
      if (!r.by.op.body.empty() || (!is_same && !chooses(r.by.op, k))) return false;
    }
  return !soac.reductions.empty();
}

bool keeps_index(const soac::Soac& soac, std::size_t reduction, std::size_t component) {
  const soac::OutputView::Reduced r = soac::view_of(soac).reductions[reduction];
  return keeps_index(soac, r.by.op, r.operands, component);
}

std::optional<NarrowIndices> narrow_indices(scalar::Arena& arena, const soac::Stm& behind_first) {
  NarrowIndices narrow{{}, behind_first};
  auto& soac = std::get<soac::Soac>(narrow.stm.op);
  soac::Outputs outputs = soac::take_outputs(narrow.stm);
  for (std::size_t g = 0; g < outputs.reductions.size(); ++g) {
    soac::Outputs::Reduced& r = outputs.reductions[g];
    soac::Lambda& op = r.by.op;
    const std::size_t n = op.results.size();
    for (std::size_t k = 0; k < n; ++k) {
      if (!keeps_index(soac, op, r.operands, k)) {
        if (size_of(op.results[k].kind()) > size_of(Kind::i32)) return {};
        continue;
      }
      std::vector<Expr> others = op.results;
      others[k] = op.results[k].arg(0);
      soac::Vars mentioned;
      soac::add_mentioned(others, mentioned);
      if (!op.body.empty() || mentioned.contains(op.params[k]) || mentioned.contains(op.params[n + k]))
        return {};
      const Expr left = arena.fresh({Kind::i32}, "left"), right = arena.fresh({Kind::i32}, "right");
      const bool takes_left = op.results[k].arg(1).var() == op.params[k];
      op.results[k] = select(op.results[k].arg(0), takes_left ? left : right, takes_left ? right : left);
      op.params[k] = left.var(), op.params[n + k] = right.var();
      r.operands[k] = cast(r.operands[k], Kind::i32);
      r.names[k] = arena.fresh({Kind::i32}, "at").var();
      r.by.neutral[k] = cast(r.by.neutral[k], Kind::i32);
      if (!r.by.initial.empty()) r.by.initial[k] = cast(r.by.initial[k], Kind::i32);
      narrow.components.push_back({g, k});
    }
  }
  if (narrow.components.empty()) return {};
  narrow.stm = made_by(rewrite::narrow, arena, soac::with_outputs(std::move(narrow.stm), std::move(outputs)));
  return narrow;
}

}  // namespace fulgurite::schedule
