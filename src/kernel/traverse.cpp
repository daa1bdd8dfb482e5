#include "kernel/traverse.h"

#include "base/check.h"
#include "base/match.h"

namespace fulgurite::kernel {
namespace {

class Mapper {
 public:
  explicit Mapper(const Parts& parts) : parts_(parts) {}

  // Braced initialisers evaluate from left to right: where evaluation order is not the order of the members,
  // there are variables.
  Operation operator()(const Let& s) {
    Expr value = expr(s.value);
    return Let{var(s.name, Use::binds), value};
  }
  Operation operator()(const Declare& s) {
    Expr value = expr(s.value);
    return Declare{var(s.name, Use::binds), value};
  }
  Operation operator()(const Assign& s) {
    Expr value = expr(s.value), mask = expr(s.mask);
    return Assign{var(s.name, Use::assigns), value, mask};
  }
  Operation operator()(const Load& s) {
    Access from = access(s.from, Use::loads);
    const Expr touched = expr(s.touched);
    return Load{var(s.name, Use::binds), from, touched};
  }
  Operation operator()(const Store& s) {
    Expr value = expr(s.value);
    return Store{access(s.to, Use::stores), value, s.streaming};
  }
  Operation operator()(const WideLoad& s) {
    WideLoad result{{}, var(s.buffer, Use::loads), expr(s.index)};
    for (Var name : s.names) result.names.push_back(var(name, Use::binds));
    return result;
  }
  Operation operator()(const WideStore& s) {
    std::vector<Expr> values;
    for (Expr value : s.values) values.push_back(expr(value));
    const Var buffer = var(s.buffer, Use::stores);
    return WideStore{buffer, expr(s.index), std::move(values)};
  }
  Operation operator()(const Prefetch& s) {
    Var buffer = var(s.buffer, Use::loads);
    Expr index = expr(s.index), per_task = expr(s.per_task);
    return Prefetch{buffer, index, s.n, per_task, expr(s.end)};
  }
  Operation operator()(const Permute& s) {
    Expr low = expr(s.low), high = expr(s.high);
    return Permute{var(s.name, Use::binds), low, high, s.lanes};
  }
  Operation operator()(const Transpose& s) {
    Access from = access(s.from, Use::loads);
    return Transpose{var(s.tile, Use::stores), from, s.lanes, s.width, s.steps, s.ahead};
  }
  Operation operator()(const Shift& s) {
    Expr value = expr(s.value), fill = expr(s.fill);
    return Shift{var(s.name, Use::binds), value, fill, s.by};
  }
  Operation operator()(const Pick& s) {
    Expr value = expr(s.value);
    return Pick{var(s.name, Use::binds), value, s.from};
  }
  Operation operator()(const Pack& s) {
    Pack result{var(s.next, Use::assigns), expr(s.keep), {}, {}};
    for (Var buffer : s.buffers) result.buffers.push_back(var(buffer, Use::stores));
    for (Expr value : s.values) result.values.push_back(expr(value));
    return result;
  }
  Operation operator()(const Atomic& s) {
    Access at = access(s.at, Use::stores);
    Expr value = expr(s.value), expected = expr(s.expected);
    std::optional<Var> name;
    if (s.name) name = var(*s.name, Use::binds);
    return Atomic{name, s.what, at, value, expected, s.acquire, s.release};
  }
  Operation operator()(const Shuffle& s) {
    Expr value = expr(s.value), from = expr(s.from);
    return Shuffle{var(s.name, Use::binds), value, from, s.width};
  }
  Operation operator()(const For& s) {
    Expr begin = expr(s.begin), end = expr(s.end), step = expr(s.step);
    return For{var(s.name, Use::binds), begin, end, step, block(s.body)};
  }
  Operation operator()(const While& s) {
    Block head = block(s.head);
    Expr condition = expr(s.condition);
    return While{std::move(head), condition, block(s.body)};
  }
  Operation operator()(const If& s) {
    return If{expr(s.condition), block(s.then_branch), block(s.else_branch)};
  }
  Operation operator()(const Par& s) {
    Expr n = expr(s.n);
    return Par{s.level, var(s.name, Use::binds), n, block(s.body)};
  }
  Operation operator()(const InOrder& s) {
    Var turn = var(s.turn, Use::stores);
    Expr task = expr(s.task);
    return InOrder{turn, task, block(s.body)};
  }
  Operation operator()(const Allocate& s) {
    Expr n = expr(s.n);
    return Allocate{var(s.buffer, Use::binds), s.space, n, s.offset};
  }
  Operation operator()(const Sync& s) { return s; }
  Operation operator()(const Fail& s) {
    Fail mapped{expr(s.when), s.site, expr(s.element), expr(s.stride), expr(s.value), expr(s.bound)};
    for (Expr e : s.more) mapped.more.push_back(expr(e));
    mapped.group = expr(s.group);
    return mapped;
  }

 private:
  Expr expr(Expr e) { return e && parts_.expr ? parts_.expr(e) : e; }
  Var var(Var v, Use use) { return parts_.var ? parts_.var(v, use) : v; }
  Block block(const Block& b) { return parts_.block ? parts_.block(b) : b; }
  Access access(const Access& a, Use use) {
    return {var(a.buffer, use), expr(a.index), expr(a.stride), expr(a.mask)};
  }

