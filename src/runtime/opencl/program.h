// OpenCL C to what a device runs, by the device's own compiler, and what that made as bytes.
#pragma once

#include <string>
#include <string_view>

#include "runtime/device.h"
#include "runtime/opencl/api.h"
#include "runtime/opencl/catalogue.h"

namespace fulgurite::runtime::opencl {

// Throws DeviceError with the compiler's messages if the text is refused.
Owned<Program> compile(const Api& api, Context context, const DeviceEntry& device,
                       const KernelSource& source);

// Null if the device does not take the bytes: another driver made them, or they are damaged.
Owned<Program> from_binary(const Api& api, Context context, const DeviceEntry& device,
                           std::string_view binary);

// Empty if the device has none to give.
std::string binary_of(const Api& api, Program program);

// Everything that decides what build() returns.
std::string identity(const DeviceEntry& device, const KernelSource& source);

}  // namespace fulgurite::runtime::opencl
