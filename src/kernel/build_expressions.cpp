#include <algorithm>

#include "base/check.h"
#include "kernel/code.h"

namespace fulgurite::kernel {

namespace {

bool is_leaf(Expr e) {
  return e.is_constant() || e.is_name();
}

}  // namespace

Expr Builder::bind_at(std::size_t depth, Expr value, std::string_view name) const {
  if (is_leaf(value)) return value;
  Expr bound = arena().fresh(value.type(), std::string(name));
  code_->open[depth].statements.push_back({Let{bound.var(), value}, context_->line});
  code_->depths[bound.var()] = depth;
  return bound;
}

Expr Builder::bind(Expr value, std::string_view name) const {
  return bind_at(code_->depth(), value, name);
}

// Loads the scalar before everything else that a task does.
Expr Builder::load_once(Expr scalar, Var array) const {
  constexpr std::size_t phase = 1;  // the outermost block holds phases only
  FULGURITE_CHECK(code_->open.size() > phase, "a scalar of the device is read outside of all tasks");
  Code::Open& open = code_->open[phase];
  if (auto known = open.memo.find(scalar.id()); known != open.memo.end()) return known->second;
  const Var buffer = code_->buffer(array, Param::Role::input);
  const Expr loaded = arena().fresh(scalar.type(), arena().info(scalar.var()).name);
  code_->depths[loaded.var()] = phase;
  open.statements.push_back(
      {Load{loaded.var(), {buffer, arena().i64(0), arena().i64(1), {}}}, context_->line});
  open.memo[scalar.id()] = loaded;
  return loaded;
}

Expr Builder::known(Expr e) const {
  if (e.is_constant()) return e;
  if (e.is_name()) {
    const auto meaning = code_->meanings.find(e.var());
    if (meaning != code_->meanings.end()) return meaning->second;
    if (code_->depths.contains(e.var())) return e;
    if (const auto array = code_->outside.on_device ? code_->outside.on_device(e.var()) : std::nullopt)
      return load_once(e, *array);
    code_->parameter(e.var());
    return e;
  }
  for (auto open = code_->open.rbegin(); open != code_->open.rend(); ++open)
    if (auto found = open->memo.find(e.id()); found != open->memo.end()) return found->second;
  return {};
}

// Post-order without recursion, stopping at what is already known: expressions may be long chains.
Expr Builder::lower(Expr root) const {
  if (Expr leaf = known(root)) return leaf;
  std::vector<Expr> stack{root};
  while (!stack.empty()) {
    Expr e = stack.back();
    if (known(e)) {
      stack.pop_back();
      continue;
    }
    bool ready = true;
    std::size_t first = e.op() == scalar::Op::index ? 1 : 0;  // the array itself is not a value
    for (std::size_t i = e.args().size(); i-- > first;)
      if (!known(e.arg(i))) {
        stack.push_back(e.arg(i));
        ready = false;
      }
    if (!ready) continue;
    stack.pop_back();
    lower_node(e);
  }
  return known(root);
}

std::vector<Expr> Builder::lower(std::span<const Expr> roots) const {
  std::vector<Expr> lowered;
  for (Expr root : roots) lowered.push_back(lower(root));
  return lowered;
}

Expr Builder::lower_node(Expr e) const {
  if (e.op() == scalar::Op::index || e.site() != 0) {  // may fail or read memory: stays where it is needed
    Expr value = e.op() == scalar::Op::index ? lower_read(e) : lower_division(e);
    code_->open[e.site() == 0 ? code_->depth_of(value) : code_->depth()].memo[e.id()] = value;
    return value;
  }
  std::vector<Expr> args;
  std::size_t deepest = 1;  // the outermost block holds phases only
  for (Expr arg : e.args()) {
    args.push_back(known(arg));
    deepest = std::max(deepest, code_->depth_of(args.back()));
  }
  for (std::size_t d = code_->open.size(); d-- > deepest;)
    if (code_->open[d].enclosure == Enclosure::branch) {
      deepest = d;
      break;
    }
  // A product that no sum takes as it is.
  const bool is_product = e.op() == scalar::Op::fma_sum;
  const Expr lowered = is_product ? args[0] * args[1] : scalar::rebuild(arena(), e, args);
  Expr value = bind_at(deepest, lowered, "t");
  code_->open[deepest].memo[e.id()] = value;
  return value;
}

Expr Builder::lower_read(Expr e) const {
  if (code_->outside.read) return code_->outside.read(*this, e);
  const Var buffer = e.arg(0).var();
  const scalar::VarInfo& info = arena().info(buffer);
  const std::vector<Expr> indices = lower(e.args().subspan(1)), extents = lower(info.shape);
  FULGURITE_CHECK(e.site() == 0, "an index that may be out of range in a kernel without arrays");
  const Expr index = lower(linear(*this, indices, extents));
  return load(buffer, index, guard(), info.name, written_at(e));
}

Expr Builder::lower_division(Expr e) const {
  Expr a = known(e.arg(0)), b = known(e.arg(1));
  Expr zero = arena().constant(b.kind(), 0), one = cast(arena().i64(1), b.kind());
  Expr by_zero = bind(equal(b, zero), "by_zero");
  if (checks()) fail(by_zero, e.site(), arena().i64(0), arena().i64(0));
  Expr divisor = bind(select(by_zero, one, b), "divisor");
  return bind(arena().apply(e.op(), {a, divisor}), "q");
}

Expr product(const Builder& b, std::span<const Expr> factors) {
  Expr all = b.arena().i64(1);
  for (Expr factor : factors) all = all * factor;
  return all;
}

Expr linear(const Builder& b, std::span<const Expr> indices, std::span<const Expr> dims) {
  scalar::Arena& arena = b.arena();
  Expr number = arena.i64(0);
  for (std::size_t d = 0; d < dims.size(); ++d) number = number * dims[d] + indices[d];
  return number;
}

}  // namespace fulgurite::kernel
