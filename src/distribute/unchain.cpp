#include "distribute/unchain.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/match.h"
#include "kernel/traverse.h"

namespace fulgurite::distribute {
namespace {

using namespace kernel;

// A phase with one turn, taken apart.
struct Turn {
  Par par;
  Block before, body, after;
};

std::optional<Turn> turn_of(const Stm& phase) {
  const Par& par = std::get<Par>(phase.op);
  const auto is_turn = [](const Stm& s) { return std::holds_alternative<InOrder>(s.op); };
  const auto found = std::ranges::find_if(par.body, is_turn);
  if (found == par.body.end()) return std::nullopt;
  Turn turn{par, {par.body.begin(), found}, std::get<InOrder>(found->op).body, {found + 1, par.body.end()}};
  turn.par.body.clear();
  std::size_t n_turns = 0;
  for_each_stm(par.body, [&](const Stm& s) { n_turns += is_turn(s) ? 1u : 0u; });
  return n_turns == 1 ? std::optional(std::move(turn)) : std::nullopt;
}

// The variables that are declared before the turn and still there when it comes.
struct Before {
  std::set<Var> names, variables, arrays;
  std::vector<Let> pure;  // computed from the launch's scalars and the number of the task alone
  bool is_pure(Var v) const {
    return std::ranges::any_of(pure, [&](const Let& let) { return let.name == v; });
  }
};

Before before_of(const Kernel& kernel, const Turn& turn) {
  Before all;
  std::set<Var> known{turn.par.name};
  for (const Param& p : kernel.params)
    if (p.role == Param::Role::scalar) known.insert(p.name);
  for (const Stm& s : turn.before) {
    if (const auto* let = base::as<Let>(s.op)) {
      all.names.insert(let->name);
      const Names of = names_of({s});
      if (!std::ranges::includes(known, of.reads)) continue;
      known.insert(let->name);
      all.pure.push_back(*let);
    } else if (const auto* declare = base::as<Declare>(s.op)) {
      all.names.insert(declare->name);
      all.variables.insert(declare->name);
    } else if (const auto* load = base::as<Load>(s.op)) {
      all.names.insert(load->name);
    } else if (const auto* pick = base::as<Pick>(s.op)) {
      all.names.insert(pick->name);
    }
  }
  for_each_stm(turn.before, [&](const Stm& s) {
    if (const auto* array = base::as<Allocate>(s.op)) all.arrays.insert(array->buffer);
  });
  return all;
}

bool meet(const std::set<Var>& a, const std::set<Var>& b) {
  return std::ranges::any_of(a, [&](Var v) { return b.contains(v); });
}

// Whether the three parts may run apart.
bool comes_apart(const Kernel& kernel, const Turn& turn, const Before& before) {
  std::set<Var> buffers;
  for (const Param& p : kernel.params)
    if (p.role != Param::Role::scalar) buffers.insert(p.name);
  const Names first = names_of(turn.before), in = names_of(turn.body), last = names_of(turn.after);
  return !meet(first.stores, buffers) && !meet(in.reads, before.arrays) && !meet(in.stores, before.arrays) &&
         !meet(first.reads, in.stores) && !meet(last.reads, in.stores) && !meet(last.stores, in.reads);
}

class Unchaining {
 public:
  explicit Unchaining(Kernel kernel) : to_{std::move(kernel)}, arena_(*to_.kernel.arena) {}

  Distributed run() {
    const Block phases = std::exchange(to_.kernel.body, {});
    for (std::size_t p = 0; p < phases.size(); ++p) {
      number_ = static_cast<std::int32_t>(p);
      const std::optional<Turn> turn = turn_of(phases[p]);
      const std::optional<Before> before = turn ? std::optional(before_of(to_.kernel, *turn)) : std::nullopt;
      if (turn && comes_apart(to_.kernel, *turn, *before))
        take_apart(*turn, *before);
      else
        append(phases[p], number_);
    }
    return std::move(to_);
  }

