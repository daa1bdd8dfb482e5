#include "tool/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace fulgurite::tool {

Progress::Progress(std::string what) : what_(std::move(what)) {
  if (::isatty(STDERR_FILENO)) thread_ = std::thread([this] { show(); });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  over_.notify_one();
  thread_.join();
}

void Progress::show() {
  using namespace std::chrono;
  const auto start = steady_clock::now();
  std::unique_lock lock(mutex_);
  for (bool shown = false;; shown = true) {
    const bool is_over = over_.wait_for(lock, milliseconds(333), [&] { return is_over_; });
    if (is_over) {
      if (shown) fmt::print(stderr, "\r\x1b[K");
      return;
    }
    fmt::print(stderr, "\r{} ... {:.0f} s\x1b[K", what_,
               duration<double>(steady_clock::now() - start).count());
    std::fflush(stderr);
  }
}

}  // namespace fulgurite::tool
