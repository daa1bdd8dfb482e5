// What the emulator remembers of an element is enough: it finds a race exactly where vector clocks, and all
// accesses that there have been, find one.
#include "kernel/emulator/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace fulgurite::kernel::emulator {
namespace {

constexpr std::size_t n_tasks = 3;
constexpr std::uint16_t threads[] = {0, 1, 2, 32, 33, 64, 65, whole_task};  // of each task that do something
constexpr std::size_t n_threads = std::size(threads), n_instances = n_tasks * n_threads;

/// For each instance, the last event of every other instance that is before its own next event.
class Clocks {
 public:
  Clocks() : known_(n_instances, std::vector<int>(n_instances, 0)), released_(n_instances, 0) {
    for (std::size_t i = 0; i < n_instances; ++i) known_[i][i] = 1;
  }
  bool access(std::size_t who, How how) {
    const bool races = std::any_of(accesses_.begin(), accesses_.end(), [&](const Access& a) {
      const bool conflicts = how == How::write || a.how == How::write || how != a.how;
      return conflicts && a.who != who && a.when > known_[who][a.who];
    });
    accesses_.push_back({who, known_[who][who], how});
    return races;
  }
  void barrier(const std::vector<std::size_t>& all) {
    std::vector<int> together(n_instances, 0);
    for (const std::size_t i : all) join(together, known_[i]);
    for (const std::size_t i : all) {
      known_[i] = together;
      ++known_[i][i];
    }
  }
  void release(std::size_t who) {
    join(released_, known_[who]);
    ++known_[who][who];
  }
  void acquire(std::size_t who) { join(known_[who], released_); }

 private:
  struct Access {
    std::size_t who;
    int when;
    How how;
  };
  static void join(std::vector<int>& into, const std::vector<int>& from) {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
  }

  std::vector<std::vector<int>> known_;
  std::vector<int> released_;
  std::vector<Access> accesses_;
};

struct Outcome {
  int races = 0, missed = 0, invented = 0;
};

/// Random events up to the first race, many times. `atomics`: some release and acquire.
Outcome compare(bool atomics, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  Outcome outcome;
  for (int round = 0; round < 4000; ++round) {
    std::vector<std::byte> bytes(8);
    Memory memory;
    memory.begin(bytes, 4);
    std::vector<TaskOrder> orders(n_tasks);
    for (std::size_t t = 0; t < n_tasks; ++t) orders[t].begin(static_cast<std::uint32_t>(t + 1), 1, 96);
    Clocks clocks;
    // A few threads, mostly, and more reads than writes: else all races are near.
    const std::size_t tasks = 1 + below(n_tasks), first = below(n_threads), some = 1 + below(n_threads);
    const std::size_t writes = 2 + below(20);
    for (int event = 0; event < 80; ++event) {
      const std::size_t task = below(tasks), thread = (first + below(some)) % n_threads;
      const std::size_t who = task * n_threads + thread;
      TaskOrder& order = orders[task];
      const std::size_t what = below(100);
      if (what < 10) {
        std::vector<std::size_t> all;
        for (std::size_t i = 0; i < n_threads; ++i) all.push_back(task * n_threads + i);
        clocks.barrier(all);
        order.block_barrier();
      } else if (what < 25 && threads[thread] != whole_task) {
        std::vector<std::size_t> warp;
        for (std::size_t i = 0; i < n_threads; ++i)
          if (threads[i] / 32 == threads[thread] / 32) warp.push_back(task * n_threads + i);
        clocks.barrier(warp);
        order.warp_barrier(threads[thread] / 32);
      } else if (what < 40 && atomics) {
        if (what < 32) {
          clocks.release(who);
          memory.released(4) = order.release(threads[thread], memory.held(4));
        } else {
          clocks.acquire(who);
          order.acquire(threads[thread], memory.held(4));
        }
      } else {
        const How how = below(writes) == 0 ? How::write : below(5) == 0 ? How::atomic : How::read;
        const bool expected = clocks.access(who, how);
        const Memory::Access access{how, 0, 4, 1, 1};
        const bool found = memory.touch(access, order.stamp(threads[thread], 0), order).race.has_value();
        outcome.races += expected;
        outcome.missed += expected && !found;
        outcome.invented += found && !expected;
        if (expected || found) break;
      }
    }
  }
  return outcome;
}

TEST(EmulatorMemory, RacesAreThoseOfVectorClocks) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Outcome o = compare(false, seed);
    EXPECT_GT(o.races, 500);
    EXPECT_LT(o.races, 3900);
    EXPECT_EQ(o.missed, 0);
    EXPECT_EQ(o.invented, 0);
  }
}

TEST(EmulatorMemory, NorAreRacesInventedWhereAtomicsOrder) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Outcome o = compare(true, seed);
    EXPECT_GT(o.races, 500);
    EXPECT_LT(o.missed, o.races / 100);
    EXPECT_EQ(o.invented, 0);
  }
}

}  // namespace
}  // namespace fulgurite::kernel::emulator
