// How a rank waits for another, between two looks whether it is done: at first it looks again at once, then
// lets other processes of its core run, and after a while sleeps.
#pragma once

#include <chrono>

namespace fulgurite::runtime::mpi {

class Patience {
 public:
  /// Where the machine has fewer cores than ranks, the one that is waited for may be waiting for this core:
  /// sleeping soon is then what lets it run, as the scheduler may take yielding for working.
  explicit Patience(bool shares_cores) : shares_cores_(shares_cores) {}

  void pause();

 private:
  const bool shares_cores_;
  int rounds_ = 0;
  std::chrono::steady_clock::time_point first_yield_{};
  std::chrono::microseconds sleep_{0};
};

}  // namespace fulgurite::runtime::mpi
