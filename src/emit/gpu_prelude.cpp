#include "emit/gpu_prelude.h"

#include "emit/prelude_sections.h"

namespace fulgurite::emit {

std::string cuda_prelude(std::string_view kernel_text) {
  // Immutable and never destroyed, as the CPU's.
  static const auto& library = *new PreludeLibrary({"gpu/both/", "gpu/cuda/"}, LanesInNames::no);
  return library.needed_by(kernel_text);
}

std::string opencl_prelude(std::string_view kernel_text) {
  static const auto& library = *new PreludeLibrary({"gpu/both/", "gpu/opencl/"}, LanesInNames::no);
  return library.needed_by(kernel_text);
}

}  // namespace fulgurite::emit
