#include "emit/numbers.h"

#include <cmath>

#include "base/match.h"
#include "kernel/traverse.h"
#include "scalar/value.h"

namespace fulgurite::emit {

using scalar::Expr, scalar::Kind, scalar::Op, scalar::Var;

namespace {

// Loops are walked until nothing changes, which inside of other loops may take long: then nothing is known.
constexpr std::size_t most_visits = 16;

bool is_nan(Expr constant) {
  return constant.kind() == Kind::f32 ? std::isnan(scalar::from_bits<float>(constant.bits()))
                                      : std::isnan(scalar::from_bits<double>(constant.bits()));
}

bool chooses_float(Expr e) {
  return scalar::is_float(e.kind()) && (e.op() == Op::min || e.op() == Op::max);
}

}  // namespace

Numbers::Numbers(const kernel::Kernel& kernel) {
  bool chooses = false;
  kernel::for_each_stm(kernel.body, [&](const kernel::Stm& s) {
    left_ += most_visits;
    kernel::for_each_expr(s, [&](Expr root) {
      scalar::for_each_node(std::span(&root, 1), [&](Expr e) { chooses = chooses || chooses_float(e); });
    });
  });
  if (!chooses) return;
  walk(kernel.body);
  if (left_ == 0) found_.clear();
}

std::optional<std::size_t> Numbers::operand_of(Expr e) const {
  const auto found = found_.find(e);
  if (found == found_.end() || found->second == 0) return {};
  return (found->second & 2) != 0 ? 1 : 0;
}

void Numbers::walk(const kernel::Block& body) {
  for (const kernel::Stm& s : body) {
    if (left_ == 0) return;
    --left_;
    note(s);
    walk(s);
  }
  for (const kernel::Stm& s : body)
    if (const auto* declare = base::as<kernel::Declare>(s.op)) variables_.erase(declare->name);
}

void Numbers::walk(const kernel::Stm& s) {
  base::match(
      s.op, [&](const kernel::Let& op) { name(op.name, op.value); },
      [&](const kernel::Declare& op) {
        if (scalar::is_float(op.value.kind())) variables_[op.name] = is_number(op.value);
      },
      [&](const kernel::Assign& op) {
        if (!scalar::is_float(op.value.kind())) return;
        bool& is = variables_[op.name];
        is = is_number(op.value) && (is || !op.mask);
      },
      [&](const kernel::Pick& op) { name(op.name, op.value); },
      [&](const kernel::Permute& op) { name(op.name, op.low), name(op.name, op.high); },
      [&](const kernel::For& op) { loop({}, op.body); },
      [&](const kernel::While& op) { loop(op.head, op.body); }, [&](const kernel::If& op) { branches(op); },
      [&](const kernel::Par& op) { loop({}, op.body); }, [&](const kernel::InOrder& op) { walk(op.body); },
      [](const auto&) {});
}

void Numbers::loop(const kernel::Block& head, const kernel::Block& body) {
  for (bool changes = true; changes && left_ > 0;) {
    Variables before = variables_;
    walk(head);
    walk(body);
    changes = false;
    for (auto& [variable, is] : before) {
      const bool stays = is && variables_[variable];
      changes = changes || stays != is;
      is = stays;
    }
    variables_ = std::move(before);
  }
}

void Numbers::branches(const kernel::If& op) {
  const Variables before = variables_;
  walk(op.then_branch);
  Variables after = std::exchange(variables_, before);
  walk(op.else_branch);
  for (auto& [variable, is] : variables_) is = is && after[variable];
}

void Numbers::note(const kernel::Stm& s) {
  kernel::for_each_expr(s, [&](Expr root) {
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      if (!chooses_float(e)) return;
      const unsigned here = (is_number(e.arg(0)) ? 1U : 0U) | (is_number(e.arg(1)) ? 2U : 0U);
      const auto [found, is_new] = found_.emplace(e, here);
      if (!is_new) found->second &= here;
    });
  });
}

void Numbers::name(Var name, Expr value) {
  if (!scalar::is_float(value.kind())) return;
  const bool is = is_number(value);
  const auto [found, is_new] = lets_.emplace(name, is);
  if (!is_new) found->second = found->second && is;
}

bool Numbers::is_number(Expr root) const {
  std::unordered_map<Expr, bool> known;
  const auto named = [](const auto& names, Var name) {
    const auto found = names.find(name);
    return found != names.end() && found->second;
  };
  scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
    const auto of = [&](std::size_t i) { return known.at(e.arg(i)); };
    bool is = false;
    switch (e.op()) {
      case Op::constant: is = !scalar::is_float(e.kind()) || !is_nan(e); break;
      case Op::name: is = named(variables_, e.var()) || named(lets_, e.var()); break;
      case Op::cast: is = !scalar::is_float(e.arg(0).kind()) || of(0); break;
      case Op::splat:
      case Op::neg:
      case Op::abs: is = of(0); break;
      case Op::select: is = of(1) && of(2); break;
      case Op::min:
      case Op::max: is = of(0) || of(1); break;
      default: break;
    }
    known.emplace(e, is);
  });
  return known.at(root);
}

}  // namespace fulgurite::emit
