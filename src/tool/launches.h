// What `explain` tells of launches, and how much of each argument a program needs.
#pragma once

#include "tool/explanation.h"

namespace fulgurite::tool {

/// `when`: of what statements bind first.
std::vector<LaunchReport> launches_told(const pipeline::Report&, SizeNames&,
                                        const std::unordered_map<soac::Var, std::string>& when);

/// Bytes of a parameter that some launch needs; absent: nothing reads it.
soac::Expr needed_of(const pipeline::Report&, soac::Var param);

}  // namespace fulgurite::tool
