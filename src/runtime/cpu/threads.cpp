#include "runtime/cpu/threads.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "base/log.h"
#include "base/made_once.h"
#include "runtime/host.h"

namespace fulgurite::runtime::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// After a job a worker waits this long for the next one before it sleeps: longer than the gaps of a hot loop,
// shorter than anybody notices. For the first part it does nothing else; then it offers its core to other
// threads between looks.
constexpr auto spin_time = std::chrono::microseconds(200);
constexpr auto spin_alone_time = std::chrono::microseconds(40);

// Two jobs with less between them belong to one hot loop.
constexpr auto hot_loop_gap = std::chrono::microseconds(100);
// A job with this much left, judged by the units that were run, is worth waking workers for: waking costs the
// caller up to 20 us in a virtual machine, and the worker comes later still, with a cold cache. The first
// units after a pause are slow (cold caches, a clock that has gone down) and say nothing of the rest.
constexpr auto worth_waking = std::chrono::microseconds(100);
constexpr auto too_short_to_judge = std::chrono::microseconds(40);

// Jobs are cut into at most this many units a thread, each of one or more tasks: enough to even out shares,
// few enough that taking one (some nanoseconds) never shows.
constexpr std::int64_t units_per_thread = 32;
constexpr int max_threads = 1024;

// How often a thread looks whether another one takes a task.
constexpr int patience = 32;

constexpr std::size_t cache_line = 64;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void futex_sleep(std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futex_wake(std::atomic<std::uint32_t>& word, int n) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, n, nullptr, nullptr, 0);
}

int wanted_threads() {
  if (const char* text = std::getenv("FULGURITE_THREADS")) {
    int n = 0;
    const auto [end, error] = std::from_chars(text, text + std::strlen(text), n);
    if (error == std::errc{} && *end == 0 && n >= 1) return std::min(n, max_threads);
    base::log(fmt::format("fulgurite: FULGURITE_THREADS is '{}', not a number of threads: using {}", text,
                          std::min(host().n_cores, max_threads)));
  }
  return std::min(host().n_cores, max_threads);
}

// First task of a unit; the first n_tasks % n_units units have one task more.
std::int64_t first_task(std::int64_t n_tasks, std::uint32_t n_units, std::uint32_t unit) {
  return n_tasks / n_units * unit + std::min<std::int64_t>(unit, n_tasks % n_units);
}

}  // namespace

ThreadPool::ThreadPool(int n_threads)
    : n_threads_(std::clamp(n_threads, 1, max_threads)),
      shares_(new Share[static_cast<std::size_t>(n_threads_)]) {}

ThreadPool::~ThreadPool() {
  stop_workers();
}

std::uint64_t ThreadPool::pack(std::uint32_t number, std::uint32_t first, std::uint32_t last) {
  return std::uint64_t{number} << 32 | first << 16 | last;
}

bool ThreadPool::take(Share& share, std::uint32_t number, bool from_front, std::uint32_t& unit) {
  std::uint64_t packed = share.packed.load(std::memory_order_acquire);
  for (;;) {
    const auto first = static_cast<std::uint32_t>(packed >> 16 & 0xffff),
               last = static_cast<std::uint32_t>(packed & 0xffff);
    if (packed >> 32 != number || first == last) return false;
    const std::uint64_t rest = from_front ? pack(number, first + 1, last) : pack(number, first, last - 1);
    if (share.packed.compare_exchange_weak(packed, rest, std::memory_order_acq_rel,
                                           std::memory_order_acquire)) {
      unit = from_front ? first : last - 1;
      return true;
    }
  }
}

