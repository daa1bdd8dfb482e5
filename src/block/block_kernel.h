// A kernel of the kernel language as it was recorded: kernel IR and what its arguments and results are.
#pragma once

#include <fulgurite/kernel/staged.h>

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/hidden.h"
#include "kernel/emulate.h"
#include "runtime/device.h"
#include "soac/ir.h"

namespace fulgurite::engines {
struct Row;
}

namespace fulgurite::detail::block {

/// What sizes and scalars must be like for a launch to make sense; the message quotes the operands.
struct Requirement {
  scalar::Expr condition;
  std::string message;
  std::vector<scalar::Expr> operands;
  Here where;
};

// Parameters of `ir`, in order: the components of arrays that are only read, the results' components (of an
// updated array its own); the scalars, then the extent of each array, then the number of blocks
// (i64). What the launch needs to know is expressions of the scalars and extents.
class FULGURITE_HIDDEN Kernel : public std::enable_shared_from_this<Kernel> {
 public:
  kernel::Kernel ir;          // kernel::Stage::threads
  kernel::Kernel contracted;  // what runs: kernel/contract.h
  /// The kernel as it was recorded, before any pass, and what the emulator is to find in it: indices of pull
  /// arrays that are in range. Absent where all of them are known to be. It lacks the blocks' own memory.
  struct Expecting {
    kernel::Kernel ir;
    kernel::Expectations expectations;
  };
  std::optional<Expecting> expecting;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<std::vector<scalar::Expr>> shapes;  // of the outputs
  scalar::Expr n_blocks;
  std::vector<Requirement> requirements;
  std::vector<soac::SiteInfo> sites;  // of Fail statements

  /// What these expressions mention, by name: `given` are the scalars, then the extents.
  template <class T>
  std::unordered_map<scalar::Var, T> by_name(const std::vector<T>& given) const {
    std::unordered_map<scalar::Var, T> named;
    for (const kernel::Param& p : ir.params)
      if (p.role == kernel::Param::Role::scalar && named.size() < given.size())
        named.emplace(p.name, given[named.size()]);
    return named;
  }

  /// The kernel as the device runs it, made when it is first asked for. Throws what build() does.
  std::shared_ptr<const runtime::Kernel> built(runtime::Device&, const engines::Row&) const;

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<runtime::Device*, std::shared_ptr<const runtime::Kernel>>> built_;
};

/// Runs the passes over made.ir as it was recorded, and makes made.contracted, made.expecting and the memory
/// of blocks that a launch allocates. `threads`: how many a block has, if the user states it. Throws
/// ShapeError where the kernel needs what no device has, or other threads.
void prepare(Kernel& made, const kernel::Expectations&, std::optional<std::int64_t> threads,
             const Here& where);

/// The kernel as the engine's devices build it.
std::string text_for(const Kernel&, const engines::Row&);

}  // namespace fulgurite::detail::block
