// Kernels that compile in the background, on a device whose compiler does what a test says. Also run under
// ThreadSanitizer.
#include "runtime/background_build.h"

#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace fulgurite::runtime {
namespace {

struct Named final : Kernel {
  explicit Named(std::string of) : name(std::move(of)) {}
  const std::string name;
};

// Kernels whose text is "wait" are compiled once let_go() names them, those of "fail" never.
class SlowCompiler final : public Device {
 public:
  Description describe() const override { return {}; }
  Memory allocate(std::size_t) override { return {}; }
  void release(Memory) noexcept override {}
  void upload(Memory, const void*, std::size_t) override {}
  void download(void*, Memory, std::size_t) override {}
  void copy(Memory, Memory, std::size_t) override {}
  std::optional<Failure> launch(const Kernel&, const Launch&) override { return std::nullopt; }
  std::optional<Failure> wait() override { return std::nullopt; }

  std::shared_ptr<const Kernel> build(const KernelSource& source) override {
    std::unique_lock lock(mutex_);
    ++begun_[source.name];
    builders_[source.name] = std::this_thread::get_id();
    changed_.notify_all();
    if (source.text == "wait") changed_.wait(lock, [&] { return let_go_[source.name]; });
    if (source.text == "fail") throw CompileError("no compiler for " + source.name);
    return std::make_shared<Named>(source.name);
  }

  void let_go(const std::string& name) {
    const std::lock_guard lock(mutex_);
    let_go_[name] = true;
    changed_.notify_all();
  }
  void wait_until_begun(const std::string& name) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_[name] > 0; });
  }
  int times_begun(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return begun_[name];
  }
  std::thread::id builder(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return builders_[name];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, int> begun_;
  std::map<std::string, bool> let_go_;
  std::map<std::string, std::thread::id> builders_;
};

std::vector<KernelSource> sources(const std::vector<std::string>& texts) {
  std::vector<KernelSource> result;
  for (const std::string& text : texts) result.push_back({"k" + std::to_string(result.size()), text});
  return result;
}

std::string name_of(const Kernel& kernel) {
  return static_cast<const Named&>(kernel).name;
}

std::string error_of(const BackgroundBuild& build, std::size_t k) {
  try {
    return "none: " + name_of(build[k]);
  } catch (const CompileError& error) {
    return error.message();
  }
}

// The device outlives the threads, which nothing else waits for.
SlowCompiler& device() {
  static auto& all = *new std::vector<std::unique_ptr<SlowCompiler>>;
  return *all.emplace_back(std::make_unique<SlowCompiler>());
}

void wait_until_ready(const BackgroundBuild& build) {
  while (!build.is_ready()) std::this_thread::yield();
}

TEST(BackgroundBuild, ALaunchWaitsForItsOwnKernelOnly) {
  SlowCompiler& compiler = device();
  const BackgroundBuild build(compiler, sources({"wait", "go", "wait"}), 2);
  compiler.wait_until_begun("k0");
  EXPECT_EQ(name_of(build[1]), "k1") << "while k0 compiles";
  EXPECT_FALSE(build.is_ready());
  compiler.let_go("k0");
  compiler.let_go("k2");
  build.wait();
  EXPECT_TRUE(build.is_ready());
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(name_of(build[k]), "k" + std::to_string(k));
    EXPECT_EQ(compiler.times_begun("k" + std::to_string(k)), 1);
    EXPECT_NE(compiler.builder("k0"), std::this_thread::get_id());
  }
}

TEST(BackgroundBuild, WhatNoThreadHasBegunTheCallerCompiles) {
  SlowCompiler& compiler = device();
  const BackgroundBuild build(compiler, sources({"wait", "go", "go"}), 1);
  compiler.wait_until_begun("k0");
  EXPECT_EQ(name_of(build[2]), "k2");
  EXPECT_EQ(compiler.builder("k2"), std::this_thread::get_id());
  EXPECT_EQ(compiler.times_begun("k1"), 0);
  compiler.let_go("k0");
  wait_until_ready(build);
  EXPECT_NE(compiler.builder("k1"), std::this_thread::get_id());
}

TEST(BackgroundBuild, ManyCallersOfOneKernel) {
  SlowCompiler& compiler = device();
  const BackgroundBuild build(compiler, sources({"go", "wait", "go", "go", "go"}), 2);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 5; ++i) {
        const std::size_t k = (i + static_cast<std::size_t>(t)) % 5;
        EXPECT_EQ(name_of(build[k]), "k" + std::to_string(k));
      }
    });
  compiler.let_go("k1");
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(build.is_ready());
  for (int k = 0; k < 5; ++k) EXPECT_EQ(compiler.times_begun("k" + std::to_string(k)), 1);
}

TEST(BackgroundBuild, AFailureIsToldOnceAndThenTriedAgain) {
  SlowCompiler& compiler = device();
  const BackgroundBuild build(compiler, sources({"go", "fail"}), 2);
  wait_until_ready(build);
  EXPECT_EQ(compiler.times_begun("k1"), 1);
  EXPECT_THROW(build.wait(), CompileError);
  EXPECT_EQ(compiler.times_begun("k1"), 1) << "the thread's";
  EXPECT_EQ(error_of(build, 1), "no compiler for k1");
  EXPECT_EQ(compiler.times_begun("k1"), 2) << "the caller's";
  EXPECT_EQ(error_of(build, 1), "no compiler for k1");
  EXPECT_EQ(compiler.times_begun("k1"), 3);
  EXPECT_EQ(error_of(build, 0), "none: k0");
  EXPECT_TRUE(build.is_ready());
}

TEST(BackgroundBuild, WithoutThreadsAllIsThereWhenItIsMade) {
  SlowCompiler& compiler = device();
  const BackgroundBuild build(compiler, sources({"go", "fail", "go"}), 0);
  EXPECT_TRUE(build.is_ready());
  for (const char* name : {"k0", "k1", "k2"}) EXPECT_EQ(compiler.builder(name), std::this_thread::get_id());
  EXPECT_EQ(error_of(build, 1), "no compiler for k1");
  EXPECT_EQ(error_of(build, 2), "none: k2");
  EXPECT_TRUE(BackgroundBuild(compiler, {}, 4).is_ready());
}

TEST(BackgroundBuild, WhatIsGoneCompilesNoFurtherKernels) {
  SlowCompiler& compiler = device();
  {
    const BackgroundBuild build(compiler, sources({"wait", "go"}), 1);
    compiler.wait_until_begun("k0");
  }
  compiler.let_go("k0");
  const BackgroundBuild next(compiler, sources({"go"}), 1);
  next.wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(compiler.times_begun("k1"), 0);
}

}  // namespace
}  // namespace fulgurite::runtime
