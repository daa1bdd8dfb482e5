// Loads, stores and atomics: what they do, what they race with, what they cost.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "kernel/emulator/machine.h"
#include "kernel/emulator/traffic.h"

namespace fulgurite::kernel::emulator {
namespace {

Bits read_bits(const std::byte* from, Kind kind) {
  Bits bits = 0;
  std::memcpy(&bits, from, scalar::size_of(kind));
  switch (kind) {
    case Kind::boolean: return bits != 0;
    case Kind::i8: return scalar::to_bits(static_cast<std::int8_t>(bits));
    case Kind::i16: return scalar::to_bits(static_cast<std::int16_t>(bits));
    case Kind::i32: return scalar::to_bits(static_cast<std::int32_t>(bits));
    default: return bits;
  }
}

void write_bits(std::byte* to, Kind kind, Bits bits) {
  std::memcpy(to, &bits, scalar::size_of(kind));
}

Bits changed(Atomic::What what, Kind kind, Bits old, Bits value) {
  const auto by = [&](Op op) { return scalar::evaluate(op, kind, kind, old, value); };
  switch (what) {
    case Atomic::What::add: return by(Op::add);
    case Atomic::What::min: return by(Op::min);
    case Atomic::What::max: return by(Op::max);
    case Atomic::What::bit_and: return by(Op::bit_and);
    case Atomic::What::bit_or: return by(Op::bit_or);
    case Atomic::What::bit_xor: return by(Op::bit_xor);
    case Atomic::What::exchange:
    case Atomic::What::compare_exchange: return value;
  }
  base::check_failed("what", "an atomic operation that there is not");
}

}  // namespace

/// Calls f with each of the lanes, in one of many orders.
template <class F>
void Machine::in_any_order(Mask lanes, F&& f) {
  if (std::has_single_bit(lanes)) return f(static_cast<unsigned>(std::countr_zero(lanes)));
  const unsigned first = draw_.below(warp_size), by = 2 * draw_.below(warp_size / 2) + 1;
  for (unsigned k = 0; k < warp_size; ++k) {
    const unsigned l = (first + k * by) % warp_size;
    if (lanes >> l & 1) f(l);
  }
}

std::int64_t Machine::elements(std::int32_t buffer) const {
  const auto b = static_cast<std::size_t>(buffer);
  const Buffer& of = program_.buffers[b];
  if (of.space != Space::global) return of.n;
  return static_cast<std::int64_t>(arguments_[b].size() / scalar::size_of(of.kind));
}

Memory& Machine::memory(const Buffer& b) {
  if (b.space == Space::shared) return task_->shared;
  return memories_[memory_of_[static_cast<std::size_t>(b.place)]];
}

std::size_t Machine::place(const Buffer& b, std::int64_t index) const {
  const std::int64_t first = b.space == Space::global ? 0 : b.place;
  return static_cast<std::size_t>(first + index * static_cast<std::int64_t>(scalar::size_of(b.kind)));
}

std::uint32_t Machine::life(std::int32_t buffer) const {
  const auto b = static_cast<std::size_t>(buffer);
  return program_.buffers[b].space == Space::global ? 1 : task_->lives[b];
}

/// The memory of an element that a lane accesses; null where there is none.
std::byte* Machine::touch(How how, std::int32_t buffer, std::int64_t index, unsigned lane) {
  const Buffer& b = program_.buffers[static_cast<std::size_t>(buffer)];
  if (index < 0 || index >= elements(buffer)) {
    report_access(Fault::out_of_bounds, how, buffer, index, lane);
    return nullptr;
  }
  if (b.space == Space::thread) return touch_own(how, buffer, index, lane);
  Memory& m = memory(b);
  const std::size_t at = place(b, index), size = scalar::size_of(b.kind);
  places_.push_back(static_cast<std::int64_t>(at));
  if (how != How::write && !m.is_owned(at, size, life(buffer))) {
    const Stamp writer = m.writer(at);
    report_access(Fault::uninitialised, how, buffer, index, lane, &writer);
  }
  const std::uint16_t thread = unit_->thread(lane);
  const Stamp now = task_->order.stamp(thread, unit_->step);
  if (const auto other = m.access(how, at, size, now, task_->order)) report_race(buffer, at, now, *other);
  if (how != How::read) m.own(at, size, life(buffer));
  if (b.space == Space::global) {
    const auto bytes = static_cast<std::int64_t>(size);
    if (how != How::write && m.first_read(at, size, phase_number_)) counts_.least_read += bytes;
    if (how != How::read && m.first_write(at, size, phase_number_)) counts_.least_written += bytes;
  }
  return m.bytes().data() + at;
}

/// The same in the copy of the thread. What the task stores is for all its threads.
std::byte* Machine::touch_own(How how, std::int32_t buffer, std::int64_t index, unsigned lane) {
  const Buffer& b = program_.buffers[static_cast<std::size_t>(buffer)];
  const auto room = static_cast<std::size_t>(phase_->thread_room);
  const std::size_t copy = unit_->warp < 0 ? 0 : std::size_t{unit_->thread(lane)} + 1;
  const std::size_t at = copy * room + place(b, index);
  const std::uint32_t own =
      task_->thread_lives[copy * program_.buffers.size() + static_cast<std::size_t>(buffer)];
  if (how != How::write && task_->thread_values[at] != own)
    report_access(Fault::uninitialised, how, buffer, index, lane);
  if (how != How::read) task_->thread_values[at] = own;
  return &task_->thread_bytes[at];
}

void Machine::count_access(How how, const Buffer& b) {
  const auto size = static_cast<std::int64_t>(scalar::size_of(b.kind));
  if (b.space == Space::global) {
    const auto bytes = static_cast<std::int64_t>(places_.size()) * size;
    if (how != How::write) counts_.global_read += bytes;
    if (how != How::read) counts_.global_written += bytes;
    const Sectors s = sectors(places_, size);
    counts_.transactions += s.touched;
    counts_.least_transactions += s.least;
    if (StageCounts* of = stage()) {
      of->global_bytes += how == How::atomic ? 2 * bytes : bytes;
      of->transactions += s.touched;
      of->least_transactions += s.least;
    }
  } else if (b.space == Space::shared) {
    const std::int64_t conflicts = bank_conflicts(places_, size);
    counts_.bank_conflicts += conflicts;
    if (StageCounts* of = stage()) of->bank_conflicts += conflicts;
  }
  places_.clear();
}

void Machine::load() {
  const Buffer& b = program_.buffers[static_cast<std::size_t>(step_->buffer)];
  const Values index = values(step_->index);
  const Mask lanes = where(step_->mask);
  Bits* to = target(step_->to);
  for (Mask m = unit_->active; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(m));
    const std::byte* from = lanes >> l & 1 ? touch(How::read, step_->buffer, index.integer(l), l) : nullptr;
    to[l] = from ? read_bits(from, b.kind) : 0;
  }
  count_access(How::read, b);
}

