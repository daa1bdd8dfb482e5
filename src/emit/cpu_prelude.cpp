#include "emit/cpu_prelude.h"

#include "emit/prelude_sections.h"

namespace fulgurite::emit {

std::string cpu_prelude(std::string_view kernel_text) {
  static const PreludeLibrary library({"cpu/"}, LanesInNames::yes);  // immutable: the files are part of this
                                                                     // program
  return library.needed_by(kernel_text);
}

}  // namespace fulgurite::emit
