#include "schedule/rewrites/bytes.h"

#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/rewrite.h"
#include "soac/operation.h"
#include "soac/rename.h"

namespace fulgurite::schedule {

using scalar::Expr, scalar::Kind, scalar::Op, scalar::Var;

namespace {

bool is_logical(Op op) {
  return op == Op::bit_and || op == Op::bit_or || op == Op::bit_xor;
}

/// Conditions as bytes.
class Bytes {
 public:
  Bytes(scalar::Arena& arena, Var row, Var column) : arena_(arena), row_(row), column_(column) {}

  Expr of(Expr condition) {
    if (is_logical(condition.op()) && is_of_both(condition))
      return arena_.apply(condition.op(), {of(condition.arg(0)), of(condition.arg(1))});
    are_shared_ = are_shared_ && !is_of_both(condition);
    return cast(condition, Kind::u8);
  }
  bool are_shared() const { return are_shared_; }

 private:
  bool is_of_both(Expr e) const { return mentions(e, row_) && mentions(e, column_); }

  scalar::Arena& arena_;
  const Var row_, column_;
  bool are_shared_ = true;
};

// The logical operation of booleans that the reduction is by.
std::optional<Op> logical_operation_of(const soac::Reduction& r) {
  const bool is_plain = r.op.body.empty() && r.op.results.size() == 1 && r.neutral.size() == 1;
  if (!is_plain || r.op.results[0].kind() != Kind::boolean) return {};
  const std::optional<Op> operation = soac::operation_of(r.op, 0);
  return operation && is_logical(*operation) ? operation : std::nullopt;
}

}  // namespace

soac::Stm in_bytes(scalar::Arena& arena, const soac::Stm& map) {
  soac::Stm changed = map;
  auto& op = std::get<soac::Soac>(changed.op);
  const std::size_t n = op.dims.size();
  soac::Stm& statement = op.body.body[0];
  auto& reduction = std::get<soac::Soac>(statement.op);
  if (n < 2 || reduction.reductions.size() != 1 || reduction.body.results.size() != 1) return map;
  soac::Reduction& by = reduction.reductions[0];
  const std::optional<Op> operation = logical_operation_of(by);
  if (!operation) return map;
  Bytes bytes(arena, op.body.params[n - 2], op.body.params[n - 1]);
  reduction.body.results[0] = bytes.of(reduction.body.results[0]);
  if (!bytes.are_shared()) return map;
  const std::vector<Expr> initial = by.initial;
  by = reduction_by(arena, *operation, cast(by.neutral[0], Kind::u8));
  for (Expr e : initial) by.initial.push_back(cast(e, Kind::u8));
  const Expr total = arena.fresh({Kind::u8}, arena.info(statement.names[0]).name);
  const std::unordered_map<Var, Expr> values{{statement.names[0], cast(total, Kind::boolean)}};
  statement.names[0] = total.var();
  for (Expr& result : op.body.results) result = scalar::substitute(arena, result, values);
  return made_by(rewrite::bytes, arena, std::move(changed));
}

}  // namespace fulgurite::schedule
