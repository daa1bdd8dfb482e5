#include <algorithm>

#include "base/check.h"
#include "base/match.h"
#include "lower/call.h"
#include "lower/initials.h"
#include "lower/launch.h"
#include "lower/sorted_rows.h"
#include "plan/invariants.h"
#include "plan/memory.h"
#include "schedule/rewrites/levels.h"
#include "schedule/rewrites/radix.h"
#include "soac/room.h"
#include "soac/walk.h"
#include "walk/control.h"

namespace fulgurite::lower {

namespace {

using ::fulgurite::schedule::by_digits, ::fulgurite::schedule::into_rows, ::fulgurite::schedule::is_one_digit,
    ::fulgurite::schedule::Rows;
using kernel::Level;

class ProgramLowering {
 public:
  ProgramLowering(soac::Program program, const Options& options)
      : program_(soac::with_room_sites(guard_initials(std::move(program)))),
        launches_(program_, options),
        arena_(launches_.arena()),
        lowered_(launches_.lowered()),
        host_(launches_.host()) {
    if (!has_blocks()) return;
    producers_ = window_producers(program_, options);
    for (const auto& [array, producer] : producers_) lowered_.in_windows.emplace_back(array, producer.reader);
    std::ranges::sort(lowered_.in_windows);
  }

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
    lowered_.plan = plan::release_after_last_use(plan::hoist_invariants(std::move(plan)));
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
    return reads_memory(e) ? launches_.fetch(scalars({}, std::span(&e, 1), "index", {})[0]) : host_.slot(e);
  }

  bool has_blocks() const { return launches_.options().schedule == Schedule::blocks; }

  void statements(const std::vector<soac::Stm>& body) {
    for (const soac::Stm& s : body) {
      launches_.set_line(s.where);
      base::match(
          s.op, [&](const soac::Soac&) { combinator_of(s); },
          [](const soac::Scan&) { FULGURITE_CHECK(false, "a Scan outside a Soac"); },
          [&](const soac::Sort& op) { sort(s, op); }, [&](const soac::If& op) { conditional(s, op); },
          [&](const soac::Loop& op) { loop(s, op); },
          [&](const soac::Check& op) {
            if (!launches_.options().checks) return;
            plan::Slot condition = value(op.condition);
            std::vector<plan::Slot> operands;
            for (Expr e : op.operands) operands.push_back(value(e));
            host_.append(plan::Check{condition, op.site, std::move(operands)});
          },
          [&](const soac::Call& op) { call(launches_, s, op); },
          [&](const soac::Let& op) { host_.bind(s.names[0], value(op.value)); });
    }
  }

  void combinator_of(const soac::Stm& s) {
    if (!producers_.contains(s.names[0])) launch(launches_, s, producers_);
  }

  // Scalar statements and expressions as a kernel of one task; results are element 0 of the arrays.
  std::vector<Var> scalars(const std::vector<soac::Stm>& body, std::span<const Expr> results,
                           std::string origin, soac::Location where) {
    const Emitter e = launches_.emitter().at_element(i64(0));
    std::vector<Var> outputs;
    kernel::Block phases = e.block([&] {
      e.par(Level::grid, i64(1), "task", [&](Expr) {
        walk::statements(e, body);
        for (Expr result : results) {
          Expr output = arena_.fresh_array(result.kind(), {i64(1)}, "out");
          outputs.push_back(output.var());
          e.store({output.var(), {}}, i64(0), e.lower(result));
        }
      });
    });
    for (Var output : outputs) launches_.allocate(output);
    LaunchNote note{};
    note.origin = std::move(origin);
    note.where = std::move(where);
    note.source = std::make_shared<LaunchSource>();
    note.source->stm.op = soac::Soac{{}, {{}, body, {results.begin(), results.end()}}};
    launch_one(e, std::move(phases), "scalar", std::move(note));
    return outputs;
  }

  void launch_one(const Emitter& e, kernel::Block phases, std::string name, LaunchNote note) {
    const std::vector<Expr> tasks{i64(1)};
    note.bytes_read = note.bytes_written = i64(0);
    launches_.launch(std::move(name), e, std::move(phases), tasks, i64(0), i64(0), std::move(note));
  }

