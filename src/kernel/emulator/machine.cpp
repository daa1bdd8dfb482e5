// Tasks and warps take turns; where warps meet, the ones that came go on together.
#include "kernel/emulator/machine.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "base/check.h"

namespace fulgurite::kernel::emulator {
namespace {

constexpr std::size_t most_running = 16;  // tasks at a time

}  // namespace

Machine::Machine(const Kernel& kernel, std::span<const BufferArgument> buffers, std::span<const Bits> scalars,
                 const EmulatorOptions& options)
    : kernel_(kernel),
      options_(options),
      program_(flatten(kernel, options.expectations)),
      task_values_(program_.task_slots),
      scratch_(std::size_t{program_.scratch_slots} * warp_size),
      draw_(options.seed) {
  const auto n_buffers =
      static_cast<std::size_t>(std::count_if(kernel.params.begin(), kernel.params.end(),
                                             [](const Param& p) { return p.role != Param::Role::scalar; }));
  FULGURITE_CHECK(buffers.size() == n_buffers && scalars.size() == program_.scalars.size(),
                  "kernel '{}' gets {} buffers and {} scalars", kernel.name, buffers.size(), scalars.size());
  for (std::size_t i = 0; i < scalars.size(); ++i) task_values_[program_.scalars[i].index] = scalars[i];
  for (std::size_t i = 0; i < n_buffers; ++i) {
    arguments_.push_back(buffers[i].bytes);
    are_results_.push_back(buffers[i].is_result);
    const auto same = std::find_if(arguments_.begin(), arguments_.end(), [&](const auto& other) {
      return other.data() == buffers[i].bytes.data() && (!other.empty() || &other == &arguments_.back());
    });
    memory_of_.push_back(static_cast<std::size_t>(same - arguments_.begin()));
  }
  memories_.resize(n_buffers);
  result_.counts.buffers.resize(n_buffers);
  for (std::size_t m = 0; m < n_buffers; ++m) {
    std::size_t grain = 8;
    std::span<std::byte> bytes;
    for (std::size_t i = m; i < n_buffers; ++i) {
      if (memory_of_[i] != m) continue;
      grain = std::min(grain, scalar::size_of(program_.buffers[i].kind));
      if (arguments_[i].size() > bytes.size()) bytes = arguments_[i];
    }
    memories_[m].begin(bytes, grain);
  }
  for (std::size_t i = 0, p = 0; i < n_buffers; ++i, ++p) {
    while (kernel.params[p].role == Param::Role::scalar) ++p;
    if (kernel.params[p].role == Param::Role::input || buffers[i].is_written)
      memories_[memory_of_[i]].own(0, buffers[i].bytes.size(), 1);
  }
}

/// The counts to which statements of a warp add.
StageCounts* Machine::stage() {
  return unit_->warp < 0 ? nullptr : &result_.counts.stages[static_cast<std::size_t>(step_->par)];
}

Emulation Machine::operator()() {
  for (const ParBlock& par : program_.pars) result_.counts.stages.push_back({par.line, par.n});
  for (const Phase& p : program_.phases) {
    if (has_stopped_) break;
    run(p);
  }
  PhaseCounts& total = result_.counts.total;
  for (const PhaseCounts& p : result_.counts.phases) {
    for (const auto member :
         {&PhaseCounts::tasks, &PhaseCounts::global_read, &PhaseCounts::global_written,
          &PhaseCounts::least_read, &PhaseCounts::least_written, &PhaseCounts::transactions,
          &PhaseCounts::least_transactions, &PhaseCounts::bank_conflicts, &PhaseCounts::lane_slots,
          &PhaseCounts::idle_lanes, &PhaseCounts::most_lane_slots, &PhaseCounts::block_barriers,
          &PhaseCounts::warp_barriers})
      total.*member += p.*member;
    total.threads = std::max(total.threads, p.threads);
    total.shared_bytes = std::max(total.shared_bytes, p.shared_bytes);
  }
  if (!has_stopped_ && !result_.failure && findings_.empty()) require_written();
  result_.findings = findings();
  return std::move(result_);
}

/// The first element of each result that nothing has written.
void Machine::require_written() {
  for (std::size_t b = 0; b < are_results_.size(); ++b) {
    if (!are_results_[b]) continue;
    const std::size_t size = scalar::size_of(program_.buffers[b].kind), n = arguments_[b].size() / size;
    const Memory& memory = memories_[memory_of_[b]];
    std::size_t element = 0;
    while (element < n && memory.is_owned(element * size, size, 1)) ++element;
    if (element == n) continue;
    Finding f{Fault::unwritten,
              {},
              {},
              Space::global,
              static_cast<std::int64_t>(element),
              static_cast<std::int64_t>(n)};
    f.act.buffer = kernel_.arena->info(program_.buffers[b].name).name;
    std::uint32_t step = 0;
    for (; step < program_.steps.size(); ++step)
      if (const Step& s = program_.steps[step];
          s.code == Code::store && s.buffer == static_cast<std::int32_t>(b)) {
        f.act.line = s.stm->line;
        break;
      }
    report(std::move(f), step, 0);
  }
}

bool Machine::is_off() const {
  if (!kernel_.guard) return false;
  std::size_t buffer = 0;
  for (const Param& p : kernel_.params) {
    if (p.name == *kernel_.guard) break;
    buffer += p.role != Param::Role::scalar;
  }
  std::int32_t flag = 0;
  FULGURITE_CHECK(arguments_[buffer].size() >= sizeof flag, "the guard of kernel '{}' is empty",
                  kernel_.name);
  std::memcpy(&flag, arguments_[buffer].data(), sizeof flag);
  return flag == 0;
}

void Machine::run(const Phase& p) {
  phase_ = &p;
  counts_ = {};
  ++phase_number_;
  first_serial_ = next_serial_;
  // The number of tasks depends on scalars only: a task that never runs computes it.
  Task counter;
  counter.whole.registers = task_values_;
  task_ = &counter;
  unit_ = &counter.whole;
  compute(p.first_node, p.last_node);
  const bool off = is_off();
  if (phase_number_ == 1) result_.was_off = off;
  const std::int64_t n = off ? 0 : std::max<std::int64_t>(values(p.n_tasks).integer(0), 0);
  FULGURITE_CHECK(n < 1'000'000'000, "{} tasks", n);
  counts_.tasks = n;
  counts_.threads = p.threads;
  counts_.shared_bytes = p.shared_bytes;
  if (n > 0 && p.shared_bytes > options_.shared_limit) {
    Finding f{Fault::shared_limit, {}, {}, Space::shared, p.shared_bytes, options_.shared_limit};
    f.act.line = p.largest->line;
    f.act.buffer = kernel_.arena->info(std::get<Allocate>(p.largest->op).buffer).name;
    report(f, p.begin, 0);
  }

  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  if (!p.in_order)
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draw_.below(i)]);
  tasks_.resize(std::min(most_running, order.size()));
  std::vector<Task*> idle;
  for (Task& t : tasks_) idle.push_back(&t);
  running_.clear();
  std::size_t next = 0, without_progress = 0;
  while ((next < order.size() || !running_.empty()) && !has_stopped_) {
    while (next < order.size() && !idle.empty()) {
      const std::int64_t number = order[next++];
      running_.push_back(idle.back());
      idle.pop_back();
      begin(*running_.back(), p, number, first_serial_ + static_cast<std::uint32_t>(number));
    }
    // Now and then all have a turn, so that one that none of them lets go on is found.
    const bool all = without_progress > 4 * running_.size();
    const std::size_t first = all ? 0 : draw_.below(running_.size());
    const std::int64_t before = n_statements_;
    bool has_progressed = false;
    for (std::size_t i = first; i < running_.size() && (all || i == first) && !has_stopped_; ++i) {
      advance(*running_[i]);
      has_progressed = has_progressed || n_statements_ > before || !running_[i]->waits_for_turn;
    }
    without_progress = has_progressed ? 0 : without_progress + 1;
    if (all && !has_progressed) report_endless_turn();
    for (std::size_t i = 0; i < running_.size();) {
      if (!running_[i]->has_ended) {
        ++i;
        continue;
      }
      count(*running_[i]);
      idle.push_back(running_[i]);
      running_[i] = running_.back();
      running_.pop_back();
    }
  }
  next_serial_ = first_serial_ + static_cast<std::uint32_t>(n);
  for (Memory& m : memories_) m.end_phase();
  result_.counts.phases.push_back(counts_);
}

