// Programs as CUDA C++: a header for applications, and a file of kernels and their host's part for nvcc.
#pragma once

#include <string>
#include <vector>

#include "ahead/program.h"

namespace fulgurite::ahead {

/// Words that no parameter can be called.
std::vector<std::string> cuda_words();
/// <name>.cuh and <name>.cu of a program that is lowered for blocks of threads that may wait for others.
std::vector<File> cuda_files(const Program&);
/// The headers that all programs have in common.
std::vector<File> cuda_common_headers();

}  // namespace fulgurite::ahead
