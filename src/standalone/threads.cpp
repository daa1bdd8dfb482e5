// Workers sleep until a job comes, apart from the caller of the one before, and take ranges of its tasks from
// one counter, as the caller does. One job runs at a time: who finds the pool busy runs its tasks itself, and
// so does a task that calls a program.
#include "standalone/threads.h"

#include <fulgurite_runtime.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <atomic>
#include <cstdlib>

#include "runtime/cpu/core_of_worker.h"

namespace fulgurite::standalone {

namespace {

constexpr int most_threads = 1024, ranges_per_thread = 8;
constexpr std::size_t worker_stack = std::size_t{8} << 20;

using runtime::cpu::CoreOfWorker;

struct Job {
  RunRange run;
  void* context;
  std::int64_t n_tasks, at_a_time;
  int callers_core;  // when it began; -1: unknown
};

// Lies on the worker's stack, as workers never end.
struct Worker {
  CoreOfWorker core;
  Worker* next = nullptr;
};

struct Pool {
  std::atomic<bool> is_busy{false};
  std::atomic<std::int64_t> next{0};
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // of what follows
  pthread_cond_t begins = PTHREAD_COND_INITIALIZER, ends = PTHREAD_COND_INITIALIZER;
  Job job = {};
  std::uint64_t number = 0;  // of the newest job
  bool takes_more = false;   // workers that come to the job now
  int n_working = 0, n_workers = 0;
  bool has_started = false;
  Worker* workers = nullptr;  // those that run by now
};
constinit Pool pool;

// A caller's pool.
constinit std::atomic<fg_run_tasks> others_run{nullptr};
constinit std::atomic<void*> others_pool{nullptr};
constinit std::atomic<int> others_threads{1};

int wanted_threads() {
  if (const char* text = std::getenv("FULGURITE_THREADS")) {
    char* end = nullptr;
    const long n = std::strtol(text, &end, 10);
    if (end != text && *end == 0 && n >= 1) return n < most_threads ? static_cast<int>(n) : most_threads;
  }
  cpu_set_t cores;
  const int n = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
  return n < 1 ? 1 : n < most_threads ? n : most_threads;
}

int own_threads() {
  static constinit std::atomic<int> known{0};
  if (known.load(std::memory_order_relaxed) == 0) known.store(wanted_threads(), std::memory_order_relaxed);
  return known.load(std::memory_order_relaxed);
}

void take_part(const Job& job) {
  for (;;) {
    const std::int64_t first = pool.next.fetch_add(job.at_a_time, std::memory_order_relaxed);
    if (first >= job.n_tasks) return;
    const std::int64_t last = job.n_tasks - first < job.at_a_time ? job.n_tasks : first + job.at_a_time;
    job.run(job.context, first, last);
  }
}

// The core is given up and taken back without the mutex, for which the caller may wait.
void* work(void*) {
  Worker self;
  self.core.start();
  std::uint64_t number = 0;
  pthread_mutex_lock(&pool.mutex);
  self.next = pool.workers;
  pool.workers = &self;
  for (;;) {
    while (pool.number == number || !pool.takes_more) pthread_cond_wait(&pool.begins, &pool.mutex);
    number = pool.number;
    const Job job = pool.job;
    ++pool.n_working;
    pthread_mutex_unlock(&pool.mutex);
    self.core.awake();
    CoreOfWorker::leave(job.callers_core);
    take_part(job);
    pthread_mutex_lock(&pool.mutex);
    if (--pool.n_working == 0) pthread_cond_signal(&pool.ends);
    pthread_mutex_unlock(&pool.mutex);
    self.core.sleep_apart_from(job.callers_core);
    pthread_mutex_lock(&pool.mutex);
  }
}

// Under the mutex. Workers take no signals, which are for the caller's threads; one that the system refuses
// is done without.
void start_workers() {
  pool.has_started = true;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, worker_stack);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  for (int i = 1; i < own_threads(); ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, &work, nullptr) != 0) break;
    ++pool.n_workers;
  }
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// A child has no workers; a job on the way is the parent's.
[[gnu::constructor]] void start_anew_in_children() {
  pthread_atfork(nullptr, nullptr, [] {
    pool.mutex = PTHREAD_MUTEX_INITIALIZER;
    pool.begins = PTHREAD_COND_INITIALIZER;
    pool.ends = PTHREAD_COND_INITIALIZER;
    pool.n_working = pool.n_workers = 0;
    pool.has_started = pool.takes_more = false;
    pool.workers = nullptr;
    pool.is_busy.store(false);
  });
}

void run_on_own_pool(const Job& job) {
  pthread_mutex_lock(&pool.mutex);
  if (!pool.has_started) start_workers();
  pool.next.store(0, std::memory_order_relaxed);
  pool.job = job;
  ++pool.number;
  pool.takes_more = true;
  for (Worker* worker = pool.workers; worker != nullptr; worker = worker->next)
    worker->core.keep_apart_from(job.callers_core);
  if (pool.n_workers > 0) pthread_cond_broadcast(&pool.begins);
  pthread_mutex_unlock(&pool.mutex);
  take_part(job);
  pthread_mutex_lock(&pool.mutex);
  pool.takes_more = false;
  while (pool.n_working > 0) pthread_cond_wait(&pool.ends, &pool.mutex);
  pthread_mutex_unlock(&pool.mutex);
}

}  // namespace

void run_tasks(std::int64_t n_tasks, bool is_in_order, RunRange run, void* context) {
  if (n_tasks <= 0) return;
  const fg_run_tasks given = others_run.load(std::memory_order_acquire);
  const int n = n_threads();
  if (n_tasks == 1 || n == 1 || (given != nullptr && is_in_order)) {
    run(context, 0, n_tasks);
    return;
  }
  if (given != nullptr) {
    given(others_pool.load(), n_tasks, run, context);
    return;
  }
  if (pool.is_busy.exchange(true, std::memory_order_acquire)) {
    run(context, 0, n_tasks);
    return;
  }
  const std::int64_t at_a_time = is_in_order ? 1 : 1 + (n_tasks - 1) / (std::int64_t{ranges_per_thread} * n);
  run_on_own_pool({run, context, n_tasks, at_a_time, sched_getcpu()});
  pool.is_busy.store(false, std::memory_order_release);
}

int n_threads() {
  return others_run.load(std::memory_order_acquire) != nullptr ? others_threads.load() : own_threads();
}

namespace {

struct Call {
  void (*work)(void*);
  void* context;
};

}  // namespace

bool run_with_stack(std::size_t bytes, void (*work)(void*), void* context) {
  constexpr std::size_t surely_there = std::size_t{64} << 10;
  if (bytes <= surely_there) {
    work(context);
    return true;
  }
  Call call{work, context};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  const bool fits = pthread_attr_setstacksize(&attributes, bytes + worker_stack) == 0;
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    const Call* const asked = static_cast<const Call*>(argument);
    asked->work(asked->context);
    return nullptr;
  };
  const bool has_started = fits && pthread_create(&thread, &attributes, run, &call) == 0;
  pthread_attr_destroy(&attributes);
  if (has_started) pthread_join(thread, nullptr);
  return has_started;
}

}  // namespace fulgurite::standalone

void fg_use_pool(fg_run_tasks run_tasks, void* pool, int n_threads) {
  using namespace fulgurite::standalone;
  others_pool.store(pool);
  others_threads.store(n_threads < 1 ? 1 : n_threads);
  others_run.store(run_tasks, std::memory_order_release);
}
