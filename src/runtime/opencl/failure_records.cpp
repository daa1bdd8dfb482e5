#include "runtime/opencl/failure_records.h"

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

}  // namespace

OpenClFailureRecords::OpenClFailureRecords(const Api& api, Context context, Queue queue,
                                           std::size_t alignment)
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
  clear(n_records);
}

void* OpenClFailureRecords::record(std::size_t i) const {
  return records_[i].get();
}

void OpenClFailureRecords::read(std::span<FailureCell> cells) {
  std::vector<std::byte> bytes(cells.size() * stride_);
  check(api_.read_buffer(queue_, all_.get(), 1, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer of records of failures, after the kernels before it");
  for (std::size_t i = 0; i < cells.size(); ++i)
    std::memcpy(&cells[i], bytes.data() + i * stride_, sizeof cells[i]);
}

void OpenClFailureRecords::clear(std::size_t n) {
  const std::int32_t zero = 0;
  check(api_.fill_buffer(queue_, all_.get(), &zero, sizeof zero, 0, n * stride_, 0, nullptr, nullptr),
        "clEnqueueFillBuffer of records of failures");
}

}  // namespace fulgurite::runtime::opencl
