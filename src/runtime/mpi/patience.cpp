#include "runtime/mpi/patience.h"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace fulgurite::runtime::mpi {
namespace {

using namespace std::chrono_literals;

// A message between two cores of a machine takes less than these rounds.
constexpr int rounds_before_yield = 50;
constexpr auto yielding = 1ms;
constexpr auto first_sleep = 50us, longest_sleep = 200us;

}  // namespace

void Patience::pause() {
  if (rounds_ < rounds_before_yield) {
    ++rounds_;
    return;
  }
  if (sleep_ == 0us) {
    const auto now = std::chrono::steady_clock::now();
    if (first_yield_ == std::chrono::steady_clock::time_point{}) first_yield_ = now;
    if (now - first_yield_ < yielding) {
      sched_yield();
      return;
    }
    sleep_ = first_sleep;
  }
  std::this_thread::sleep_for(sleep_);
  sleep_ = std::min<std::chrono::microseconds>(sleep_ + sleep_ / 4, longest_sleep);
}

}  // namespace fulgurite::runtime::mpi
