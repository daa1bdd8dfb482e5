// What a kernel found wrong while it ran: an index out of range, a division by zero. Kernels report through a
// function pointer in their context (the call is in the cold path of their code) and go on; of several
// failures the one with the lowest element is kept, so that the report does not depend on the number of
// threads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "runtime/spin_lock.h"

extern "C" {
struct fg_failure;  // opaque for kernels
}

namespace fulgurite::runtime {

struct Failure {
  static constexpr std::size_t most_more = 14;
  std::int32_t site;                              // of the plan's table of source locations and messages
  std::int64_t element;                           // of the kernel's result
  std::int64_t value;                             // the index or dividend
  std::int64_t bound;                             // what it should have been below
  std::int64_t group = 0;                         // not 0: of how many elements each counts as one position
  std::array<std::int64_t, most_more> more = {};  // values that the message quotes after these two

  std::int64_t position() const { return group > 1 ? element / group : element; }
  /// The values that the message quotes.
  std::array<std::int64_t, 2 + most_more> values() const {
    std::array<std::int64_t, 2 + most_more> all{value, bound};
    for (std::size_t k = 0; k < more.size(); ++k) all[2 + k] = more[k];
    return all;
  }
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
  static void report_more_from_kernel(fg_failure* record, std::int32_t site, std::int64_t element,
                                      std::int64_t value, std::int64_t bound, std::int64_t group,
                                      std::int32_t n, const std::int64_t* more) noexcept;

 private:
  SpinLock lock_;
  std::atomic<bool> any_{false};
  std::atomic<std::int64_t> element_{INT64_MAX};  // of lowest_, to be compared without taking the lock
  Failure lowest_{};
};

}  // namespace fulgurite::runtime
