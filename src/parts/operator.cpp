#include "parts/operator.h"

namespace fulgurite::parts {

void join(const Builder& b, const Operator& op, std::span<const Expr> accumulators,
          std::span<const Expr> operands) {
  std::vector<Expr> so_far;
  for (Expr variable : accumulators) so_far.push_back(b.snapshot(variable, "acc"));
  const std::vector<Expr> joined = op.apply(b, so_far, operands);
  for (std::size_t k = 0; k < joined.size(); ++k) b.assign(accumulators[k], joined[k]);
}

std::vector<Expr> load_all(const Builder& b, std::span<const Var> buffers, Expr at, std::string_view name) {
  std::vector<Expr> values;
  for (Var buffer : buffers) values.push_back(b.load_plain(buffer, at, name));
  return values;
}

void store_all(const Builder& b, std::span<const Var> buffers, Expr at, std::span<const Expr> values) {
  for (std::size_t k = 0; k < buffers.size(); ++k) b.store_plain(buffers[k], at, values[k]);
}

}  // namespace fulgurite::parts
