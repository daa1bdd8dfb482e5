// The kernel that a Builder makes, as far as it is built.
#pragma once

#include <unordered_set>

#include "kernel/build.h"

namespace fulgurite::kernel {

struct Builder::Code {
  struct Open {
    Block statements;
    std::unordered_map<std::uint32_t, Expr> memo;  // by node id
    Enclosure enclosure = Enclosure::straight;
    Expr guard;                    // false once a check in this block failed: reads are masked by it
    std::uint32_t first_node = 0;  // expressions with lower numbers are older
    Site guard_site = 0;           // the highest of the checks that the guard is of
  };

  Code(Arena& of, Outside around) : arena(of), outside(std::move(around)) {}

  Arena& arena;
  const Outside outside;
  std::vector<Open> open;
  std::unordered_map<Var, Expr> meanings;  // of names that stand for leaves
  // The depths of the kernel's names; other names belong to the caller (depth 0).
  std::unordered_map<Var, std::size_t> depths;
  std::vector<Var> free_scalars;
  std::vector<FreeBuffer> free_buffers;
  std::unordered_map<Var, std::size_t> own_buffers;  // allocated by the kernel, and at which depth
  std::unordered_set<Var> updates;
  std::size_t n_failures = 0;  // statements that report one

  /// The innermost block that relies on something; null: none.
  const Open* innermost_guard() const;
  std::size_t depth() const { return open.size() - 1; }
  std::size_t depth_of(Expr leaf) const;
  void open_block(Enclosure);
  Block close_block();
  /// The kernel's name for the buffer, which is a parameter unless the kernel allocates it.
  Var buffer(Var array, Param::Role);
  void parameter(Var scalar);
};

}  // namespace fulgurite::kernel
