// The traversals of expressions. All keep their own stacks: a sum of ten thousand terms is ten thousand
// levels deep.
#include <algorithm>

#include "base/check.h"
#include "scalar/formula.h"
#include "scalar/value.h"

namespace fulgurite::scalar {

namespace {

// Calls `visit` once for every node that `enter` lets in, children before parents; `enter` lets a node in
// once.
template <class Enter, class Visit>
void walk(std::span<const Expr> roots, const Enter& enter, const Visit& visit) {
  struct Frame {
    Expr e;
    std::size_t next;
  };
  std::vector<Frame> stack;
  for (Expr root : roots) {
    if (!root || !enter(root)) continue;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next == frame.e.args().size()) {
        visit(frame.e);
        stack.pop_back();
        continue;
      }
      const Expr child = frame.e.arg(frame.next++);
      if (enter(child)) stack.push_back({child, 0});
    }
  }
}

}  // namespace

void for_each_node(std::span<const Expr> roots, const std::function<void(Expr)>& visit) {
  std::uint32_t n_nodes = 0;
  for (Expr root : roots)
    if (root) n_nodes = std::max(n_nodes, root.id() + 1);
  std::vector<bool> seen(n_nodes);  // children precede parents: no number is larger than the roots'
  const auto enter = [&](Expr e) {
    const bool is_new = !seen[e.id()];
    seen[e.id()] = true;
    return is_new;
  };
  walk(roots, enter, visit);
}

void for_each_new_node(Expr root, std::unordered_set<Expr>& seen, const std::function<void(Expr)>& visit) {
  walk(std::span(&root, 1), [&](Expr e) { return seen.insert(e).second; }, visit);
}

Expr rebuild(Arena& arena, Expr node, std::span<const Expr> args) {
  if (std::equal(args.begin(), args.end(), node.args().begin(), node.args().end())) return node;
  switch (node.op()) {
    case Op::constant:
    case Op::name:
    case Op::lane: return node;
    case Op::index: return arena.index(args[0], args.subspan(1), node.site(), node.inside());
    case Op::cast: return cast(args[0], node.kind());
    case Op::bitcast: return bitcast(args[0], node.kind());
    case Op::splat: return splat(args[0], node.type().lanes);
    case Op::any: return any(args[0]);
    case Op::all: return all(args[0]);
    default: return arena.apply(node.op(), args, node.site());
  }
}

Expr Substitution::operator()(Expr root) {
  if (!root) return root;
  struct Frame {
    Expr e;
    bool opened;  // its children are done
  };
  std::vector<Frame> stack{{root, false}};
  std::vector<Expr> args;
  while (!stack.empty()) {
    const auto [e, opened] = stack.back();
    if (!opened) {
      if (memo_.contains(e.node())) {
        stack.pop_back();
      } else if (Expr replacement = leaf_(e)) {
        memo_.emplace(e.node(), replacement);
        stack.pop_back();
      } else {
        stack.back().opened = true;
        for (Expr child : e.args()) stack.push_back({child, false});
      }
      continue;
    }
    args.clear();
    for (Expr child : e.args()) args.push_back(memo_.at(child.node()));
    memo_.emplace(e.node(), rebuild(arena_, e, args));
    stack.pop_back();
  }
  return memo_.at(root.node());
}

Expr substitute(Arena& arena, Expr e, const std::unordered_map<Var, Expr>& values) {
  return Substitution(arena, [&](Expr node) {
    if (!node.is_name()) return Expr();
    auto found = values.find(node.var());
    return found == values.end() ? Expr() : found->second;
  })(e);
}

bool mentions(Expr root, Var var) {
  std::vector<Expr> stack{root};
  std::vector<bool> seen(root.id() + 1u);
  while (!stack.empty()) {
    const Expr e = stack.back();
    stack.pop_back();
    if (e.is_name() && e.var() == var) return true;
    for (Expr child : e.args()) {
      if (seen[child.id()]) continue;
      seen[child.id()] = true;
      stack.push_back(child);
    }
  }
  return false;
}

Bits value_of(Expr root, const std::function<Bits(Var)>& name) {
  std::unordered_map<const Node*, Bits> values;
  for_each_node(std::span(&root, 1), [&](Expr e) {
    if (e.is_constant() || e.is_name()) {
      values[e.node()] = e.is_constant() ? e.bits() : name(e.var());
      return;
    }
    Bits operands[3] = {};
    FULGURITE_CHECK(e.args().size() <= 3, "{} operands", e.args().size());
    for (std::size_t k = 0; k < e.args().size(); ++k) operands[k] = values.at(e.arg(k).node());
    values[e.node()] = evaluate(e.op(), e.arg(0).kind(), e.kind(), operands[0], operands[1], operands[2]);
  });
  return values.at(root.node());
}

std::optional<Affine> affine_in(Arena& arena, Expr root, Var var) {
  if (root.type() != Type{}) return {};
  // Every node below is either free of var, or affine, or makes the whole not affine unless it is free of
  // var.
  std::unordered_map<const Node*, Affine> affine;
  std::unordered_map<const Node*, bool> depends;
  const Expr zero = arena.i64(0);
  for_each_node(std::span(&root, 1), [&](Expr e) {
    bool dependent = e.is_name() && e.var() == var;
    for (Expr child : e.args()) dependent = dependent || depends[child.node()];
    depends[e.node()] = dependent;
    if (!dependent) {
      if (e.type() == Type{}) affine[e.node()] = {e, zero};
      return;
    }
    if (e.is_name()) {
      affine[e.node()] = {zero, arena.i64(1)};
      return;
    }
    if (e.type() != Type{} ||
        (e.op() != Op::add && e.op() != Op::sub && e.op() != Op::neg && e.op() != Op::mul))
      return;
    for (Expr child : e.args())
      if (!affine.contains(child.node())) return;
    const Affine a = affine[e.arg(0).node()];
    if (e.op() == Op::neg) {
      affine[e.node()] = {arena.apply(Op::neg, {a.base}), arena.apply(Op::neg, {a.coefficient})};
      return;
    }
    const Affine b = affine[e.arg(1).node()];
    if (e.op() != Op::mul) {
      affine[e.node()] = {arena.apply(e.op(), {a.base, b.base}),
                          arena.apply(e.op(), {a.coefficient, b.coefficient})};
      return;
    }
    const bool left = depends[e.arg(0).node()], right = depends[e.arg(1).node()];
    if (left && right) return;
    const Expr factor = left ? b.base : a.base;
    const Affine& other = left ? a : b;
    affine[e.node()] = {other.base * factor, other.coefficient * factor};
  });
  auto found = affine.find(root.node());
  if (found == affine.end()) return {};
  return found->second;
}

}  // namespace fulgurite::scalar
