// What `explain` tells of launches, and how much of each argument a program needs.
#pragma once

#include "tool/explanation.h"

namespace fulgurite::tool {

/// `when`: of what statements bind first.
std::vector<LaunchReport> launches_told(const pipeline::Report&, SizeNames&,
                                        const std::unordered_map<soac::Var, std::string>& when);

/// For each parameter, the bytes that some launch needs; absent: it is a scalar, or nothing reads it.
std::vector<soac::Expr> needed_of_params(const pipeline::Report&);

}  // namespace fulgurite::tool
