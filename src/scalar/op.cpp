// The table of op.def as data.
#include <array>

#include "scalar/expr.h"

namespace fulgurite::scalar {
namespace {

constexpr OpInfo table[] = {
#define FULGURITE_OP(name, arity, rule, flags, c, description) \
  {#name, arity, Rule::rule, flags, c, description},
#include "scalar/op.def"
};

}  // namespace

const OpInfo& info(Op op) {
  return table[static_cast<std::size_t>(op)];
}
std::span<const OpInfo> all_ops() {
  return table;
}

std::optional<Op> op_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(table); ++i)
    if (table[i].name == name) return static_cast<Op>(i);
  return {};
}

bool is_division(Op op) {
  return info(op).rule == Rule::same && info(op).has('!');
}

}  // namespace fulgurite::scalar
