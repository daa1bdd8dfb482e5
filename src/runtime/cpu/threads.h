// A small pool of threads for launches of array kernels: hot loops of kernels that take a few microseconds
// each.
//
// In: a number of tasks and a function of a range of tasks. Out: every task
// has run once. The tasks are given by the caller and never depend on the number of threads, so neither do
// results.
//
// Every thread, the caller included, owns a share of the tasks and takes them from its front; who has none
// left takes from the back of another's share (work stealing after Blumofe, Leiserson: Scheduling
// multithreaded computations by work stealing, JACM 1999, on shares that are known beforehand). A thread thus
// meets the same part of the data again and again and finds it in its cache, and the caller finishes alone
// what workers that sleep would have done: it never waits for one to wake, only for one that is in the middle
// of a task. Workers spin for a bounded time after each job, then sleep on a futex. Waking one costs the
// caller more than a short job takes (8 us were measured in a virtual machine), so while all sleep the caller
// begins alone, and shares a job only when it turns out to be long, or follows closely on another.
//
// Tasks that wait for earlier tasks are not dealt in shares: all threads take the next one of a single
// counter, so that a task only waits for one that another thread is in the middle of. They leave to each
// other, for a moment, the tasks that they would take in turn: a thread that knows its next task reads ahead.
//
// A call from inside a task, or while another thread's call runs, runs its tasks itself.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/cpu/core_of_worker.h"

namespace fulgurite::runtime::cpu {

class ThreadPool {
 public:
  // Runs tasks [first, last). Must not throw. What `context` points to had better begin a cache line.
  using Function = void (*)(void* context, std::int64_t first, std::int64_t last);

  // Which tasks begin first: any, or (for tasks that wait for earlier ones) no task before all with lower
  // numbers have begun.
  enum class Order : std::uint8_t { any, by_number };

  // The caller counts as one: n_threads - 1 workers are started by the first call that has use for them.
  explicit ThreadPool(int n_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int n_threads() const { return n_threads_; }

  // Runs tasks [0, n_tasks), and returns when all are done.
  void run(std::int64_t n_tasks, Function function, void* context, Order order = Order::any) {
    if (n_tasks <= 1 || n_threads_ == 1) {
      if (n_tasks > 0) function(context, 0, n_tasks);
    } else {
      run_shared(n_tasks, function, context, order);
    }
  }

  // The pool of the process: FULGURITE_THREADS threads, or as many as it may use cores. A forked child gets a
  // new one.
  static ThreadPool& shared();
  // Makes `pool` the pool of the process and returns the former pool. The caller keeps `pool` alive until it
  // has shared another, and no call runs meanwhile. For tests.
  static ThreadPool& share(ThreadPool& pool);

 private:
  struct OfProcess;
  static OfProcess of_process_;
  static const int left_to_the_parent_;

  struct Job {
    Function function;
    void* context;
    std::int64_t n_tasks;
    std::uint32_t n_units;
    Order order;
  };
  // All that a thread and the caller tell each other in a job is in one cache line: between cores that are
  // far apart one takes 0.2 to 0.4 us to travel, as long as a small task.
  struct alignas(128) Share {
    // Units [first, last) of the job with this number; the number guards against a worker that comes late.
    std::atomic<std::uint64_t> packed{0};
    // The job, for this thread.
    std::atomic<Function> function{nullptr};
    std::atomic<void*> context{nullptr};
    std::atomic<std::int64_t> n_tasks{0};
    std::atomic<std::uint32_t> n_units{0};
    std::atomic<Order> order{Order::any};
    // Of an ordered job: who took the newest of the tasks whose number is this share's, modulo n_threads.
    std::atomic<int> last{-1};
    std::atomic<int> callers_core{-1};
    std::atomic<std::uint64_t> done{0};  // how many units of which job the thread has run
    alignas(128) CoreOfWorker core;

    void hold(const Job&);
    Job job() const;
  };

  void run_shared(std::int64_t n_tasks, Function function, void* context, Order order);
  std::uint32_t publish(const Job& job, std::uint32_t first_unit);
  void start_workers();
  void stop_workers();
  void work(int index);
  std::uint32_t wait_for_other_than(std::uint32_t number, Share& own);
  static void run_unit(const Job& job, std::uint32_t unit);
  std::uint32_t take_part(int index, std::uint32_t number, const Job& job);
  void run_while_others_sleep(const Job& job);
  void run_with_workers(const Job& job, std::uint32_t first_unit, bool wake);
  void wait_for_workers(std::uint32_t number, std::uint32_t n_units) const;
  static std::uint64_t pack(std::uint32_t number, std::uint32_t first, std::uint32_t last);
  bool take_next(int index, const Job& job, std::uint32_t number, std::uint32_t& task);
  static bool take(Share& share, std::uint32_t number, bool from_front, std::uint32_t& unit);

  const int n_threads_;
  std::unique_ptr<Share[]> shares_;
  std::vector<std::thread> workers_;
  // Cannot be freed: its threads are not there to be joined.
  const ThreadPool* of_parent_ = nullptr;

  alignas(128) std::atomic<bool> busy_{false};  // by the one caller that writes what follows, and shares
  std::chrono::steady_clock::time_point last_wake_{};
  std::chrono::steady_clock::time_point sleepy_end_{};  // of the newest job that began while workers slept
  std::atomic<std::uint32_t> number_{0};                // of the newest job; workers sleep on it
  std::atomic<bool> stop_{false};
  alignas(128) std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace fulgurite::runtime::cpu
