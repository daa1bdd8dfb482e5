#include "emit/cpu_prelude.h"

#include "emit/prelude_sections.h"

namespace fulgurite::emit {

std::string cpu_prelude(std::string_view kernel_text) {
  // Immutable, as the files are part of this program, and never destroyed: programs may compile at exit.
  static const auto& library = *new PreludeLibrary({"cpu/"}, LanesInNames::yes);
  return library.needed_by(kernel_text);
}

}  // namespace fulgurite::emit
