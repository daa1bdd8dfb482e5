#include "tidy/vectorise.h"

#include <unordered_map>
#include <unordered_set>

#include "base/check.h"
#include "base/match.h"
#include "tidy/in_step.h"

namespace fulgurite::tidy {

namespace {

using namespace kernel;
using scalar::Op;

// One Par(block): its statements, with what is known of the names in it.
class Lanes {
 public:
  Lanes(Arena& arena, Var instance, int n) : arena_(arena), instance_(instance), n_(n) {}

  Block run(const Block& body) {
    find_varying(body);
    return block(body, {});
  }

 private:
  // Variables that may differ between lanes: assigned a varying value, or assigned under a varying condition.
  // To a fixed point, since a loop may feed one to another.
  void find_varying(const Block& body) {
    varying_.insert(instance_);
    free_ = read_in_their_loops(body);
    for (const auto& [variable, value] : candidates_in_step(body)) {
      in_step_.emplace(variable, Counter{value, {}});
      counted_.emplace(value, variable);
    }
    for (std::size_t before = 0; before != varying_.size();) {
      before = varying_.size();
      mark(body, false);
    }
  }

  bool varies(Expr e) const {
    if (!e) return false;
    bool found = false;
    scalar::for_each_node(std::span(&e, 1),
                          [&](Expr node) { found |= node.is_name() && varying_.contains(node.var()); });
    return found;
  }

  bool loads_varying(const Access& from) const { return varies(from.index) || varies(from.mask); }

  void mark(const Block& body, bool divergent) {
    for (const Stm& s : body)
      base::match(
          s.op, [&](const Let& op) { mark_if(varies(op.value) && !counted_.contains(op.name), op.name); },
          [&](const Declare& op) { mark_variable(op.name, op.value, false); },
          [&](const Assign& op) { mark_variable(op.name, op.value, divergent); },
          [&](const Load& op) { mark_if(loads_varying(op.from), op.name); }, [&](const Store&) {},
          [&](const WideLoad&) {}, [&](const WideStore&) {}, [&](const Prefetch&) {}, [&](const Permute&) {},
          [&](const Transpose&) {}, [&](const Shift& op) { mark_if(true, op.name); }, [&](const Pick&) {},
          [&](const Pack&) {},
          [&](const Atomic& op) {
            if (op.name) mark_if(true, *op.name);
          },
          [&](const Shuffle& op) { mark_if(true, op.name); },
          [&](const For& op) {
            bool differs = divergent || varies(op.begin) || varies(op.end) || varies(op.step);
            bool bounds_differ = varies(op.begin) || varies(op.end) || varies(op.step);
            mark_if(bounds_differ, op.name);
            mark(op.body, differs);
          },
          [&](const While& op) {
            mark(op.head, divergent);
            bool differs = divergent || varies(op.condition);
            mark(op.head, differs);
            mark(op.body, differs);
          },
          [&](const If& op) {
            bool differs = divergent || varies(op.condition);
            mark(op.then_branch, differs);
            mark(op.else_branch, differs);
          },
          [&](const Par&) {}, [&](const InOrder&) {}, [&](const Allocate&) {}, [&](const Sync&) {},
          [&](const Fail&) {});
  }
  void mark_variable(Var name, Expr value, bool divergent) {
    const auto counter = in_step_.find(name);
    if (counter != in_step_.end() && varies(value)) {
      mark_if(true, counter->second.value);
      counted_.erase(counter->second.value);
      in_step_.erase(counter);
    }
    mark_if(divergent || varies(value), name);
  }
  void mark_if(bool condition, Var name) {
    if (condition) varying_.insert(name);
  }

  Block block(const Block& body, Expr mask) {
    Block out;
    for (const Stm& s : body) statement(s, mask, out);
    return out;
  }

  Expr widened(Var name) {
    auto [at, fresh] = vectors_.try_emplace(name);
    if (fresh) {
      Type type = arena_.info(name).type;
      type.lanes = static_cast<std::uint16_t>(n_);
      at->second = arena_.fresh(type, arena_.info(name).name);
    }
    return at->second;
  }

  // What the variable is in the lanes that are still in the loop.
  Expr counter(Var name) {
    Expr& same = in_step_.at(name).same;
    if (!same) same = arena_.fresh(arena_.info(name).type, arena_.info(name).name);
    return same;
  }