void Machine::begin(Task& task, const Phase& p, std::int64_t number, std::uint32_t serial) {
  task.number = number;
  task.whole.step = p.begin;
  task.whole.state = Unit::State::runs;
  task.whole.frames.clear();
  task.whole.registers = task_values_;
  task.whole.registers[p.task.index] = static_cast<Bits>(number);
  task.whole.active = task.whole.full = 1;
  const auto n_warps = static_cast<std::size_t>((p.threads + warp_size - 1) / warp_size);
  task.warps.resize(n_warps);
  for (std::size_t w = 0; w < n_warps; ++w) {
    task.warps[w].warp = static_cast<int>(w);
    task.warps[w].warp_barriers = 0;
    task.warps[w].registers.resize(std::size_t{program_.thread_slots} * warp_size);
  }
  task.n_running = 0;
  task.waits_for_turn = task.has_ended = false;
  task.block_barriers = task.lane_slots = 0;
  task.order.begin(serial, first_serial_, p.threads);
  task.shared_bytes.resize(static_cast<std::size_t>(p.shared_room));
  task.shared.begin(task.shared_bytes, static_cast<std::size_t>(p.grain));
  const auto copies = static_cast<std::size_t>(p.threads) + 1;
  task.thread_bytes.resize(copies * static_cast<std::size_t>(p.thread_room));
  task.thread_values.assign(task.thread_bytes.size(), 0);
  task.thread_lives.assign(p.thread_room > 0 ? copies * program_.buffers.size() : 0, 0);
  task.lives.assign(program_.buffers.size(), 0);
}

