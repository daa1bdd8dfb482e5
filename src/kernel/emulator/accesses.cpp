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

Machine::Accessed Machine::accessed(How how, std::int32_t buffer) {
  const auto b = static_cast<std::size_t>(buffer);
  const Buffer& of = program_.buffers[b];
  const std::size_t size = scalar::size_of(of.kind);
  if (of.space == Space::global) {
    const auto n = static_cast<std::int64_t>(arguments_[b].size() / size);
    return {how, buffer, of, n, 0, size, &memories_[memory_of_[static_cast<std::size_t>(of.place)]], 1};
  }
  Memory* shared = of.space == Space::shared ? &task_->shared : nullptr;
  return {how, buffer, of, of.n, static_cast<std::size_t>(of.place), size, shared, task_->lives[b]};
}

/// The memory of an element that a lane accesses; null where there is none.
std::byte* Machine::touch(const Accessed& a, std::int64_t index, unsigned lane) {
  if (index < 0 || index >= a.n) {
    report_access(Fault::out_of_bounds, a.how, a.buffer, index, lane);
    return nullptr;
  }
  if (!a.memory) return touch_own(a, index, lane);
  Memory& m = *a.memory;
  const std::size_t at = a.place(index);
  places_.push_back(static_cast<std::int64_t>(at));
  const Stamp now = task_->order.stamp(unit_->thread(lane), unit_->step);
  const Memory::Met met = m.touch({a.how, at, a.size, a.life, phase_number_}, now, task_->order);
  if (!met.is_owned) {
    const Stamp writer = m.writer(at);
    report_access(Fault::uninitialised, a.how, a.buffer, index, lane, &writer);
  }
  if (met.race) report_race(a.buffer, at, now, *met.race);
  if (a.of.is_update && a.how == How::read && met.is_changed) {
    const Stamp writer = m.writer(at);
    report_access(Fault::late_read, a.how, a.buffer, index, lane, &writer);
  }
  if (a.of.space == Space::global) {
    const auto bytes = static_cast<std::int64_t>(a.size);
    BufferCounts& of = result_.counts.buffers[static_cast<std::size_t>(a.of.place)];
    if (met.is_first_read) counts_.least_read += bytes, of.read += bytes;
    if (met.is_first_write) counts_.least_written += bytes, of.written += bytes;
  }
  return m.bytes().data() + at;
}

/// touch() in the copy of the thread. What the task stores is for all its threads.
std::byte* Machine::touch_own(const Accessed& a, std::int64_t index, unsigned lane) {
  const auto room = static_cast<std::size_t>(phase_->thread_room);
  const std::size_t copy = unit_->warp < 0 ? 0 : std::size_t{unit_->thread(lane)} + 1;
  const std::size_t at = copy * room + a.place(index);
  const std::uint32_t own =
      task_->thread_lives[copy * program_.buffers.size() + static_cast<std::size_t>(a.buffer)];
  if (a.how != How::write && task_->thread_values[at] != own)
    report_access(Fault::uninitialised, a.how, a.buffer, index, lane);
  if (a.how != How::read) task_->thread_values[at] = own;
  return &task_->thread_bytes[at];
}

void Machine::count_access(const Accessed& a) {
  const auto size = static_cast<std::int64_t>(a.size);
  if (a.of.space == Space::global) {
    const auto bytes = static_cast<std::int64_t>(places_.size()) * size;
    if (a.how != How::write) counts_.global_read += bytes;
    if (a.how != How::read) counts_.global_written += bytes;
    const Sectors s = sectors(places_, size);
    counts_.transactions += s.touched;
    counts_.least_transactions += s.least;
    if (StageCounts* of = stage()) {
      of->global_bytes += a.how == How::atomic ? 2 * bytes : bytes;
      of->transactions += s.touched;
      of->least_transactions += s.least;
    }
  } else if (a.of.space == Space::shared) {
    const std::int64_t conflicts = bank_conflicts(places_, size);
    counts_.bank_conflicts += conflicts;
    if (StageCounts* of = stage()) of->bank_conflicts += conflicts;
  }
  places_.clear();
}