  const Parts& parts_;
};

Parts keep_blocks(Parts parts) {
  parts.block = [](const Block&) { return Block(); };
  return parts;
}

}  // namespace

std::vector<std::int32_t> window_lanes(std::int32_t n_lanes, std::int32_t from, std::int32_t apart) {
  std::vector<std::int32_t> lanes;
  for (std::int32_t l = from; l < from + n_lanes; ++l) lanes.push_back(l < n_lanes ? l : n_lanes + l - apart);
  return lanes;
}

Stm map_children(const Stm& s, const Parts& parts) {
  Mapper mapper(parts);
  return {base::match(
              s.op, [&](const Let& x) { return mapper(x); }, [&](const Declare& x) { return mapper(x); },
              [&](const Assign& x) { return mapper(x); }, [&](const Load& x) { return mapper(x); },
              [&](const Store& x) { return mapper(x); }, [&](const WideLoad& x) { return mapper(x); },
              [&](const WideStore& x) { return mapper(x); }, [&](const Prefetch& x) { return mapper(x); },
              [&](const Permute& x) { return mapper(x); }, [&](const Transpose& x) { return mapper(x); },
              [&](const Shift& x) { return mapper(x); }, [&](const Pick& x) { return mapper(x); },
              [&](const Pack& x) { return mapper(x); }, [&](const Atomic& x) { return mapper(x); },
              [&](const Shuffle& x) { return mapper(x); }, [&](const For& x) { return mapper(x); },
              [&](const While& x) { return mapper(x); }, [&](const If& x) { return mapper(x); },
              [&](const Par& x) { return mapper(x); }, [&](const InOrder& x) { return mapper(x); },
              [&](const Allocate& x) { return mapper(x); }, [&](const Sync& x) { return mapper(x); },
              [&](const Fail& x) { return mapper(x); }),
          s.line};
}

void for_each_stm(const Block& block, const std::function<void(const Stm&)>& visit) {
  Parts parts;
  parts.block = [&](const Block& inner) {
    for_each_stm(inner, visit);
    return Block();
  };
  for (const Stm& s : block) {
    visit(s);
    map_children(s, parts);
  }
}

void for_each_expr(const Stm& s, const std::function<void(Expr)>& visit) {
  map_children(s, keep_blocks({[&](Expr e) {
                                 visit(e);
                                 return e;
                               },
                               {},
                               {}}));
}

Names names_of(const Block& block) {
  Names names;
  // Expressions share nodes, so that all are visited in one walk.
  std::vector<Expr> roots;
  Parts parts;
  parts.expr = [&](Expr e) {
    roots.push_back(e);
    return e;
  };
  parts.var = [&](Var v, Use use) {
    switch (use) {
      case Use::binds: names.binds.insert(v); break;
      case Use::assigns: names.assigns.insert(v); break;
      case Use::loads: names.reads.insert(v); break;
      case Use::stores: names.stores.insert(v); break;
    }
    return v;
  };
  for_each_stm(block, [&](const Stm& s) { map_children(s, keep_blocks(parts)); });
  scalar::for_each_node(roots, [&](Expr e) {
    if (e.is_name()) names.reads.insert(e.var());
  });
  return names;
}

bool is_changed(const Names& of_block, Expr e) {
  bool found = false;
  scalar::for_each_node(std::span(&e, 1), [&](Expr node) {
    found |= node.is_name() && (of_block.binds.contains(node.var()) || of_block.assigns.contains(node.var()));
  });
  return found;
}

Block substitute(Arena& arena, const Block& block, const std::unordered_map<Var, Expr>& replacements) {
  scalar::Substitution substitution(arena, [&](Expr e) {
    auto found = e.is_name() ? replacements.find(e.var()) : replacements.end();
    return found == replacements.end() ? Expr() : found->second;
  });
  Parts parts;
  parts.expr = [&](Expr e) { return substitution(e); };
  parts.var = [&](Var v, Use use) {
    auto found = use == Use::binds ? replacements.end() : replacements.find(v);
    if (found == replacements.end()) return v;
    FULGURITE_CHECK(found->second.is_name(),
                    "'{}' is written to, or a buffer, and cannot become an expression", arena.info(v).name);
    return found->second.var();
  };
  parts.block = [&](const Block& b) {
    Block result;
    result.reserve(b.size());
    for (const Stm& s : b) result.push_back(map_children(s, parts));
    return result;
  };
  return parts.block(block);
}

Block refresh(Arena& arena, const Block& block) {
  std::unordered_map<Var, Expr> renamed;
  for (Var v : names_of(block).binds) {
    const scalar::VarInfo& info = arena.info(v);
    renamed[v] = info.type.rank == 0 ? arena.fresh(info.type, info.name)
                                     : arena.fresh_array(info.type.kind, info.shape, info.name);
  }
  Parts rename;
  rename.var = [&](Var v, Use use) { return use == Use::binds ? renamed.at(v).var() : v; };
  rename.block = [&](const Block& b) {
    Block result;
    result.reserve(b.size());
    for (const Stm& s : b) result.push_back(map_children(s, rename));
    return result;
  };
  return substitute(arena, rename.block(block), renamed);
}

}  // namespace fulgurite::kernel
