// Kernels that several processes lack at the same time: one of them compiles, and nothing makes the others
// wait for ever.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "kernels.h"
#include "runtime/cpu/device.h"
#include "runtime/disk_cache.h"
#include "runtime/stats.h"
#include "temporary_directory.h"

namespace fulgurite::runtime {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using test::TemporaryDirectory;

constexpr std::uint64_t plenty = std::uint64_t{64} << 20;
const base::Digest some_key = base::digest("a kernel"), other_key = base::digest("another kernel");

// Another process, which says with one byte when it is ready, and ends when it is told so or killed.
class Other {
 public:
  explicit Other(const std::function<void(const std::function<void()>& wait)>& body) {
    EXPECT_EQ(pipe(ready_.data()), 0);
    EXPECT_EQ(pipe(go_.data()), 0);
    pid_ = fork();
    if (pid_ == 0) {
      close(go_[1]);
      body([&] {
        char byte = 0;
        if (write(ready_[1], &byte, 1) != 1 || read(go_[0], &byte, 1) < 0) _exit(9);
      });
      _exit(0);
    }
    close(ready_[1]);
    char byte = 0;
    EXPECT_EQ(read(ready_[0], &byte, 1), 1);
  }
  ~Other() {
    close(ready_[0]), close(go_[0]);
    if (go_[1] >= 0) close(go_[1]);
    if (pid_ > 0) kill(pid_, SIGKILL), waitpid(pid_, nullptr, 0);
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  void go() { close(std::exchange(go_[1], -1)); }
  void kill_it() const { kill(pid_, SIGKILL); }
  int status() {
    int status = -1;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  std::array<int, 2> ready_{}, go_{};
  pid_t pid_ = -1;
};

void hold(const TemporaryDirectory& directory, const std::function<void()>& wait) {
  DiskCache cache(directory.path(), plenty);
  const DiskCache::Turn mine = cache.turn(some_key);
  wait();
}

TEST(Turns, OneOfTwoProcessesCompilesAKernel) {
  const TemporaryDirectory directory;
  for (int round = 0; round < 5; ++round) {
    const auto build = [&](const std::function<void()>& wait) {
      DiskCache disk(directory.path(), plenty);
      cpu::CpuDevice device("native", disk);
      KernelSource source = test::saxpy();
      source.text += "// " + std::to_string(round);
      reset_stats();
      wait();
      device.build(source);
      _exit(stats().disk_hits + stats().compilations == 1 ? static_cast<int>(stats().compilations) : 8);
    };
    Other one(build), two(build);
    one.go(), two.go();
    EXPECT_EQ(one.status() + two.status(), 1);
  }
}

TEST(Turns, AreOfOneKeyAndOneHolder) {
  const TemporaryDirectory directory;
  Other holder([&](const auto& wait) { hold(directory, wait); });
  DiskCache cache(directory.path(), plenty);
  EXPECT_FALSE(cache.turn(other_key).has_waited());
  std::thread release([&] {
    std::this_thread::sleep_for(milliseconds(30));
    holder.go();
  });
  EXPECT_TRUE(cache.turn(some_key).has_waited());
  release.join();
  EXPECT_EQ(holder.status(), 0);
  EXPECT_FALSE(cache.turn(some_key).has_waited());
}

TEST(Turns, OfAKilledHolderAreOver) {
  const TemporaryDirectory directory;
  Other holder([&](const auto& wait) { hold(directory, wait); });
  DiskCache cache(directory.path(), plenty);
  std::thread killer([&] {
    std::this_thread::sleep_for(milliseconds(30));
    holder.kill_it();
  });
  const auto none = [] { return std::shared_ptr<int>(); };
  const auto make = [&] {
    EXPECT_FALSE(cache.turn(some_key).has_waited()) << "the killed one left nothing: nobody need wait for us";
    return std::make_shared<int>(7);
  };
  EXPECT_EQ(*cache.find_or_make(some_key, none, make), 7);
  killer.join();
}

TEST(Turns, OfAHangingHolderAreNotWaitedForLong) {
  const TemporaryDirectory directory;
  const Other holder([&](const auto& wait) { hold(directory, wait); });
  DiskCache cache(directory.path(), plenty);
  const auto begin = Clock::now();
  EXPECT_TRUE(cache.turn(some_key, milliseconds(20)).has_waited());
  EXPECT_GE(Clock::now() - begin, milliseconds(20));
}

// Its copy of the open file keeps nobody waiting.
TEST(Turns, EndThoughAChildWasForkedMeanwhile) {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path(), plenty);
  DiskCache::Turn mine = cache.turn(some_key);
  const Other child([](const auto& wait) { wait(); });
  mine.end();
  EXPECT_FALSE(cache.turn(some_key).has_waited());
}

// Threads that hold a turn each, and take the next only then, in opposite orders.
TEST(Turns, OfOneProcessAreTakenSideBySide) {
  const TemporaryDirectory directory;
  DiskCache cache(directory.path(), plenty);
  const auto take = [&](const base::Digest& first, const base::Digest& second) {
    for (int i = 0; i < 50; ++i) {
      {
        const DiskCache::Turn mine = cache.turn(first);
      }
      {
        const DiskCache::Turn mine = cache.turn(second);
      }
    }
  };
  std::thread other([&] { take(other_key, some_key); });
  take(some_key, other_key);
  other.join();
}

TEST(Turns, AreNoneWithoutAFolderToWriteTo) {
  DiskCache off({}, plenty);
  EXPECT_FALSE(off.turn(some_key).has_waited());
  const TemporaryDirectory directory;
  ASSERT_TRUE(geteuid() != 0 || chown(directory.path().c_str(), 65534, 65534) == 0);
  const pid_t reader = fork();
  if (reader == 0) {
    // Root may write anywhere.
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(1);
    if (chmod(directory.path().c_str(), 0500) != 0) _exit(2);
    DiskCache cache(directory.path(), plenty);
    const DiskCache::Turn mine = cache.turn(some_key);
    if (mine.has_waited() || cache.turn(some_key).has_waited()) _exit(3);
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(reader, &status, 0), reader);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace fulgurite::runtime
