// Who runs kernels, and what the emulator says of one.
#pragma once

#include <fulgurite/abi.h>

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace kernel {

/// What CUDA lets the threads of a block share without asking at the launch, and the emulator unless it is
/// told otherwise. Larger kernels are printed with memory of a size that the launch gives (emit/printer.h).
inline constexpr std::int64_t default_shared_bytes = 48 * 1024;

/// Who runs a kernel of the kernel language: an engine, the seed of the order in which the emulator runs
/// threads, and the shared memory that a block may have.
struct Runner {
  const char* engine;
  std::uint64_t seed = 0;
  std::int64_t shared_bytes = default_shared_bytes;
};

/// What decides how fast a kernel is on a GPU, as the emulator counts it in one launch. Bytes and
/// transactions (32 bytes of global memory each, of a warp's access) with the least that were possible for
/// the elements that the kernel touches; passes over shared memory that bank conflicts add; lanes of warps
/// that had nothing to do in a statement, and all of them; barriers that a block waits at, and a warp alone.
struct Traffic {
  std::int64_t bytes = 0, least_bytes = 0;
  std::int64_t transactions = 0, least_transactions = 0;
  std::int64_t bank_conflicts = 0;
  std::int64_t idle_lanes = 0, lanes = 0;
  std::int64_t block_barriers = 0, warp_barriers = 0;
  std::int64_t shared_bytes = 0;
  std::int64_t blocks = 0, threads = 0;  // of the launch; of each block
  /// What stands between barriers, in the order of the source: the line that it was written in, how many
  /// threads it has, and what it is of the counts above.
  struct Stage {
    std::string file;
    unsigned line = 0;
    std::int64_t threads = 0;
    std::int64_t bytes = 0, transactions = 0, least_transactions = 0;
    std::int64_t bank_conflicts = 0;
    std::int64_t idle_lanes = 0, lanes = 0;
  };
  std::vector<Stage> stages = {};
};

}  // namespace kernel

/// This machine's cores. What the threads of a block share is on the stack of the one that runs it.
inline kernel::Runner cpu() {
  return {"cpu"};
}
/// The OpenCL device that FULGURITE_OPENCL_DEVICE names, or the first one. Throws DeviceError where there is
/// none when a kernel runs, and for a kernel whose blocks share more memory than the device has for one.
inline kernel::Runner opencl() {
  return {"opencl"};
}
/// The CUDA device that FULGURITE_CUDA_DEVICE names, or the first one. Throws DeviceError where there is none
/// or no NVRTC when a kernel runs, and for a kernel whose blocks share more memory than the device has for
/// one.
inline kernel::Runner cuda() {
  return {"cuda"};
}
/// A GPU, statement by statement, with warps, lanes and blocks in an order drawn from the seed. Finds data
/// races, indices out of range, reads of what nothing has written, barriers that not all threads reach, and
/// blocks that share more than `shared_bytes`.
inline kernel::Runner emulator(std::uint64_t seed = 0,
                               std::int64_t shared_bytes = kernel::default_shared_bytes) {
  return {"emulator", seed, shared_bytes};
}

}  // namespace fulgurite

#pragma GCC visibility pop
