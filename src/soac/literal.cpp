#include "soac/literal.h"

#include "base/match.h"

namespace fulgurite::soac {

std::optional<std::int64_t> few_points(std::span<const Expr> dims) {
  std::int64_t n = 1;
  for (Expr extent : dims) {
    if (!extent.is_constant()) return {};
    const auto points = static_cast<std::int64_t>(extent.bits());
    if (points < 0 || points > most_of_literal) return {};
    n *= points;
    if (n > most_of_literal) return {};
  }
  return n;
}

Stm literal(Arena& arena, Kind kind, std::span<const Expr> shape, std::span<const Expr> elements,
            const Location& where) {
  Soac soac{{shape.begin(), shape.end()}, {}};
  Expr number = arena.i64(0);
  for (Expr extent : shape) {
    const Expr index = arena.fresh({Kind::i64}, "i");
    soac.body.params.push_back(index.var());
    number = number * extent + index;
  }
  Expr chosen = elements.empty() ? arena.constant(kind, 0) : elements.back();
  for (std::size_t k = elements.size(); k-- > 1;)
    chosen = select(equal(number, static_cast<std::int64_t>(k - 1)), elements[k - 1], chosen);
  soac.body.results.push_back(chosen);
  const Var name = arena.fresh_array(kind, soac.dims, "elements").var();
  return {{name}, std::move(soac), where, ""};
}

bool is_literal(const Stm& s) {
  const auto* op = base::as<Soac>(s.op);
  if (!op || op->dims.empty() || !few_points(op->dims) || !op->body.body.empty()) return false;
  if (!op->reductions.empty() || !op->scatters.empty() || !op->partitions.empty()) return false;
  for (Expr result : op->body.results)
    if (result.type().rank > 0) return false;
  return true;
}

std::vector<std::vector<Expr>> points_of(Arena& arena, const Soac& op) {
  std::vector<std::vector<Expr>> points;
  const std::int64_t n = few_points(op.dims).value_or(0);
  for (std::int64_t number = 0; number < n; ++number) {
    std::unordered_map<Var, Expr> indices;
    std::int64_t rest = number;
    for (std::size_t d = op.dims.size(); d-- > 0; rest /= static_cast<std::int64_t>(op.dims[d].bits()))
      indices[op.body.params[d]] = arena.i64(rest % static_cast<std::int64_t>(op.dims[d].bits()));
    scalar::Substitution substitute(arena, [&](Expr e) {
      if (!e.is_name()) return Expr();
      const auto found = indices.find(e.var());
      return found == indices.end() ? Expr() : found->second;
    });
    std::vector<Expr>& values = points.emplace_back();
    for (Expr result : op.body.results) values.push_back(substitute(result));
  }
  return points;
}

}  // namespace fulgurite::soac
