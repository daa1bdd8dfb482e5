// The prelude: source text, kept as real files under src/emit/prelude/, that printed kernels are put together
// with. The files are embedded in the library when it is built (cmake/prelude.cmake).
#pragma once

#include <span>
#include <string_view>

namespace fulgurite::emit {

struct PreludeFile {
  std::string_view name;  // relative to src/emit/prelude/, as in "math/exp.h"
  std::string_view text;
};

// All files, sorted by name.
std::span<const PreludeFile> prelude_files();

// The text of one file. Throws InternalError if there is no file of that name.
std::string_view prelude(std::string_view name);

}  // namespace fulgurite::emit
