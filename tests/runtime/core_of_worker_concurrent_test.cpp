// Where workers may wake: apart from their caller, and nowhere that a user has forbidden.
#include "runtime/cpu/core_of_worker.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <functional>
#include <thread>

#include "runtime/cpu/threads.h"

namespace fulgurite::runtime::cpu {
namespace {

cpu_set_t cores_of(pid_t thread) {
  cpu_set_t cores;
  EXPECT_EQ(sched_getaffinity(thread, sizeof cores, &cores), 0);
  return cores;
}
cpu_set_t without(cpu_set_t cores, std::size_t core) {
  CPU_CLR(core, &cores);
  return cores;
}
bool equal(const cpu_set_t& a, const cpu_set_t& b) {
  return CPU_EQUAL(&a, &b) != 0;
}

class WorkerCores : public testing::Test {
 protected:
  void SetUp() override {
    if (CPU_COUNT(&all_) < 2) GTEST_SKIP() << "one core";
    while (!CPU_ISSET(first_, &all_)) ++first_;
    second_ = first_ + 1;
    while (!CPU_ISSET(second_, &all_)) ++second_;
  }
  const cpu_set_t all_ = cores_of(0);
  std::size_t first_ = 0, second_ = 0;
  CoreOfWorker core_;
};

TEST_F(WorkerCores, OneIsGivenUpWhileAWorkerSleeps) {
  core_.start();
  core_.sleep_apart_from(static_cast<int>(first_));
  EXPECT_TRUE(equal(cores_of(0), without(all_, first_)));
  core_.keep_apart_from(static_cast<int>(second_));
  EXPECT_TRUE(equal(cores_of(0), without(all_, second_)));
  core_.awake();
  EXPECT_TRUE(equal(cores_of(0), all_));
  core_.keep_apart_from(static_cast<int>(second_));
  EXPECT_TRUE(equal(cores_of(0), all_));
}

TEST_F(WorkerCores, AUserMayChangeThemAtAnyTime) {
  core_.start();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first_, &one);
  core_.sleep_apart_from(static_cast<int>(first_));
  sched_setaffinity(0, sizeof one, &one);
  core_.awake();
  EXPECT_TRUE(equal(cores_of(0), one));
  core_.sleep_apart_from(static_cast<int>(first_));  // there is no other
  EXPECT_TRUE(equal(cores_of(0), one));
  core_.awake();
  EXPECT_TRUE(equal(cores_of(0), one));
  sched_setaffinity(0, sizeof all_, &all_);
  core_.sleep_apart_from(static_cast<int>(second_));
  core_.awake();
  EXPECT_TRUE(equal(cores_of(0), all_));
}

// What a caller does while the worker wakes of itself.
TEST_F(WorkerCores, AreAllThereAfterACallerThatInterferes) {
  const pid_t caller = gettid();
  std::atomic<bool> is_over{false};
  std::barrier<> started(2);
  std::thread worker([&] {
    core_.start();
    started.arrive_and_wait();
    for (int i = 0; i < 2000; ++i) core_.sleep_apart_from(static_cast<int>(first_)), core_.awake();
    is_over = true;
    started.arrive_and_wait();
    core_.sleep_apart_from(static_cast<int>(first_)), core_.awake();
    EXPECT_TRUE(equal(cores_of(0), all_));
  });
  started.arrive_and_wait();
  while (!is_over) core_.keep_apart_from(static_cast<int>(second_));
  started.arrive_and_wait();
  worker.join();
  EXPECT_TRUE(equal(cores_of(caller), all_));
}

TEST_F(WorkerCores, OfAPoolAreAllThereWhileItRuns) {
  using Body = std::function<void()>;
  ThreadPool pool(2);
  std::atomic<pid_t> worker{0};
  const pid_t caller = gettid();
  cpu_set_t meanwhile;
  const Body body = [&] {
    if (gettid() != caller) meanwhile = cores_of(0), worker = gettid();
    std::this_thread::sleep_for(std::chrono::microseconds(10));
  };
  for (int round = 0; round < 3; ++round) {
    worker = 0;
    for (int i = 0; i < 100000 && worker == 0; ++i)
      pool.run(
          64, [](void* context, std::int64_t, std::int64_t) { (*static_cast<const Body*>(context))(); },
          const_cast<Body*>(&body));
    ASSERT_NE(worker, 0);
    EXPECT_TRUE(equal(meanwhile, all_));
    // Once it sleeps.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    cpu_set_t asleep = all_;
    while (equal(asleep, all_) && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      asleep = cores_of(worker);
    }
    EXPECT_EQ(CPU_COUNT(&asleep), CPU_COUNT(&all_) - 1);
  }
}

}  // namespace
}  // namespace fulgurite::runtime::cpu
