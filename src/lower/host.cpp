#include "lower/host.h"

#include "base/check.h"

namespace fulgurite::lower {

using scalar::Expr;
using scalar::Op;

plan::Place Host::place(scalar::Var array) const {
  auto found = places_.find(array);
  FULGURITE_CHECK(found != places_.end(), "array '{}' is not in memory", arena_.info(array).name);
  return found->second;
}

std::optional<scalar::Var> Host::on_device(scalar::Var name) const {
  auto found = on_device_.find(name);
  return found == on_device_.end() ? std::nullopt : std::optional(found->second);
}

const plan::Slot* Host::find(Expr e) const {
  if (e.is_name()) {
    if (auto bound = slots_.find(e.var()); bound != slots_.end()) return &bound->second;
    FULGURITE_CHECK(on_device_.contains(e.var()), "scalar '{}' is not known to the host",
                    arena_.info(e.var()).name);
  }
  for (auto open = open_.rbegin(); open != open_.rend(); ++open)
    if (auto known = open->memo.find(e.id()); known != open->memo.end()) return &known->second;
  return nullptr;
}

plan::Slot Host::slot(Expr root) {
  std::vector<Expr> stack{root};
  while (!stack.empty()) {
    Expr e = stack.back();
    bool ready = true;
    if (!find(e))
      for (Expr arg : e.args())
        if (!find(arg)) {
          stack.push_back(arg);
          ready = false;
        }
    if (!ready) continue;
    stack.pop_back();
    if (!find(e)) open_.back().memo[e.id()] = compute(e);
  }
  return *find(root);
}

plan::Slot Host::compute(Expr e) {
  plan::Slot to = fresh_slot();
  if (e.is_constant()) {
    append(plan::Constant{to, e.bits()});
    return to;
  }
  if (e.is_name()) {
    append(plan::Fetch{to, place(on_device_.at(e.var())), e.kind()});
    return to;
  }
  FULGURITE_CHECK(e.op() != Op::index, "the host reads no arrays");
  plan::Slot operands[3] = {to, to, to};
  for (std::size_t i = 0; i < e.args().size(); ++i) operands[i] = *find(e.arg(i));
  bool chooses = e.op() == Op::select;
  scalar::Kind operand = e.args().empty() ? e.kind() : e.arg(chooses ? 1 : 0).kind();
  append(plan::Compute{e.op(), operand, e.kind(), to, operands[0], operands[1], operands[2], e.site()});
  return to;
}

std::vector<plan::Slot> Host::slots(std::span<const Expr> expressions) {
  std::vector<plan::Slot> slots;
  for (Expr e : expressions) slots.push_back(slot(e));
  return slots;
}

}  // namespace fulgurite::lower
