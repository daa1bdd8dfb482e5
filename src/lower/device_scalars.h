// Which scalars between the launches of a device need not come to the host: results of reductions, what is
// read from arrays, and what loops and branches make of these. They are kept in memory, an array of one
// element each, where later kernels read them; the host fetches what it needs itself (lower/host.h).
#pragma once

#include "soac/walk.h"

namespace fulgurite::lower {

/// Whether the statement makes an array or runs a combinator, and so is steps of the plan, not scalar code.
bool needs_plan(const soac::Stm&);

bool reads_memory(soac::Expr);

class DeviceScalars {
 public:
  DeviceScalars() = default;  // there are none: the host shares its memory with the device
  explicit DeviceScalars(const soac::Program&);

  bool contains(soac::Var name) const { return names_.contains(name); }
  /// Whether the expression reads memory, or mentions a scalar that is on the device.
  bool needs(soac::Expr) const;

 private:
  void add(const std::vector<soac::Stm>& body);
  void add(std::span<const soac::Var> names) { names_.insert(names.begin(), names.end()); }

  bool any_ = false;
  soac::Vars names_;
};

}  // namespace fulgurite::lower
