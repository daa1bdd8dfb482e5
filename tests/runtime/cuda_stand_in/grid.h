// A launch: blocks in flight side by side, in an order drawn at random, and what a thread may not do.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "block.h"
#include "compile.h"
#include "kernel_host.h"
#include "runtime/cuda/driver.h"

namespace fulgurite::runtime::test {

struct LaunchShape {
  std::uint32_t n_blocks, block_size, shared_bytes_at_launch;
};

class Grid {
 public:
  Grid(const KernelEntry& kernel, const Code& code, const LaunchShape& shape, void** arguments,
       std::uint64_t seed);

  // Until all blocks have ended, or a thread breaks a rule, which is reported.
  void run();

  static Grid& running();
  // The running thread broke a rule: nothing of the kernel runs any further.
  [[noreturn]] static void fail(const std::string& what, cuda::Status status = 719);

  // Gives a thread its turn. False if the kernel has failed.
  bool enter(Block& block, Thread& thread);
  // The running thread lets others run: surely, or one time in many.
  void yield();
  void perhaps_yield();
  // Other blocks may see that the running one changed these bytes, and need not yet.
  void tell_others(const LateStores::Published& stores);
  void tell_others(cuda::Address address, const std::byte* old, std::size_t bytes);
  void note_progress() { n_turns_ = 0; }

  Thread& thread() { return *thread_; }
  Block& block() { return *block_; }
  const KernelEntry& kernel() const { return kernel_; }
  const Code& code() const { return code_; }
  std::size_t static_bytes() const { return static_bytes_; }

 private:
  static void thread_body();
  void begin_next(Block& block);
  void finish(Block& block);

  const KernelEntry& kernel_;
  const Code& code_;
  const LaunchShape shape_;
  void** const arguments_;
  Random random_;
  const std::size_t static_bytes_;
  bool has_failed_ = false;
  std::vector<std::unique_ptr<Block>> blocks_;  // in flight
  Thread* thread_ = nullptr;
  Block* block_ = nullptr;
  std::vector<std::uint32_t> upcoming_;  // blocks of which the next one to begin is drawn
  std::uint32_t n_upcoming_ = 0;         // that have been there
  LateStores ended_stores_;
  std::uint64_t n_turns_ = 0;  // since something happened that other threads waited for
  std::uint32_t accesses_left_ = 1;
};

}  // namespace fulgurite::runtime::test
