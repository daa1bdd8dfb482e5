// Memory that several threads access, and what is remembered of each part of it: who accessed it last, of
// which array the value there is, what has been released with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "kernel/emulator/order.h"

namespace fulgurite::kernel::emulator {

/// Some of the accesses that nothing orders against each other: enough that where barriers alone order, a
/// later access that races with any earlier one also races with one that is kept. Two of a warp, one of
/// another warp of the task and one of another task stand for all others. Most often there is one; the three
/// others have a place in a pool once there are any.
class Concurrent {
 public:
  using Pool = std::vector<std::array<Stamp, 3>>;

  void clear() { first_.task = 0; }
  void add(const Stamp& s, const TaskOrder& order, Pool& pool) {
    if (first_.task != 0 && (!order.is_before(first_, s.thread) || n_others(pool) > 0))
      return add_another(s, order, pool);
    first_ = s;
    if (others_ > 0) pool[others_ - 1][0].task = 0;
  }
  /// One that is not before `thread`; null if all are.
  const Stamp* unordered(const TaskOrder& order, std::uint16_t thread, const Pool& pool) const {
    if (first_.task == 0) return nullptr;
    if (!order.is_before(first_, thread)) return &first_;
    for (std::size_t i = 0; i < n_others(pool); ++i)
      if (const Stamp& s = pool[others_ - 1][i]; !order.is_before(s, thread)) return &s;
    return nullptr;
  }

 private:
  std::size_t n_others(const Pool& pool) const {
    std::size_t n = 0;
    while (others_ > 0 && n < 3 && pool[others_ - 1][n].task != 0) ++n;
    return n;
  }
  void add_another(const Stamp&, const TaskOrder&, Pool&);

  Stamp first_;               // of no task: there is none, whatever the others are
  std::uint32_t others_ = 0;  // their place, from 1 on; up to the first of no task
};

enum class How : std::uint8_t { read, write, atomic };

class Memory {
 public:
  /// `grain`, a power of two, divides the place and the size of every element.
  void begin(std::span<std::byte> bytes, std::size_t grain);  // and nothing has happened yet
  std::span<std::byte> bytes() const { return bytes_; }

  /// An access to the bytes from `place` on: of the array with this life, a number that is not 0, in a phase.
  struct Access {
    How how;
    std::size_t place, size;
    std::uint32_t life, phase;
  };
  /// `race`: what it races with. `is_owned`: a value of the array is there to be read; what is written is
  /// one. `is_first`: in its phase these bytes are read, or written, the first time. `is_changed`: what is
  /// read has been written in the phase.
  struct Met {
    std::optional<Stamp> race = {};
    bool is_owned = true, is_first_read = false, is_first_write = false, is_changed = false;
  };
  Met touch(const Access&, const Stamp&, const TaskOrder&);

  /// Values of an array are there without an access.
  void own(std::size_t place, std::size_t size, std::uint32_t life);
  bool is_owned(std::size_t place, std::size_t size, std::uint32_t life) const;
  /// Who wrote there last, if anyone did.
  const Stamp& writer(std::size_t place) const { return cells_[cell(place)].write; }

  /// What an acquire there gets, which a plain write takes away.
  KnowledgePtr& released(std::size_t place) { return released_[place]; }
  KnowledgePtr held(std::size_t place) const;
  void end_phase() { released_.clear(); }

 private:
  struct Cell {
    Stamp write;
    Concurrent reads;
    std::uint32_t life = 0, read_in = 0, written_in = 0;
  };

  std::size_t cell(std::size_t place) const { return place >> log_grain_; }
  std::span<std::byte> bytes_;
  int log_grain_ = 0;
  std::vector<Cell> cells_;
  std::vector<Concurrent> atomics_;  // as many, once there is one
  Concurrent::Pool others_;
  std::unordered_map<std::size_t, KnowledgePtr> released_;
};

}  // namespace fulgurite::kernel::emulator
