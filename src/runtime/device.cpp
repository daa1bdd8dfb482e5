#include "runtime/device.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

namespace fulgurite::runtime {

Memory Device::adopt(void*, std::size_t) {
  throw DeviceError(fmt::format("the memory of the engine {} is the host's: use fg::view for what is there",
                                describe().engine));
}

void Device::disown(Memory) noexcept {}

void* Device::handle(Memory memory) {
  return memory.data;
}

}  // namespace fulgurite::runtime
