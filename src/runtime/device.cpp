#include "runtime/device.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include "base/check.h"

namespace fulgurite::runtime {

Memory Device::adopt(void*, std::size_t) {
  throw DeviceError(fmt::format("the memory of the engine {} is the host's: use fg::view for what is there",
                                describe().engine));
}

std::shared_ptr<const Kernel> Device::load(const KernelSource& source, std::string_view code) {
  KernelSource with_text = source;
  with_text.text = code;
  return build(with_text);
}

std::int64_t Device::resident_blocks(const Kernel&, int threads) const {
  FULGURITE_CHECK(false, "the engine {} was asked how many blocks of {} threads it runs at once",
                  describe().engine, threads);
}

void Device::agree(std::string_view, const std::source_location&) {}

void Device::disown(Memory) noexcept {}

void* Device::handle(Memory memory) {
  return memory.data;
}

}  // namespace fulgurite::runtime
