// The kernels of a program, compiled at the same time.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/device.h"

namespace fulgurite::runtime {

// Device::build() of each, on as many threads as there are kernels, at most `n_threads`. Throws what the
// first of them that failed threw.
std::vector<std::shared_ptr<const Kernel>> build_all(Device& device, std::span<const KernelSource> sources,
                                                     int n_threads);

}  // namespace fulgurite::runtime
