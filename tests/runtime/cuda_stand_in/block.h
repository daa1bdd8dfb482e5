// A block in flight: its threads, the memory that they share, and where they wait for each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "fiber.h"
#include "late_stores.h"
#include "moment.h"
#include "races.h"
#include "stale_loads.h"

namespace fulgurite::runtime::test {

using Random = std::minstd_rand;

struct Thread {
  enum class State { ready, at_block_barrier, at_warp_barrier, ended };

  Fiber fiber;
  std::uint32_t number = 0;
  State state = State::ended;
  int line = 0;            // of the barrier
  std::uint32_t mask = 0;  // of the warp's
  // What it shuffles there: a value, and from which lane of how many; no lanes where it does not.
  std::uint64_t value = 0;
  int from = 0, width = 0;

  std::uint32_t warp() const { return number / warp_lanes; }
  std::uint32_t lane() const { return number % warp_lanes; }
};

class Block {
 public:
  Block(std::uint32_t n_threads, std::size_t shared_bytes);

  void begin(std::uint32_t number, void (*body)());
  // Lets threads run, in an order drawn at random. False if none can.
  bool run_some(Random& random);
  // Now and then a block misses many turns, while others get far ahead of it.
  bool is_asleep(Random& random);
  bool has_ended() const { return n_ended_ == threads_.size(); }

  // Called by the running thread.
  void wait_for_block(Thread& thread, int line);
  void wait_for_warp(Thread& thread, std::uint32_t mask, int line);
  std::uint64_t shuffle(Thread& thread, std::uint32_t mask, std::uint64_t value, int from, int width,
                        int line);
  void end(Thread& thread);
  Moment moment(const Thread& thread) const;

  std::uint32_t number() const { return number_; }
  std::byte* shared() const { return shared_; }
  std::size_t shared_bytes() const { return shared_bytes_; }
  // "thread 3 waits at line 17": why none can run.
  std::string waiting() const;

  // Before its turns and after them: the device's memory as this block sees it, and as it is.
  void show_memory();
  void hide_memory();

  LateStores stores;
  StaleLoads stale;
  SharedRaces races;

 private:
  using State = Thread::State;

  void meet(Thread& thread, std::uint32_t mask, int line);
  // Lets the lanes go on that wait with this one, if all do.
  bool release_warp(Thread& waiting);
  void exchange_values(const std::vector<Thread*>& lanes);

  std::vector<Thread> threads_;
  std::vector<std::byte> shared_with_room_;
  std::byte* shared_;
  const std::size_t shared_bytes_;
  std::uint32_t number_ = 0;
  std::uint32_t n_turns_to_miss_ = 0;
  std::size_t n_ended_ = 0, n_at_barrier_ = 0;
  int barrier_line_ = 0;
  std::uint32_t n_block_barriers_ = 0;
  std::vector<std::uint32_t> n_warp_barriers_;
};

}  // namespace fulgurite::runtime::test
