// A kernel of the kernel language as it was recorded: kernel IR and what its arguments and results are.
#pragma once

#include <fulgurite/kernel/staged.h>

#include <mutex>
#include <optional>
#include <utility>

#include "kernel/ir.h"
#include "runtime/device.h"
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

  /// The argument at whose end the result ends: one of blocks as large, of which the last may be short.
  std::optional<std::size_t> cut_by(const Output& output) const {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (!inputs[i].fill.empty() && inputs[i].block == output.block) return i;
    return {};
  }

  /// The kernel as the device runs it, made when it is first asked for. Throws what build() does.
  std::shared_ptr<const runtime::Kernel> built(runtime::Device&, const char* language) const;

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<runtime::Device*, std::shared_ptr<const runtime::Kernel>>> built_;
};

}  // namespace fulgurite::detail::block
