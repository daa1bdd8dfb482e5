// Parts of emitted text that all targets have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ahead/program.h"

namespace fulgurite::ahead {

/// Captured arrays as captured0, captured1 ..., each with its elements.
std::string captured_text(const Program&, std::string_view storage);

/// The table `sites`: what each failure says.
std::string sites_text(const Program&);

/// The kernels, each once, without a prelude.
std::string kernels_text(const Program&);

/// name(parameters), with the call as the last one.
std::string function_text(const std::string& name, const std::vector<std::string>& parameters,
                          bool with_call);

/// What the program uses of a language's run time (emit/prelude/host) and of failures.
std::string run_time_for(std::string_view program, std::string_view file);

}  // namespace fulgurite::ahead
