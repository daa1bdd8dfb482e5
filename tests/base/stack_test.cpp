#include "base/stack.h"

#include <fulgurite/error.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

namespace fulgurite::base {
namespace {

// Uses about 1 KiB of stack for each level.
int deep(int levels) {
  volatile char frame[1000];
  frame[0] = static_cast<char>(levels);
  return levels == 0 ? 0 : deep(levels - 1) + (frame[0] == static_cast<char>(levels) ? 1 : 0);
}

void on_small_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{128} << 10);
  pthread_t thread;
  const auto run = [](void* f) -> void* {
    (*static_cast<const std::function<void()>*>(f))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)), 0);
  pthread_join(thread, nullptr);
}

TEST(Stack, WorkHasTheStackThatItNeeds) {
  on_small_stack([] {
    const std::thread::id caller = std::this_thread::get_id();
    EXPECT_EQ(with_stack(deep_stack, [] { return deep(3000); }), 3000);
    EXPECT_NE(with_stack(deep_stack, [] { return std::this_thread::get_id(); }), caller);
    EXPECT_EQ(with_stack(std::size_t{16} << 10, [] { return std::this_thread::get_id(); }), caller);
    const std::thread::id inner = with_stack(deep_stack, [&] {
      const std::thread::id helper = std::this_thread::get_id();
      EXPECT_EQ(with_stack(deep_stack, [] { return std::this_thread::get_id(); }), helper) << "one is enough";
      return helper;
    });
    EXPECT_NE(inner, caller);
  });
}

TEST(Stack, PassesErrorsOn) {
  on_small_stack([] {
    EXPECT_THROW(with_stack(deep_stack, []() -> int { throw ShapeError("no"); }), ShapeError);
    EXPECT_EQ(with_stack(deep_stack, [] { return 7; }), 7);
  });
}

TEST(Stack, WhereThereAreNoThreadsAQuarterIsEnough) {
  const pid_t child = fork();
  if (child == 0) {
    rlimit limit{};
    getrlimit(RLIMIT_NPROC, &limit);
    limit.rlim_cur = 0;
    bool is_here = false;
    if (setrlimit(RLIMIT_NPROC, &limit) == 0 && (geteuid() != 0 || setresuid(65534, 65534, 65534) == 0)) {
      const std::thread::id caller = std::this_thread::get_id();
      is_here = with_stack(std::size_t{16} << 20, [] { return std::this_thread::get_id(); }) == caller;
    }
    _exit(is_here ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Stack, OneThatIsTooBigIsAnError) {
  try {
    call_with_stack(std::size_t{1} << 60, [] {});
    FAIL();
  } catch (const OutOfMemory& error) {
    EXPECT_NE(std::string(error.what()).find("KiB of stack"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace fulgurite::base
