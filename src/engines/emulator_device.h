// The kernel IR's emulator as an engine: kernels arrive as the text of kernel/print.h and run as
// kernel/emulate.h says, so that whatever a GPU would do wrong by chance is an error every time. Each launch
// of a process has another order of tasks, warps and lanes.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "kernel/emulate.h"
#include "runtime/device.h"

namespace fulgurite {

class EmulatorDevice final : public runtime::Device {
 public:
  static EmulatorDevice& shared();

  runtime::Description describe() const override;
  runtime::Memory allocate(std::size_t bytes) override;
  void release(runtime::Memory memory) noexcept override;
  void upload(runtime::Memory to, const void* from, std::size_t bytes) override;
  void download(void* to, runtime::Memory from, std::size_t bytes) override;
  void copy(runtime::Memory to, runtime::Memory from, std::size_t bytes) override;
  std::shared_ptr<const runtime::Kernel> build(const runtime::KernelSource& source) override;
  /// Few, so that a block's part of a space is often longer than it has to be.
  std::int64_t resident_blocks(const runtime::Kernel&, int) const override { return 6; }
  /// Throws KernelError for what the emulator finds.
  std::optional<runtime::Failure> launch(const runtime::Kernel& kernel,
                                         const runtime::Launch& launch) override;
  std::optional<runtime::Failure> wait() override { return std::nullopt; }

  /// Counts of all launches since the last call: what they moved, and how much of that was needed.
  kernel::PhaseCounts take_counts();

  /// For tests of what is said of launches: what each of them did to its buffers, since recording began.
  struct Recorded {
    const runtime::Kernel* kernel;
    kernel::Counts counts;
    bool was_off;  // its guard kept it from doing anything
  };
  /// Lanes of a processor, which go together without barriers, run in a block if nothing asks for a proof.
  void begin_recording(bool proves = true);
  std::vector<Recorded> end_recording();

 private:
  struct Block {
    std::size_t bytes;
    bool is_written;  // by anyone, anywhere
  };
  Block& block(void* data) { return blocks_.at(data); }
  void written(void* data);

  std::mutex mutex_;
  std::unordered_map<void*, Block> blocks_;
  kernel::PhaseCounts counts_;
  std::uint64_t n_launches_ = 0;
  std::optional<std::vector<Recorded>> recorded_;
  bool proves_ = true;
};

}  // namespace fulgurite
