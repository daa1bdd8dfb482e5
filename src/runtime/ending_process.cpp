#include "runtime/ending_process.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>

#include "base/made_once.h"

namespace fulgurite::runtime {
namespace {

struct Workers {
  std::mutex mutex;
  std::condition_variable changed;
  int n = 0;
  std::atomic<bool> is_ending{false};
};

constinit std::atomic<Workers*> one{nullptr};

Workers& workers() {
  return base::made_once(one, [] { return std::make_unique<Workers>(); });
}

void wait_for_workers() {
  Workers& all = workers();
  std::unique_lock lock(all.mutex);
  all.is_ending = true;
  all.changed.wait(lock, [&] { return all.n == 0; });
}

// exit() destroys the calling thread's own objects before static ones, those included that drivers made as
// late as in the first compilation.
struct WaitsForWorkers {
  ~WaitsForWorkers() { wait_for_workers(); }
};
void wait_when_main_thread_ends() {
  [[maybe_unused]] static thread_local const WaitsForWorkers waits;
}

// A child has none of its parent's threads.
void after_fork_in_child() {
  if (Workers* all = one.load()) new (all) Workers;
}

const int forks_are_watched = pthread_atfork(nullptr, nullptr, &after_fork_in_child);

}  // namespace

bool enter_worker() {
  if (gettid() == getpid()) wait_when_main_thread_ends();
  // Where others end the process: called before what drivers registered when they were loaded.
  static const bool is_registered = std::atexit(&wait_for_workers) == 0;
  Workers& all = workers();
  const std::lock_guard lock(all.mutex);
  if (!is_registered || all.is_ending) return false;
  ++all.n;
  return true;
}

void leave_worker() noexcept {
  Workers& all = workers();
  const std::lock_guard lock(all.mutex);
  --all.n;
  all.changed.notify_all();
}

bool is_process_ending() noexcept {
  const Workers* all = one.load(std::memory_order_acquire);
  return all != nullptr && all->is_ending;
}

}  // namespace fulgurite::runtime
