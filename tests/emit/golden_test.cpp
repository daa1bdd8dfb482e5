// The text of a few kernels (tests/kernels/NAME.kernel), to be read by people: tests/kernels/NAME.golden.
// `./dev golden` rewrites it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "emit/printer.h"
#include "kernel/check.h"
#include "kernel/parse.h"

namespace fulgurite {
namespace {

const std::filesystem::path folder = std::filesystem::path(FULGURITE_TEST_DATA).parent_path() / "kernels";

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, TextOfKernel) {
  std::filesystem::path source = folder / (GetParam() + ".kernel"),
                        golden = folder / (GetParam() + ".golden");
  kernel::Kernel k = kernel::parse(read(source), source.filename());
  kernel::check(k, kernel::Stage::vectors, "parse");
  std::string text = emit::print_phases(k, emit::c);
  if (std::getenv("FULGURITE_UPDATE_GOLDEN")) std::ofstream(golden) << text;
  EXPECT_EQ(text, read(golden)) << "if the new text is better: ./dev golden";
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".kernel") found.push_back(entry.path().stem());
  std::sort(found.begin(), found.end());
  return found;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Golden, testing::ValuesIn(names()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace fulgurite
