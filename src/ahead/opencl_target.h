// Programs as OpenCL: a header, a file of kernels, and host code in C that holds the kernels' text too, so
// that no file has to be found at run time.
#pragma once

#include <vector>

#include "ahead/program.h"

namespace fulgurite::ahead {

/// Words that no parameter can be called.
std::vector<std::string> opencl_words();
/// The files for a program that is lowered for blocks that do not wait for others.
std::vector<File> opencl_files(const Program&);
/// The headers that all programs have in common.
std::vector<File> opencl_common_headers();

}  // namespace fulgurite::ahead
