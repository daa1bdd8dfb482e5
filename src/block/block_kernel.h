// A kernel of the kernel language as it was recorded: kernel IR and what its arguments and results are.
#pragma once

#include <fulgurite/kernel/staged.h>

#include "kernel/ir.h"
#include "soac/ir.h"

namespace fulgurite::detail::block {

// Parameters of `ir`, in order: the arrays' components, the results' components; the scalars, then the extent
// of each array, then the number of blocks (i64).
class Kernel {
 public:
  kernel::Kernel ir;  // kernel::Stage::threads
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<soac::SiteInfo> sites;  // of Fail statements
};

}  // namespace fulgurite::detail::block
