// Programs as C: a header and a source for each, and one more source for each level of processors, whose
// vectors differ. The function calls the code of the highest level that the processor reaches.
#pragma once

#include <string>
#include <vector>

#include "ahead/program.h"
#include "emit/portable_prelude.h"

namespace fulgurite::ahead {

/// A program as it is for one level of processors.
struct Level {
  emit::Level kind;
  std::string cpu;  // "x86-64-v3", as compilers call it; empty: any processor
  Program program;
};

/// Levels from the best to the least.
std::vector<File> c_files(const std::vector<Level>&);
/// The header that all programs have in common.
File c_common_header();

}  // namespace fulgurite::ahead