  // The expression with lanes: uniform parts stay scalar and are spread where they meet a vector.
  Expr vector(Expr root) {
    if (!varies(root)) return arena_.splat(root, n_);
    std::unordered_map<std::uint32_t, Expr> wide;
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      if (!varies(e)) return;
      if (e.is_name()) {
        wide[e.id()] = e.var() == instance_ ? arena_.lane(Kind::i64, n_) : widened(e.var());
        return;
      }
      if (e.op() == Op::cast && is_integer(e.kind()) && e.arg(0).kind() == Kind::i64)  // an index narrowed to
                                                                                       // a smaller kind:
                                                                                       // arithmetic in that
                                                                                       // kind, which wraps
                                                                                       // alike
        if (auto affine = affine_in(arena_, expanded(e.arg(0)), instance_);
            affine && !varies(affine->base) && !varies(affine->coefficient)) {
          Expr base = arena_.splat(arena_.cast(affine->base, e.kind()), n_),
               step = arena_.splat(arena_.cast(affine->coefficient, e.kind()), n_);
          wide[e.id()] = arena_.add(base, arena_.mul(arena_.lane(e.kind(), n_), step));
          return;
        }
      std::vector<Expr> args;
      for (Expr arg : e.args()) args.push_back(varies(arg) ? wide.at(arg.id()) : arena_.splat(arg, n_));
      wide[e.id()] = scalar::rebuild(arena_, e, args);
    });
    return wide.at(root.id());
  }

  // Index arithmetic with the names of varying Lets replaced by their definitions, down to the instance
  // number.
  Expr expanded(Expr e) { return scalar::substitute(arena_, e, definitions_); }

  Expr both(Expr a, Expr b) { return !a ? b : !b ? a : arena_.logical_and(a, b); }

  Access access(const Access& a, Expr mask) {
    Access out{a.buffer, a.index, a.stride, both(mask, a.mask ? vector(a.mask) : Expr())};
    if (!varies(a.index)) {  // every lane the same element
      out.stride = arena_.i64(0);
      return out;
    }
    auto affine = affine_in(arena_, expanded(a.index), instance_);
    if (affine && !varies(affine->base) && !varies(affine->coefficient)) {
      out.index = affine->base, out.stride = affine->coefficient;
    } else {
      const Expr index = expanded(a.index);  // an index of 32 bits is seen to be one
      const bool is_near =
          index.op() == Op::cast && index.arg(0).kind() == Kind::i32 && index.arg(0).is_name();
      out.index = vector(is_near ? index : a.index), out.stride = arena_.i64(1);
    }
    return out;
  }

  void statement(const Stm& s, Expr mask, Block& out) {
    base::match(
        s.op,
        [&](const Let& op) {
          const auto counted = counted_.find(op.name);
          if (counted != counted_.end() && varying_.contains(counted->second))
            return out.push_back({Let{op.name, counter(counted->second)}});
          if (!varying_.contains(op.name)) return out.push_back(s);
          if (op.value.kind() == Kind::i64 && is_pure_arithmetic(op.value))
            definitions_[op.name] = expanded(op.value);
          out.push_back({Let{widened(op.name).var(), vector(op.value)}});
        },
        [&](const Declare& op) {
          mutable_.insert(op.name);
          if (!varying_.contains(op.name)) return out.push_back(s);
          out.push_back({Declare{widened(op.name).var(), vector(op.value)}});
          if (in_step_.contains(op.name)) out.push_back({Declare{counter(op.name).var(), op.value}});
        },
        [&](const Assign& op) {
          if (!varying_.contains(op.name)) return out.push_back(s);
          out.push_back(
              {Assign{widened(op.name).var(), vector(op.value), free_.contains(op.name) ? Expr() : mask}});
          if (in_step_.contains(op.name)) out.push_back({Assign{counter(op.name).var(), op.value, {}}});
        },
        [&](const Load& op) { load(op, mask, out); }, [&](const Store& op) { store(op, mask, out); },
        [&](const WideLoad&) { FULGURITE_CHECK(false, "a wide access is not vectorised"); },
        [&](const WideStore&) { FULGURITE_CHECK(false, "a wide access is not vectorised"); },
        [&](const Prefetch& op) {
          FULGURITE_CHECK(!varies(op.index), "a Prefetch is one for all lanes");
          out.push_back(s);
        },
        [&](const Permute&) { FULGURITE_CHECK(false, "a Permute comes after vectorise"); },
        [&](const Transpose&) { FULGURITE_CHECK(false, "a Transpose comes after vectorise"); },
        [&](const Shift& op) {
          FULGURITE_CHECK(!mask && op.by < n_, "a Shift is for all lanes, by less than their number");
          out.push_back({Permute{widened(op.name).var(), vector(op.fill), vector(op.value),
                                 window_lanes(n_, n_ - op.by, n_)}});
        },
        [&](const Pick& op) {
          FULGURITE_CHECK(!mask && op.from < n_, "a Pick is for all lanes, from one of them");
          out.push_back({Pick{op.name, vector(op.value), op.from}});
        },
        [&](const Pack& op) { pack(op, mask, out); },
        [&](const Atomic&) { FULGURITE_CHECK(false, "an Atomic is not vectorised"); },
        [&](const Shuffle&) { FULGURITE_CHECK(false, "a Shuffle is not vectorised"); },
        [&](const For& op) { for_loop(op, mask, out); }, [&](const While& op) { while_loop(op, mask, out); },
        [&](const If& op) { conditional(op, mask, out); },
        [&](const Par&) { FULGURITE_CHECK(false, "a Par inside Par(block) is not vectorised"); },
        [&](const InOrder&) { FULGURITE_CHECK(false, "an InOrder is not in Par(block)"); },
        [&](const Allocate&) { out.push_back(s); }, [&](const Sync&) {},  // lanes run in step
        [&](const Fail& op) { fail(op, mask, out); });
  }

