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
    for_each_stm(body, [&](const Stm& s) {
      statements.push_back(&s);
      if (const auto* array = base::as<Allocate>(s.op)) arrays_.insert(array->buffer);
    });
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
    if (const auto* load = base::as<Load>(s.op)) live_.insert(load->from.buffer);
    if (const auto* load = base::as<WideLoad>(s.op)) live_.insert(load->buffer);
    if (const auto* tile = base::as<Transpose>(s.op)) live_.insert(tile->from.buffer);
    if (const auto* atomic = base::as<Atomic>(s.op)) live_.insert(atomic->at.buffer);
  }

  // Whether a statement reads what is stored there.
  bool is_seen(Var buffer) const { return !arrays_.contains(buffer) || live_.contains(buffer); }
  // Pack without a condition takes its number of lanes from its values.
  bool is_seen(const Pack& op) const {
    return !op.keep || live_.contains(op.next) ||
           std::ranges::any_of(op.buffers, [&](Var b) { return is_seen(b); });
  }

  bool is_read(const WideLoad& op) const {
    return std::ranges::any_of(op.names, [&](Var name) { return live_.contains(name); });
  }

  bool has_effect(const Block& body) const {
    return std::ranges::any_of(
        body, [&](const Stm& s) { return !std::holds_alternative<Prefetch>(s.op) && needed(s); });
  }

  bool needed(const Stm& s) const {
    return base::match(
        s.op, [&](const Let& op) { return live_.contains(op.name); },
        [&](const Declare& op) { return live_.contains(op.name); },
        [&](const Assign& op) { return live_.contains(op.name); },
        [&](const Load& op) { return live_.contains(op.name); },
        [&](const Store& op) { return is_seen(op.to.buffer); },
        [&](const WideLoad& op) { return is_read(op); },
        [&](const WideStore& op) { return is_seen(op.buffer); }, [&](const Prefetch&) { return true; },
        [&](const Permute& op) { return live_.contains(op.name); },
        [&](const Transpose& op) { return is_seen(op.tile); },
        [&](const Shift& op) { return live_.contains(op.name); },
        [&](const Pick& op) { return live_.contains(op.name); }, [&](const Pack& op) { return is_seen(op); },
        [&](const Atomic&) { return true; }, [&](const Shuffle& op) { return live_.contains(op.name); },
        [&](const For& op) { return has_effect(op.body); },
        [&](const While& op) { return has_effect(op.body) || has_effect(op.head); },
        [&](const If& op) { return has_effect(op.then_branch) || has_effect(op.else_branch); },
        [&](const Par& op) { return op.level == Level::grid || has_effect(op.body); },
        [&](const InOrder&) { return true; }, [&](const Allocate& op) { return live_.contains(op.buffer); },
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
      if (auto* pack = base::as<Pack>(out.back().op); pack && pack->keep) drop_unseen(*pack);
    }
    return out;
  }

  void drop_unseen(Pack& pack) const {
    for (std::size_t k = pack.buffers.size(); k-- > 0;) {
      if (is_seen(pack.buffers[k])) continue;
      pack.buffers.erase(pack.buffers.begin() + static_cast<std::ptrdiff_t>(k));
      pack.values.erase(pack.values.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }

  std::unordered_set<Var> live_;
  std::unordered_set<Var> arrays_;  // of the kernel itself, invisible from outside
};

}  // namespace

const kernel::Pass remove_dead{
    .name = "remove_dead",
    .description =
        "statements whose names nothing uses, stores that nothing reads, and "
        "loops and branches left empty, go",
    .run = kernel::on_body<[](Arena&, const Block& body) { return Live().sweep(body); }>,
    .is_optional = true};

}  // namespace fulgurite::tidy
