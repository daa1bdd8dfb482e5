// What a kernel found wrong while it ran: an index out of range, a division by zero. Kernels report through a
// function pointer in their context (the call is in the cold path of their code) and go on; of several
// failures the one with the lowest element is kept, so that the report does not depend on the number of
// threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "runtime/spin_lock.h"

extern "C" {
struct fg_failure;  // opaque for kernels
}

namespace fulgurite::runtime {

struct Failure {
  std::int32_t site;     // of the plan's table of source locations and messages
  std::int64_t element;  // of the kernel's result
  std::int64_t value;    // the index or the like
  std::int64_t bound;    // what it should have been below
  friend bool operator==(const Failure&, const Failure&) = default;
};

class FailureRecord {
 public:
  // Keeps `failure` if it is the first one or lower than the one kept: by element, then site, value, bound.
  void report(const Failure& failure) noexcept;

  bool any() const noexcept { return any_.load(std::memory_order_acquire); }
  // Called when no kernel that could report is running.
  std::optional<Failure> lowest() const;

  fg_failure* handle() noexcept { return reinterpret_cast<fg_failure*>(this); }
  static void report_from_kernel(fg_failure* record, std::int32_t site, std::int64_t element,
                                 std::int64_t value, std::int64_t bound) noexcept;

 private:
  SpinLock lock_;
  std::atomic<bool> any_{false};
  std::atomic<std::int64_t> element_{INT64_MAX};  // of lowest_, to be compared without taking the lock
  Failure lowest_{};
};

}  // namespace fulgurite::runtime
