// The failures of launches on a device that runs them later. Each launch that can fail gets a record in the
// device's memory, which its kernel fills in; waiting reads them all, and the first launch that failed
// counts, as later failures may be its consequence. Records are zero when they are handed out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <unordered_map>
#include <vector>

#include "runtime/failure.h"

namespace fulgurite::runtime {

// A record as kernels see it; the same structure is declared in every kernel's text. Zeros: nothing failed.
struct FailureCell {
  std::int32_t lock;  // of what follows, while a kernel writes
  std::int32_t site;
  std::int64_t element, value, bound, group = 0;
  std::array<std::int64_t, Failure::most_more> more = {};
};

// Some tens of records in the memory of a device.
class FailureRecords {
 public:
  static constexpr std::size_t n_records = 32;

  virtual ~FailureRecords() = default;

  // What a launch is given for record i.
  virtual void* record(std::size_t i) const = 0;
  // The first records, after the launches before this call.
  virtual void read(std::span<FailureCell> cells) = 0;
  // Makes the first n zero before the launches after this call.
  virtual void clear(std::size_t n) = 0;
};

// The log of one host thread between two waits.
class FailureLog {
 public:
  // `records` are zero.
  explicit FailureLog(std::unique_ptr<FailureRecords> records) : records_(std::move(records)) {}

  // For the next launch that can fail. May wait for earlier ones.
  void* next();

  // Waits for the launches since the last call; the failure of the first that failed.
  std::optional<Failure> collect();

 private:
  void read();

  const std::unique_ptr<FailureRecords> records_;
  std::size_t n_used_ = 0;
  std::optional<Failure> first_;  // of records that were used again since
};

// The logs of all host threads. A thread has a log from its first launch that can fail until it waits.
class FailureLogs {
 public:
  // `make` gives records that are zero.
  explicit FailureLogs(std::function<std::unique_ptr<FailureRecords>()> make) : make_(std::move(make)) {}

  // For this thread's next launch that can fail.
  void* next();

  struct Collected {
    bool has_waited = false;  // for this thread's launches; else none of them could fail
    std::optional<Failure> failure = {};
  };
  // Collects the failures of this thread's launches since its last call.
  Collected collect();

 private:
  FailureLog& of_this_thread();

  const std::function<std::unique_ptr<FailureRecords>()> make_;
  std::mutex mutex_;  // of what follows
  std::unordered_map<std::thread::id, std::unique_ptr<FailureLog>> logs_;
  std::vector<std::unique_ptr<FailureLog>> spare_;
};

}  // namespace fulgurite::runtime