// The next task of an ordered job, whose units are tasks: the first share counts them. Who took the task
// n_threads before this one is about to take it, if it is not late.
bool ThreadPool::take_next(int index, const Job& job, std::uint32_t number, std::uint32_t& task) {
  std::atomic<std::uint64_t>& next = shares_[0].packed;
  std::uint64_t packed = next.load(std::memory_order_acquire);
  for (int looks = 0; packed >> 32 == number;) {
    task = static_cast<std::uint32_t>(packed);
    if (task == job.n_units) return false;
    std::atomic<int>& last = shares_[task % static_cast<std::uint32_t>(n_threads_)].last;
    if (const int who = last.load(std::memory_order_relaxed); who >= 0 && who != index && looks < patience) {
      ++looks;
      pause();
      packed = next.load(std::memory_order_acquire);
    } else if (next.compare_exchange_weak(packed, packed + 1, std::memory_order_acq_rel,
                                          std::memory_order_acquire)) {
      last.store(index, std::memory_order_relaxed);
      return true;
    }
  }
  return false;
}

void ThreadPool::Share::hold(const Job& job) {
  function.store(job.function, std::memory_order_relaxed);
  context.store(job.context, std::memory_order_relaxed);
  n_tasks.store(job.n_tasks, std::memory_order_relaxed);
  n_units.store(job.n_units, std::memory_order_release);
  order.store(job.order, std::memory_order_release);
}

ThreadPool::Job ThreadPool::Share::job() const {
  return {function.load(std::memory_order_relaxed), context.load(std::memory_order_relaxed),
          n_tasks.load(std::memory_order_relaxed), n_units.load(std::memory_order_acquire),
          order.load(std::memory_order_acquire)};
}

void ThreadPool::run_unit(const Job& job, std::uint32_t unit) {
  job.function(job.context, first_task(job.n_tasks, job.n_units, unit),
               first_task(job.n_tasks, job.n_units, unit + 1));
}

// Runs units until none is left to take; returns how many it ran.
//
// A worker may have read `job` while the caller already wrote the next one. It can take a unit only if the
// share still bears `number`, and then that job is unfinished, so nothing of it has been overwritten: what
// was read is of that job.
std::uint32_t ThreadPool::take_part(int index, std::uint32_t number, const Job& job) {
  std::uint32_t unit = 0, n_done = 0;
  const auto run = [&] {
    run_unit(job, unit);
    ++n_done;
  };
  if (job.order == Order::by_number) {
    while (take_next(index, job, number, unit)) run();
    return n_done;
  }
  while (take(shares_[static_cast<std::size_t>(index)], number, true, unit)) run();
  for (int i = 1; i < n_threads_; ++i) {
    Share& other = shares_[static_cast<std::size_t>((index + i) % n_threads_)];
    while (take(other, number, false, unit)) run();
  }
  return n_done;
}

std::uint32_t ThreadPool::publish(const Job& job, std::uint32_t first_unit) {
  const std::uint32_t number = number_.load(std::memory_order_relaxed) + 1;
  // Before anything of the job before is overwritten: a worker that comes late to an ordered one may have
  // read the new order or number of units, by which the old counter would look like units to take.
  shares_[0].packed.store(pack(number, 0, 0), std::memory_order_relaxed);
  const int core = sched_getcpu();
  const std::uint32_t n_left = job.n_units - first_unit;
  const auto n_shares = std::min<std::uint32_t>(n_left, static_cast<std::uint32_t>(n_threads_));
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(n_threads_); ++i) {
    shares_[i].hold(job);
    shares_[i].callers_core.store(core, std::memory_order_relaxed);
    const std::uint32_t first = first_unit + std::min(i, n_shares) * n_left / n_shares;
    const std::uint32_t last = first_unit + std::min(i + 1, n_shares) * n_left / n_shares;
    const std::uint32_t next = i == 0 ? first_unit : 0;  // the first share counts the tasks of an ordered job
    const std::uint64_t share = job.order == Order::any ? pack(number, first, last) : pack(number, 0, next);
    shares_[i].packed.store(share, std::memory_order_release);
  }
  number_.store(number, std::memory_order_seq_cst);
  return number;
}

