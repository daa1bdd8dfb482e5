#include <algorithm>

#include "base/check.h"
#include "base/match.h"
#include "lower/call.h"
#include "lower/combinator.h"
#include "lower/gpu/combinator.h"
#include "plan/memory.h"
#include "soac/walk.h"

namespace fulgurite::lower {

namespace {

using kernel::Level;

bool reads_memory(Expr root) {
  bool reads = false;
  scalar::for_each_node(std::span(&root, 1), [&](Expr e) { reads |= e.op() == Op::index; });
  return reads;
}

std::vector<Expr> roots_and_results(const soac::Stm& s) {
  std::vector<Expr> all = soac::roots_of(s);
  for (const auto& nested : soac::nested_in(s))
    all.insert(all.end(), nested.lambda->results.begin(), nested.lambda->results.end());
  return all;
}

// Makes an array or runs a combinator; other statements are scalar code.
bool needs_plan(const soac::Stm& s) {
  if (base::as<soac::Soac>(s.op) || base::as<soac::Call>(s.op)) return true;
  for (const auto& nested : soac::nested_in(s))
    if (std::ranges::any_of(nested.lambda->body, needs_plan)) return true;
  return std::ranges::any_of(roots_and_results(s), [](Expr e) { return e.type().rank > 0; });
}

class ProgramLowering {
 public:
  ProgramLowering(const soac::Program& program, const Options& options)
      : program_(program),
        launches_(program, options),
        arena_(launches_.arena()),
        lowered_(launches_.lowered()),
        host_(launches_.host()) {}

  Lowered run() {
    plan::Plan& plan = lowered_.plan;
    plan.name = program_.name;
    for (Var param : program_.params) parameter(param);
    statements(program_.body);
    for (Expr result : program_.results) {
      scalar::Type type = result.type();
      if (type.rank > 0)
        plan.results.push_back({type.kind, type.rank, -1, host_.place(result.var())});
      else
        plan.results.push_back({type.kind, 0, value(result), -1});
    }
    lowered_.plan = plan::release_after_last_use(std::move(plan));
    return std::move(lowered_);
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }

  void parameter(Var param) {
    const scalar::VarInfo& info = arena_.info(param);
    plan::Param entry{info.type.kind, info.type.rank, lowered_.plan.n_slots, -1};
    if (info.type.rank == 0) {
      host_.bind(param, host_.fresh_slot());
    } else {
      for (Expr extent : info.shape) host_.bind(extent.var(), host_.fresh_slot());
      host_.bind_place(param, entry.place = host_.fresh_place());
    }
    lowered_.plan.params.push_back(entry);
  }

  // A scalar of the host: computed there, or by a one-task kernel where it reads an array.
  plan::Slot value(Expr e) {
    if (!reads_memory(e)) return host_.slot(e);
    return scalars({}, std::span(&e, 1), "index", {})[0];
  }

  void statements(const std::vector<soac::Stm>& body) {
    for (const soac::Stm& s : body)
      base::match(
          s.op,
          [&](const soac::Soac&) {
            launches_.options().schedule == Schedule::blocks ? gpu::combinator(launches_, s)
                                                             : combinator(launches_, s);
          },
          [](const soac::Scan&) { FULGURITE_CHECK(false, "a Scan outside a Soac"); },
          [&](const soac::If& op) { conditional(s, op); }, [&](const soac::Loop& op) { loop(s, op); },
          [&](const soac::Check& op) {
            if (!launches_.options().checks) return;
            plan::Slot condition = value(op.condition);
            std::vector<plan::Slot> operands;
            for (Expr e : op.operands) operands.push_back(value(e));
            host_.append(plan::Check{condition, op.site, std::move(operands)});
          },
          [&](const soac::Call& op) { call(launches_, s, op); });
  }

  // Scalar statements and expressions as a kernel of one task; results come back to slots.
  std::vector<plan::Slot> scalars(const std::vector<soac::Stm>& body, std::span<const Expr> results,
                                  std::string origin, soac::Location where) {
    Emitter e = launches_.emitter();
    std::vector<Var> outputs;
    e.set_element(i64(0));
    kernel::Block phases = e.block([&] {
      e.par(Level::grid, i64(1), "task", [&](Expr) {
        e.statements(body);
        for (Expr result : results) {
          Expr output = arena_.fresh_array(result.kind(), {i64(1)}, "out");
          outputs.push_back(output.var());
          e.store({output.var(), {}}, i64(0), e.lower(result));
        }
      });
    });
    for (Var output : outputs) launches_.allocate(output);
    const std::vector<Expr> tasks{i64(1)};
    launches_.launch("scalar", e, std::move(phases), tasks, i64(0), i64(0),
                     {0, std::move(origin), std::move(where), {}, {}, {}, i64(0), i64(0)});
    return launches_.fetch(outputs);
  }

