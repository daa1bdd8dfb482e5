// The papers' listings as CUDA and OpenCL text, to be read by people: tests/block/papers/NAME.cuda.golden and
// NAME.opencl.golden. `./dev golden` rewrites them. docs/papers.md says where they differ from the papers.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "block/block_kernel.h"
#include "emit/printer.h"
#include "listings.h"

namespace fulgurite {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const auto expect_golden = [](const std::string& name, const auto& recorded) {
  const kernel::Kernel& ir = recorded.get().ir;
  for (const emit::Dialect* dialect : {&emit::cuda, &emit::opencl}) {
    const std::filesystem::path golden = std::filesystem::path(FULGURITE_TEST_DATA) / "papers" /
                                         (name + "." + std::string(dialect->name) + ".golden");
    const std::string text = emit::print_phases(ir, *dialect);
    if (std::getenv("FULGURITE_UPDATE_GOLDEN") != nullptr) std::ofstream(golden) << text;
    EXPECT_EQ(text, read(golden)) << "if the new text is better: ./dev golden";
  }
};

TEST(PapersGolden, Arrays) {
  papers::for_each_listing_of_arrays(expect_golden);
}

TEST(PapersGolden, MergersAndSorters) {
  papers::for_each_listing_of_networks(expect_golden);
}

TEST(PapersGolden, Matrices) {
  papers::for_each_listing_of_matrices(expect_golden);
}

}  // namespace
}  // namespace fulgurite
