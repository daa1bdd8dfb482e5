// The GPU preludes for one kernel, as cpu_prelude.h has it for the CPU: of src/emit/prelude/gpu/both/, cuda/
// and opencl/ what the kernel needs. Functions are called fg_<stem>_<kind>.
#pragma once

#include <string>
#include <string_view>

namespace fulgurite::emit {

std::string cuda_prelude(std::string_view kernel_text);
std::string opencl_prelude(std::string_view kernel_text);

}  // namespace fulgurite::emit
