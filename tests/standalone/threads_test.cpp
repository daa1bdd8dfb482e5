// Where the static run time's workers sleep: apart from their caller, and nowhere bound while they work.
#include "../../src/standalone/threads.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

cpu_set_t cores_of(pid_t thread) {
  cpu_set_t cores;
  EXPECT_EQ(sched_getaffinity(thread, sizeof cores, &cores), 0);
  return cores;
}

struct Seen {
  const pid_t caller = gettid();
  std::atomic<pid_t> worker{0};
  cpu_set_t cores = {};  // of the worker, while it runs a task
};

// Runs jobs until a worker has taken part in one.
void run_until_a_worker_comes(Seen& seen) {
  const auto deadline = Clock::now() + std::chrono::seconds(20);
  while (seen.worker == 0 && Clock::now() < deadline)
    fulgurite::standalone::run_tasks(
        64, false,
        [](void* context, std::int64_t, std::int64_t) {
          auto& to = *static_cast<Seen*>(context);
          if (pid_t none = 0; gettid() != to.caller && to.worker == 0) {
            const cpu_set_t cores = cores_of(0);
            if (to.worker.compare_exchange_strong(none, gettid())) to.cores = cores;
          }
          std::this_thread::sleep_for(std::chrono::microseconds(10));
        },
        &seen);
}

bool sleeps_apart(pid_t worker, const cpu_set_t& all) {
  const auto deadline = Clock::now() + std::chrono::seconds(20);
  for (cpu_set_t now = all; CPU_COUNT(&now) != CPU_COUNT(&all) - 1; now = cores_of(worker)) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

bool all_is_well() {
  const cpu_set_t all = cores_of(0);
  for (int round = 0; round < 3; ++round) {
    Seen seen;
    run_until_a_worker_comes(seen);
    if (seen.worker == 0 || !CPU_EQUAL(&seen.cores, &all) || !sleeps_apart(seen.worker, all)) return false;
  }
  const cpu_set_t own = cores_of(0);
  return CPU_EQUAL(&own, &all) != 0;
}

TEST(StandaloneThreads, SleepApartFromTheirCallerAndWorkAnywhere) {
  if (fulgurite::standalone::n_threads() < 2) GTEST_SKIP() << "one core";
  EXPECT_TRUE(all_is_well());
  const pid_t child = fork();
  if (child == 0) _exit(all_is_well() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "a child starts anew";
}

}  // namespace
