#include "runtime/failure.h"

#include <algorithm>
#include <mutex>
#include <tuple>

namespace fulgurite::runtime {

void FailureRecord::report(const Failure& failure) noexcept {
  if (failure.element > element_.load(std::memory_order_relaxed)) return;
  const std::lock_guard guard(lock_);
  const auto key = [](const Failure& f) { return std::tuple(f.element, f.site, f.value, f.bound); };
  if (!any_.load(std::memory_order_relaxed) || key(failure) < key(lowest_)) {
    lowest_ = failure;
    element_.store(failure.element, std::memory_order_relaxed);
    any_.store(true, std::memory_order_relaxed);
  }
}

std::optional<Failure> FailureRecord::lowest() const {
  if (!any_.load(std::memory_order_acquire)) return std::nullopt;
  return lowest_;
}

void FailureRecord::report_from_kernel(fg_failure* record, std::int32_t site, std::int64_t element,
                                       std::int64_t value, std::int64_t bound) noexcept {
  reinterpret_cast<FailureRecord*>(record)->report({site, element, value, bound});
}

void FailureRecord::report_more_from_kernel(fg_failure* record, std::int32_t site, std::int64_t element,
                                            std::int64_t value, std::int64_t bound, std::int64_t group,
                                            std::int32_t n, const std::int64_t* more) noexcept {
  Failure failure{site, element, value, bound, group};
  std::copy_n(more, n, failure.more.begin());
  reinterpret_cast<FailureRecord*>(record)->report(failure);
}

}  // namespace fulgurite::runtime
