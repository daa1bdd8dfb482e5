// An engine as the rest of the run time sees it: memory, kernels, launches. Kernels arrive as text and are
// launched with bytes; what they compute is none of this interface's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/failure.h"

namespace fulgurite::runtime {

// What the command `devices` shows, and what policies ask.
struct Description {
  std::string engine;  // "cpu", "opencl", "cuda"
  std::string name;    // "AMD EPYC ..."
  int n_cores;
  std::size_t memory;
  std::size_t last_level_cache;
  int vector_bytes;
  bool is_host;  // Memory::data is an address that the host may read and write
  // A block of threads may wait for a block that began before it, and sees what that block stored before a
  // release.
  bool blocks_wait = false;
  // Bytes that the threads of a block have together: 48 KiB, or less on a device that has less.
  std::size_t shared_memory = 48 << 10;
  // It says how many blocks of a compiled kernel run at once (Device::resident_blocks).
  bool tells_occupancy = false;
  // Threads of a warp exchange values without memory.
  bool has_shuffles = false;
  // It has an instruction that adds four products of 8 bits to a sum of 32 bits.
  bool adds_quarters = false;
  // Kernels read arrays of the host where they are, but what they make is not there.
  bool reads_host = false;
  // The processes that make up the device, each of which calls it in the same way.
  int n_ranks = 1;
  // The newest code that it runs: x86-64-v3, sm_90. Empty where code is text.
  std::string architecture = {};
};

// A block of device memory. `data` is an address or the device's handle for one; null: none.
struct Memory {
  void* data = nullptr;
  std::size_t bytes = 0;
};

// A kernel's text has the functions <name>_p0 ... <name>_p<n_phases - 1>; phase k + 1 starts when all tasks
// of phase k are done. A phase named <name>_p<k>_in_order begins no task before all tasks with lower numbers
// have begun.
struct KernelSource {
  std::string name;
  std::string text;
  int n_phases = 1;

  // For engines whose kernels are not called with a context.
  // For each parameter, in order: 0 for an array, else the bytes of the scalar.
  std::vector<std::int32_t> arguments{};
  std::vector<std::int32_t> block_sizes{};  // threads of a block, of each phase
  bool can_fail = false;                    // there is a record of failures after the parameters
  // The bytes that the threads of a block share in each phase; on the CPU one number, the bytes of the stack.
  // Empty: none.
  std::vector<std::int32_t> shared_bytes{};
  // What its tasks touch (runtime/footprint.h), for devices of several ranks.
  std::vector<std::int64_t> footprints{};
  // For people who look at it with other tools: "rmse, program.cpp:12".
  std::string label{};
};

// The part of a multiprocessor that one phase of a compiled kernel takes.
struct Occupancy {
  int block_size = 0;
  int registers = 0;     // of a thread
  int thread_bytes = 0;  // of a thread in memory: what registers do not hold
  int shared_bytes = 0;  // of a block
  // The blocks that run at once, their threads, and the threads that a multiprocessor could run.
  int n_blocks = 0, n_threads = 0, most_threads = 0;
  friend bool operator==(const Occupancy&, const Occupancy&) = default;
};

// A kernel that is ready to run; each engine has its own.
class Kernel {
 public:
  virtual ~Kernel() = default;

  // The occupancy of each phase, on engines that know; else nothing.
  virtual std::vector<Occupancy> occupancy() const { return {}; }
};

// One launch. The number of tasks of each phase depends on sizes only.
struct Launch {
  std::span<void* const> buffers;         // Memory::data, in the order of the kernel's array parameters
  std::span<const std::int64_t> scalars;  // one 64-bit slot each
  std::span<const std::int64_t> n_tasks;  // of each phase
  std::uint64_t bytes_read = 0, bytes_written = 0;  // as the plan counts, for stats()
  std::span<const std::int64_t> n_elements = {};    // of each buffer, where there are several ranks
};

class Device {
 public:
  virtual ~Device() = default;

  virtual Description describe() const = 0;

  // Uninitialised memory from the device's pool. Throws OutOfMemory.
  virtual Memory allocate(std::size_t bytes) = 0;
  virtual void release(Memory memory) noexcept = 0;

  virtual void upload(Memory to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, Memory from, std::size_t bytes) = 0;
  virtual void copy(Memory to, Memory from, std::size_t bytes) = 0;

  // Memory of the user's on this device, which stays the user's, as the engine's own users know it. Throws
  // DeviceError where the memory cannot be this device's, or is smaller.
  virtual Memory adopt(void* handle, std::size_t bytes);
  virtual void disown(Memory memory) noexcept;
  // The engine's own handle for the memory, once everything uploaded, copied or computed there has arrived.
  virtual void* handle(Memory memory);

  // The kernel from memory, from the disk cache, or from the compiler; a kernel that another thread is
  // building is waited for.
  virtual std::shared_ptr<const Kernel> build(const KernelSource& source) = 0;

  // The kernel from code that was compiled elsewhere for an architecture that this device runs; `source`
  // lacks its text unless code is text. Kept as long as it is held.
  virtual std::shared_ptr<const Kernel> load(const KernelSource& source, std::string_view code);

  // How many blocks of `threads` threads run at once, as far as the registers and the shared memory of each
  // phase leave room for them; at least 1, and the same each time. Only engines with
  // Description::tells_occupancy answer.
  virtual std::int64_t resident_blocks(const Kernel& kernel, int threads) const;

  // Starts a kernel after all launches before it. The failure of the lowest element, if the engine knows it
  // already.
  virtual std::optional<Failure> launch(const Kernel& kernel, const Launch& launch) = 0;
  // On several ranks: ends the job unless all of them call with an equal text now. Else does nothing.
  // Messages name the user's line, which may be another on each rank.
  virtual void agree(std::string_view what, const std::source_location& line = {});
  // Waits until all launches are done. Returns a failure that `launch` could not know yet.
  virtual std::optional<Failure> wait() = 0;
  // wait() when an error is on its way, which other ranks may not meet: they are not waited for.
  virtual std::optional<Failure> give_up() { return wait(); }
};

}  // namespace fulgurite::runtime
