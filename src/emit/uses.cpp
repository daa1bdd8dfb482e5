#include "emit/uses.h"

#include "base/match.h"
#include "kernel/traverse.h"

namespace fulgurite::emit {
namespace {

using kernel::Block;
using kernel::Expr;
using kernel::Stm;

class Counter {
 public:
  void block(const Block& b) {
    kernel::Parts parts;
    std::vector<Expr> roots;
    parts.expr = [&](Expr e) {
      roots.push_back(e);
      return e;
    };
    parts.var = [&](Var v, kernel::Use use) {
      if (use != kernel::Use::binds) count(v, b);
      return v;
    };
    parts.block = [](const Block&) { return Block(); };
    for (const Stm& s : b) {
      roots.clear();
      kernel::map_children(s, parts);
      const auto* loop = base::as<kernel::While>(s.op);
      expressions(roots, loop ? loop->head : b);
      kernel::Parts inner;
      inner.block = [&](const Block& nested) {
        block(nested);
        return Block();
      };
      kernel::map_children(s, inner);
    }
  }

  std::unordered_map<Var, Use> uses;

 private:
  void count(Var v, const Block& b) {
    Use& use = uses[v];
    ++use.count;
    use.block = &b;
  }
  void expressions(const std::vector<Expr>& roots, const Block& b) {
    auto name = [&](Expr e) {
      if (e.is_name()) count(e.var(), b);
    };
    for (Expr root : roots) name(root);
    scalar::for_each_node(roots, [&](Expr e) {
      for (Expr arg : e.args()) name(arg);
    });
  }
};

}  // namespace

std::unordered_map<Var, Use> uses_of(const Block& block) {
  Counter counter;
  counter.block(block);
  return std::move(counter.uses);
}

}  // namespace fulgurite::emit