// While all workers sleep. A job that follows closely on another is part of a hot loop, and its workers are
// woken at once for the sake of the jobs to come. Another one is run here, unit by unit, and only what is
// left when it has turned out to be long is given to workers: a short job after a pause touches nothing of
// the pool that its caches have lost.
void ThreadPool::run_while_others_sleep(const Job& job) {
  const Clock::time_point start = Clock::now();
  // Who was woken less than spin_time ago and still sleeps is waiting for a core.
  const bool woken = start - last_wake_ < spin_time;
  std::uint32_t n_run = 0;
  if (!woken && start - sleepy_end_ >= hot_loop_gap) {
    while (n_run < job.n_units) {
      run_unit(job, n_run++);
      if ((n_run & (n_run - 1)) != 0) continue;  // looks after 1, 2, 4 ... units: it costs what a unit may
      const auto taken = Clock::now() - start;
      if (taken > too_short_to_judge && taken * (job.n_units - n_run) > worth_waking * n_run) break;
    }
  }
  if (n_run < job.n_units) run_with_workers(job, n_run, !woken);
  sleepy_end_ = Clock::now();
}

// The units from this one on.
void ThreadPool::run_with_workers(const Job& job, std::uint32_t first_unit, bool wake) {
  const std::uint32_t number = publish(job, first_unit);
  if (wake) {
    for (int i = 1; i < n_threads_; ++i) {
      Share& of_worker = shares_[static_cast<std::size_t>(i)];
      of_worker.core.keep_apart_from(of_worker.callers_core.load(std::memory_order_relaxed));
    }
    const std::uint32_t n_left = job.n_units - first_unit;
    futex_wake(number_,
               static_cast<int>(std::min<std::uint32_t>(n_left, static_cast<std::uint32_t>(n_threads_)) - 1));
    last_wake_ = Clock::now();
  }
  const std::uint32_t n_done = take_part(0, number, job);
  wait_for_workers(number, job.n_units - first_unit - n_done);
}

void ThreadPool::run_shared(std::int64_t n_tasks, Function function, void* context, Order order) {
  const bool too_many = order == Order::by_number && n_tasks > UINT32_MAX;
  if (too_many || busy_.load(std::memory_order_relaxed) || stop_.load(std::memory_order_relaxed) ||
      busy_.exchange(true, std::memory_order_acquire)) {
    function(context, 0, n_tasks);
    return;
  }
  if (workers_.empty()) start_workers();
  const std::int64_t most_units = order == Order::any ? units_per_thread * n_threads_ : n_tasks;
  const auto n_units = static_cast<std::uint32_t>(std::min(n_tasks, most_units));
  const Job job{function, context, n_tasks, n_units, order};
  const std::uint32_t n_asleep = sleepers_.load(std::memory_order_relaxed);
  if (n_asleep != 0 && n_asleep == workers_.size())
    run_while_others_sleep(job);
  else
    run_with_workers(job, 0, n_asleep != 0 && Clock::now() - last_wake_ >= spin_time);
  busy_.store(false, std::memory_order_release);
}

// Every unit has been taken. Workers took n_units of them, and may still run some.
void ThreadPool::wait_for_workers(std::uint32_t number, std::uint32_t n_units) const {
  for (int looks = 0;; ++looks) {
    std::uint32_t n_done = 0;
    for (int i = 1; i < n_threads_ && n_done < n_units; ++i) {
      const std::uint64_t done = shares_[static_cast<std::size_t>(i)].done.load(std::memory_order_acquire);
      if (done >> 32 == number) n_done += static_cast<std::uint32_t>(done);
    }
    if (n_done == n_units) return;
    pause();
    if (looks >= 4096) std::this_thread::yield();  // a worker may have lost its core
  }
}

