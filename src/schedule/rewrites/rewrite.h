// Rewrites of statements for a schedule, as named values. Each takes legal Soacs, Sorts and Loops and gives
// legal ones, which is checked under its name and printed by FULGURITE_DUMP with it.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "soac/ir.h"

namespace fulgurite::schedule {

struct Rewrite {
  std::string_view name, description;
  /// A kernel computes the same without it. Bisection leaves out optional rewrites only.
  bool is_optional = false;
};

namespace rewrite {
#define FULGURITE_REWRITE(name, ...) extern const Rewrite name;
#include "schedule/rewrites/rewrites.def"
}  // namespace rewrite

/// All rewrites, in the order of their names.
std::span<const Rewrite* const> rewrites();

/// The statement that the rewrite made. Throws InternalError, which names the rewrite, if it is no legal one;
/// the names that it mentions and does not bind are its scope's.
soac::Stm made_by(const Rewrite&, scalar::Arena&, soac::Stm);

/// Whether an optional rewrite, which made `after` of `before`, is kept; absent: each is.
using KeepsRewrite = std::function<bool(const Rewrite&, const soac::Stm& before, const soac::Stm& after)>;

}  // namespace fulgurite::schedule
