// The calling convention between kernels on the CPU and us. The same structure is printed before every
// kernel's text (emit/prelude), and compiled into the kernels of bundles: who changes it changes both, and
// the bundles' version (bundled/format.h).
#pragma once

#include <cstdint>

#include "runtime/failure.h"

namespace fulgurite::runtime::cpu {

struct KernelContext {
  void* const* buffers;
  const std::int64_t* scalars;
  fg_failure* failure;
  void (*report)(fg_failure*, std::int32_t site, std::int64_t element, std::int64_t value,
                 std::int64_t bound);
  void (*yield)();
  std::int64_t at_once;
  void (*report_more)(fg_failure*, std::int32_t site, std::int64_t element, std::int64_t value,
                      std::int64_t bound, std::int64_t group, std::int32_t n,
                      const std::int64_t* more) = nullptr;
};

// Runs tasks [first, last) of one phase.
using PhaseFunction = void (*)(const KernelContext*, std::int64_t first, std::int64_t last);

}  // namespace fulgurite::runtime::cpu