void Machine::store() {
  const Buffer& b = program_.buffers[static_cast<std::size_t>(step_->buffer)];
  const Values index = values(step_->index), value = values(step_->value);
  in_any_order(where(step_->mask), [&](unsigned l) {
    std::byte* to = touch(How::write, step_->buffer, index.integer(l), l);
    if (!to) return;
    write_bits(to, b.kind, value[l]);
    if (b.space != Space::thread || unit_->warp >= 0) return;
    const auto room = static_cast<std::size_t>(phase_->thread_room), at = place(b, index.integer(l));
    for (std::size_t copy = 1; copy * room < task_->thread_bytes.size(); ++copy) {
      task_->thread_values[copy * room + at] = task_->thread_values[at];
      write_bits(&task_->thread_bytes[copy * room + at], b.kind, value[l]);
    }
  });
  count_access(How::write, b);
}

void Machine::atomic() {
  const Atomic& a = std::get<Atomic>(step_->stm->op);
  const Buffer& b = program_.buffers[static_cast<std::size_t>(step_->buffer)];
  FULGURITE_CHECK(b.space != Space::thread, "an atomic on memory of one thread");
  const Values index = values(step_->index), value = values(step_->value);
  const Values expected = step_->extra ? values(step_->extra) : value;
  Memory& m = memory(b);
  const Mask lanes = where(step_->mask);
  Bits* name = step_->to ? target(step_->to) : nullptr;
  for (Mask off = name ? unit_->active & ~lanes : 0; off != 0; off &= off - 1)
    name[std::countr_zero(off)] = 0;
  in_any_order(lanes, [&](unsigned l) {
    std::byte* at = touch(How::atomic, step_->buffer, index.integer(l), l);
    const Bits old = at ? read_bits(at, b.kind) : 0;
    if (name) name[l] = old;
    if (!at) return;
    const std::size_t where_at = place(b, index.integer(l));
    const std::uint16_t thread = unit_->thread(l);
    if (a.acquire) task_->order.acquire(thread, m.held(where_at));
    if (step_->extra && old != expected[l]) return;
    write_bits(at, b.kind, changed(a.what, b.kind, old, value[l]));
    if (a.release) m.released(where_at) = task_->order.release(thread, m.held(where_at));
  });
  count_access(How::atomic, b);
}

