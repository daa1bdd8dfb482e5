// The shared thread pool and the life of its process. (What threads do at once: threads_concurrent_test.cpp.)
#include "runtime/cpu/threads.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/host.h"

namespace fulgurite::runtime::cpu {
namespace {

void count_tasks(void* context, std::int64_t first, std::int64_t last) {
  *static_cast<std::atomic<std::int64_t>*>(context) += last - first;
}

struct Turns {
  std::atomic<std::int64_t> turn{0};
};

// Waits until all tasks before this one are done.
void take_turns(void* context, std::int64_t first, std::int64_t last) {
  auto* turns = static_cast<Turns*>(context);
  for (std::int64_t task = first; task < last; ++task) {
    while (turns->turn != task) std::this_thread::yield();
    turns->turn = task + 1;
  }
}

TEST(OrderedTasks, EachMayWaitForThoseBefore) {
  for (int n_threads : {1, 2, 3, 8}) {
    ThreadPool pool(n_threads);
#ifdef FULGURITE_SANITIZED  // with more threads than cores turns take long
    const std::int64_t many = n_threads <= 2 ? 70000 : 1000;
#else
    const std::int64_t many = 70000;
#endif
    for (std::int64_t n_tasks : std::initializer_list<std::int64_t>{0, 1, 2, 3, 100, many}) {
      Turns turns;
      pool.run(n_tasks, take_turns, &turns, ThreadPool::Order::by_number);
      EXPECT_EQ(turns.turn, n_tasks) << n_threads;
      std::atomic<std::int64_t> n{0};
      pool.run(n_tasks, count_tasks, &n);
      EXPECT_EQ(n, n_tasks) << n_threads;
    }
  }
}

int in_child(const std::function<int()>& child) {
  const pid_t pid = fork();
  if (pid == 0) _exit(child());
  int status = -1;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(SharedThreadPool, AForkedChildHasAPoolOfItsOwn) {
  std::atomic<std::int64_t> n{0};
  ThreadPool::shared().run(100, count_tasks, &n);
  EXPECT_EQ(in_child([&] {
              for (int i = 0; i < 10; ++i) ThreadPool::shared().run(100, count_tasks, &n);
              return n == 1100 ? 0 : 1;
            }),
            0);
  ThreadPool::shared().run(100, count_tasks, &n);
  EXPECT_EQ(n, 200);
}

[[noreturn]] void exit_in_use() {
  static std::atomic<std::int64_t> n{0};
  std::thread([] {
    for (;;) ThreadPool::shared().run(50, count_tasks, &n);
  }).detach();
  while (n < 10000) std::this_thread::yield();
  std::exit(7);
}

// Workers run and a detached thread keeps calling while the process exits by exit().
TEST(SharedThreadPool, AProcessExitsWhileItIsInUse) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (int i = 0; i < 5; ++i) EXPECT_EXIT(exit_in_use(), testing::ExitedWithCode(7), "");
}

TEST(SharedThreadPool, HasAsManyThreadsAsTheEnvironmentSays) {
  const auto threads_with = [](const char* value) {
    return in_child([&] {
      if (value == nullptr)
        unsetenv("FULGURITE_THREADS");
      else
        setenv("FULGURITE_THREADS", value, 1);
      return ThreadPool::shared().n_threads();
    });
  };
  EXPECT_EQ(threads_with("3"), 3);
  EXPECT_EQ(threads_with("1"), 1);
  EXPECT_EQ(threads_with(nullptr), host().n_cores);
  EXPECT_EQ(threads_with("0"), host().n_cores);
  EXPECT_EQ(threads_with("many"), host().n_cores);
  EXPECT_EQ(threads_with("4 "), host().n_cores);
}

}  // namespace
}  // namespace fulgurite::runtime::cpu
