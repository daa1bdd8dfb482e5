// How a rank waits for another, between two looks whether it is done: at first it looks again at once, then
// lets other processes of its core run, and after a while sleeps.
#pragma once

#include <chrono>

namespace fulgurite::runtime::mpi {

class Patience {
 public:
  void pause();

 private:
  int rounds_ = 0;
  std::chrono::steady_clock::time_point first_yield_{};
  std::chrono::microseconds sleep_{0};
};

}  // namespace fulgurite::runtime::mpi