 private:
  void append(Stm phase, std::int32_t tasks_of) {
    to_.kernel.body.push_back(std::move(phase));
    to_.tasks_of.push_back(tasks_of);
    to_.marks.emplace_back();
  }
  void append_fresh(Par phase, std::int32_t tasks_of) {
    append(refresh(arena_, {{std::move(phase)}}).front(), tasks_of);
  }

  // An array of the engine's own with an element a task.
  Var own(Var like) {
    const VarInfo& info = arena_.info(like);
    return to_.add_own(info.type.kind, info.name + "_of", {.tasks_of = number_});
  }
  using VarInfo = scalar::VarInfo;

  Stm load(Var name, Var array, Var task) {
    return {Load{name, {array, arena_.name(task), arena_.i64(1), {}}}};
  }
  Stm store(Var array, Var task, Expr value) {
    return {Store{{array, arena_.name(task), arena_.i64(1), {}}, value}};
  }
  Expr fresh(Var like) { return arena_.fresh(arena_.info(like).type, arena_.info(like).name); }

  void take_apart(const Turn& turn, const Before& before) {
    const Names in = names_of(turn.body);
    struct Kept {
      Var name, array;
    };
    std::vector<Kept> given, made;  // to the turn, and by it
    for (const Var v : in.reads)
      if (before.names.contains(v) && !before.is_pure(v)) given.push_back({v, own(v)});
    for (const Var v : in.assigns)
      if (before.variables.contains(v)) made.push_back({v, own(v)});

    Par first = turn.par;
    first.body = turn.before;
    for (const Kept& k : given) first.body.push_back(store(k.array, first.name, arena_.name(k.name)));
    append_fresh(std::move(first), number_);

    Block body;
    for (const Let& let : before.pure) body.push_back({let});
    std::set<Var> declared;
    for (const Kept& k : given) {
      const bool is_variable = before.variables.contains(k.name);
      const Expr loaded = is_variable ? fresh(k.name) : arena_.name(k.name);
      body.push_back(load(loaded.var(), k.array, turn.par.name));
      if (!is_variable) continue;
      body.push_back({Declare{k.name, loaded}});
      declared.insert(k.name);
    }
    for (const Kept& k : made)
      if (!declared.contains(k.name))
        body.push_back({Declare{k.name, arena_.constant(arena_.info(k.name).type.kind, 0)}});
    body.insert(body.end(), turn.body.begin(), turn.body.end());
    for (const Kept& k : made) body.push_back(store(k.array, turn.par.name, arena_.name(k.name)));
    const Expr n = arena_.fresh({Kind::i64}, "n");
    const Expr zero = arena_.i64(0), one = arena_.i64(1);
    append_fresh({Level::grid,
                  arena_.fresh({Kind::i64}, "one").var(),
                  one,
                  {{Let{n.var(), turn.par.n}}, {For{turn.par.name, zero, n, one, std::move(body)}}}},
                 -1);

    Par last = turn.par;
    last.body = turn.before;
    std::unordered_map<Var, Expr> loaded;
    for (const Kept& k : made) {
      const Expr value = fresh(k.name);
      last.body.push_back(load(value.var(), k.array, last.name));
      last.body.push_back({Assign{k.name, value, {}}});
    }
    for (const Kept& k : given) {
      if (before.variables.contains(k.name)) continue;
      loaded[k.name] = fresh(k.name);
      last.body.push_back(load(loaded[k.name].var(), k.array, last.name));
    }
    const Block after = substitute(arena_, turn.after, loaded);
    last.body.insert(last.body.end(), after.begin(), after.end());
    append_fresh(std::move(last), number_);
  }

  Distributed to_;
  Arena& arena_;
  std::int32_t number_ = 0;
};

}  // namespace

Distributed unchain(Kernel kernel) {
  return Unchaining(std::move(kernel)).run();
}

}  // namespace fulgurite::distribute
