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

/// Some of the accesses that nothing orders against each other: enough that a later one which races with any
/// of those that there were races with one that is kept, where barriers alone order. Two of a warp, one of
/// another warp of the task and one of another task stand for all others.
class Concurrent {
 public:
  void clear() { stamps_[0].task = 0; }
  void add(const Stamp&, const TaskOrder&);
  /// One that is not before `thread`; null if all are.
  const Stamp* unordered(const TaskOrder& order, std::uint16_t thread) const {
    for (const Stamp& s : stamps_) {
      if (s.task == 0) return nullptr;
      if (!order.is_before(s, thread)) return &s;
    }
    return nullptr;
  }

 private:
  std::array<Stamp, 4> stamps_ = {};  // up to the first of no task
};

enum class How : std::uint8_t { read, write, atomic };

class Memory {
 public:
  /// `grain`, a power of two, divides the place and the size of every element.
  void begin(std::span<std::byte> bytes, std::size_t grain);  // and nothing has happened yet
  std::span<std::byte> bytes() const { return bytes_; }

  /// An access to the bytes from `place` on. What it races with, if anything.
  std::optional<Stamp> access(How, std::size_t place, std::size_t size, const Stamp&, const TaskOrder&);

  /// The life of an array, a number that is not 0, whose values are there now. Only a value of `life` is
  /// read.
  void own(std::size_t place, std::size_t size, std::uint32_t life);
  bool is_owned(std::size_t place, std::size_t size, std::uint32_t life);
  /// Who wrote there last, or nobody.
  const Stamp& writer(std::size_t place) const { return cells_[cell(place)].write; }

  /// Whether these bytes are read, or written, the first time in this phase.
  bool first_read(std::size_t place, std::size_t size, std::uint32_t phase);
  bool first_write(std::size_t place, std::size_t size, std::uint32_t phase);

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

  /// Whether these cells have another phase there; they get this one.
  bool is_first(std::size_t place, std::size_t size, std::uint32_t phase, std::uint32_t Cell::* last);

  std::size_t cell(std::size_t place) const { return place >> log_grain_; }
  std::span<Cell> cells(std::size_t place, std::size_t size) {
    return std::span(cells_).subspan(cell(place), cell(place + size - 1) - cell(place) + 1);
  }

  std::span<std::byte> bytes_;
  int log_grain_ = 0;
  std::vector<Cell> cells_;
  std::vector<Concurrent> atomics_;  // as many, once there is one
  std::unordered_map<std::size_t, KnowledgePtr> released_;
};

}  // namespace fulgurite::kernel::emulator
