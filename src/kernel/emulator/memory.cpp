#include "kernel/emulator/memory.h"

#include <algorithm>
#include <bit>

namespace fulgurite::kernel::emulator {

void Concurrent::add_another(const Stamp& s, const TaskOrder& order, Pool& pool) {
  std::array<Stamp, 4> stamps;
  std::size_t n = 0;
  stamps[n++] = first_;
  for (std::size_t i = 0, end = n_others(pool); i < end; ++i) stamps[n++] = pool[others_ - 1][i];
  // Two lanes of this warp came since its last barrier: most often so where all read one element.
  const auto is_beside = [&s](const Stamp& old) {
    return old.task == s.task && old.epoch == s.epoch && old.thread / 32 == s.thread / 32;
  };
  if (std::count_if(stamps.begin(), stamps.begin() + static_cast<std::ptrdiff_t>(n), is_beside) >= 2) return;
  std::size_t kept = 0;
  int of_warp = 0, of_task = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Stamp old = stamps[i];
    if (order.is_before(old, s.thread)) continue;
    if (old.task == s.task) {
      ++of_task;
      if (s.thread != whole_task && old.thread / 32 == s.thread / 32) ++of_warp;
    }
    stamps[kept++] = old;
  }
  const bool is_new = kept < stamps.size() && of_warp < 2 && of_task < 3;
  if (is_new) stamps[kept++] = s;
  if (!is_new && kept == n) return;
  first_ = stamps[0];
  if (others_ == 0) {
    if (kept < 2) return;
    pool.emplace_back();
    others_ = static_cast<std::uint32_t>(pool.size());
  }
  for (std::size_t i = 1; i < stamps.size(); ++i) pool[others_ - 1][i - 1] = i < kept ? stamps[i] : Stamp{};
}

void Memory::begin(std::span<std::byte> bytes, std::size_t grain) {
  bytes_ = bytes;
  log_grain_ = std::countr_zero(grain);
  cells_.assign((bytes.size() + grain - 1) / grain, {});
  atomics_.clear();
  others_.clear();
  released_.clear();
}

Memory::Met Memory::touch(const Access& a, const Stamp& s, const TaskOrder& order) {
  Met met;
  const auto found = [&met](const Stamp* other) {
    if (other && !met.race) met.race = *other;
  };
  if (a.how == How::atomic && atomics_.empty()) atomics_.resize(cells_.size());
  for (std::size_t c = cell(a.place), end = cell(a.place + a.size - 1); c <= end; ++c) {
    Cell& cell = cells_[c];
    if (!order.is_before(cell.write, s.thread)) found(&cell.write);
    if (a.how != How::read) found(cell.reads.unordered(order, s.thread, others_));
    if (a.how != How::atomic && !atomics_.empty()) found(atomics_[c].unordered(order, s.thread, others_));
    switch (a.how) {
      case How::read: cell.reads.add(s, order, others_); break;
      case How::atomic: atomics_[c].add(s, order, others_); break;
      case How::write:
        cell.write = s;
        cell.reads.clear();
        if (!atomics_.empty()) atomics_[c].clear();
        break;
    }
    if (a.how != How::write) {
      met.is_owned = met.is_owned && cell.life == a.life;
      met.is_changed = met.is_changed || cell.written_in == a.phase;
      met.is_first_read = met.is_first_read || cell.read_in != a.phase;
      cell.read_in = a.phase;
    }
    if (a.how != How::read) {
      cell.life = a.life;
      met.is_first_write = met.is_first_write || cell.written_in != a.phase;
      cell.written_in = a.phase;
    }
  }
  if (a.how == How::write && !released_.empty()) released_.erase(a.place);
  return met;
}

void Memory::own(std::size_t place, std::size_t size, std::uint32_t life) {
  if (size == 0) return;
  for (std::size_t c = cell(place); c <= cell(place + size - 1); ++c) cells_[c].life = life;
}

bool Memory::is_owned(std::size_t place, std::size_t size, std::uint32_t life) const {
  bool is = true;
  for (std::size_t c = cell(place); c <= cell(place + size - 1); ++c) is &= cells_[c].life == life;
  return is;
}

KnowledgePtr Memory::held(std::size_t place) const {
  const auto at = released_.find(place);
  return at == released_.end() ? nullptr : at->second;
}

}  // namespace fulgurite::kernel::emulator
