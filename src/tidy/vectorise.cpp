#include "tidy/vectorise.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/check.h"
#include "base/match.h"
#include "kernel/traverse.h"
#include "tidy/divergence.h"
#include "tidy/in_step.h"

namespace fulgurite::tidy {

namespace {

using namespace kernel;
using scalar::Op;

// One Par(block): its expressions with lanes.
class Widening {
 public:
  Widening(Arena& arena, const Divergence& divergence, Var instance, int n)
      : arena_(arena), divergence_(divergence), instance_(instance), n_(n) {}

  // The vector that holds a varying name in each lane.
  Expr vector(Var name) {
    auto [at, fresh] = vectors_.try_emplace(name);
    if (fresh) {
      Type type = arena_.info(name).type;
      type.lanes = static_cast<std::uint16_t>(n_);
      at->second = arena_.fresh(type, arena_.info(name).name);
    }
    return at->second;
  }

  // The expression with lanes: uniform parts stay scalar and are spread where they meet a vector.
  Expr vector(Expr root) {
    if (!varies(root)) return splat(root, n_);
    std::unordered_map<std::uint32_t, Expr> wide;
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      if (!varies(e)) return;
      if (e.is_name()) {
        wide[e.id()] = e.var() == instance_ ? arena_.lane(Kind::i64, n_) : vector(e.var());
        return;
      }
      // An index narrowed to a smaller kind is computed in that kind, whose arithmetic wraps alike.
      if (e.op() == Op::cast && is_integer(e.kind()) && e.arg(0).kind() == Kind::i64)
        if (const auto affine = this->affine(e.arg(0))) {
          Expr base = splat(cast(affine->base, e.kind()), n_),
               step = splat(cast(affine->coefficient, e.kind()), n_);
          wide[e.id()] = base + arena_.lane(e.kind(), n_) * step;
          return;
        }
      std::vector<Expr> args;
      for (Expr arg : e.args()) args.push_back(varies(arg) ? wide.at(arg.id()) : splat(arg, n_));
      wide[e.id()] = scalar::rebuild(arena_, e, args);
    });
    return wide.at(root.id());
  }

  Access access(const Access& a, Expr mask) {
    Access out{a.buffer, a.index, a.stride, mask};
    if (!varies(a.index)) {  // every lane the same element
      out.stride = arena_.i64(0);
      return out;
    }
    if (const auto affine = this->affine(a.index)) {
      out.index = affine->base, out.stride = affine->coefficient;
    } else {
      const Expr index = expanded(a.index);  // an index of 32 bits is seen to be one
      const bool is_near =
          index.op() == Op::cast && index.arg(0).kind() == Kind::i32 && index.arg(0).is_name();
      out.index = vector(is_near ? index : a.index), out.stride = arena_.i64(1);
    }
    return out;
  }

  // The expression as an affine function of the instance with uniform parts, if it is one.
  std::optional<scalar::Affine> affine(Expr e) {
    const auto affine = affine_in(arena_, expanded(e), instance_);
    return affine && !varies(affine->base) && !varies(affine->coefficient) ? affine : std::nullopt;
  }

  // A varying index is known by its definition where no variable in it changes.
  void define(const Let& op) {
    if (op.value.kind() == Kind::i64 && is_pure_arithmetic(op.value))
      definitions_[op.name] = expanded(op.value);
  }
  void set_mutable(Var name) { mutable_.insert(name); }

 private:
  bool varies(Expr e) const { return divergence_.varies(e); }

  // Index arithmetic, with names of varying Lets replaced by their definitions, down to the instance number.
  Expr expanded(Expr e) { return scalar::substitute(arena_, e, definitions_); }

  bool is_pure_arithmetic(Expr root) const {
    bool pure = true;
    scalar::for_each_node(std::span(&root, 1),
                          [&](Expr e) { pure &= !e.is_name() || !mutable_.contains(e.var()); });
    return pure;
  }

