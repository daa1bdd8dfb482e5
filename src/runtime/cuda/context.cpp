#include "runtime/cuda/context.h"

#include <fmt/format.h>

namespace fulgurite::runtime::cuda {

Context::Context(const Driver& driver, const DeviceEntry& device) : driver_(driver), device_(device.id) {
  check(driver, driver.retain_primary_context(&id_, device_),
        fmt::format("making a context on the CUDA device '{}'", device.name));
}

Context::~Context() {
  driver_.release_primary_context(device_);
}

Context::Current::Current(const Context& context) noexcept
    : driver_(context.driver_), is_pushed_(driver_.push_context(context.id_) == value::success) {}

Context::Current::~Current() {
  ContextId ours = nullptr;
  if (is_pushed_) driver_.pop_context(&ours);
}

}  // namespace fulgurite::runtime::cuda
