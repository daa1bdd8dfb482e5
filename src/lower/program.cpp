#include "base/check.h"
#include "base/match.h"
#include "lower/combinator.h"
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

bool has_soac(const soac::Lambda& f) {
  for (const soac::Stm& s : f.body) {
    if (std::holds_alternative<soac::Soac>(s.op)) return true;
    if (auto* branch = std::get_if<soac::If>(&s.op);
        branch && (has_soac(branch->then_branch) || has_soac(branch->else_branch)))
      return true;
    if (auto* loop = std::get_if<soac::Loop>(&s.op);
        loop && (has_soac(loop->condition) || has_soac(loop->body)))
      return true;
  }
  return false;
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
          s.op, [&](const soac::Soac&) { combinator(launches_, s); },
          [](const soac::Scan&) { FULGURITE_CHECK(false, "a Scan outside a Soac"); },
          [&](const soac::If& op) { conditional(s, op); }, [&](const soac::Loop& op) { loop(s, op); },
          [&](const soac::Check& op) {
            if (!launches_.options().checks) return;
            plan::Slot condition = value(op.condition);
            std::vector<plan::Slot> operands;
            for (Expr e : op.operands) operands.push_back(value(e));
            host_.append(plan::Check{condition, op.site, std::move(operands)});
          });
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
                     {0, std::move(origin), std::move(where), {}, {}});
    return launches_.fetch(outputs);
  }

  void bind_results(const soac::Stm& s, std::span<const plan::Slot> slots) {
    for (std::size_t k = 0; k < s.names.size(); ++k) host_.bind(s.names[k], slots[k]);
  }

  // Branches and loops that hold combinators are control flow of the plan; others are a kernel of one task.
  void conditional(const soac::Stm& s, const soac::If& op) {
    if (!has_soac(op.then_branch) && !has_soac(op.else_branch)) return scalar_statement(s);
    plan::Slot condition = value(op.condition);
    std::vector<plan::Slot> results;
    for (std::size_t k = 0; k < s.names.size(); ++k) results.push_back(host_.fresh_slot());
    auto branch = [&](const soac::Lambda& f) {
      return host_.steps([&] {
        statements(f.body);
        for (std::size_t k = 0; k < results.size(); ++k)
          host_.append(plan::Copy{results[k], value(f.results[k])});
      });
    };
    plan::Steps yes = branch(op.then_branch), no = branch(op.else_branch);
    host_.append(plan::If{condition, std::move(yes), std::move(no)});
    bind_results(s, results);
  }

  void loop(const soac::Stm& s, const soac::Loop& op) {
    if (!has_soac(op.condition) && !has_soac(op.body)) return scalar_statement(s);
    std::vector<plan::Slot> state;
    for (Expr initial : op.initial) {
      state.push_back(host_.fresh_slot());
      host_.append(plan::Copy{state.back(), value(initial)});
    }
    plan::Slot counter = -1, trips = -1, one = -1;
    if (op.trips) {
      counter = host_.fresh_slot();
      host_.append(plan::Copy{counter, host_.slot(i64(0))});
      trips = value(op.trips), one = host_.slot(i64(1));
      host_.bind(op.body.params[0], counter);
    } else {
      for (std::size_t k = 0; k < state.size(); ++k) host_.bind(op.condition.params[k], state[k]);
    }
    for (std::size_t k = 0; k < state.size(); ++k)
      host_.bind(op.body.params[k + (op.trips ? 1 : 0)], state[k]);
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
      std::vector<plan::Slot> next;
      for (Expr result : op.body.results) {  // all before any is overwritten
        next.push_back(host_.fresh_slot());
        host_.append(plan::Copy{next.back(), value(result)});
      }
      for (std::size_t k = 0; k < state.size(); ++k) host_.append(plan::Copy{state[k], next[k]});
      if (op.trips) host_.append(plan::Compute{Op::add, Kind::i64, Kind::i64, counter, counter, one, one, 0});
    });
    host_.append(plan::While{std::move(head), condition, std::move(body)});
    bind_results(s, state);
  }

  void scalar_statement(const soac::Stm& s) {
    std::vector<Expr> results;
    for (Var name : s.names) results.push_back(arena_.name(name));
    bind_results(s, scalars({s}, results, s.origin, s.where));
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
