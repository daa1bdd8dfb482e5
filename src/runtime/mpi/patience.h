// How a rank waits for another, between two looks whether it is done: at first it looks again at once, then
// lets other processes of its core run, and after a while sleeps. A look that has moved a piece of a large
// message takes long itself, and no sleep follows it.
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
  std::chrono::nanoseconds computed_{0};  // by this thread, up to the end of the last sleep
};

}  // namespace fulgurite::runtime::mpi
