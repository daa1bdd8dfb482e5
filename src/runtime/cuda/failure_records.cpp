#include "runtime/cuda/failure_records.h"

#include <cstring>
#include <utility>

namespace fulgurite::runtime::cuda {
namespace {

constexpr std::size_t all_bytes = FailureRecords::n_records * sizeof(FailureCell);

}  // namespace

CudaFailureRecords::CudaFailureRecords(std::shared_ptr<const Context> context, StreamId stream)
    : context_(std::move(context)), stream_(stream) {
  const Driver& driver = context_->driver();
  const Context::Current current(*context_);
  check(driver, driver.allocate(&cells_, all_bytes), "cuMemAlloc for records of failures");
  const Status status = driver.allocate_host(&on_host_, all_bytes, 0);
  if (status != value::success) driver.free(cells_);
  check(driver, status, "cuMemHostAlloc for records of failures");
  clear(n_records);
}

CudaFailureRecords::~CudaFailureRecords() {
  const Context::Current current(*context_);
  context_->driver().free_host(on_host_);
  context_->driver().free(cells_);
}

void* CudaFailureRecords::record(std::size_t i) const {
  return reinterpret_cast<void*>(cells_ + i * sizeof(FailureCell));
}

void CudaFailureRecords::read(std::span<FailureCell> cells) {
  const Driver& driver = context_->driver();
  const Context::Current current(*context_);
  check(driver, driver.copy_to_host(on_host_, cells_, cells.size_bytes(), stream_),
        "a download of records of failures");
  check(driver, driver.synchronise_stream(stream_), "cuStreamSynchronize, after the kernels before it");
  std::memcpy(cells.data(), on_host_, cells.size_bytes());
}

void CudaFailureRecords::clear(std::size_t n) {
  const Driver& driver = context_->driver();
  const Context::Current current(*context_);
  check(driver, driver.fill(cells_, 0, n * sizeof(FailureCell), stream_),
        "cuMemsetD8Async of records of failures");
}

}  // namespace fulgurite::runtime::cuda
