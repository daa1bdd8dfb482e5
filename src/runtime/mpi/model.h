// A job of ranks that are not there, as a device: programs are compiled for it and called as on the engine,
// launches are divided and messages planned with the engine's own code (division.h, transfers.h) for all
// ranks at once, and no task runs. What comes out is what each rank sends, exactly, and a time by the model
// of Hockney (The communication challenge for MPP, Parallel Computing 20, 1994): a message takes the latency
// and its bytes by the bandwidth.
//
// Elements are nobody's, with one exception: phases of one task whose arrays are small and known run, so that
// counts of what a filter keeps become places, as on the engine. What each task of a filter keeps is assumed.
#pragma once

#include <fulgurite/cluster.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/cpu/device.h"
#include "runtime/device.h"
#include "runtime/footprint.h"
#include "runtime/mpi/division.h"
#include "runtime/mpi/gathered.h"
#include "runtime/mpi/layout.h"

namespace fulgurite::runtime::mpi {

/// As Traffic counts; bytes are those of messages and of gatherings.
struct Sent {
  std::int64_t messages = 0, gatherings = 0, bytes = 0;
  friend bool operator==(const Sent&, const Sent&) = default;
};

/// A phase in all runs of its launch.
struct PhaseCost {
  std::int64_t n_tasks = 0;  // of the last run
  bool is_divided = false;
  std::uint64_t n_unknown = 0;  // arrays that were gathered whole because it is unknown what its tasks read
  Sent all, most;               // of all ranks together, and of the one that sends most
  double share = 0;             // the part of the tasks that the rank with most has
  // Seconds: of memory, of messages and of their bytes, of collective operations.
  double computing = 0, latency = 0, transfer = 0, agreeing = 0;
};

struct LaunchCost {
  std::uint64_t n_runs = 0;
  std::vector<PhaseCost> phases;
};

class ModelDevice final : public Device {
 public:
  explicit ModelDevice(const Cluster&);
  ~ModelDevice() override;

  Description describe() const override;
  Memory allocate(std::size_t bytes) override;
  void release(Memory memory) noexcept override;
  void upload(Memory to, const void* from, std::size_t bytes) override;
  /// Zeros, unless the elements are known.
  void download(void* to, Memory from, std::size_t bytes) override;
  void copy(Memory to, Memory from, std::size_t bytes) override;
  std::shared_ptr<const Kernel> build(const KernelSource& source) override;
  std::optional<Failure> launch(const Kernel& kernel, const Launch& launch) override;
  std::optional<Failure> wait() override;
  void agree(std::string_view what, const std::source_location& line = {}) override;

  /// Rank r has the next bytes[r] bytes of the memory.
  void place_blocks(Memory memory, std::span<const std::int64_t> bytes);

  /// What was sent before is forgotten, but for what kernels have cost; arrays stay where they are.
  void begin_counting();
  /// The messages that each rank has sent.
  std::span<const Sent> sent() const { return sent_; }
  std::uint64_t collectives() const { return collectives_; }
  /// Null: the kernel has not run.
  const LaunchCost* cost_of(const Kernel&) const;
  /// The cost outside of launches: ranks compare their calls, and read scalars.
  const PhaseCost& between() const { return between_; }
  bool assumes_kept() const { return assumes_kept_; }
  bool reads_unknown() const { return reads_unknown_; }
  /// Whether places that elements say had to be assumed: all of an array is read by every rank, and stores
  /// go to all ranks alike.
  bool assumes_places() const { return assumes_places_; }

 private:
  struct Array {
    std::size_t bytes;
    Layout layout;
    bool is_known = false;
  };
  class Launching;

  /// Null: of the host, which all ranks have.
  Array* array(const void* data);
  double latency_of_all() const;
  double collective();
  void count(std::span<const Needs> needs, PhaseCost&);
  void count_messages(std::span<const Needs> needs, const Gathered&, PhaseCost&);
  /// An operation by which each rank gives bytes_of_ranks[r] to all others.
  void count_gathering(std::span<const std::size_t> bytes_of_ranks, PhaseCost&);
  /// Messages by which each rank sends an equal part of an array to each.
  void count_spread(std::int64_t bytes, PhaseCost&);
  void add(std::span<const Sent> out, std::span<const Sent> in, PhaseCost&);

  const Cluster cluster_;
  cpu::CpuDevice cpu_;
  std::map<const void*, Array> arrays_;
  std::vector<Sent> sent_;
  std::uint64_t collectives_ = 0;
  PhaseCost between_;
  bool has_untold_ = false;  // kernels that can fail, since ranks told each other
  bool assumes_kept_ = false, reads_unknown_ = false, assumes_places_ = false;
  // What goes from one rank to another, while it is counted.
  struct OfPair {
    std::int64_t bytes = 0, pieces = 0;
  };
  std::vector<OfPair> of_pairs_;
};

}  // namespace fulgurite::runtime::mpi
