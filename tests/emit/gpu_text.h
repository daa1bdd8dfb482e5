// Kernels before vectorise, made ready for a GPU, as tests print them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "emit/printer.h"
#include "kernel/check.h"
#include "kernel/parse.h"
#include "kernel/traverse.h"

namespace fulgurite::test {

inline const std::filesystem::path kernels_folder =
    std::filesystem::path(FULGURITE_TEST_DATA).parent_path() / "kernels";

inline std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline kernel::Kernel read_kernel(const std::string& name) {
  return kernel::parse(read(kernels_folder / (name + ".kernel")), name + ".kernel");
}

/// Whether it is for threads of blocks, before vectorise.
inline bool has_threads(const kernel::Kernel& kernel) {
  bool found = false;
  for (const kernel::Stm& phase : kernel.body)
    kernel::for_each_stm(std::get<kernel::Par>(phase.op).body,
                         [&](const kernel::Stm& s) { found |= std::holds_alternative<kernel::Par>(s.op); });
  return found;
}

/// The names of tests/kernels/*.kernel.
inline std::vector<std::string> kernel_names(bool of_threads) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(kernels_folder))
    if (entry.path().extension() == ".kernel" && has_threads(read_kernel(entry.path().stem())) == of_threads)
      found.push_back(entry.path().stem());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace fulgurite::test