  bool is_pure_arithmetic(Expr root) {
    bool pure = true;
    scalar::for_each_node(std::span(&root, 1),
                          [&](Expr e) { pure &= !e.is_name() || !mutable_.contains(e.var()); });
    return pure;
  }

  void load(const Load& op, Expr mask, Block& out) {
    if (varying_.contains(op.name))
      return out.push_back({Load{widened(op.name).var(), access(op.from, mask), op.touched}});
    Load uniform = op;  // one element for all lanes: read if any lane wants it
    if (mask) {
      Expr any = arena_.any(mask);
      uniform.from.mask = uniform.from.mask ? arena_.logical_and(any, uniform.from.mask) : any;
    }
    out.push_back({uniform});
  }

  void store(const Store& op, Expr mask, Block& out) {
    Access to = access(op.to, mask);
    out.push_back({Store{to, vector(op.value), op.streaming && !to.mask}});
  }

  void pack(const Pack& op, Expr mask, Block& out) {
    Pack wide{op.next, both(mask, op.keep ? vector(op.keep) : Expr()), op.buffers, {}};
    if (!wide.keep) wide.keep = arena_.splat(arena_.boolean(true), n_);
    for (Expr value : op.values) wide.values.push_back(vector(value));
    out.push_back({std::move(wide)});
  }

  void for_loop(const For& op, Expr mask, Block& out) {
    if (!varying_.contains(op.name)) {
      out.push_back({For{op.name, op.begin, op.end, op.step, block(op.body, mask)}});
      return;
    }
    // Lanes disagree on the bounds: the counter is state of a masked loop.
    Expr counter = widened(op.name), end = bind(vector(op.end), "end", out);
    mutable_.insert(op.name);
    out.push_back({Declare{counter.var(), vector(op.begin)}});
    Expr active = arena_.fresh(mask_type(), "active");
    Block head{{Let{active.var(), both(mask, arena_.lt(counter, end))}}};
    Block body = block(op.body, active);
    body.push_back({Assign{counter.var(), arena_.add(counter, vector(op.step)), {}}});
    out.push_back({While{std::move(head), arena_.any(active), std::move(body)}});
  }

  // active = mask; while (active &= condition, any active) body, with inactive lanes frozen
  void while_loop(const While& op, Expr mask, Block& out) {
    if (!varies(op.condition)) {
      out.push_back({While{block(op.head, mask), op.condition, block(op.body, mask)}});
      return;
    }
    Expr active = arena_.fresh(mask_type(), "active");
    out.push_back({Declare{active.var(), mask ? mask : arena_.splat(arena_.boolean(true), n_)}});
    Block head = block(op.head, active);
    head.push_back({Assign{active.var(), arena_.logical_and(active, vector(op.condition)), {}}});
    out.push_back({While{std::move(head), arena_.any(active), block(op.body, active)}});
  }

  void conditional(const If& op, Expr mask, Block& out) {
    if (!varies(op.condition)) {
      out.push_back({If{op.condition, block(op.then_branch, mask), block(op.else_branch, mask)}});
      return;
    }
    Expr condition = bind(vector(op.condition), "mask", out);
    branch(op.then_branch, mask, condition, out);
    if (!op.else_branch.empty())
      branch(op.else_branch, mask, bind(arena_.logical_not(condition), "mask", out), out);
  }