  Arena& arena_;
  const Divergence& divergence_;
  const Var instance_;
  const int n_;
  std::unordered_set<Var> mutable_;
  std::unordered_map<Var, Expr> vectors_;      // by their scalars' names
  std::unordered_map<Var, Expr> definitions_;  // in terms of the instance number and uniform names
};

// One Par(block): its statements, with masks for conditions that differ.
class Lanes {
 public:
  Lanes(Arena& arena, const Par& par, int n)
      : arena_(arena),
        n_(n),
        divergence_(par.body, par.name),
        free_(read_in_their_loops(par.body)),
        wide_(arena, divergence_, par.name, n) {}

  Block block(const Block& body, Expr mask) {
    Block out;
    for (const Stm& s : body) statement(s, mask, out);
    return out;
  }

 private:
  bool varies(Expr e) const { return divergence_.varies(e); }
  bool varies(Var name) const { return divergence_.varies(name); }
  Expr vector(Expr e) { return wide_.vector(e); }
  Expr both(Expr a, Expr b) { return !a ? b : !b ? a : a & b; }
  Access access(const Access& a, Expr mask) {
    return wide_.access(a, both(mask, a.mask ? vector(a.mask) : Expr()));
  }

  // The value of the variable in step in the lanes that are still in the loop.
  Expr counter(Var name) {
    Expr& same = counters_[name];
    if (!same) same = arena_.fresh(arena_.info(name).type, arena_.info(name).name);
    return same;
  }

