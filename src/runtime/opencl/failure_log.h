// Where kernels report what they found wrong, and what the host reads once when it waits. Each launch that
// can fail has a record of its own, so that the failure of the first such launch is the one that counts: what
// later ones found may be no more than its consequence. The records are parts of one buffer, and one read
// gets them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/failure.h"
#include "runtime/opencl/api.h"

namespace fulgurite::runtime::opencl {

// As kernels see it; the same structure is declared in every kernel's text. Zeros: nothing failed.
struct FailureCell {
  std::int32_t lock;  // of what follows, while a kernel writes
  std::int32_t site;
  std::int64_t element, value, bound;
};

// Of one host thread between two waits.
class FailureLog {
 public:
  // `alignment` of the parts of a buffer, as the device wants it.
  FailureLog(const Api& api, Context context, Queue queue, std::size_t alignment);

  // For the next launch that can fail. May wait for earlier ones: there are some tens of records.
  Buffer next();

  // Waits for the launches since the last call; the failure of the first that failed.
  std::optional<Failure> collect();

 private:
  static constexpr std::size_t n_records = 32;

  void read();

  const Api& api_;
  const Queue queue_;
  const std::size_t stride_;
  Owned<Buffer> all_;
  std::vector<Owned<Buffer>> records_;
  std::size_t n_used_ = 0;
  std::optional<Failure> first_;  // of records that were used again since
};

}  // namespace fulgurite::runtime::opencl
