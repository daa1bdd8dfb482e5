#include "tidy/dead.h"

#include <algorithm>
#include <unordered_set>

#include "base/match.h"

namespace fulgurite::tidy {

namespace {

using namespace kernel;

// Names that statements with an effect need, found backwards; a loop is swept until nothing is added, since
// later code feeds earlier.
class Live {
 public:
  Block sweep(const Block& body) {
    std::size_t before;
    do {
      before = live_.size();
      visit(body);
    } while (live_.size() != before);
    return keep(body);
  }

 private:
  void use(Expr e) {
    if (e)
      scalar::for_each_node(std::span(&e, 1), [&](Expr node) {
        if (node.is_name()) live_.insert(node.var());
      });
  }
  void use(const Access& a) { use(a.index), use(a.stride), use(a.mask); }

  void visit(const Block& body) {
    for (auto s = body.rbegin(); s != body.rend(); ++s)
      base::match(
          s->op,
          [&](const Let& op) {
            if (live_.contains(op.name)) use(op.value);
          },
          [&](const Declare& op) {
            if (live_.contains(op.name)) use(op.value);
          },
          [&](const Assign& op) {
            if (live_.contains(op.name)) use(op.value), use(op.mask);
          },
          [&](const Load& op) {
            if (live_.contains(op.name)) use(op.from), use(op.touched);
          },
          [&](const Store& op) { use(op.to), use(op.value); },
          [&](const WideLoad& op) {
            if (is_read(op)) use(op.index);
          },
          [&](const WideStore& op) {
            use(op.index);
            for (Expr value : op.values) use(value);
          },
          [&](const Prefetch& op) { use(op.index), use(op.per_task), use(op.end); },
          [&](const Permute& op) {
            if (live_.contains(op.name)) use(op.low), use(op.high);
          },
          [&](const Transpose& op) { use(op.from); },
          [&](const Shift& op) {
            if (live_.contains(op.name)) use(op.value), use(op.fill);
          },
          [&](const Pick& op) {
            if (live_.contains(op.name)) use(op.value);
          },
          [&](const Pack& op) {
            live_.insert(op.next), use(op.keep);
            for (Expr value : op.values) use(value);
          },
          [&](const Atomic& op) { use(op.at), use(op.value), use(op.expected); },
          [&](const Shuffle& op) {
            if (live_.contains(op.name)) use(op.value), use(op.from);
          },
          [&](const For& op) {
            visit(op.body);
            if (has_effect(op.body)) use(op.begin), use(op.end), use(op.step);
          },
          [&](const While& op) {
            if (has_effect(op.body) || has_effect(op.head)) use(op.condition);
            visit(op.body), visit(op.head);
          },
          [&](const If& op) {
            visit(op.then_branch), visit(op.else_branch);
            if (has_effect(op.then_branch) || has_effect(op.else_branch)) use(op.condition);
          },
          [&](const Par& op) { use(op.n), visit(op.body); },
          [&](const InOrder& op) { use(op.task), visit(op.body); }, [&](const Allocate& op) { use(op.n); },
          [&](const Sync&) {},
          [&](const Fail& op) {
            use(op.when), use(op.element), use(op.stride), use(op.value), use(op.bound);
            for (Expr e : op.more) use(e);
            if (op.group) use(op.group);
          });
  }

  bool is_read(const WideLoad& op) const {
    return std::ranges::any_of(op.names, [&](Var name) { return live_.contains(name); });
  }

  bool has_effect(const Block& body) const {
    return std::any_of(body.begin(), body.end(), [&](const Stm& s) { return needed(s); });
  }

  bool needed(const Stm& s) const {
    return base::match(
        s.op, [&](const Let& op) { return live_.contains(op.name); },
        [&](const Declare& op) { return live_.contains(op.name); },
        [&](const Assign& op) { return live_.contains(op.name); },
        [&](const Load& op) { return live_.contains(op.name); }, [&](const Store&) { return true; },
        [&](const WideLoad& op) { return is_read(op); }, [&](const WideStore&) { return true; },
        [&](const Prefetch&) { return true; }, [&](const Permute& op) { return live_.contains(op.name); },
        [&](const Transpose&) { return true; }, [&](const Shift& op) { return live_.contains(op.name); },
        [&](const Pick& op) { return live_.contains(op.name); }, [&](const Pack&) { return true; },
        [&](const Atomic&) { return true; }, [&](const Shuffle& op) { return live_.contains(op.name); },
        [&](const For& op) { return has_effect(op.body); },
        [&](const While& op) { return has_effect(op.body) || has_effect(op.head); },
        [&](const If& op) { return has_effect(op.then_branch) || has_effect(op.else_branch); },
        [&](const Par& op) { return op.level == Level::grid || has_effect(op.body); },
        [&](const InOrder&) { return true; }, [&](const Allocate&) { return true; },
        [&](const Sync&) { return true; }, [&](const Fail&) { return true; });
  }

  Block keep(const Block& body) const {
    Block out;
    for (const Stm& s : body) {
      if (!needed(s)) continue;
      out.push_back(s);
      if (auto* atomic = std::get_if<Atomic>(&out.back().op);
          atomic && atomic->name && !live_.contains(*atomic->name))
        atomic->name.reset();
      if (auto* loop = std::get_if<For>(&out.back().op)) loop->body = keep(loop->body);
      if (auto* loop = std::get_if<While>(&out.back().op))
        loop->head = keep(loop->head), loop->body = keep(loop->body);
      if (auto* par = std::get_if<Par>(&out.back().op)) par->body = keep(par->body);
      if (auto* turn = std::get_if<InOrder>(&out.back().op)) turn->body = keep(turn->body);
      if (auto* branch = std::get_if<If>(&out.back().op))
        branch->then_branch = keep(branch->then_branch), branch->else_branch = keep(branch->else_branch);
    }
    return out;
  }

  std::unordered_set<Var> live_;
};

Kernel run_remove_dead(Kernel kernel, const PassOptions&) {
  kernel.body = Live().sweep(kernel.body);
  return kernel;
}

}  // namespace

const kernel::Pass remove_dead{
    .name = "remove_dead",
    .description = "statements whose names nothing uses, and loops and branches left empty, go",
    .run = run_remove_dead,
    .is_optional = true};

}  // namespace fulgurite::tidy
