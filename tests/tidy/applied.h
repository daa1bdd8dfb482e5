// Kernel passes in tests: their results are checked.
#pragma once

#include <vector>

#include "tidy/passes.h"

namespace fulgurite::tidy {

/// `kernel` is of Stage::threads.
inline kernel::Kernel applied(const std::vector<const kernel::Pass*>& passes, kernel::Kernel kernel,
                              const kernel::PassOptions& options = {}) {
  kernel::PassContext unlimited;
  return run(passes, std::move(kernel), options, unlimited);
}

}  // namespace fulgurite::tidy
