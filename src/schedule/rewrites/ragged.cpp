#include "schedule/rewrites/ragged.h"

#include <algorithm>

#include "base/match.h"
#include "schedule/nest.h"
#include "schedule/rewrites/partial_rows.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

using scalar::Expr, scalar::Kind;
using scalar::Var;

namespace {

const soac::Soac* only_reduction_of(const soac::Soac& op) {
  if (op.dims.size() != 1 || op.body.body.size() != 1) return nullptr;
  const auto* inner = base::as<soac::Soac>(op.body.body[0].op);
  if (!inner || inner->dims.size() != 1 || !inner->body.body.empty()) return nullptr;
  std::size_t n_operands = 0;
  for (const soac::Reduction& r : inner->reductions) n_operands += r.neutral.size();
  return n_operands > 0 && n_operands == inner->body.results.size() ? inner : nullptr;
}

}  // namespace

std::optional<RaggedRows> ragged_rows(scalar::Arena& arena, const soac::Stm& map) {
  const auto& op = std::get<soac::Soac>(map.op);
  const soac::Soac* reduction = only_reduction_of(op);
  if (!reduction || reduction->dims[0].op() != scalar::Op::sub) return {};
  const Var row = op.body.params[0], j = reduction->body.params[0];
  const Expr end = reduction->dims[0].arg(0), begin = reduction->dims[0].arg(1);
  const Expr next = arena.name(row) + 1;
  if (scalar::can_fail(begin) || scalar::substitute(arena, begin, {{row, next}}) != end) return {};
  const Expr place = begin + arena.name(j);
  const Expr number = arena.fresh({scalar::Kind::i64}, "number");
  scalar::Substitution numbered(arena, [&](Expr e) { return e == place ? number : Expr(); });
  RaggedRows rows{row, begin, {{number.var()}, {}, {}}};
  for (Expr operand : reduction->body.results) rows.element.results.push_back(numbered(operand));
  const auto is_of_element = [&](Expr e) { return !mentions(e, row) && !mentions(e, j); };
  if (!std::ranges::all_of(rows.element.results, is_of_element)) return {};
  return rows;
}

std::optional<RaggedRows> reduces_ragged_rows(scalar::Arena& arena, soac::Stm map) {
  auto& op = std::get<soac::Soac>(map.op);
  if (!op.reductions.empty() || !op.scatters.empty() || !op.partitions.empty() || makes_arrays(op)) return {};
  if (op.body.body.size() != 1 || !base::as<soac::Soac>(op.body.body[0].op)) return {};
  op.body = with_neutral(arena, op);
  std::optional<RaggedRows> rows = ragged_rows(arena, map);
  if (!rows) return {};
  for (const soac::Reduction& r : reduction_of(op.body).reductions) {
    soac::Vars mentioned;
    soac::add_mentioned(r.op, mentioned);
    soac::add_mentioned(r.neutral, mentioned);
    if (mentioned.contains(rows->row)) return {};
  }
  return rows;
}

soac::Reduction by_segments_of(scalar::Arena& arena, const std::vector<soac::Reduction>& reductions,
                               const soac::Location& where) {
  std::vector<Expr> left{arena.fresh({Kind::i32}, "begins")}, right{arena.fresh({Kind::i32}, "begins")};
  soac::Reduction all{{}, {cast(arena.i64(0), Kind::i32)}, {}, false};
  all.op.results.push_back(left[0] | right[0]);
  const Expr goes_on = equal(right[0], 0);
  for (const soac::Reduction& r : reductions) {
    std::vector<Expr> operands, others;
    for (Expr result : r.op.results) operands.push_back(arena.fresh({result.kind()}, "left"));
    for (Expr result : r.op.results) others.push_back(arena.fresh({result.kind()}, "right"));
    left.insert(left.end(), operands.begin(), operands.end());
    right.insert(right.end(), others.begin(), others.end());
    operands.insert(operands.end(), others.begin(), others.end());
    soac::Applied joined = soac::apply(arena, r.op, operands);
    all.neutral.insert(all.neutral.end(), r.neutral.begin(), r.neutral.end());
    // Values of two rows must not meet where that may fail.
    if (joined.body.empty() && std::ranges::none_of(joined.results, scalar::can_fail)) {
      for (std::size_t k = 0; k < others.size(); ++k)
        all.op.results.push_back(select(goes_on, joined.results[k], others[k]));
      continue;
    }
    soac::Stm choice{
        {},
        soac::If{goes_on, {{}, std::move(joined.body), std::move(joined.results)}, {{}, {}, others}},
        where,
        ""};
    for (Expr other : others) {
      all.op.results.push_back(arena.fresh({other.kind()}, "joined"));
      choice.names.push_back(all.op.results.back().var());
    }
    all.op.body.push_back(std::move(choice));
  }
  const auto has_none = [](const soac::Reduction& r) { return r.neutral.empty(); };
  if (std::ranges::any_of(reductions, has_none)) all.neutral.clear();
  for (Expr e : left) all.op.params.push_back(e.var());
  for (Expr e : right) all.op.params.push_back(e.var());
  return all;
}

Expr ragged_rows_of_a_block(scalar::Arena& arena, Expr all, std::int64_t blocks, std::int64_t threads) {
  return max(min(ceil_div(all, arena.i64(blocks)), threads), 1);
}

}  // namespace fulgurite::schedule
