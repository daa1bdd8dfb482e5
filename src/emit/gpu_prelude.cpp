#include "emit/gpu_prelude.h"

#include "emit/prelude_sections.h"

namespace fulgurite::emit {

std::string cuda_prelude(std::string_view kernel_text) {
  static const PreludeLibrary library({"gpu/both/", "gpu/cuda/"}, LanesInNames::no);  // immutable
  return library.needed_by(kernel_text);
}

std::string opencl_prelude(std::string_view kernel_text) {
  static const PreludeLibrary library({"gpu/both/", "gpu/opencl/"}, LanesInNames::no);
  return library.needed_by(kernel_text);
}

}  // namespace fulgurite::emit