void Machine::load() {
  const Accessed a = accessed(How::read, step_->buffer);
  const Values index = values(step_->index);
  const Mask lanes = where(step_->mask);
  Bits* to = target(step_->to);
  for (Mask m = unit_->active; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(m));
    const std::byte* from = lanes >> l & 1 ? touch(a, index.integer(l), l) : nullptr;
    to[l] = from ? read_bits(from, a.of.kind) : 0;
  }
  count_access(a);
}

void Machine::store() {
  const Accessed a = accessed(How::write, step_->buffer);
  const Values index = values(step_->index), value = values(step_->value);
  in_any_order(where(step_->mask), [&](unsigned l) {
    std::byte* to = touch(a, index.integer(l), l);
    if (!to) return;
    write_bits(to, a.of.kind, value[l]);
    if (a.memory || unit_->warp >= 0) return;
    const auto room = static_cast<std::size_t>(phase_->thread_room);
    const std::size_t at = a.place(index.integer(l));
    for (std::size_t copy = 1; copy * room < task_->thread_bytes.size(); ++copy) {
      task_->thread_values[copy * room + at] = task_->thread_values[at];
      write_bits(&task_->thread_bytes[copy * room + at], a.of.kind, value[l]);
    }
  });
  count_access(a);
}

Machine::Accessed Machine::accessed_wide(How how) {
  const Accessed a = accessed(how, step_->buffer);
  FULGURITE_CHECK(a.of.space == Space::global, "a wide access to memory that is not global");
  const Values index = values(step_->index);
  const auto n = static_cast<std::int64_t>(step_->parts.size());
  for (Mask m = unit_->active; m != 0; m &= m - 1) {
    const std::int64_t first = index.integer(static_cast<unsigned>(std::countr_zero(m)));
    FULGURITE_CHECK(first % n == 0, "a wide access to {} elements begins at element {}", n, first);
  }
  return a;
}

void Machine::wide_load() {
  const Accessed a = accessed_wide(How::read);
  const Values index = values(step_->index);
  for (Mask m = unit_->active; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(m));
    std::int64_t element = index.integer(l);
    for (const auto& [buffer, name] : step_->parts) {
      const std::byte* from = touch(a, element++, l);
      target(name)[l] = from ? read_bits(from, a.of.kind) : 0;
    }
  }
  count_access(a);
}

void Machine::wide_store() {
  const Accessed a = accessed_wide(How::write);
  const Values index = values(step_->index);
  in_any_order(unit_->active, [&](unsigned l) {
    std::int64_t element = index.integer(l);
    for (const auto& [buffer, value] : step_->parts)
      if (std::byte* to = touch(a, element++, l)) write_bits(to, a.of.kind, values(value)[l]);
  });
  count_access(a);
}

void Machine::atomic() {
  const Atomic& operation = std::get<Atomic>(step_->stm->op);
  const Accessed a = accessed(How::atomic, step_->buffer);
  FULGURITE_CHECK(a.memory, "an atomic on memory of one thread");
  const Values index = values(step_->index), value = values(step_->value);
  const Values expected = step_->extra ? values(step_->extra) : value;
  const Mask lanes = where(step_->mask);
  Bits* name = step_->to ? target(step_->to) : nullptr;
  for (Mask off = name ? unit_->active & ~lanes : 0; off != 0; off &= off - 1)
    name[std::countr_zero(off)] = 0;
  in_any_order(lanes, [&](unsigned l) {
    std::byte* at = touch(a, index.integer(l), l);
    const Bits old = at ? read_bits(at, a.of.kind) : 0;
    if (name) name[l] = old;
    if (!at) return;
    const std::size_t place = a.place(index.integer(l));
    const std::uint16_t thread = unit_->thread(l);
    if (operation.acquire) task_->order.acquire(thread, a.memory->held(place));
    if (step_->extra && old != expected[l]) return;
    write_bits(at, a.of.kind, changed(operation.what, a.of.kind, old, value[l]));
    if (operation.release) a.memory->released(place) = task_->order.release(thread, a.memory->held(place));
  });
  count_access(a);
}

