#include "schedule/rewrites/ascending.h"

#include <algorithm>

#include "schedule/rewrites/lift.h"
#include "schedule/rewrites/rewrite.h"
#include "soac/kept_indices.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

using scalar::Expr;
using scalar::Kind;
using scalar::Op;
using scalar::Var;

bool only_reduces(const soac::Soac& op) {
  return op.scatters.empty() && op.partitions.empty() && soac::view_of(op).mapped.empty();
}

std::optional<soac::Stm> ascending(scalar::Arena& arena, const soac::Stm& s, bool in_tile) {
  soac::Stm result = s;
  auto& soac = std::get<soac::Soac>(result.op);
  const soac::OutputView outputs = soac::view_of(s);
  if (soac.dims.size() != 1 || !only_reduces(soac)) return {};
  bool changed = false;
  for (std::size_t g = 0; g < soac.reductions.size(); ++g) {
    soac::Lambda& op = soac.reductions[g].op;
    if (!op.body.empty()) continue;
    const soac::KeptIndices indices(soac, soac.reductions[g], outputs.reductions[g].operands, in_tile);
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

std::optional<NarrowIndices> narrow_indices(scalar::Arena& arena, const soac::Stm& behind_first) {
  NarrowIndices narrow{{}, behind_first};
  auto& soac = std::get<soac::Soac>(narrow.stm.op);
  soac::Outputs outputs = soac::take_outputs(narrow.stm);
  for (std::size_t g = 0; g < outputs.reductions.size(); ++g) {
    soac::Outputs::Reduced& r = outputs.reductions[g];
    soac::Lambda& op = r.by.op;
    const std::size_t n = op.results.size();
    for (std::size_t k = 0; k < n; ++k) {
      if (!soac::keeps_index(soac, op, r.operands, k)) {
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

std::optional<WithoutNans> without_nans(scalar::Arena& arena, const NarrowIndices& narrow) {
  WithoutNans result{{}, narrow.stm};
  auto& op = std::get<soac::Soac>(result.stm.op);
  const bool has_all = narrow.components.size() == op.reductions.size();
  if (!only_reduces(op) || !op.body.body.empty() || !has_all) return {};
  for (std::size_t g = 0; g < op.reductions.size(); ++g) {
    std::optional<soac::OrderedChoice> choice = soac::ordered_choice(arena, op.reductions[g].op);
    if (!choice || narrow.components[g].reduction != g) return {};
    op.reductions[g].op = choice->without_nans;
    result.choices.push_back(*std::move(choice));
  }
  result.stm = made_by(rewrite::without_nans, arena, std::move(result.stm));
  return result;
}

}  // namespace fulgurite::schedule
