// The CPU prelude for one kernel: in goes the kernel's text, out comes the C text that must stand before
// it. The sections of src/emit/prelude/cpu/*.c (their rules: types.c there) whose functions the kernel names
// are printed, with what these need, and no others: every line costs compile time.
#pragma once

#include <string>
#include <string_view>

namespace fulgurite::emit {

/// Finds every fg_<stem>_<kind>_x<lanes> in the text. Throws InternalError for a function that no section
/// defines.
std::string cpu_prelude(std::string_view kernel_text);

}  // namespace fulgurite::emit
