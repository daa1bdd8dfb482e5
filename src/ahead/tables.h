// Parts of emitted text that all targets have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ahead/program.h"

namespace fulgurite::ahead {

/// Captured arrays as <name>0, <name>1 ..., each with its elements.
std::string captured_text(const Program&, std::string_view storage, std::string_view name = "fg_captured");

/// The table `sites`: what each failure says.
std::string sites_text(const Program&);

/// Whether one of the kernels may find something wrong.
bool kernels_fail(const Program&);

/// The kernels, each once, without a prelude.
std::string kernels_text(const Program&);

/// name(parameters), with the call as the last one.
std::string function_text(const std::string& name, const std::vector<std::string>& parameters,
                          bool with_call);

/// The macro, but for its end, that keeps a header from being read twice.
std::string guard_of(const Program&);

/// Functions that say how many elements each result can have.
std::string capacity_declarations(const Program&);
std::string capacity_functions(const Program&);

/// A statement that refuses extents that no memory has.
std::string extents_refused(const Program&);

/// The function that a workspace's size is made with (sizes.h), if the program calls it; `bytes` says how
/// many an array of `elements` of `bytes` takes.
std::string room_function(std::string_view program, std::string_view bytes);

/// What the program uses of a language's run time (emit/prelude/host) and of failures.
std::string run_time_for(std::string_view program, std::string_view file);

}  // namespace fulgurite::ahead