// Returns the number of a newer job, or any number once `stop_` is set.
std::uint32_t ThreadPool::wait_for_other_than(std::uint32_t number, Share& own) {
  const Clock::time_point start = Clock::now();
  for (auto now = start; now - start < spin_time; now = Clock::now()) {
    for (int looks = 0; looks < 32; ++looks) {
      const auto newest = static_cast<std::uint32_t>(own.packed.load(std::memory_order_acquire) >> 32);
      if (newest != number) return newest;
      pause();
    }
    CoreOfWorker::leave(own.callers_core.load(std::memory_order_relaxed));
    if (now - start > spin_alone_time) std::this_thread::yield();
  }
  own.core.sleep_apart_from(own.callers_core.load(std::memory_order_relaxed));
  // The caller writes `number_` after the shares: it may still be that of the job before.
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  std::uint32_t newest = number;
  for (;;) {
    const std::uint32_t published = number_.load(std::memory_order_seq_cst);
    newest = static_cast<std::uint32_t>(own.packed.load(std::memory_order_acquire) >> 32);
    if (newest != number) break;
    futex_sleep(number_, published);
  }
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
  own.core.awake();
  return newest;
}

void ThreadPool::work(int index) {
  Share& own = shares_[static_cast<std::size_t>(index)];
  std::uint32_t number = 0;
  own.core.start();
  for (;;) {
    number = wait_for_other_than(number, own);
    if (stop_.load(std::memory_order_acquire)) return;
    const Job job = own.job();
    // Once a unit is taken what the context points to is read at once, so that it may travel meanwhile.
    for (std::size_t k = 0; k < 4; ++k)
      __builtin_prefetch(static_cast<const std::byte*>(job.context) + k * cache_line);
    CoreOfWorker::leave(own.callers_core.load(std::memory_order_relaxed));
    if (const std::uint32_t n_done = take_part(index, number, job); n_done != 0)
      own.done.store(std::uint64_t{number} << 32 | n_done, std::memory_order_release);
  }
}

// Workers take no signals: signals are for the user's threads. A thread that the system refuses is done
// without.
void ThreadPool::start_workers() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    for (int index = 1; index < n_threads_; ++index) {
      workers_.emplace_back([this, index] { work(index); });
      pthread_setname_np(workers_.back().native_handle(), "fulgurite");
    }
  } catch (const std::exception&) {  // no memory, or no more threads
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// From then on every caller runs its tasks itself. A caller that does not finish (the process exits from a
// signal handler that interrupted it) is not waited for.
void ThreadPool::stop_workers() {
  stop_.store(true, std::memory_order_release);
  const Clock::time_point start = Clock::now();
  while (busy_.exchange(true, std::memory_order_acquire)) {
    if (Clock::now() - start > std::chrono::seconds(1)) {
      for (std::thread& worker : workers_) worker.detach();
      return;
    }
    std::this_thread::yield();
  }
  const std::uint32_t number = number_.load(std::memory_order_relaxed) + 1;
  for (int i = 0; i < n_threads_; ++i)
    shares_[static_cast<std::size_t>(i)].packed.store(pack(number, 0, 0), std::memory_order_release);
  number_.store(number, std::memory_order_seq_cst);
  futex_wake(number_, INT_MAX);
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

// A pool of the process is never freed, so that threads which outlive main() can still run their tasks,
// themselves; its workers are joined when the process exits or the library is unloaded.
struct ThreadPool::OfProcess {
  std::atomic<ThreadPool*> pool{nullptr};
  std::atomic<ThreadPool*> of_parent{nullptr};  // of the process that this one was forked from

  ~OfProcess() {
    if (ThreadPool* p = pool.load(std::memory_order_acquire)) p->stop_workers();
  }
};
constinit ThreadPool::OfProcess ThreadPool::of_process_;

// Its workers exist in the parent only.
const int ThreadPool::left_to_the_parent_ = pthread_atfork(nullptr, nullptr, [] {
  if (ThreadPool* p = of_process_.pool.exchange(nullptr)) of_process_.of_parent = p;
});

ThreadPool& ThreadPool::shared() {
  return base::made_once(of_process_.pool, [] {
    auto fresh = std::make_unique<ThreadPool>(wanted_threads());
    fresh->of_parent_ = of_process_.of_parent;
    return fresh;
  });
}

ThreadPool& ThreadPool::share(ThreadPool& pool) {
  ThreadPool& before = shared();
  of_process_.pool.store(&pool, std::memory_order_release);
  return before;
}

}  // namespace fulgurite::runtime::cpu
