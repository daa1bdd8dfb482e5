#include "tidy/dead.h"

#include <algorithm>
#include <unordered_set>

#include "base/match.h"
#include "kernel/traverse.h"

namespace fulgurite::tidy {

namespace {

using namespace kernel;

// Names that statements with an effect need, found backwards; the kernel is swept until nothing is added,
// since in a loop later code feeds earlier code.
class Live {
 public:
  Block sweep(const Block& body) {
    std::vector<const Stm*> statements;
    for_each_stm(body, [&](const Stm& s) { statements.push_back(&s); });
    std::size_t before;
    do {
      before = live_.size();
      for (auto s = statements.rbegin(); s != statements.rend(); ++s)
        if (needed(**s)) use(**s);
    } while (live_.size() != before);
    return keep(body);
  }

 private:
  void use(const Stm& s) {
    for_each_expr(s, [&](Expr e) {
      scalar::for_each_node(std::span(&e, 1), [&](Expr node) {
        if (node.is_name()) live_.insert(node.var());
      });
    });
    if (const auto* pack = base::as<Pack>(s.op)) live_.insert(pack->next);
  }

  bool is_read(const WideLoad& op) const {
    return std::ranges::any_of(op.names, [&](Var name) { return live_.contains(name); });
  }

  bool has_effect(const Block& body) const {
    return std::ranges::any_of(body, [&](const Stm& s) { return needed(s); });
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
    Parts parts;
    parts.block = [&](const Block& inner) { return keep(inner); };
    Block out;
    for (const Stm& s : body) {
      if (!needed(s)) continue;
      out.push_back(map_children(s, parts));
      if (auto* atomic = base::as<Atomic>(out.back().op);
          atomic && atomic->name && !live_.contains(*atomic->name))
        atomic->name.reset();
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
