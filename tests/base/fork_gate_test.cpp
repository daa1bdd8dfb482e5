#include "base/fork_gate.h"

#include <fulgurite/error.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace fulgurite::base {
namespace {

int outcome_of_child(int (*work)()) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int compile_in_child() {
  try {
    const CompilingSection section;
    return 0;
  } catch (const DeviceError&) {
    return 1;
  }
}

TEST(ForkGate, ForkWaitsForSectionsOfOtherThreads) {
  std::atomic<bool> is_in{false}, is_over{false};
  std::thread other([&] {
    const CompilingSection section;
    is_in = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    is_over = true;
  });
  while (!is_in) std::this_thread::yield();
  EXPECT_EQ(outcome_of_child(compile_in_child), 0);
  EXPECT_TRUE(is_over);
  other.join();
  EXPECT_FALSE(is_compiling());
}

TEST(ForkGate, AThreadMayForkInItsOwnSection) {
  const CompilingSection section, inside;
  EXPECT_TRUE(is_compiling());
  EXPECT_EQ(outcome_of_child(compile_in_child), 0);
  std::thread helper([] {
    const PartOfSection part(true);
    EXPECT_EQ(outcome_of_child(compile_in_child), 0);
  });
  helper.join();
}

// A section that waits for the forking thread: fork() goes on after some seconds, and the child is told.
TEST(ForkGate, SlowAChildOfASectionThatDoesNotEndIsToldSo) {
  std::atomic<bool> is_in{false}, may_end{false};
  std::thread other([&] {
    const CompilingSection section;
    is_in = true;
    while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  while (!is_in) std::this_thread::yield();
  EXPECT_EQ(outcome_of_child(compile_in_child), 1);
  may_end = true;
  other.join();
  EXPECT_EQ(outcome_of_child(compile_in_child), 0);
}

}  // namespace
}  // namespace fulgurite::base
