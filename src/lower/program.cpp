#include <algorithm>

#include "base/check.h"
#include "base/match.h"
#include "lower/block_loop.h"
#include "lower/host.h"
#include "lower/lift.h"
#include "lower/lower.h"
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
        arena_(*program.arena),
        options_(options),
        sizes_(program),
        host_(arena_, lowered_.plan) {}

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
          s.op, [&](const soac::Soac& op) { combinator(s, op); },
          [](const soac::Scan&) { FULGURITE_CHECK(false, "a Scan outside a Soac"); },
          [&](const soac::If& op) { conditional(s, op); }, [&](const soac::Loop& op) { loop(s, op); },
          [&](const soac::Check& op) {
            if (!options_.checks) return;
            plan::Slot condition = value(op.condition);
            std::vector<plan::Slot> operands;
            for (Expr e : op.operands) operands.push_back(value(e));
            host_.append(plan::Check{condition, op.site, std::move(operands)});
          });
  }

  // Scalar statements and expressions as a kernel of one task; results come back to slots.
  std::vector<plan::Slot> scalars(const std::vector<soac::Stm>& body, std::span<const Expr> results,
                                  std::string origin, soac::Location where) {
    Emitter e(arena_, options_.checks);
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
    for (Var output : outputs) allocate(output);
    launch("scalar", e, std::move(phases), {i64(1)}, i64(0), i64(0),
           {0, std::move(origin), std::move(where), {}, {}});
    return fetch(outputs);
  }

  void allocate(Var array) {
    plan::Place place = host_.fresh_place();
    const scalar::VarInfo& info = arena_.info(array);
    host_.append(plan::Allocate{place, info.type.kind, host_.slots(info.shape)});
    host_.bind_place(array, place);
  }

  std::vector<plan::Slot> fetch(std::span<const Var> arrays) {
    std::vector<plan::Slot> slots;
    for (Var array : arrays) {
      slots.push_back(host_.fresh_slot());
      host_.append(plan::Fetch{slots.back(), host_.place(array), arena_.info(array).type.kind});
    }
    return slots;
  }

  void launch(std::string name, const Emitter& e, kernel::Block phases, std::vector<Expr> tasks,
              Expr bytes_read, Expr bytes_written, LaunchNote note) {
    kernel::Kernel kernel{std::move(name), program_.arena, {}, std::move(phases)};
    plan::Launch launch{static_cast<std::int32_t>(lowered_.kernels.size()), {}, {}, {}};
    for (const Emitter::FreeBuffer& buffer : e.free_buffers()) {
      kernel.params.push_back(buffer.param);
      launch.buffers.push_back(host_.place(buffer.array));
    }
    for (Var scalar : e.free_scalars()) {
      kernel.params.push_back({scalar, kernel::Param::Role::scalar});
      launch.scalars.push_back(host_.slot(arena_.name(scalar)));
    }
    launch.tasks = host_.slots(tasks);
    launch.bytes_read = host_.slot(bytes_read);
    launch.bytes_written = host_.slot(bytes_written);
    note.kernel = launch.kernel;
    note.sequential = e.sequential();
    note.bytes_read = bytes_read;
    note.bytes_written = bytes_written;
    lowered_.plan.kernels.push_back({kernel.name, static_cast<std::int32_t>(tasks.size()), {}});
    lowered_.kernels.push_back(std::move(kernel));
    lowered_.notes.push_back(std::move(note));
    host_.append(std::move(launch));
  }

  Expr product(std::span<const Expr> factors) {
    Expr all = i64(1);
    for (Expr factor : factors) all = arena_.mul(all, factor);
    return all;
  }
  Expr ceil_div(Expr a, Expr b) { return arena_.div(arena_.sub(arena_.add(a, b), i64(1)), b); }
  Expr bytes(Var array) {
    const scalar::VarInfo& info = arena_.info(array);
    return arena_.mul(product(info.shape), i64(static_cast<std::int64_t>(size_of(info.type.kind))));
  }

  // How the space is cut into tasks: from sizes only, never from the number of threads.
  struct Grid {
    Expr rows, columns;         // of the space as loops see it
    Expr rows_per_task, tiles;  // tiles: tasks that share a row
    Expr tasks;
  };
  Grid grid(const soac::Soac& op, const Policy& policy, std::span<const soac::Stm> inner) {
    Grid g;
    Expr tile = i64(policy.tile);
    if (policy.rows) {  // whole rows; as many a task as make a tile, where the inner length is known to the
                        // host
      g.rows = product(op.dims);
      Expr length = i64(1);
      for (const soac::Stm& s : inner)
        if (auto* soac = std::get_if<soac::Soac>(&s.op); soac && known_outside(soac->dims))
          length = arena_.max(length, product(soac->dims));
      g.columns = length;
      g.rows_per_task = arena_.max(arena_.div(tile, length), i64(1));
      g.tiles = i64(1);
      g.tasks = ceil_div(g.rows, g.rows_per_task);
      return g;
    }
    if (op.dims.size() == 1 || policy.linear) {
      g.rows = g.rows_per_task = i64(1);
      g.columns = product(op.dims);
      g.tiles = g.tasks = ceil_div(g.columns, tile);
      return g;
    }
    g.rows = product(std::span(op.dims).first(op.dims.size() - 1));
    g.columns = op.dims.back();
    g.rows_per_task = arena_.max(arena_.div(tile, arena_.max(g.columns, i64(1))), i64(1));
    g.tiles = ceil_div(g.columns, tile);
    g.tasks = arena_.mul(ceil_div(g.rows, g.rows_per_task), g.tiles);
    return g;
  }

  bool known_outside(std::span<const Expr> expressions) {
    bool known = true;
    scalar::for_each_node(
        expressions, [&](Expr e) { known &= e.op() != Op::index && (!e.is_name() || host_.knows(e.var())); });
    return known;
  }

  void combinator(const soac::Stm& original, const soac::Soac&) {
    soac::Stm s = lift_missing_neutral(arena_, original);
    const auto& op = std::get<soac::Soac>(s.op);
    Policy policy = choose(arena_, op, sizes_, options_.target);
    Grid g = grid(op, policy, op.body.body);

    std::size_t n_totals = 0;
    for (const soac::Reduction& r : op.reductions) n_totals += r.neutral.size();
    std::vector<Var> arrays(s.names.begin() + static_cast<std::ptrdiff_t>(n_totals), s.names.end()), partials,
        outputs;
    for (const soac::Reduction& r : op.reductions)
      for (Expr neutral : r.neutral) {
        partials.push_back(arena_.fresh_array(neutral.kind(), {g.tasks}, "partial").var());
        outputs.push_back(arena_.fresh_array(neutral.kind(), {i64(1)}, "total").var());
      }
    Expr written = i64(0), touched = i64(0);
    for (Var array : arrays) written = arena_.add(written, bytes(array));
    soac::Vars mentioned;
    soac::add_mentioned(s, mentioned);
    std::vector<Var> inputs;
    for (Var name : mentioned)
      if (arena_.info(name).type.rank > 0 && host_.has_place(name)) inputs.push_back(name);
    std::sort(inputs.begin(), inputs.end());
    touched = written;
    for (Var array : inputs) touched = arena_.add(touched, bytes(array));

    Emitter e(arena_, options_.checks);
    LaunchNote note{0, s.origin, s.where, policy, {}};
    note.names = original.names;
    kernel::Block phases = e.block([&] {
      for (Var array : arrays) e.set_destination(array, {array, {}});
      e.par(Level::grid, g.tasks, "task", [&](Expr task) {
        if (!arrays.empty()) e.set_streaming(e.lower(arena_.lt(i64(policy.streaming), touched)));
        std::vector<Expr> totals =
            policy.rows ? row_loop(e, s, g, policy, task) : tile_loop(e, s, g, policy, task);
        for (std::size_t k = 0; k < totals.size(); ++k) e.store_plain(partials[k], task, totals[k]);
      });
      if (n_totals > 0)
        e.par(Level::grid, i64(1), "last", [&](Expr) { combine(e, s, g, policy, partials, outputs); });
    });

    for (Var array : arrays) allocate(array);
    for (Var array : partials) allocate(array);
    for (Var array : outputs) allocate(array);
    Expr read = i64(0);
    for (const Emitter::FreeBuffer& buffer : e.free_buffers())
      if (buffer.param.role == kernel::Param::Role::input) read = arena_.add(read, bytes(buffer.array));
    std::vector<Expr> tasks{g.tasks};
    if (n_totals > 0) tasks.push_back(i64(1));
    launch(n_totals == 0    ? "map"
           : arrays.empty() ? "reduce"
                            : "redomap",
           e, std::move(phases), std::move(tasks), read, written, std::move(note));
    std::vector<plan::Slot> slots = fetch(outputs);
    for (std::size_t k = 0; k < n_totals; ++k) host_.bind(s.names[k], slots[k]);
  }

  std::vector<Expr> tile_loop(Emitter& e, const soac::Stm& s, const Grid& g, const Policy& policy,
                              Expr task) {
    Expr tile = i64(policy.tile);
    Range range;
    if (g.rows.is_constant(1)) {
      range.first_row = i64(0);  // read where the space has more than one axis
      range.last_row = i64(1);
      range.begin = e.lower(arena_.mul(task, tile));
    } else {
      Expr block = e.lower(arena_.div(task, g.tiles));
      range.first_row = e.lower(arena_.mul(block, g.rows_per_task));
      range.last_row = e.lower(arena_.min(arena_.add(range.first_row, g.rows_per_task), g.rows));
      range.begin = e.lower(arena_.mul(arena_.rem(task, g.tiles), tile));
    }
    range.end = e.lower(arena_.min(arena_.add(range.begin, tile), g.columns));
    return block_loop(e, s, range, policy);
  }

  // for (row of the task) { the body in scalar code; combinators in it as vector loops }
  std::vector<Expr> row_loop(Emitter& e, const soac::Stm& s, const Grid& g, const Policy& policy, Expr task) {
    const auto& op = std::get<soac::Soac>(s.op);
    auto accumulators = e.start(op);
    Expr first = e.lower(arena_.mul(task, g.rows_per_task));
    Expr last = e.lower(arena_.min(arena_.add(first, g.rows_per_task), g.rows));
    e.on_soac = [&](const soac::Stm& inner) { return inner_combinator(e, inner, policy); };
    e.for_loop(first, last, i64(1), "row", [&](Expr row) {
      std::vector<Expr> indices(op.dims.size());
      Expr rest = row;
      for (std::size_t d = indices.size(); d-- > 1;) {
        indices[d] = e.lower(arena_.rem(rest, op.dims[d]));
        rest = e.lower(arena_.div(rest, op.dims[d]));
      }
      indices[0] = rest;
      e.set_element(row);
      e.point(s, indices, row, accumulators);
    });
    e.on_soac = nullptr;
    std::vector<Expr> totals;
    for (const auto& group : accumulators)
      for (Expr variable : group) totals.push_back(e.snapshot(variable, "total"));
    return totals;
  }

  bool inner_combinator(Emitter& e, const soac::Stm& original, const Policy& outer) {
    soac::Stm s = lift_missing_neutral(arena_, original);
    const auto& op = std::get<soac::Soac>(s.op);
    Policy policy = choose(arena_, op, sizes_, options_.target);
    policy.streaming = outer.streaming;
    Range range;
    if (op.dims.size() > 1 && !policy.linear) {
      range.first_row = i64(0);
      range.last_row = e.lower(product(std::span(op.dims).first(op.dims.size() - 1)));
    }
    range.begin = i64(0);
    range.end = e.lower(policy.linear ? product(op.dims) : op.dims.back());
    e.finish(s, block_loop(e, s, range, policy));
    return true;
  }

  // The partial results of the tasks, joined in order of the tasks: a reduction over arrays of them.
  void combine(Emitter& e, const soac::Stm& s, const Grid& g, const Policy& policy,
               std::span<const Var> partials, std::span<const Var> outputs) {
    const auto& op = std::get<soac::Soac>(s.op);
    soac::Stm last{{}, soac::Soac{{g.tasks}, {}, op.reductions}, s.where, s.origin};
    auto& over = std::get<soac::Soac>(last.op);
    Expr i = arena_.fresh({Kind::i64}, "i");
    over.body.params = {i.var()};
    for (Var partial : partials)
      over.body.results.push_back(arena_.index(arena_.name(partial), std::span(&i, 1)));
    for (Expr result : over.body.results) last.names.push_back(arena_.fresh(result.type(), "total").var());
    Policy few = policy;
    few.linear = few.rows = false;
    few.lanes = few.tail_lanes = 1;  // so few values that the time to compile vector code counts more
    e.set_streaming({});
    e.finish(last, block_loop(e, last, {{}, {}, i64(0), e.lower(g.tasks)}, few));
    for (std::size_t k = 0; k < outputs.size(); ++k)
      e.store_plain(outputs[k], i64(0), e.lower(arena_.name(last.names[k])));
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
  scalar::Arena& arena_;
  const Options& options_;
  soac::EqualSizes sizes_;
  Lowered lowered_;
  Host host_;
};

}  // namespace

Lowered lower(const soac::Program& program, const Options& options) {
  return ProgramLowering(program, options).run();
}

}  // namespace fulgurite::lower