void Machine::advance(Task& task) {
  task_ = &task;
  unit_ = &task.whole;
  if (task.whole.state == Unit::State::waits) {
    std::size_t n = 0;
    for (const Unit& w : task.warps) n += w.state == Unit::State::runs;
    if (n == 0) {
      resolve_divergence();
      return;
    }
    std::size_t k = draw_.below(n);
    for (Unit& w : task.warps) {
      if (w.state != Unit::State::runs || k-- > 0) continue;
      unit_ = &w;
      break;
    }
  }
  // Mostly a unit goes on as far as it can, now and then others come between its statements.
  const std::uint32_t how = draw_.below(8);
  const std::uint32_t most = how < 4 ? 4096 : 1 + draw_.below(how < 6 ? 64 : 4);
  Unit& unit = *unit_;
  for (std::uint32_t i = 0; i < most && unit.state == Unit::State::runs && !has_stopped_; ++i) {
    execute();
    if (task.waits_for_turn) return;
    if (++n_statements_ > options_.most_statements) report_endless_loop();
    if (step_->ends_turn) return;
  }
}

void Machine::begin_segment() {
  for (Unit& w : task_->warps) {
    w.state = Unit::State::runs;
    w.step = unit_->step + 1;
    w.active = w.full = 0;
    w.frames.clear();
  }
  task_->n_running = task_->warps.size();
  unit_->step = step_->jump;
  if (task_->n_running > 0) unit_->state = Unit::State::waits;
}

void Machine::end_segment() {
  unit_->state = Unit::State::ended;
  if (--task_->n_running == 0) task_->whole.state = Unit::State::runs;
}

void Machine::begin_par() {
  const ParBlock& par = program_.pars[static_cast<std::size_t>(step_->par)];
  const std::int64_t first = std::int64_t{unit_->warp} * warp_size;
  const std::int64_t n = std::clamp<std::int64_t>(par.n - first, 0, warp_size);
  unit_->active = unit_->full = n == 0 ? 0 : ~Mask{0} >> (warp_size - n);
  unit_->step = n == 0 ? par.end : unit_->step + 1;
  Bits* index = target(step_->to);
  for (int l = 0; l < warp_size; ++l) index[l] = static_cast<Bits>(first + l);
}

/// A warp waits for the others of its Par, unless it is the last.
void Machine::arrive() {
  unit_->state = Unit::State::waits;
  const std::uint32_t step = unit_->step;
  const std::int64_t n = program_.pars[static_cast<std::size_t>(step_->par)].n;
  for (const Unit& w : task_->warps) {
    if (std::int64_t{w.warp} * warp_size >= n) break;
    if (w.state != Unit::State::waits || w.step != step || w.active != w.full) return;
  }
  come_together(step);
}

