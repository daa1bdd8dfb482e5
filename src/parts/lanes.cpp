#include "parts/lanes.h"

namespace fulgurite::parts {

std::vector<Expr> shifted(const Builder& b, std::span<const Expr> values, std::span<const Expr> fill,
                          int by) {
  std::vector<Expr> before;
  for (std::size_t k = 0; k < values.size(); ++k)
    before.push_back(b.shift(b.bind(values[k], "value"), fill[k], by, "before"));
  return before;
}

std::vector<Expr> scan_lanes(const Builder& b, const Operator& op, std::span<const Expr> neutral,
                             std::vector<Expr> values, int lanes) {
  for (int by = 1; by < lanes; by *= 2) values = op.apply(b, shifted(b, values, neutral, by), values);
  return values;
}

}  // namespace fulgurite::parts