void Machine::allocate() {
  const auto buffer = static_cast<std::size_t>(step_->buffer);
  const Buffer& b = program_.buffers[buffer];
  const std::uint32_t own = next_life_++;
  if (b.space == Space::shared) {
    FULGURITE_CHECK(unit_->warp < 0, "shared memory is allocated by one thread");
    task_->lives[buffer] = own;
    return;
  }
  const std::size_t n_buffers = program_.buffers.size();
  if (unit_->warp < 0) {
    for (std::size_t at = buffer; at < task_->thread_lives.size(); at += n_buffers)
      task_->thread_lives[at] = own;
  }
  for (Mask m = unit_->warp < 0 ? 0 : unit_->active; m != 0; m &= m - 1) {
    const std::size_t copy = std::size_t{unit_->thread(static_cast<unsigned>(std::countr_zero(m)))} + 1;
    task_->thread_lives[copy * n_buffers + buffer] = own;
  }
}

// Tasks one after the other. `turn` is the run time's business and not looked at for races.

void Machine::begin_turn() {
  const Buffer& b = program_.buffers[static_cast<std::size_t>(step_->buffer)];
  task_->whole.registers[step_->to.index] = values(step_->value)[0];
  if (elements(step_->buffer) == 0) {
    report_access(Fault::out_of_bounds, How::atomic, step_->buffer, 0, 0);
    return;
  }
  Memory& m = memory(b);
  task_->waits_for_turn = read_bits(m.bytes().data() + place(b, 0), b.kind) != values(step_->value)[0];
  if (!task_->waits_for_turn) task_->order.acquire_all(m.held(place(b, 0)));
}

void Machine::end_turn() {
  const Buffer& b = program_.buffers[static_cast<std::size_t>(step_->buffer)];
  if (elements(step_->buffer) == 0) return;
  Memory& m = memory(b);
  const std::size_t at = place(b, 0);
  write_bits(m.bytes().data() + at, b.kind, values(step_->value)[0] + 1);
  m.own(at, scalar::size_of(b.kind), life(step_->buffer));
  m.released(at) = task_->order.release_all(m.held(at));
}

// Pack.

void Machine::pack() {
  if (where(step_->mask) == 0) return;
  Bits& next = *target(step_->to);
  for (const auto& [buffer, value] : step_->parts) {
    const Buffer& b = program_.buffers[static_cast<std::size_t>(buffer)];
    if (std::byte* to = touch(How::write, buffer, static_cast<std::int64_t>(next), 0))
      write_bits(to, b.kind, values(value)[0]);
    count_access(How::write, b);
  }
  ++next;
}

void Machine::pack_together(std::uint32_t step) {
  FULGURITE_CHECK(!step_->to.by_lanes, "a Pack's 'next' belongs to one instance");
  std::vector<Bits> unused;
  std::vector<std::uint8_t> keeps;
  gather(step, unused, unused, keeps);
  // Where the value of each instance goes.
  const auto first = static_cast<std::int64_t>(task_->whole.registers[step_->to.index]);
  std::vector<std::int64_t> to(keeps.size());
  std::int64_t next = first;
  for (std::size_t t = 0; t < keeps.size(); ++t) to[t] = keeps[t] != 0 ? next++ : -1;
  for (Unit& w : task_->warps) {
    if (w.state != Unit::State::waits || w.step != step) continue;
    unit_ = &w;
    compute(step_->first_node, step_->last_node);
    for (const auto& [buffer, value] : step_->parts) {
      const Buffer& b = program_.buffers[static_cast<std::size_t>(buffer)];
      const Values from = values(value);
      for (Mask m = where(step_->mask); m != 0; m &= m - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(m));
        if (std::byte* at = touch(How::write, buffer, to[w.thread(l)], l)) write_bits(at, b.kind, from[l]);
      }
      count_access(How::write, b);
    }
  }
  task_->whole.registers[step_->to.index] = static_cast<Bits>(next);
}

}  // namespace fulgurite::kernel::emulator
