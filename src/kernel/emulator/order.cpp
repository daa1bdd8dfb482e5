#include "kernel/emulator/order.h"

#include <algorithm>

#include "base/check.h"

namespace fulgurite::kernel::emulator {
namespace {

void take_later(std::map<std::uint16_t, std::uint32_t>& into,
                const std::map<std::uint16_t, std::uint32_t>& from) {
  for (const auto& [who, when] : from) {
    std::uint32_t& known = into[who];
    known = std::max(known, when);
  }
}

bool covers(const KnowledgePtr& knowledge, const Stamp& s) {
  if (!knowledge) return false;
  const auto found = knowledge->find(s.task);
  if (found == knowledge->end()) return false;
  const Known& known = found->second;
  if (s.epoch < known.epoch) return true;
  const auto is_later = [](const auto& map, std::uint16_t who, std::uint32_t when) {
    const auto at = map.find(who);
    return at != map.end() && when < at->second;
  };
  const auto thread = static_cast<std::uint16_t>(s.thread);
  return is_later(known.threads, thread, static_cast<std::uint32_t>(s.releases)) ||
         (thread != whole_task && is_later(known.warps, thread / 32, s.epoch));
}

}  // namespace

KnowledgePtr merged(const KnowledgePtr& a, const KnowledgePtr& b) {
  if (!a || a == b) return b;
  if (!b) return a;
  auto result = std::make_shared<Knowledge>(*a);
  for (const auto& [task, known] : *b) {
    Known& into = (*result)[task];
    into.epoch = std::max(into.epoch, known.epoch);
    take_later(into.warps, known.warps);
    take_later(into.threads, known.threads);
  }
  return result;
}

void TaskOrder::begin(std::uint32_t task, std::uint32_t first_of_phase, std::int64_t threads) {
  task_ = task;
  first_of_phase_ = first_of_phase;
  epoch_ = block_barrier_ = 0;
  warp_barriers_.assign(static_cast<std::size_t>(threads + 31) / 32, 0);
  releases_.assign(static_cast<std::size_t>(threads) + 1, 0);
  has_acquired_ = false;
  all_.reset();
  own_.clear();
}

bool TaskOrder::knows(const Stamp& s, std::uint16_t thread) const {
  return covers(all_, s) || (!own_.empty() && covers(own_[slot(thread)], s));
}

void TaskOrder::block_barrier() {
  block_barrier_ = ++epoch_;
  for (const KnowledgePtr& k : own_) all_ = merged(all_, k);
  own_.clear();
}

void TaskOrder::warp_barrier(int warp) {
  const auto w = static_cast<std::size_t>(warp);
  warp_barriers_[w] = ++epoch_;
  if (own_.empty()) return;
  const auto first = own_.begin() + static_cast<std::ptrdiff_t>(w * 32);
  const auto last = std::min(first + 32, own_.end() - 1);
  KnowledgePtr together;
  for (auto k = first; k != last; ++k) together = merged(together, *k);
  std::fill(first, last, together);
}

void TaskOrder::acquire(std::uint16_t thread, const KnowledgePtr& knowledge) {
  if (!knowledge) return;
  has_acquired_ = true;
  if (own_.empty()) own_.resize(releases_.size());
  KnowledgePtr& own = own_[slot(thread)];
  own = merged(own, knowledge);
}

KnowledgePtr TaskOrder::release(std::uint16_t thread, const KnowledgePtr& held) {
  auto mine = std::make_shared<Knowledge>();
  Known& known = (*mine)[task_];
  known.epoch = block_barrier_;
  if (thread != whole_task) {
    const auto warp = static_cast<std::uint16_t>(thread / 32);
    known.warps[warp] = warp_barriers_[warp];
  }
  std::uint32_t& releases = releases_[slot(thread)];
  FULGURITE_CHECK(releases < most_in_stamp, "a thread releases {} times", releases);
  known.threads[thread] = ++releases;
  KnowledgePtr result = merged(merged(held, all_), mine);
  return own_.empty() ? result : merged(result, own_[slot(thread)]);
}

void TaskOrder::acquire_all(const KnowledgePtr& knowledge) {
  block_barrier();
  if (!knowledge) return;
  has_acquired_ = true;
  all_ = merged(all_, knowledge);
}

KnowledgePtr TaskOrder::release_all(const KnowledgePtr& held) {
  block_barrier();
  auto mine = std::make_shared<Knowledge>();
  (*mine)[task_].epoch = block_barrier_;
  return merged(merged(held, all_), mine);
}

}  // namespace fulgurite::kernel::emulator