  void statement(const Stm& s, Expr mask, Block& out) {
    base::match(
        s.op,
        [&](const Let& op) {
          if (const auto variable = divergence_.in_step_of(op.name))
            return out.push_back({Let{op.name, counter(*variable)}});
          if (!varies(op.name)) return out.push_back(s);
          wide_.define(op);
          out.push_back({Let{wide_.vector(op.name).var(), vector(op.value)}});
        },
        [&](const Declare& op) {
          wide_.set_mutable(op.name);
          if (!varies(op.name)) return out.push_back(s);
          out.push_back({Declare{wide_.vector(op.name).var(), vector(op.value)}});
          if (divergence_.is_in_step(op.name)) out.push_back({Declare{counter(op.name).var(), op.value}});
        },
        [&](const Assign& op) {
          if (!varies(op.name)) return out.push_back(s);
          out.push_back({Assign{wide_.vector(op.name).var(), vector(op.value),
                                free_.contains(op.name) ? Expr() : mask}});
          if (divergence_.is_in_step(op.name)) out.push_back({Assign{counter(op.name).var(), op.value, {}}});
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
          out.push_back({Permute{wide_.vector(op.name).var(), vector(op.fill), vector(op.value),
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

  void load(const Load& op, Expr mask, Block& out) {
    if (varies(op.name))
      return out.push_back({Load{wide_.vector(op.name).var(), access(op.from, mask), op.touched}});
    Load uniform = op;  // one element for all lanes: read if any lane wants it
    if (mask) {
      Expr some = scalar::any(mask);
      uniform.from.mask = uniform.from.mask ? some & uniform.from.mask : some;
    }
    out.push_back({uniform});
  }

  void store(const Store& op, Expr mask, Block& out) {
    Access to = access(op.to, mask);
    out.push_back({Store{to, vector(op.value), op.streaming && !to.mask}});
  }

  void pack(const Pack& op, Expr mask, Block& out) {
    Pack wide{op.next, both(mask, op.keep ? vector(op.keep) : Expr()), op.buffers, {}};
    if (!wide.keep) wide.keep = splat(arena_.boolean(true), n_);
    for (Expr value : op.values) wide.values.push_back(vector(value));
    out.push_back({std::move(wide)});
  }

  void for_loop(const For& op, Expr mask, Block& out) {
    if (!varies(op.name)) {
      out.push_back({For{op.name, op.begin, op.end, op.step, block(op.body, mask)}});
      return;
    }
    // Lanes disagree on the bounds: the counter is state of a masked loop.
    Expr counter = wide_.vector(op.name), end = bind(vector(op.end), "end", out);
    wide_.set_mutable(op.name);
    out.push_back({Declare{counter.var(), vector(op.begin)}});
    Expr active = arena_.fresh(mask_type(), "active");
    Block head{{Let{active.var(), both(mask, counter < end)}}};
    Block body = block(op.body, active);
    body.push_back({Assign{counter.var(), counter + vector(op.step), {}}});
    out.push_back({While{std::move(head), any(active), std::move(body)}});
  }

  // active = mask; while (active &= condition, any active) body, with inactive lanes frozen
  void while_loop(const While& op, Expr mask, Block& out) {
    if (!varies(op.condition)) {
      out.push_back({While{block(op.head, mask), op.condition, block(op.body, mask)}});
      return;
    }
    Expr active = arena_.fresh(mask_type(), "active");
    out.push_back({Declare{active.var(), mask ? mask : splat(arena_.boolean(true), n_)}});
    Block head = block(op.head, active);
    head.push_back({Assign{active.var(), active & vector(op.condition), {}}});
    out.push_back({While{std::move(head), any(active), block(op.body, active)}});
  }

  void conditional(const If& op, Expr mask, Block& out) {
    if (!varies(op.condition)) {
      out.push_back({If{op.condition, block(op.then_branch, mask), block(op.else_branch, mask)}});
      return;
    }
    Expr condition = bind(vector(op.condition), "mask", out);
    branch(op.then_branch, mask, condition, out);
    if (!op.else_branch.empty()) branch(op.else_branch, mask, bind(logical_not(condition), "mask", out), out);
  }

  // Short straight branches run masked; others only if some lane takes them.
  void branch(const Block& body, Expr outer, Expr condition, Block& out) {
    if (body.empty()) return;
    Expr mask = bind(both(outer, condition), "mask", out);
    Block statements = block(body, mask);
    if (is_short(body))
      out.insert(out.end(), statements.begin(), statements.end());
    else
      out.push_back({If{any(mask), std::move(statements), {}}});
  }

  bool is_short(const Block& body) const {
    constexpr std::size_t few = 4;
    return body.size() <= few && std::ranges::all_of(body, [](const Stm& s) {
             return base::as<Let>(s.op) || base::as<Assign>(s.op) || base::as<Declare>(s.op);
           });
  }

  void fail(const Fail& op, Expr mask, Block& out) {
    Fail wide = op;
    wide.when = both(mask, vector(op.when));
    const auto affine = wide_.affine(op.element);
    wide.element = affine ? affine->base : vector(op.element);
    wide.stride = affine ? affine->coefficient : arena_.i64(1);
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
  const int n_;
  const Divergence divergence_;
  const std::unordered_set<Var> free_;  // change in lanes that have left their loop
  Widening wide_;
  std::unordered_map<Var, Expr> counters_;  // scalars beside the lanes' own
};

Block blocks(Arena& arena, const Block& body) {
  Parts parts;
  parts.block = [&](const Block& inner) { return blocks(arena, inner); };
  Block out;
  for (const Stm& statement : body) {
    Stm s = map_children(statement, parts);
    const auto* par = base::as<Par>(s.op);
    if (!par || par->level != Level::block) {
      out.push_back(std::move(s));
      continue;
    }
    FULGURITE_CHECK(par->n.is_constant(), "Par(block) needs a constant size");
    const int n = static_cast<int>(par->n.bits());
    if (n == 1) out.push_back({Let{par->name, arena.i64(0)}});
    const Block lanes = n == 1 ? par->body : Lanes(arena, *par, n).block(par->body, {});
    out.insert(out.end(), lanes.begin(), lanes.end());
  }
  return out;
}

}  // namespace

const kernel::Pass vectorise{
    .name = "vectorise",
    .description = "Par(block, n) becomes vectors of n lanes, conditions that differ become masks",
    .run = kernel::on_body<blocks>,
    .result = Stage::vectors};

}  // namespace fulgurite::tidy
