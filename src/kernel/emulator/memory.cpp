#include "kernel/emulator/memory.h"

#include <algorithm>
#include <bit>

namespace fulgurite::kernel::emulator {

void Concurrent::add(const Stamp& s, const TaskOrder& order) {
  // Two lanes of this warp came since its last barrier: most often so where all read one element.
  const auto is_beside = [&s](const Stamp& old) {
    return old.task == s.task && old.epoch == s.epoch && old.thread / 32 == s.thread / 32;
  };
  if (is_beside(stamps_[0]) && is_beside(stamps_[1])) return;
  std::size_t kept = 0;
  int of_warp = 0, of_task = 0;
  for (const Stamp& old : stamps_) {
    if (old.task == 0) break;
    if (order.is_before(old, s.thread)) continue;
    if (old.task == s.task) {
      ++of_task;
      if (s.thread != whole_task && old.thread / 32 == s.thread / 32) ++of_warp;
    }
    stamps_[kept++] = old;
  }
  if (kept < stamps_.size() && of_warp < 2 && of_task < 3) stamps_[kept++] = s;
  if (kept < stamps_.size()) stamps_[kept].task = 0;
}

void Memory::begin(std::span<std::byte> bytes, std::size_t grain) {
  bytes_ = bytes;
  log_grain_ = std::countr_zero(grain);
  cells_.assign((bytes.size() + grain - 1) / grain, {});
  atomics_.clear();
  released_.clear();
}

std::optional<Stamp> Memory::access(How how, std::size_t place, std::size_t size, const Stamp& s,
                                    const TaskOrder& order) {
  std::optional<Stamp> race;
  const auto found = [&race](const Stamp* other) {
    if (other && !race) race = *other;
  };
  if (how == How::atomic && atomics_.empty()) atomics_.resize(cells_.size());
  for (std::size_t c = cell(place); c <= cell(place + size - 1); ++c) {
    Cell& cell = cells_[c];
    if (!order.is_before(cell.write, s.thread)) found(&cell.write);
    if (how != How::read) found(cell.reads.unordered(order, s.thread));
    if (how != How::atomic && !atomics_.empty()) found(atomics_[c].unordered(order, s.thread));
    switch (how) {
      case How::read: cell.reads.add(s, order); break;
      case How::atomic: atomics_[c].add(s, order); break;
      case How::write:
        cell.write = s;
        cell.reads.clear();
        if (!atomics_.empty()) atomics_[c].clear();
        break;
    }
  }
  if (how == How::write && !released_.empty()) released_.erase(place);
  return race;
}

void Memory::own(std::size_t place, std::size_t size, std::uint32_t life) {
  if (size == 0) return;
  for (Cell& c : cells(place, size)) c.life = life;
}

bool Memory::is_owned(std::size_t place, std::size_t size, std::uint32_t life) {
  const auto of = cells(place, size);
  return std::all_of(of.begin(), of.end(), [life](const Cell& c) { return c.life == life; });
}

bool Memory::is_first(std::size_t place, std::size_t size, std::uint32_t phase, std::uint32_t Cell::* last) {
  bool first = false;
  for (Cell& c : cells(place, size)) {
    first = first || c.*last != phase;
    c.*last = phase;
  }
  return first;
}

bool Memory::first_read(std::size_t place, std::size_t size, std::uint32_t phase) {
  return is_first(place, size, phase, &Cell::read_in);
}

bool Memory::first_write(std::size_t place, std::size_t size, std::uint32_t phase) {
  return is_first(place, size, phase, &Cell::written_in);
}

KnowledgePtr Memory::held(std::size_t place) const {
  const auto at = released_.find(place);
  return at == released_.end() ? nullptr : at->second;
}

}  // namespace fulgurite::kernel::emulator
