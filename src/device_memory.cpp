// include/fulgurite/device_memory.h on the devices of engines.
#include <fulgurite/device_memory.h>

#include "engines/engines.h"
#include "kernel/ir.h"
#include "plan/device_copies.h"

namespace fulgurite {
namespace detail {

std::shared_ptr<const Storage> adopt(Engine engine, int number, void* memory, std::size_t bytes,
                                     std::shared_ptr<const void> keeps) {
  runtime::Device& device = engines::device_of(engine, number);
  const runtime::Memory adopted = device.adopt(memory, bytes);
  if (keeps == nullptr)
    keeps = std::shared_ptr<const void>(std::shared_ptr<const void>(), memory);  // nothing
  auto users = storage_on(device, adopted, bytes, std::move(keeps));
  if (!engines::row(engine).memory_is_address ||
      reinterpret_cast<std::uintptr_t>(memory) % kernel::wide_bytes == 0)
    return users;
  const runtime::Memory copy = allocate_on(device, bytes);
  try {
    device.copy(copy, adopted, bytes);
    std::byte first;
    device.download(&first, copy, 1);  // all of it is there: the user may free what it is a copy of
  } catch (...) {
    device.release(copy);
    throw;
  }
  return storage_on(device, copy, bytes, nullptr);
}

void* device_memory(Engine engine, int number, const Storage& storage, std::size_t bytes) {
  runtime::Device& device = engines::device_of(engine, number);
  return device.handle(storage.copies().acquire(device, bytes));  // for good
}

}  // namespace detail

void use_queue(Engine engine, void* queue) {
  const auto use = engines::row(engine).use_queue;
  if (use == nullptr)
    throw DeviceError("only the engines opencl and cuda have queues: leave out use_queue for others");
  use(queue);
}

}  // namespace fulgurite
