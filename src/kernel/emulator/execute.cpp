// One step of the unit that runs: values by lanes, and which lanes are active.
#include <algorithm>
#include <bit>

#include "base/check.h"
#include "kernel/emulator/machine.h"

namespace fulgurite::kernel::emulator {
namespace {

using Row = std::array<Bits, warp_size>;

}  // namespace

Machine::Values Machine::values(Operand o) const {
  const std::size_t row = std::size_t{o.index} * warp_size;
  switch (o.file) {
    case Operand::File::constant: return {&program_.constants[o.index], 0};
    case Operand::File::task: return {&task_->whole.registers[o.index], 0};
    case Operand::File::thread: return {&unit_->registers[row], 1};
    case Operand::File::scratch: return {&scratch_[row], o.by_lanes ? 1u : 0u};
    case Operand::File::none: break;
  }
  base::check_failed("kernel::emulate", "a value is absent");
}

Bits* Machine::target(Operand o) {
  return o.by_lanes ? &unit_->registers[std::size_t{o.index} * warp_size] : &task_->whole.registers[o.index];
}

void Machine::compute(std::uint32_t first, std::uint32_t last) {
  std::array<Row, 3> same;  // in every lane
  for (std::uint32_t i = first; i < last; ++i) {
    const Node& node = program_.nodes[i];
    if (node.op == Op::index) {
      peek(node);
      continue;
    }
    const std::size_t lanes = node.to.by_lanes ? warp_size : 1;
    std::array<const Bits*, 3> args = {};
    for (std::size_t k = 0; k < args.size() && node.args[k]; ++k) {
      const Values of = values(node.args[k]);
      args[k] = of.first;
      if (lanes == 1 || of.stride > 0) continue;
      same[k].fill(*of.first);
      args[k] = same[k].data();
    }
    scalar::evaluate_all(node.op, node.operand, node.result, args[0], args[1], args[2],
                         {&scratch_[std::size_t{node.to.index} * warp_size], lanes});
  }
}

void Machine::expect() {
  const Values index = values(step_->index);
  for (Mask m = unit_->active; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(m));
    const std::int64_t i = index.integer(l);
    if (0 <= i && i < step_->n) continue;
    Finding f{
        Fault::unexpected, act(task_->order.stamp(unit_->thread(l), unit_->step), -1), {}, Space::thread, i,
        step_->n};
    report(std::move(f), unit_->step, 0);
  }
}

/// The active lanes for which it holds.
Mask Machine::where(Operand condition) const {
  if (!condition) return unit_->active;
  const Values holds = values(condition);
  Mask result = 0;
  for (Mask m = unit_->active; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(m));
    if (holds[l] & 1) result |= Mask{1} << l;
  }
  return result;
}

void Machine::assign(Operand to, Mask lanes, Values from) {
  Bits* target_row = target(to);
  for (Mask m = lanes; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(m));
    target_row[l] = from[l];
  }
}

void Machine::count_lanes(Mask lanes) {
  if (unit_->warp < 0) return;
  counts_.lane_slots += warp_size;
  task_->lane_slots += warp_size;
  counts_.idle_lanes += warp_size - std::popcount(lanes);
  stage()->lane_slots += warp_size;
  stage()->idle_lanes += warp_size - std::popcount(lanes);
}

void Machine::execute() {
  step_ = &program_.steps[unit_->step];
  compute(step_->first_node, step_->last_node);
  const bool is_masked = step_->mask && step_->code != Code::fail && step_->code != Code::pack;
  if (step_->is_statement) count_lanes(is_masked ? where(step_->mask) : unit_->active);
  switch (step_->code) {
    case Code::set: assign(step_->to, where(step_->mask), values(step_->value)); break;
    case Code::load: load(); break;
    case Code::store: store(); break;
    case Code::wide_load: wide_load(); break;
    case Code::wide_store: wide_store(); break;
    case Code::atomic: atomic(); break;
    case Code::allocate: allocate(); break;
    case Code::shift:
    case Code::pick: arrive(); return;
    case Code::pack:
      if (unit_->warp >= 0) {
        arrive();
        return;
      }
      pack();
      break;
    case Code::shuffle: shuffle(); break;
    case Code::fail: fail(); break;
    case Code::nothing: break;
    case Code::expect: expect(); break;
    case Code::branch: branch(); return;
    case Code::otherwise: otherwise(); return;
    case Code::join: leave(); break;
    case Code::begin_for: begin_for(); break;
    case Code::test_for: test_for(); return;
    case Code::next_for: next_for(); return;
    case Code::begin_loop: unit_->frames.push_back({unit_->active, 0, unit_->step}); break;
    case Code::test: test(); return;
    case Code::jump: unit_->step = step_->jump; return;
    case Code::leave: leave(); break;
    case Code::sync_block:
      if (unit_->warp >= 0) {
        arrive();
        return;
      }
      task_->order.block_barrier();
      ++task_->block_barriers;
      break;
    case Code::sync_warp: sync_warp(); break;
    case Code::begin_segment: begin_segment(); return;
    case Code::begin_par: begin_par(); return;
    case Code::end_par: unit_->active = unit_->full = 0; break;
    case Code::end_segment: end_segment(); return;
    case Code::begin_turn:
      begin_turn();
      if (task_->waits_for_turn) return;
      break;
    case Code::end_turn: end_turn(); break;
    case Code::end_task:
      unit_->state = Unit::State::ended;
      task_->has_ended = true;
      return;
  }
  ++unit_->step;
}

// Branches and loops.