/// An element, or 0 where there is none, for each active lane; the read is not counted.
void Machine::peek(const Node& node) {
  const Accessed a = accessed(How::read, node.buffer);
  const Values index = values(node.args[0]);
  Bits* to = &scratch_[std::size_t{node.to.index} * warp_size];
  for (Mask m = node.to.by_lanes ? unit_->active : Mask{1}; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(m));
    const std::int64_t i = index.integer(l);
    to[l] = 0;
    if (i < 0 || i >= a.n) continue;
    const std::size_t copy = unit_->warp < 0 ? 0 : std::size_t{unit_->thread(l)} + 1;
    const std::byte* from = a.memory
                                ? a.memory->bytes().data()
                                : &task_->thread_bytes[copy * static_cast<std::size_t>(phase_->thread_room)];
    to[l] = read_bits(from + a.place(i), a.of.kind);
  }
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
  const Accessed a = accessed(How::atomic, step_->buffer);
  task_->whole.registers[step_->to.index] = values(step_->value)[0];
  if (a.n == 0) {
    report_access(Fault::out_of_bounds, How::atomic, step_->buffer, 0, 0);
    return;
  }
  Memory& m = *a.memory;
  task_->waits_for_turn = read_bits(m.bytes().data() + a.first, a.of.kind) != values(step_->value)[0];
  if (!task_->waits_for_turn) task_->order.acquire_all(m.held(a.first));
}

void Machine::end_turn() {
  const Accessed a = accessed(How::atomic, step_->buffer);
  if (a.n == 0) return;
  Memory& m = *a.memory;
  write_bits(m.bytes().data() + a.first, a.of.kind, values(step_->value)[0] + 1);
  m.own(a.first, a.size, a.life);
  m.released(a.first) = task_->order.release_all(m.held(a.first));
}

// Pack.

void Machine::pack() {
  if (where(step_->mask) == 0) return;
  Bits& next = *target(step_->to);
  for (const auto& [buffer, value] : step_->parts) {
    const Accessed a = accessed(How::write, buffer);
    if (std::byte* to = touch(a, static_cast<std::int64_t>(next), 0))
      write_bits(to, a.of.kind, values(value)[0]);
    count_access(a);
  }
  ++next;
}

void Machine::pack_together(std::uint32_t step) {
  FULGURITE_CHECK(!step_->to.by_lanes, "a Pack's 'next' belongs to one instance");
  std::vector<Bits> unused;
  std::vector<std::uint8_t> keeps;
  gather(step, unused, unused, keeps);
  // The element to which the value of each instance goes.
  const auto first = static_cast<std::int64_t>(task_->whole.registers[step_->to.index]);
  std::vector<std::int64_t> to(keeps.size());
  std::int64_t next = first;
  for (std::size_t t = 0; t < keeps.size(); ++t) to[t] = keeps[t] != 0 ? next++ : -1;
  for (Unit& w : task_->warps) {
    if (w.state != Unit::State::waits || w.step != step) continue;
    unit_ = &w;
    compute(step_->first_node, step_->last_node);
    for (const auto& [buffer, value] : step_->parts) {
      const Accessed a = accessed(How::write, buffer);
      const Values from = values(value);
      for (Mask m = where(step_->mask); m != 0; m &= m - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(m));
        if (std::byte* at = touch(a, to[w.thread(l)], l)) write_bits(at, a.of.kind, from[l]);
      }
      count_access(a);
    }
  }
  task_->whole.registers[step_->to.index] = static_cast<Bits>(next);
}

}  // namespace fulgurite::kernel::emulator
