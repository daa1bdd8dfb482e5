#include "runtime/opencl/failure_log.h"

#include <cstring>
#include <utility>

namespace fulgurite::runtime::opencl {
namespace {

std::size_t round_up(std::size_t bytes, std::size_t alignment) {
  return alignment == 0 ? bytes : (bytes + alignment - 1) / alignment * alignment;
}

Buffer make_buffer(const Api& api, Context context, std::size_t bytes) {
  Status status = value::success;
  const Buffer buffer = api.create_buffer(context, value::mem_read_write, bytes, nullptr, &status);
  check(status, "clCreateBuffer for records of failures");
  return buffer;
}

void clear(const Api& api, Queue queue, Buffer buffer, std::size_t bytes) {
  const std::int32_t zero = 0;
  check(api.fill_buffer(queue, buffer, &zero, sizeof zero, 0, bytes, 0, nullptr, nullptr),
        "clEnqueueFillBuffer of records of failures");
}

}  // namespace

FailureLog::FailureLog(const Api& api, Context context, Queue queue, std::size_t alignment)
    : api_(api),
      queue_(queue),
      stride_(round_up(sizeof(FailureCell), alignment)),
      all_(make_buffer(api, context, n_records * stride_), api.release_buffer) {
  for (std::size_t i = 0; i < n_records; ++i) {
    const Region region{i * stride_, sizeof(FailureCell)};
    Status status = value::success;
    Owned<Buffer> record(
        api.create_sub_buffer(all_.get(), 0, value::buffer_create_type_region, &region, &status),
        api.release_buffer);
    check(status, "clCreateSubBuffer for a record of failures");
    records_.push_back(std::move(record));
  }
  clear(api_, queue_, all_.get(), n_records * stride_);
}

Buffer FailureLog::next() {
  if (n_used_ == n_records) read();
  return records_[n_used_++].get();
}

void FailureLog::read() {
  const std::size_t n = std::exchange(n_used_, 0);
  if (n == 0) return;
  std::vector<std::byte> bytes(n * stride_);
  check(api_.read_buffer(queue_, all_.get(), 1, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer of records of failures, after the kernels before it");
  bool any = false;
  for (std::size_t i = 0; i < n; ++i) {
    FailureCell cell;
    std::memcpy(&cell, bytes.data() + i * stride_, sizeof cell);
    if (cell.site == 0) continue;
    if (!first_) first_ = Failure{cell.site, cell.element, cell.value, cell.bound};
    any = true;
  }
  if (any) clear(api_, queue_, all_.get(), n * stride_);
}

std::optional<Failure> FailureLog::collect() {
  read();
  return std::exchange(first_, std::nullopt);
}

}  // namespace fulgurite::runtime::opencl
