#include "runtime/mpi/patience.h"

#include <sched.h>

#include <algorithm>
#include <ctime>
#include <thread>

namespace fulgurite::runtime::mpi {
namespace {

using namespace std::chrono_literals;
using std::chrono::microseconds;

// With a core for each rank, a message between two of them takes less than these rounds.
struct Stages {
  int rounds;
  microseconds yielding, first_sleep;
};
constexpr Stages own_cores{.rounds = 50, .yielding = 1000us, .first_sleep = 50us};
constexpr Stages shared_cores{.rounds = 5, .yielding = 50us, .first_sleep = 10us};
constexpr microseconds longest_sleep = 200us;

// A look that finds nothing takes a tenth of it; MPI moves pieces of 32 KiB to 1 MiB.
constexpr microseconds look_that_moved = 20us;

std::chrono::nanoseconds computed_by_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

void Patience::pause() {
  const Stages& stages = shares_cores_ ? shared_cores : own_cores;
  if (rounds_ < stages.rounds) {
    ++rounds_;
    return;
  }
  if (sleep_ == 0us) {
    const auto now = std::chrono::steady_clock::now();
    if (first_yield_ == std::chrono::steady_clock::time_point{}) first_yield_ = now;
    if (now - first_yield_ < stages.yielding) {
      sched_yield();
      return;
    }
    sleep_ = stages.first_sleep;
    computed_ = computed_by_thread();
  }
  if (const auto computed = computed_by_thread(); computed - computed_ > look_that_moved) {
    computed_ = computed;
    sleep_ = stages.first_sleep;
    return;
  }
  std::this_thread::sleep_for(sleep_);
  sleep_ = std::min(sleep_ + std::max(sleep_ / 4, 1us), longest_sleep);
  computed_ = computed_by_thread();
}

}  // namespace fulgurite::runtime::mpi
