#include "kernel/contract.h"

#include <unordered_set>

#include "base/match.h"
#include "kernel/traverse.h"
#include "scalar/contract.h"

namespace fulgurite::kernel {

namespace {

using scalar::Op;
using scalar::Product;

class Contraction {
 public:
  explicit Contraction(const Kernel& kernel) : kernel_(kernel), arena_(*kernel.arena) {}

  Kernel operator()() {
    for_each_stm(kernel_.body, [&](const Stm& s) {
      if (const auto* let = base::as<Let>(s.op)) values_[let->name] = let->value;
      if (const auto* declare = base::as<Declare>(s.op)) variables_.insert(declare->name);
      for_each_expr(s, [&](Expr root) {
        ++uses_[root];
        roots_.push_back(root);
      });
    });
    scalar::for_each_node(roots_, [&](Expr e) {
      for (Expr operand : e.args()) ++uses_[operand];
    });
    scalar::for_each_node(roots_, [&](Expr e) { rewrite(e); });
    Kernel made = kernel_;
    made.body = block(kernel_.body);
    return made;
  }

 private:
  /// The expression that a Let's name stands for.
  Expr meaning(Expr e) const {
    const auto found = e.is_name() ? values_.find(e.var()) : values_.end();
    return found == values_.end() ? e : found->second;
  }

  void rewrite(Expr e) {
    std::vector<Expr> args;
    for (Expr operand : e.args()) args.push_back(rewritten_.at(operand.node()));
    rewritten_[e.node()] = scalar::is_float(e.kind()) && (e.op() == Op::add || e.op() == Op::sub)
                               ? sum(e, args)
                               : scalar::rebuild(arena_, e, args);
  }

  bool is_product(Expr of) const {
    std::vector<Expr> stack{of};
    std::unordered_set<const scalar::Node*> seen;
    while (!stack.empty()) {
      const Expr e = meaning(stack.back());
      stack.pop_back();
      if (!seen.insert(e.node()).second) continue;
      if (e.op() == Op::mul && scalar::is_float(e.kind())) return true;
      scalar::for_each_choice(e, [&](Expr choice) { stack.push_back(choice); });
    }
    return false;
  }

  bool is_single(Expr e) const {
    const auto found = uses_.find(e);
    return found != uses_.end() && found->second == 1;
  }

  bool reads_variables(Expr root) const {
    bool reads = false;
    scalar::for_each_node(std::span(&root, 1),
                          [&](Expr e) { reads = reads || (e.is_name() && variables_.contains(e.var())); });
    return reads;
  }

  /// The product that e is, or that a Let binds to e, if that is its only use. A negation may be between.
  /// Variables may have changed since the Let.
  std::optional<Product> product_used_once(Expr e) {
    bool is_negative = false, is_bound = false;
    for (;;) {
      if (!is_single(e)) return {};
      if (const Expr value = meaning(e); value != e)
        e = value, is_bound = true;
      else if (e.op() == Op::neg && !is_negative)
        e = e.arg(0), is_negative = true;
      else
        break;
    }
    if (e.op() != Op::mul || (is_bound && reads_variables(e))) return {};
    const Expr made = rewritten_.at(e.node());
    return scalar::product_of(arena_, is_negative ? arena_.apply(Op::neg, {made}) : made);
  }

  Expr sum(Expr e, const std::vector<Expr>& args) {
    const bool is_left = is_product(e.arg(0)), is_right = is_product(e.arg(1));
    if (is_left != is_right) {
      const std::size_t at = is_left ? 0 : 1;
      if (const auto product = product_used_once(e.arg(at)))
        return scalar::contracted(arena_, e.op(), *product, is_left, args[1 - at]);
    }
    return scalar::rebuild(arena_, e, args);
  }

  Block block(const Block& statements) {
    Parts parts;
    parts.expr = [&](Expr e) { return rewritten_.at(e.node()); };
    parts.block = [&](const Block& inner) { return block(inner); };
    Block made;
    for (const Stm& s : statements) made.push_back(map_children(s, parts));
    return made;
  }

  const Kernel& kernel_;
  Arena& arena_;
  std::unordered_map<Var, Expr> values_;
  std::unordered_set<Var> variables_;
  std::unordered_map<Expr, int> uses_;
  std::vector<Expr> roots_;
  std::unordered_map<const scalar::Node*, Expr> rewritten_;
};

Kernel run_contract(Kernel kernel, const PassOptions&) {
  return Contraction(kernel)();
}

}  // namespace

const Pass contract{.name = "contract_kernel",
                    .description = "sums take a product that nothing else uses without rounding it first",
                    .run = run_contract};

}  // namespace fulgurite::kernel
