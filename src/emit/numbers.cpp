#include "emit/numbers.h"

#include <algorithm>
#include <cmath>

#include "base/match.h"
#include "kernel/traverse.h"
#include "scalar/value.h"

namespace fulgurite::emit {

using scalar::Expr, scalar::Kind, scalar::Op, scalar::Var;

namespace {

// What a name of a float, or the elements of a buffer, become.
struct Made {
  std::vector<Expr> values;
  std::vector<Var> of;  // buffers that are loaded
};
using All = std::unordered_map<Var, Made>;

void add(All& all, Var name, Expr value) {
  if (scalar::is_float(value.kind())) all[name].values.push_back(value);
}

// A name that is not here may be anything: elements of inputs, and what threads make together.
All made_by(const kernel::Kernel& kernel) {
  All all;
  std::unordered_set<Var> changed;  // by others too
  for (const kernel::Param& param : kernel.params)
    if (param.role != kernel::Param::Role::output) changed.insert(param.name);
  kernel::for_each_stm(kernel.body, [&](const kernel::Stm& s) {
    base::match(
        s.op, [&](const kernel::Let& op) { add(all, op.name, op.value); },
        [&](const kernel::Declare& op) { add(all, op.name, op.value); },
        [&](const kernel::Assign& op) { add(all, op.name, op.value); },
        [&](const kernel::Pick& op) { add(all, op.name, op.value); },
        [&](const kernel::Permute& op) { add(all, op.name, op.low), add(all, op.name, op.high); },
        [&](const kernel::Load& op) { all[op.name].of.push_back(op.from.buffer); },
        [&](const kernel::Transpose& op) { all[op.tile].of.push_back(op.from.buffer); },
        [&](const kernel::Store& op) { add(all, op.to.buffer, op.value); },
        [&](const kernel::Pack& op) {
          for (std::size_t k = 0; k < op.buffers.size(); ++k) add(all, op.buffers[k], op.values[k]);
        },
        [&](const kernel::Atomic& op) { changed.insert(op.at.buffer); }, [](const auto&) {});
  });
  for (Var name : changed) all.erase(name);
  return all;
}

bool is_nan(Expr constant) {
  return constant.kind() == Kind::f32 ? std::isnan(scalar::from_bits<float>(constant.bits()))
                                      : std::isnan(scalar::from_bits<double>(constant.bits()));
}

}  // namespace

// All are numbers until a value of one may be NaN: then what is made of it may be NaN too.
Numbers::Numbers(const kernel::Kernel& kernel) {
  const All all = made_by(kernel);
  std::unordered_map<Var, std::vector<Var>> users;
  std::vector<Var> open;
  for (const auto& [name, made] : all) {
    names_.insert(name), open.push_back(name);
    for (Var buffer : made.of) users[buffer].push_back(name);
    scalar::for_each_node(made.values, [&](Expr e) {
      if (e.is_name()) users[e.var()].push_back(name);
    });
  }
  while (!open.empty()) {
    const Var name = open.back();
    open.pop_back();
    const Made& made = all.at(name);
    const bool stays = std::ranges::all_of(made.values, [&](Expr value) { return is_number(value); }) &&
                       std::ranges::all_of(made.of, [&](Var buffer) { return names_.contains(buffer); });
    if (stays || names_.erase(name) == 0) continue;
    const std::vector<Var>& made_of_it = users[name];
    open.insert(open.end(), made_of_it.begin(), made_of_it.end());
  }
}

bool Numbers::is_number(Expr root) const {
  std::unordered_map<Expr, bool> known;
  scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
    const auto of = [&](std::size_t i) { return known.at(e.arg(i)); };
    bool& is_known = known[e];
    switch (e.op()) {
      case Op::constant: is_known = !scalar::is_float(e.kind()) || !is_nan(e); break;
      case Op::name: is_known = names_.contains(e.var()); break;
      case Op::cast: is_known = !scalar::is_float(e.arg(0).kind()) || of(0); break;
      case Op::splat:
      case Op::neg:
      case Op::abs: is_known = of(0); break;
      case Op::select: is_known = of(1) && of(2); break;
      case Op::min:
      case Op::max: is_known = of(0) || of(1); break;
      default: break;
    }
  });
  return known.at(root);
}

}  // namespace fulgurite::emit