/// All warps wait or have ended: the ones that waited first do so in vain.
void Machine::resolve_divergence() {
  std::uint32_t step = UINT32_MAX, other = 0;
  for (const Unit& w : task_->warps)
    if (w.state == Unit::State::waits) step = std::min(step, w.step);
  FULGURITE_CHECK(step != UINT32_MAX, "a task waits for warps that have ended");
  step_ = &program_.steps[step];
  Finding f{Fault::divergence, {}, {},
            Space::shared,     0,  program_.pars[static_cast<std::size_t>(step_->par)].n};
  f.act.line = step_->stm->line;
  f.act.task = task_->number;
  for (const Unit& w : task_->warps) {
    if (w.state != Unit::State::waits) continue;
    if (w.step == step) {
      if (f.act.thread < 0) f.act.thread = w.thread(static_cast<unsigned>(std::countr_zero(w.active)));
      f.element += std::popcount(w.active);
    } else if (!f.other) {
      other = w.step;
      f.other = Act{program_.steps[other].stm->line,
                    {},
                    task_->number,
                    w.thread(static_cast<unsigned>(std::countr_zero(w.active)))};
    }
  }
  report(f, step, other);
  come_together(step);
}

/// The event for which the warps wait happens, and they go on.
void Machine::come_together(std::uint32_t step) {
  step_ = &program_.steps[step];
  switch (step_->code) {
    case Code::sync_block:
      task_->order.block_barrier();
      ++task_->block_barriers;
      break;
    case Code::pack: pack_together(step); break;
    default: {
      std::vector<Bits> from, fill;
      std::vector<std::uint8_t> holds;
      const std::size_t n = gather(step, from, fill, holds);
      if (const Shift* shift = std::get_if<Shift>(&step_->stm->op)) {
        const auto by = static_cast<std::size_t>(shift->by);
        std::vector<Bits> shifted(n);
        for (std::size_t t = 0; t < n; ++t) shifted[t] = t < by ? fill[t] : from[t - by];
        scatter(step, shifted);
      } else {
        const auto chosen = static_cast<std::size_t>(std::get<Pick>(step_->stm->op).from);
        FULGURITE_CHECK(chosen < n, "a Pick of instance {} of {}", chosen, n);
        scatter(step, std::vector<Bits>(n, from[chosen]));
      }
    }
  }
  for (Unit& w : task_->warps) {
    if (w.state != Unit::State::waits || w.step != step) continue;
    w.state = Unit::State::runs;
    ++w.step;
  }
}

void Machine::count(const Task& task) {
  std::int64_t of_warps = 0;
  for (const Unit& w : task.warps) of_warps = std::max(of_warps, w.warp_barriers);
  counts_.block_barriers = std::max(counts_.block_barriers, task.block_barriers);
  counts_.warp_barriers = std::max(counts_.warp_barriers, of_warps);
  counts_.most_lane_slots = std::max(counts_.most_lane_slots, task.lane_slots);
}

void Machine::report_endless_loop() {
  has_stopped_ = true;
  Finding f{Fault::endless};
  const Frame* longest = nullptr;
  const auto look = [&](const Task& task, const Unit& unit) {
    if (unit.state == Unit::State::ended) return;
    for (const Frame& frame : unit.frames) {
      if (longest && frame.rounds <= longest->rounds) continue;
      longest = &frame;
      f.act.task = task.number;
      f.act.thread = unit.warp < 0 ? -1 : unit.thread(0);
    }
  };
  for (const Task* t : running_) {
    if (t->has_ended) continue;
    look(*t, t->whole);
    for (const Unit& w : t->warps)
      if (t->n_running > 0) look(*t, w);
  }
  const std::uint32_t step = longest ? longest->step : unit_->step;
  f.act.line = program_.steps[step].stm->line;
  f.element = longest ? longest->rounds : 0;
  report(f, step, 0);
}

void Machine::report_endless_turn() {
  has_stopped_ = true;
  const Task& task = *running_[0];
  Finding f{Fault::endless};
  f.act.line = program_.steps[task.whole.step].stm->line;
  f.act.task = task.number;
  report(f, task.whole.step, 0);
}

}  // namespace fulgurite::kernel::emulator

namespace fulgurite::kernel {

Emulation emulate(const Kernel& kernel, std::span<const BufferArgument> buffers,
                  std::span<const scalar::Bits> scalars, const EmulatorOptions& options) {
  return emulator::Machine(kernel, buffers, scalars, options)();
}

}  // namespace fulgurite::kernel
