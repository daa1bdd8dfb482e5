// All processes of a job as one device: each runs some of the tasks of a phase on its cores, from and to
// memory of its own, in which an array has its place as on one machine but only some of its elements. What
// tasks touch is known before they run (runtime/footprint.h), so that a rank sends what others are about to
// read without being asked.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/cpu/device.h"
#include "runtime/device.h"
#include "runtime/footprint.h"
#include "runtime/mpi/layout.h"
#include "runtime/mpi/ranks.h"

namespace fulgurite::runtime::mpi {

/// What the ranks have done, each on its own, since the job began.
struct Counts {
  std::uint64_t divided = 0;   // phases whose tasks the ranks shared
  std::uint64_t repeated = 0;  // phases of more than one task that every rank ran
  std::uint64_t gathered = 0;  // arrays that came together on every rank because a kernel's reads are unknown
  std::uint64_t asked = 0;     // arrays of which ranks asked each other for what tasks read
  std::uint64_t posted = 0;    // arrays of which what tasks stored went to its owners
};

class MpiDevice final : public Device {
 public:
  Description describe() const override;
  Memory allocate(std::size_t bytes) override;
  void release(Memory memory) noexcept override;
  void upload(Memory to, const void* from, std::size_t bytes) override;
  // All ranks call together, and each gets all bytes.
  void download(void* to, Memory from, std::size_t bytes) override;
  void copy(Memory to, Memory from, std::size_t bytes) override;
  std::shared_ptr<const Kernel> build(const KernelSource& source) override;
  std::optional<Failure> launch(const Kernel& kernel, const Launch& launch) override;
  // All ranks call together. Returns the failure of tasks of any rank since the last call.
  std::optional<Failure> wait() override;
  std::optional<Failure> give_up() override;
  void agree(std::string_view what, const std::source_location& line = {}) override;

  int rank() const { return ranks_.rank(); }
  Ranks& ranks() { return ranks_; }
  const Counts& counts() const { return counts_; }
  /// Rank r has the next bytes[r] bytes of the memory.
  void place_blocks(Memory memory, std::span<const std::int64_t> bytes);
  bool has_all(const void* data, std::size_t bytes);
  /// A part of the array for each rank, which has it then: together they are the first `bytes` bytes. They
  /// are what ranks have anyway if that is one part each, else rows, which are exchanged.
  std::vector<Bytes> blocks_of_ranks(Memory memory, std::int64_t bytes, std::int64_t row_bytes);
  /// The elements of an array that a program made that this rank has computed and no lower rank has.
  Intervals own_part(const void* data);

  // Starts MPI. Throws DeviceError where there is none.
  static MpiDevice& shared();
  // Null until the job has begun.
  static MpiDevice* if_started();

 private:
  class Launching;

  MpiDevice(Ranks& ranks, std::string cpu);
  Layout* layout(const void* data);
  /// The last phase of a launch may have failed, which the ranks tell each other later, in one go.
  void tell_later(const std::optional<Failure>& mine);
  std::optional<Failure> lowest(const std::optional<Failure>& mine);

  Ranks& ranks_;
  cpu::CpuDevice cpu_;
  std::mutex mutex_;  // of what follows: arrays end on any thread
  std::map<const void*, Layout> layouts_;
  Counts counts_;
  // Launches since ranks told each other of failures, and the first of them that failed here.
  std::int64_t n_untold_ = 0, failed_launch_ = INT64_MAX;
  std::optional<Failure> failure_;
};

}  // namespace fulgurite::runtime::mpi