  // Short straight branches run masked; others only if some lane takes them.
  void branch(const Block& body, Expr outer, Expr condition, Block& out) {
    if (body.empty()) return;
    Expr mask = bind(both(outer, condition), "mask", out);
    Block statements = block(body, mask);
    if (is_short(body)) {
      out.insert(out.end(), statements.begin(), statements.end());
    } else {
      out.push_back({If{arena_.any(mask), std::move(statements), {}}});
    }
  }

  bool is_short(const Block& body) const {
    constexpr std::size_t few = 4;
    if (body.size() > few) return false;
    for (const Stm& s : body)
      if (!std::holds_alternative<Let>(s.op) && !std::holds_alternative<Assign>(s.op) &&
          !std::holds_alternative<Declare>(s.op))
        return false;
    return true;
  }

  void fail(const Fail& op, Expr mask, Block& out) {
    Fail wide = op;
    wide.when = both(mask, vector(op.when));
    auto affine = affine_in(arena_, expanded(op.element), instance_);
    bool steady = affine && !varies(affine->base) && !varies(affine->coefficient);
    wide.element = steady ? affine->base : vector(op.element);
    wide.stride = steady ? affine->coefficient : arena_.i64(1);
    if (varies(op.value)) wide.value = vector(op.value);
    if (varies(op.bound)) wide.bound = vector(op.bound);
    for (Expr& e : wide.more)
      if (varies(e)) e = vector(e);
    out.push_back({wide});
  }

  Expr bind(Expr value, std::string_view name, Block& out) {
    if (value.is_name() || value.is_constant()) return value;
    Expr bound = arena_.fresh(value.type(), std::string(name));
    out.push_back({Let{bound.var(), value}});
    return bound;
  }

  Type mask_type() const { return {Kind::boolean, 0, static_cast<std::uint16_t>(n_)}; }

  Arena& arena_;
  Var instance_;
  int n_;
  std::unordered_set<Var> varying_, mutable_;
  std::unordered_set<Var> free_;  // change in lanes that have left their loop
  struct Counter {
    Var value;  // what the loop's head calls its value
    Expr same;  // the scalar beside the lanes' own
  };
  std::unordered_map<Var, Counter> in_step_;
  std::unordered_map<Var, Var> counted_;       // the values' names
  std::unordered_map<Var, Expr> vectors_;      // scalar name -> vector name
  std::unordered_map<Var, Expr> definitions_;  // varying i64 Lets in terms of the instance number and uniform
                                               // names
};

Block blocks(Arena& arena, const Block& body) {
  Block out;
  for (Stm s : body) {
    if (auto* par = std::get_if<Par>(&s.op)) {
      par->body = blocks(arena, par->body);
      if (par->level == Level::block) {
        FULGURITE_CHECK(par->n.is_constant(), "Par(block) needs a constant size");
        int n = static_cast<int>(par->n.bits());
        if (n == 1) {
          out.push_back({Let{par->name, arena.i64(0)}});
          out.insert(out.end(), par->body.begin(), par->body.end());
        } else {
          Block lanes = Lanes(arena, par->name, n).run(par->body);
          out.insert(out.end(), lanes.begin(), lanes.end());
        }
        continue;
      }
    } else if (auto* loop = std::get_if<For>(&s.op)) {
      loop->body = blocks(arena, loop->body);
    } else if (auto* repeat = std::get_if<While>(&s.op)) {
      repeat->head = blocks(arena, repeat->head), repeat->body = blocks(arena, repeat->body);
    } else if (auto* turn = std::get_if<InOrder>(&s.op)) {
      turn->body = blocks(arena, turn->body);
    } else if (auto* branch = std::get_if<If>(&s.op)) {
      branch->then_branch = blocks(arena, branch->then_branch),
      branch->else_branch = blocks(arena, branch->else_branch);
    }
    out.push_back(std::move(s));
  }
  return out;
}

Kernel run_vectorise(Kernel kernel, const PassOptions&) {
  kernel.body = blocks(*kernel.arena, kernel.body);
  return kernel;
}

}  // namespace

const kernel::Pass vectorise{
    .name = "vectorise",
    .description = "Par(block, n) becomes vectors of n lanes, conditions that differ become masks",
    .run = run_vectorise,
    .result = Stage::vectors};

}  // namespace fulgurite::tidy