void Machine::branch() {
  const Mask taken = where(step_->value);
  unit_->frames.push_back({unit_->active, unit_->active & ~taken, unit_->step});
  unit_->active = taken;
  unit_->step = taken == 0 ? step_->jump : unit_->step + 1;
}

void Machine::otherwise() {
  unit_->active = unit_->frames.back().others;
  unit_->step = unit_->active == 0 ? step_->jump : unit_->step + 1;
}

void Machine::begin_for() {
  unit_->frames.push_back({unit_->active, 0, unit_->step});
  assign(step_->limit, unit_->active, values(step_->index));
  assign(step_->step, unit_->active, values(step_->extra));
  assign(step_->to, unit_->active, values(step_->value));
}

void Machine::test_for() {
  const Values count = values(step_->to), limit = values(step_->limit);
  for (Mask m = unit_->active; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(m));
    if (count.integer(l) >= limit.integer(l)) unit_->active &= ~(Mask{1} << l);
  }
  ++unit_->frames.back().rounds;
  unit_->step = unit_->active == 0 ? step_->jump : unit_->step + 1;
}

void Machine::next_for() {
  const Values by = values(step_->step);
  Bits* count = target(step_->to);
  for (Mask m = unit_->active; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(m));
    count[l] += by[l];
  }
  unit_->step = step_->jump;
}

void Machine::test() {
  unit_->active = where(step_->value);
  ++unit_->frames.back().rounds;
  unit_->step = unit_->active == 0 ? step_->jump : unit_->step + 1;
}

void Machine::leave() {
  unit_->active = unit_->frames.back().behind;
  unit_->frames.pop_back();
}

// Across lanes.

void Machine::shuffle() {
  const auto width = static_cast<unsigned>(std::get<Shuffle>(step_->stm->op).width);
  const Values value = values(step_->value), from = values(step_->extra);
  if (unit_->active != unit_->full) {
    Finding f{Fault::divergence, {}, {}, Space::thread};
    f.act = act(task_->order.stamp(unit_->thread(static_cast<unsigned>(std::countr_zero(unit_->active))),
                                   unit_->step),
                -1);
    f.element = std::popcount(unit_->active);
    f.n = std::popcount(unit_->full);
    report(f, unit_->step, 0);
  }
  std::array<Bits, warp_size> result = {};
  for (Mask m = unit_->active; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(m));
    const unsigned source = (l & ~(width - 1)) | (static_cast<unsigned>(from[l]) & (width - 1));
    if ((unit_->full >> source & 1) == 0) {
      report_access(Fault::out_of_bounds, How::read, -1,
                    std::int64_t{unit_->warp} * warp_size + std::int64_t{source}, l);
      continue;
    }
    result[l] = value[source];
  }
  assign(step_->to, unit_->active, {result.data(), 1});
}

void Machine::sync_warp() {
  ++unit_->warp_barriers;
  task_->order.warp_barrier(unit_->warp);
  if (unit_->active == unit_->full) return;
  Finding f{Fault::divergence, {}, {}, Space::thread};
  f.act = act(
      task_->order.stamp(unit_->thread(static_cast<unsigned>(std::countr_zero(unit_->active))), unit_->step),
      -1);
  f.element = std::popcount(unit_->active);
  f.n = std::popcount(unit_->full);
  report(f, unit_->step, 0);
}

/// The values of all instances of a Par whose warps wait at a step; instances that did not come have 0.
std::size_t Machine::gather(std::uint32_t step, std::vector<Bits>& of_value, std::vector<Bits>& of_extra,
                            std::vector<std::uint8_t>& holds) {
  const Step& s = program_.steps[step];
  const auto n = static_cast<std::size_t>(program_.pars[static_cast<std::size_t>(s.par)].n);
  of_value.assign(n, 0);
  of_extra.assign(n, 0);
  holds.assign(n, 0);
  for (Unit& w : task_->warps) {
    if (w.state != Unit::State::waits || w.step != step) continue;
    unit_ = &w;
    compute(s.first_node, s.last_node);
    const Mask kept = where(s.mask);
    for (Mask m = w.active; m != 0; m &= m - 1) {
      const auto l = static_cast<unsigned>(std::countr_zero(m));
      const std::size_t t = w.thread(l);
      if (s.value) of_value[t] = values(s.value)[l];
      if (s.extra) of_extra[t] = values(s.extra)[l];
      holds[t] = kept >> l & 1;
    }
  }
  return n;
}

void Machine::scatter(std::uint32_t step, const std::vector<Bits>& from) {
  for (Unit& w : task_->warps) {
    if (w.state != Unit::State::waits || w.step != step) continue;
    unit_ = &w;
    assign(step_->to, w.active, {&from[w.thread(0)], 1});
  }
}

void Machine::fail() {
  const Values element = values(step_->index), value = values(step_->value), bound = values(step_->extra);
  for (Mask m = where(step_->mask); m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(m));
    const Fail& fail = std::get<Fail>(step_->stm->op);
    Failed failed{fail.site, element.integer(l), value.integer(l), bound.integer(l)};
    if (fail.group) failed.group = values(step_->limit).integer(l);
    for (const auto& [unused, operand] : step_->parts) failed.more.push_back(values(operand).integer(l));
    const auto comes_first = [&](const Failed& other) {
      return std::tie(failed.element, failed.site) < std::tie(other.element, other.site);
    };
    if (!result_.failure || comes_first(*result_.failure)) result_.failure = failed;
  }
}

}  // namespace fulgurite::kernel::emulator
