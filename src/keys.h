// What a traced program is found by in caches and bundles, and what goes with it wherever it is found.
#pragma once

#include <fulgurite/options.h>

#include <string_view>
#include <vector>

#include "base/hash.h"
#include "plan/execute.h"
#include "schedule/policy.h"
#include "soac/ir.h"

namespace fulgurite::pipeline {

/// Part of every key: it changes when plans or kernels do.
inline constexpr std::string_view version = "fulgurite 1";

/// The tuning numbers that Options::policy gives. Throws FormatError.
schedule::Policy policy_of(const Options&);

/// Equal where a program, the options that a bundle keeps and the tuning numbers are, on every machine.
base::Digest key_in_bundles(const soac::Program& traced, Precision, Checks, const schedule::Policy&);

/// What the traced program's sites say when they fail.
std::vector<plan::SiteText> sites_of(const soac::Program& traced);

}  // namespace fulgurite::pipeline