  // Where an array is, or a scalar: in a slot, or on the device as element 0 of an array.
  struct Held {
    plan::Slot slot = -1;
    plan::Place place = -1;
  };
  bool is_in_place(Var name) const {
    return arena_.info(name).type.rank > 0 || launches_.device_scalars().contains(name);
  }
  Held fresh(Var name) {
    if (is_in_place(name)) return {-1, host_.fresh_place()};
    return {host_.fresh_slot(), -1};
  }
  void bind(Var name, const Held& held) {
    const scalar::VarInfo info = arena_.info(name);
    if (held.place < 0) {
      host_.bind(name, held.slot);
    } else if (info.type.rank > 0) {
      host_.bind_place(name, held.place);
    } else {
      const Var array = arena_.fresh_array(info.type.kind, {i64(1)}, info.name).var();
      host_.bind_place(array, held.place);
      host_.bind_on_device(name, array);
    }
  }
  void move(const Held& to, const Held& from) {
    if (to.place >= 0)
      host_.append(plan::Share{to.place, from.place});
    else
      host_.append(plan::Copy{to.slot, from.slot});
  }
  // What the names will be. What has to be computed on the device is by one kernel.
  std::vector<Held> values(std::span<const Expr> all, std::span<const Var> names) {
    std::vector<Held> held(all.size());
    std::vector<Expr> computed;
    std::vector<std::size_t> numbers;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Expr e = all[k];
      const bool is_scalar = e.type().rank == 0, stays = is_scalar && is_in_place(names[k]);
      if (!is_scalar) {
        held[k].place = host_.place(e.var());
      } else if (const auto array = e.is_name() ? host_.on_device(e.var()) : std::nullopt; stays && array) {
        held[k].place = host_.place(*array);
      } else if (stays || reads_memory(e)) {
        computed.push_back(e);
        numbers.push_back(k);
      } else {
        held[k].slot = host_.slot(e);
      }
    }
    if (computed.empty()) return held;
    const std::vector<Var> arrays = scalars({}, computed, "index", {});
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      Held& to = held[numbers[i]];
      if (is_in_place(names[numbers[i]]))
        to.place = host_.place(arrays[i]);
      else
        to.slot = launches_.fetch(arrays[i]);
    }
    return held;
  }

  void sort(const soac::Stm& s, const soac::Sort& op) {
    const std::size_t n_notes = lowered_.notes.size();
    if (has_blocks() || is_one_digit(op))
      statements({by_digits(arena_, s)});
    else
      sort_by_rows(s, op);
    for (std::size_t k = n_notes; k < lowered_.notes.size(); ++k)
      lowered_.notes[k].names.insert(lowered_.notes[k].names.end(), s.names.begin(), s.names.end());
  }

  void steps(const std::vector<Rows::Step>& list) {
    for (const Rows::Step& step : list) {
      const std::size_t n_notes = lowered_.notes.size();
      statements({step.stm});
      for (std::size_t k = n_notes; k < lowered_.notes.size(); ++k) {
        lowered_.notes[k].bytes_read = step.read;
        lowered_.notes[k].bytes_written = step.written;
        lowered_.notes[k].origin = step.origin;
      }
    }
  }

  // if (many) { survey; if (fit) by_rows else by_digits }
  // if (not by digits) sorted_rows
  void sort_by_rows(const soac::Stm& s, const soac::Sort& op) {
    const ::fulgurite::schedule::LanesPolicy& by = launches_.options().lanes;
    const Rows rows = into_rows(arena_, s, by);
    const Expr n = arena_.info(s.names[0]).shape[0];
    const Var sorted = arena_.fresh({Kind::boolean}, "sorted").var();
    std::vector<Var> names{rows.offsets.var(), rows.longest.var(), sorted};
    for (Expr array : rows.arrays) names.push_back(array.var());
    std::vector<Held> state;
    for (Var name : names) state.push_back(fresh(name));
    const auto leave = [&](const std::vector<Expr>& arrays, Expr longest, bool are_sorted) {
      std::vector<Expr> all{rows.offsets, longest, arena_.boolean(are_sorted)};
      all.insert(all.end(), arrays.begin(), arrays.end());
      const std::vector<Held> given = values(all, names);
      for (std::size_t k = 0; k < state.size(); ++k) move(state[k], given[k]);
    };
    plan::Steps few = host_.steps([&] {
      launches_.allocate(rows.offsets.var());  // there is one row
      leave(op.arrays, n, false);
    });
    plan::Steps many = host_.steps([&] {
      steps(rows.survey);
      const plan::Slot fit = value(rows.fit);
      plan::Steps by_digits = host_.steps([&] {
        steps(rows.by_digits);
        std::vector<Expr> results;
        for (Var name : s.names) results.push_back(arena_.name(name));
        launches_.allocate(rows.offsets.var());  // there are no rows
        leave(results, i64(0), true);
      });
      plan::Steps by_rows = host_.steps([&] {
        steps(rows.by_rows);
        leave(rows.arrays, rows.longest, false);
      });
      host_.append(plan::If{fit, std::move(by_rows), std::move(by_digits)});
    });
    host_.append(plan::If{host_.slot(rows.are_many), std::move(many), std::move(few)});
    for (std::size_t k = 0; k < state.size(); ++k) bind(names[k], state[k]);

    std::vector<Held> results;
    for (Var name : s.names) results.push_back(fresh(name));
    const auto deliver = [&](std::span<const Held> from) {
      for (std::size_t k = 0; k < results.size(); ++k) move(results[k], from[k]);
    };
    plan::Steps are_there = host_.steps([&] { deliver(std::span(state).last(results.size())); });
    plan::Steps row_by_row = host_.steps([&] {
      sorted_rows(launches_, s, rows, by);
      std::vector<Held> made;
      for (Var name : s.names) made.push_back({-1, host_.place(name)});
      deliver(made);
    });
    host_.append(plan::If{host_.slot(arena_.name(sorted)), std::move(are_there), std::move(row_by_row)});
    for (std::size_t k = 0; k < results.size(); ++k) bind(s.names[k], results[k]);
  }

  // Branches and loops that hold combinators or arrays are control flow of the plan; others are a kernel of
  // one task.
  void conditional(const soac::Stm& s, const soac::If& op) {
    if (!needs_plan(s)) return scalar_statement(s);
    plan::Slot condition = value(op.condition);
    std::vector<Held> results;
    for (Var name : s.names) results.push_back(fresh(name));
    auto branch = [&](const soac::Lambda& f) {
      return host_.steps([&] {
        statements(f.body);
        const std::vector<Held> given = values(f.results, s.names);
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
    const std::vector<Held> initial = values(op.initial, s.names);
    std::vector<Held> state;
    for (std::size_t k = 0; k < initial.size(); ++k) {
      state.push_back(fresh(s.names[k]));
      move(state[k], initial[k]);
    }
    if (op.trips)
      repeat(s, op, state);
    else if (!converge(s, op, state))
      repeat_while(s, op, state);
    for (std::size_t k = 0; k < state.size(); ++k) bind(s.names[k], state[k]);
  }

  void iteration(const soac::Stm& s, const soac::Loop& op, const std::vector<Held>& state) {
    for (std::size_t k = 0; k < state.size(); ++k) bind(op.body.params[k + (op.trips ? 1 : 0)], state[k]);
    statements(op.body.body);
    std::vector<Held> next;
    const std::vector<Held> given = values(op.body.results, s.names);
    for (std::size_t k = 0; k < given.size(); ++k) {  // all before any is overwritten
      next.push_back(fresh(s.names[k]));
      move(next[k], given[k]);
    }
    for (std::size_t k = 0; k < state.size(); ++k) move(state[k], next[k]);
  }

  void repeat(const soac::Stm& s, const soac::Loop& op, const std::vector<Held>& state) {
    const plan::Slot counter = host_.fresh_slot(), condition = host_.fresh_slot();
    host_.append(plan::Copy{counter, host_.slot(i64(0))});
    const plan::Slot trips = value(op.trips), one = host_.slot(i64(1));
    host_.bind(op.body.params[0], counter);
    plan::Steps head = host_.steps([&] {
      host_.append(plan::Compute{Op::lt, Kind::i64, Kind::boolean, condition, counter, trips, trips, 0});
    });
    plan::Steps body = host_.steps([&] {
      iteration(s, op, state);
      host_.append(plan::Compute{Op::add, Kind::i64, Kind::i64, counter, counter, one, one, 0});
    });
    host_.append(plan::While{std::move(head), condition, std::move(body)});
  }

  void repeat_while(const soac::Stm& s, const soac::Loop& op, const std::vector<Held>& state) {
    const plan::Slot condition = host_.fresh_slot();
    plan::Steps head = host_.steps([&] {
      for (std::size_t k = 0; k < state.size(); ++k) bind(op.condition.params[k], state[k]);
      statements(op.condition.body);
      host_.append(plan::Copy{condition, value(op.condition.results[0])});
    });
    plan::Steps body = host_.steps([&] { iteration(s, op, state); });
    host_.append(plan::While{std::move(head), condition, std::move(body)});
  }

  // A loop whose condition the device makes, if nothing in it has to come to the host. What was lowered for
  // one that turns out to need that is dropped.
  bool converge(const soac::Stm& s, const soac::Loop& op, const std::vector<Held>& state) {
    if (!launches_.device_scalars().needs(op.condition.results[0]) || launches_.guard()) return false;
    const std::size_t n_kernels = lowered_.kernels.size(), n_notes = lowered_.notes.size();
    plan::Steps all = host_.steps([&] {
      const Var flags = arena_.fresh_array(Kind::i32, {i64(2)}, "goes_on").var();
      launches_.allocate(flags);
      launches_.set_guard(flags);
      plan::Steps head = host_.steps([&] {
        for (std::size_t k = 0; k < state.size(); ++k) bind(op.condition.params[k], state[k]);
        statements(op.condition.body);
        condition(s, op.condition.results[0], flags);
      });
      plan::Steps body = host_.steps([&] { iteration(s, op, state); });
      launches_.set_guard({});
      host_.append(plan::Converge{std::move(head), host_.place(flags), std::move(body)});
    });
    const auto& loop = std::get<plan::Converge>(all.back().action);
    if (!runs_ahead(loop.head) || !runs_ahead(loop.body)) {
      lowered_.kernels.resize(n_kernels);
      lowered_.plan.kernels.resize(n_kernels);
      lowered_.notes.resize(n_notes);
      return false;
    }
    for (plan::Step& step : all) host_.append(std::move(step.action));
    return true;
  }

  void condition(const soac::Stm& s, Expr holds, Var flags) {
    const Emitter e = launches_.emitter().at_element(i64(0));
    kernel::Block phases = e.block([&] {
      e.par(Level::grid, i64(1), "task", [&](Expr) {
        const Expr goes_on = e.lower(arena_.cast(holds, Kind::i32));
        const Expr before = e.load_plain(flags, i64(1), "iterations");
        e.store_plain(flags, i64(0), goes_on);
        e.store_plain(flags, i64(1), e.bind(arena_.add(before, goes_on), "iterations"));
      });
    });
    LaunchNote note{};
    note.origin = s.origin;
    note.where = s.where;
    note.converges = true;
    launch_one(e, std::move(phases), "condition", std::move(note));
  }

  bool runs_ahead(const plan::Steps& steps) const {
    return std::ranges::all_of(steps, [&](const plan::Step& step) {
      if (const auto* branch = base::as<plan::If>(step.action))
        return runs_ahead(branch->then_steps) && runs_ahead(branch->else_steps);
      if (const auto* loop = base::as<plan::While>(step.action))
        return runs_ahead(loop->head) && runs_ahead(loop->body);
      if (const auto* launch = base::as<plan::Launch>(step.action))
        return lowered_.kernels[static_cast<std::size_t>(launch->kernel)].guard.has_value();
      return !base::as<plan::Fetch>(step.action) && !base::as<plan::CopyArray>(step.action);
    });
  }

  void scalar_statement(const soac::Stm& s) {
    std::vector<Expr> results;
    for (Var name : s.names) results.push_back(arena_.name(name));
    launches_.bind_scalars(s.names, scalars({s}, results, s.origin, s.where));
  }

  const soac::Program program_;
  Launches launches_;
  scalar::Arena& arena_;
  Lowered& lowered_;
  Host& host_;
  schedule::WindowProducers producers_;
};

}  // namespace

Lowered lower(const soac::Program& program, const Options& options) {
  const bool has_blocks = options.schedule == Schedule::blocks;
  return ProgramLowering(has_blocks ? ::fulgurite::schedule::sort_inside_by_digits(program)
                                    : schedule::split_levels(program),
                         options)
      .run();
}

}  // namespace fulgurite::lower
