#include "grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "findings.h"

namespace fulgurite::runtime::test {
namespace {

constexpr std::size_t most_blocks_in_flight = 6, most_threads_in_flight = 2048;
constexpr std::size_t n_to_draw_from = 4;  // blocks
constexpr std::uint32_t most_accesses_of_a_turn = 512;
constexpr std::uint64_t most_turns_without_progress = 20'000'000;
constexpr std::size_t most_late_stores_of_a_block = std::size_t{1} << 14,
                      most_late_stores_of_ended = std::size_t{1} << 20;

Grid* the_running = nullptr;

}  // namespace

Grid::Grid(const KernelEntry& kernel, const Code& code, const LaunchShape& shape, void** arguments,
           std::uint64_t seed)
    : kernel_(kernel),
      code_(code),
      shape_(shape),
      arguments_(arguments),
      random_(static_cast<Random::result_type>(seed + 1)),
      static_bytes_((static_cast<std::size_t>(kernel.shared_bytes) + 15) / 16 * 16) {}

Grid& Grid::running() {
  return *the_running;
}

void Grid::fail(const std::string& what, cuda::Status status) {
  Grid& grid = running();
  report({status, fmt::format("kernel {}, block {}: thread {} {}", grid.kernel_.name, grid.block_->number(),
                              grid.thread_->number, what)});
  grid.has_failed_ = true;
  Fiber::leave();
  std::abort();
}

bool Grid::enter(Block& block, Thread& thread) {
  if (++n_turns_ == most_turns_without_progress) {
    report({status::launch_failed,
            fmt::format("kernel {}: its threads wait for something that does not happen; of block {}, {}",
                        kernel_.name, block.number(), block.waiting())});
    has_failed_ = true;
    return false;
  }
  block_ = &block;
  thread_ = &thread;
  thread.fiber.enter();
  return !has_failed_;
}

void Grid::yield() {
  Fiber::leave();
}

void Grid::perhaps_yield() {
  if (--accesses_left_ != 0) return;
  accesses_left_ = 1 + random_() % most_accesses_of_a_turn;
  Fiber::leave();
}

void Grid::thread_body() {
  Grid& grid = running();
  grid.kernel_.call(grid.arguments_);
  running().block_->end(*running().thread_);
  Fiber::leave();
  std::abort();
}

void Grid::begin_next(Block& block) {
  while (upcoming_.size() < n_to_draw_from && n_upcoming_ < shape_.n_blocks)
    upcoming_.push_back(n_upcoming_++);
  std::swap(upcoming_[random_() % upcoming_.size()], upcoming_.back());
  block.begin(upcoming_.back(), thread_body);
  upcoming_.pop_back();
}

void Grid::finish(Block& block) {
  ended_stores_.append(block.stores);
  if (ended_stores_.size() < most_late_stores_of_ended) return;
  ended_stores_.show();
  ended_stores_.publish_all();
}

void Grid::tell_others(const LateStores::Published& stores) {
  for (const LateStore& store : stores) tell_others(store.address, store.other.data(), store.bytes);
}

void Grid::tell_others(cuda::Address address, const std::byte* old, std::size_t bytes) {
  for (const auto& block : blocks_)
    if (block.get() != block_) block->stale.add(address, old, bytes);
}

void Grid::run() {
  Grid* const outer = std::exchange(the_running, this);
  const std::size_t n_in_flight =
      std::clamp<std::size_t>(most_threads_in_flight / shape_.block_size, 1, most_blocks_in_flight);
  for (std::size_t i = 0; i < std::min<std::size_t>(n_in_flight, shape_.n_blocks); ++i) {
    blocks_.push_back(
        std::make_unique<Block>(shape_.block_size, static_bytes_ + shape_.shared_bytes_at_launch));
    begin_next(*blocks_.back());
  }
  while (!blocks_.empty() && !has_failed_) {
    std::swap(blocks_[random_() % blocks_.size()], blocks_.back());
    Block& block = *blocks_.back();
    if (block.is_asleep(random_) && blocks_.size() > 1) continue;
    block.show_memory();
    if (!block.run_some(random_)) {
      report({status::launch_failed, fmt::format("kernel {}, block {}: threads wait for each other: {}",
                                                 kernel_.name, block.number(), block.waiting())});
      has_failed_ = true;
    }
    if (block.stores.size() > most_late_stores_of_a_block) tell_others(block.stores.publish_all());
    block.hide_memory();
    if (!block.has_ended()) continue;
    finish(block);
    if (!upcoming_.empty() || n_upcoming_ < shape_.n_blocks)
      begin_next(block);
    else
      blocks_.pop_back();
  }
  ended_stores_.show();
  the_running = outer;
}

}  // namespace fulgurite::runtime::test
