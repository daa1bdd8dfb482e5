// Kernel passes in tests: their results are checked.
#pragma once

#include <vector>

#include "kernel/traverse.h"
#include "tidy/passes.h"

namespace fulgurite::tidy {

/// `kernel` is of Stage::threads.
inline kernel::Kernel applied(const std::vector<const kernel::Pass*>& passes, kernel::Kernel kernel,
                              const kernel::PassOptions& options = {}) {
  kernel::PassContext unlimited;
  return run(passes, std::move(kernel), options, unlimited);
}

/// Its statements of a kind, in order.
template <class S>
std::vector<S> all(const kernel::Kernel& kernel) {
  std::vector<S> found;
  kernel::for_each_stm(kernel.body, [&](const kernel::Stm& s) {
    if (auto* op = std::get_if<S>(&s.op)) found.push_back(*op);
  });
  return found;
}

}  // namespace fulgurite::tidy
