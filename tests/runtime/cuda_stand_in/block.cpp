#include "block.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "grid.h"

namespace fulgurite::runtime::test {
namespace {

constexpr std::size_t shared_alignment = 16;
constexpr std::byte fresh_shared{0xB7};
constexpr std::uint32_t few_threads = 8;
constexpr std::uint32_t one_turn_of = 16, most_turns_to_miss = 32;

}  // namespace

Block::Block(std::uint32_t n_threads, std::size_t shared_bytes)
    : threads_(n_threads),
      shared_with_room_(shared_bytes + shared_alignment),
      shared_bytes_(shared_bytes),
      n_warp_barriers_((n_threads + warp_lanes - 1) / warp_lanes) {
  const auto start = reinterpret_cast<std::uintptr_t>(shared_with_room_.data());
  shared_ = shared_with_room_.data() + (shared_alignment - start % shared_alignment) % shared_alignment;
}

void Block::begin(std::uint32_t number, void (*body)()) {
  number_ = number;
  n_ended_ = n_at_barrier_ = 0;
  n_block_barriers_ = 0;
  std::ranges::fill(n_warp_barriers_, 0U);
  std::ranges::fill(shared_with_room_, fresh_shared);
  races.begin(shared_bytes_);
  stale.clear();
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    threads_[i].number = i;
    threads_[i].state = State::ready;
    threads_[i].fiber.start(body);
  }
}

void Block::show_memory() {
  stale.show();
  stores.show();
}

void Block::hide_memory() {
  stores.hide();
  stale.hide();
}

Moment Block::moment(const Thread& thread) const {
  return {thread.number, n_block_barriers_, n_warp_barriers_[thread.warp()]};
}

bool Block::is_asleep(Random& random) {
  if (n_turns_to_miss_ == 0 && random() % one_turn_of == 0) n_turns_to_miss_ = random() % most_turns_to_miss;
  return n_turns_to_miss_ != 0 && n_turns_to_miss_-- != 0;
}

bool Block::run_some(Random& random) {
  const auto n = static_cast<std::uint32_t>(threads_.size());
  std::uint32_t at = random() % n, step = 1 + random() % n;
  if (random() % 2 == 0) step = 1;
  while (std::gcd(step, n) != 1) ++step;
  const std::uint32_t draw = random() % 4;
  const std::uint32_t n_turns = draw == 0 ? 1 + random() % few_threads : draw == 1 ? warp_lanes : n;
  bool any = false;
  const auto give_turns = [&](std::uint32_t turns) {
    for (std::uint32_t k = 0; k < std::min(turns, n); ++k, at = (at + step) % n) {
      if (threads_[at].state != State::ready) continue;
      any = true;
      if (!Grid::running().enter(*this, threads_[at])) return;
    }
  };
  give_turns(n_turns);
  if (!any) give_turns(n);
  return any;
}

void Block::wait_for_block(Thread& thread, int line) {
  if (n_ended_ != 0)
    Grid::fail(fmt::format("waits at the barrier in line {}, and threads of its block have ended", line));
  if (n_at_barrier_ != 0 && line != barrier_line_)
    Grid::fail(fmt::format("waits at the barrier in line {}, and others of its block in line {}", line,
                           barrier_line_));
  barrier_line_ = line;
  thread.state = State::at_block_barrier;
  thread.line = line;
  if (++n_at_barrier_ == threads_.size()) {
    n_at_barrier_ = 0;
    ++n_block_barriers_;
    for (Thread& other : threads_) other.state = State::ready;
    Grid::running().note_progress();
  }
  Fiber::leave();
}

void Block::wait_for_warp(Thread& thread, std::uint32_t mask, int line) {
  thread.width = 0;
  meet(thread, mask, line);
}

std::uint64_t Block::shuffle(Thread& thread, std::uint32_t mask, std::uint64_t value, int from, int width,
                             int line) {
  if (width <= 0 || width > static_cast<int>(warp_lanes) ||
      !std::has_single_bit(static_cast<unsigned>(width)))
    Grid::fail(fmt::format("shuffles among {} lanes in line {}", width, line));
  thread.value = value;
  thread.from = from;
  thread.width = width;
  meet(thread, mask, line);
  return thread.value;
}

void Block::meet(Thread& thread, std::uint32_t mask, int line) {
  if ((mask >> thread.lane() & 1) == 0)
    Grid::fail(
        fmt::format("waits for the lanes {:#x} of its warp in line {}, and is none of them", mask, line));
  thread.state = State::at_warp_barrier;
  thread.mask = mask;
  thread.line = line;
  if (!release_warp(thread)) Fiber::leave();
}

bool Block::release_warp(Thread& waiting) {
  std::vector<Thread*> lanes;
  const std::size_t first = std::size_t{waiting.warp()} * warp_lanes;
  for (std::size_t i = first; i < std::min(first + warp_lanes, threads_.size()); ++i) {
    Thread& other = threads_[i];
    if ((waiting.mask >> other.lane() & 1) == 0 || other.state == State::ended) continue;
    if (other.state == State::at_warp_barrier &&
        (other.line != waiting.line || other.mask != waiting.mask || other.width != waiting.width))
      Grid::fail(
          fmt::format("waits for its warp in line {} with lanes {:#x}, and lane {} in line {} with {:#x}",
                      waiting.line, waiting.mask, other.lane(), other.line, other.mask));
    if (other.state != State::at_warp_barrier) return false;
    lanes.push_back(&other);
  }
  if (waiting.width != 0)
    exchange_values(lanes);
  else
    ++n_warp_barriers_[waiting.warp()];
  for (Thread* lane : lanes) lane->state = State::ready;
  Grid::running().note_progress();
  return true;
}

void Block::exchange_values(const std::vector<Thread*>& lanes) {
  std::array<const Thread*, warp_lanes> by_number{};
  for (const Thread* lane : lanes) by_number[lane->lane()] = lane;
  std::array<std::uint64_t, warp_lanes> results{};
  for (const Thread* lane : lanes) {
    const auto width = static_cast<std::uint32_t>(lane->width);
    const std::uint32_t source =
        (lane->lane() & ~(width - 1)) | (static_cast<std::uint32_t>(lane->from) & (width - 1));
    if (by_number[source] == nullptr)
      Grid::fail(fmt::format("lane {} shuffles in line {} from lane {}, which does not take part",
                             lane->lane(), lane->line, source));
    results[lane->lane()] = by_number[source]->value;
  }
  for (Thread* lane : lanes) lane->value = results[lane->lane()];
}

void Block::end(Thread& thread) {
  if (n_at_barrier_ != 0)
    Grid::fail(fmt::format("ends, and others of its block wait at the barrier in line {}", barrier_line_));
  thread.state = State::ended;
  ++n_ended_;
  Grid::running().note_progress();
  const std::size_t first = std::size_t{thread.warp()} * warp_lanes;
  for (std::size_t i = first; i < std::min(first + warp_lanes, threads_.size()); ++i)
    if (threads_[i].state == State::at_warp_barrier) release_warp(threads_[i]);
}

std::string Block::waiting() const {
  for (const Thread& thread : threads_)
    if (thread.state == State::at_block_barrier || thread.state == State::at_warp_barrier)
      return fmt::format("thread {} waits at the {} barrier in line {}", thread.number,
                         thread.state == State::at_block_barrier ? "block's" : "warp's", thread.line);
  return "no thread waits";
}

}  // namespace fulgurite::runtime::test