  // Where an array is, or the slot of a scalar.
  struct Held {
    plan::Slot slot = -1;
    plan::Place place = -1;
  };
  Held fresh(Expr e) {
    if (e.type().rank > 0) return {-1, host_.fresh_place()};
    return {host_.fresh_slot(), -1};
  }
  void bind(Var name, const Held& held) {
    if (held.place >= 0)
      host_.bind_place(name, held.place);
    else
      host_.bind(name, held.slot);
  }
  void move(const Held& to, const Held& from) {
    if (to.place >= 0)
      host_.append(plan::Share{to.place, from.place});
    else
      host_.append(plan::Copy{to.slot, from.slot});
  }
  // Those that read arrays by one kernel.
  std::vector<Held> values(std::span<const Expr> all) {
    std::vector<Expr> reading;
    for (Expr e : all)
      if (e.type().rank == 0 && reads_memory(e)) reading.push_back(e);
    std::vector<plan::Slot> read;
    if (!reading.empty()) read = scalars({}, reading, "index", {});
    std::size_t next = 0;
    std::vector<Held> held;
    for (Expr e : all)
      if (e.type().rank > 0)
        held.push_back({-1, host_.place(e.var())});
      else
        held.push_back({reads_memory(e) ? read[next++] : host_.slot(e), -1});
    return held;
  }

  // Branches and loops that hold combinators or arrays are control flow of the plan; others are a kernel of
  // one task.
  void conditional(const soac::Stm& s, const soac::If& op) {
    if (!needs_plan(s)) return scalar_statement(s);
    plan::Slot condition = value(op.condition);
    std::vector<Held> results;
    for (Expr result : op.then_branch.results) results.push_back(fresh(result));
    auto branch = [&](const soac::Lambda& f) {
      return host_.steps([&] {
        statements(f.body);
        const std::vector<Held> given = values(f.results);
        for (std::size_t k = 0; k < results.size(); ++k) move(results[k], given[k]);
      });
    };
    plan::Steps yes = branch(op.then_branch), no = branch(op.else_branch);
    host_.append(plan::If{condition, std::move(yes), std::move(no)});
    for (std::size_t k = 0; k < results.size(); ++k) bind(s.names[k], results[k]);
  }

  // The state's arrays have places of their own, which change hands: no element moves.
  void loop(const soac::Stm& s, const soac::Loop& op) {
    if (!needs_plan(s)) return scalar_statement(s);
    const std::vector<Held> initial = values(op.initial);
    std::vector<Held> state;
    for (std::size_t k = 0; k < initial.size(); ++k) {
      state.push_back(fresh(op.initial[k]));
      move(state[k], initial[k]);
    }
    plan::Slot counter = -1, trips = -1, one = -1;
    if (op.trips) {
      counter = host_.fresh_slot();
      host_.append(plan::Copy{counter, host_.slot(i64(0))});
      trips = value(op.trips), one = host_.slot(i64(1));
      host_.bind(op.body.params[0], counter);
    } else {
      for (std::size_t k = 0; k < state.size(); ++k) bind(op.condition.params[k], state[k]);
    }
    for (std::size_t k = 0; k < state.size(); ++k) bind(op.body.params[k + (op.trips ? 1 : 0)], state[k]);
    plan::Slot condition = host_.fresh_slot();
    plan::Steps head = host_.steps([&] {
      if (op.trips) {
        host_.append(plan::Compute{Op::lt, Kind::i64, Kind::boolean, condition, counter, trips, trips, 0});
      } else {
        statements(op.condition.body);
        host_.append(plan::Copy{condition, value(op.condition.results[0])});
      }
    });
    plan::Steps body = host_.steps([&] {
      statements(op.body.body);
      std::vector<Held> next;
      const std::vector<Held> given = values(op.body.results);
      for (std::size_t k = 0; k < given.size(); ++k) {  // all before any is overwritten
        next.push_back(fresh(op.initial[k]));
        move(next[k], given[k]);
      }
      for (std::size_t k = 0; k < state.size(); ++k) move(state[k], next[k]);
      if (op.trips) host_.append(plan::Compute{Op::add, Kind::i64, Kind::i64, counter, counter, one, one, 0});
    });
    host_.append(plan::While{std::move(head), condition, std::move(body)});
    for (std::size_t k = 0; k < state.size(); ++k) bind(s.names[k], state[k]);
  }

  void scalar_statement(const soac::Stm& s) {
    std::vector<Expr> results;
    for (Var name : s.names) results.push_back(arena_.name(name));
    const std::vector<plan::Slot> slots = scalars({s}, results, s.origin, s.where);
    for (std::size_t k = 0; k < s.names.size(); ++k) host_.bind(s.names[k], slots[k]);
  }

  const soac::Program& program_;
  Launches launches_;
  scalar::Arena& arena_;
  Lowered& lowered_;
  Host& host_;
};

}  // namespace

Lowered lower(const soac::Program& program, const Options& options) {
  return ProgramLowering(program, options).run();
}

}  // namespace fulgurite::lower
