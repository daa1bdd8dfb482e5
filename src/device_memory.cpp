// include/fulgurite/device_memory.h on the devices of engines.
#include <fulgurite/device_memory.h>

#include "pipeline.h"
#include "plan/device_copies.h"
#include "runtime/cuda/device.h"
#include "runtime/opencl/device.h"

namespace fulgurite {
namespace detail {

std::shared_ptr<const Storage> adopt(Engine engine, void* memory, std::size_t bytes,
                                     std::shared_ptr<const void> keeps) {
  runtime::Device& device = pipeline::device_of(engine);
  const runtime::Memory adopted = device.adopt(memory, bytes);
  if (keeps == nullptr)
    keeps = std::shared_ptr<const void>(std::shared_ptr<const void>(), memory);  // nothing
  return storage_on(device, adopted, bytes, std::move(keeps));
}

void* device_memory(Engine engine, const Storage& storage, std::size_t bytes) {
  runtime::Device& device = pipeline::device_of(engine);
  return device.handle(storage.copies().acquire(device, bytes));  // for good
}

}  // namespace detail

void use_queue(Engine engine, void* queue) {
  if (engine == Engine::opencl)
    runtime::opencl::OpenClDevice::use_queue(static_cast<runtime::opencl::Queue>(queue));
  else if (engine == Engine::cuda)
    runtime::cuda::CudaDevice::use_stream(static_cast<runtime::cuda::StreamId>(queue));
  else
    throw DeviceError("only the engines opencl and cuda have queues: leave out use_queue for others");
}

}  // namespace fulgurite
