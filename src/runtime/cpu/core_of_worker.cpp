#include "runtime/cpu/core_of_worker.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

namespace fulgurite::runtime::cpu {
namespace {

// To move costs both cores some microseconds.
constexpr std::int64_t least_microseconds_between_moves = 2000;

std::int64_t microseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
}

class Lock {
 public:
  explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  ~Lock() { pthread_mutex_unlock(&mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

// All of `cores` but this one; none of them: there is no other.
cpu_set_t without(cpu_set_t cores, int core) {
  CPU_CLR(static_cast<std::size_t>(core), &cores);
  return cores;
}

bool bind(pid_t thread, const cpu_set_t& cores) {
  return CPU_COUNT(&cores) != 0 && sched_setaffinity(thread, sizeof cores, &cores) == 0;
}

}  // namespace

void CoreOfWorker::start() {
  const Lock lock(mutex_);
  const bool is_known = sched_getaffinity(0, sizeof allowed_, &allowed_) == 0;
  thread_ = is_known ? static_cast<pid_t>(syscall(SYS_gettid)) : 0;
}

void CoreOfWorker::look() {
  cpu_set_t now;
  if (sched_getaffinity(0, sizeof now, &now) != 0) return;
  const int given_up = given_up_.load(std::memory_order_relaxed);
  const cpu_set_t expected = given_up < 0 ? allowed_ : without(allowed_, given_up);
  if (!CPU_EQUAL(&now, &expected)) allowed_ = now;
}

void CoreOfWorker::sleep_apart_from(int core) {
  const Lock lock(mutex_);
  if (thread_ == 0 || core < 0) return;
  look();
  if (bind(thread_, without(allowed_, core))) given_up_.store(core, std::memory_order_relaxed);
}

void CoreOfWorker::awake() {
  const Lock lock(mutex_);
  if (thread_ == 0 || given_up_.load(std::memory_order_relaxed) < 0) return;
  look();
  bind(thread_, allowed_);
  given_up_.store(-1, std::memory_order_relaxed);
}

void CoreOfWorker::keep_apart_from(int core) {
  const int given_up = given_up_.load(std::memory_order_relaxed);
  if (core < 0 || given_up < 0 || given_up == core) return;
  // The lock is taken while the worker wakes.
  if (pthread_mutex_trylock(&mutex_) != 0) return;
  if (given_up_.load(std::memory_order_relaxed) >= 0 && bind(thread_, without(allowed_, core)))
    given_up_.store(core, std::memory_order_relaxed);
  pthread_mutex_unlock(&mutex_);
}

void CoreOfWorker::leave(int core) {
  if (core < 0 || sched_getcpu() != core) return;
  thread_local constinit std::int64_t last_move = 0;
  const std::int64_t now = microseconds();
  if (now - last_move < least_microseconds_between_moves) return;
  last_move = now;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  if (bind(0, without(allowed, core))) bind(0, allowed);
}

}  // namespace fulgurite::runtime::cpu
