// The papers' listings as CUDA and OpenCL text, to be read by people: tests/block/papers/NAME.cuda.golden and
// NAME.opencl.golden. `./dev golden` rewrites them. docs/papers.md says where they differ from the papers.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "block/block_kernel.h"
#include "emit/printer.h"
#include "programs.h"
#include "two_dimensions.h"

namespace fulgurite {
namespace {

using namespace papers;

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

template <class... Ts>
void expect_golden_text(const std::string& name, const k::Recorded<Ts...>& recorded) {
  const kernel::Kernel& ir = recorded.get().ir;
  for (const emit::Dialect* dialect : {&emit::cuda, &emit::opencl}) {
    const std::filesystem::path golden = std::filesystem::path(FULGURITE_TEST_DATA) / "papers" /
                                         (name + "." + std::string(dialect->name) + ".golden");
    const std::string text = emit::print_phases(ir, *dialect);
    if (std::getenv("FULGURITE_UPDATE_GOLDEN") != nullptr) std::ofstream(golden) << text;
    EXPECT_EQ(text, read(golden)) << "if the new text is better: ./dev golden";
  }
}

template <class... Parts>
void expect_golden(const char* name, const Parts&... parts) {
  expect_golden_text(name, k::kernel(name, parts...));
}

TEST(PapersGolden, MapsAndReductions) {
  expect_golden("map_fusion", k::block<int>(32), map_fusion);
  expect_golden("map_unfused", k::block<int>(32), map_unfused);
  expect_golden("sum", k::block<int>(8), pair_sum);
  expect_golden("reduce", k::block<int>(8), tree_sum);
  expect_golden("reduce_s", k::block<int>(8), reduce_s);
  expect_golden("rev_add", k::block<int>(256), rev_add);
}

TEST(PapersGolden, PullAndPush) {
  expect_golden("cat_arrays", k::block<int>(16), k::block<int>(16), cat_arrays);
  expect_golden("cat_arrays_p", k::block<int>(16), k::block<int>(16), cat_arrays_p);
  expect_golden("zip_unpair", k::block<int>(32), k::block<int>(32), zip_unpair);
  expect_golden("zip_unpair_p", k::block<int>(32), k::block<int>(32), zip_unpair_p);
}

TEST(PapersGolden, Scans) {
  expect_golden("scan_add", k::block<int>(8), scan_add);
  expect_golden("scan_add_2", k::block<int>(8), scan_add_2);
  expect_golden("sklansky", k::block<int>(64), scan_add);
}

TEST(PapersGolden, MergersAndSorters) {
  expect_golden("bmerge", k::block<int>(16), [](Pull<int> a) { return bmerge(4, a); });
  expect_golden("bmerge_2", k::block<int>(16), [](Pull<int> a) { return bmerge_2(4, a); });
  expect_golden("tmerge", k::block<int>(16), [](Pull<int> a) { return tmerge(4, a); });
  expect_golden("bpmerge_2", k::block<int>(16), [](Pull<int> a) { return bpmerge_2(4, a); });
  expect_golden("tsort_1", k::block<int>(16), tsort_1);
  expect_golden("tsort_2", k::block<int>(16), tsort_2);
  expect_golden("vsort_1", k::block<int>(16), vsort_1);
  expect_golden("vsort", k::block<int>(16), vsort);
  expect_golden("vsort_r", k::block<int>(16), vsort_r);
  expect_golden("periodic", k::block<int>(16), periodic);
  expect_golden("bitonic", k::block<int>(16), bitonic);
}

TEST(PapersGolden, Matrices) {
  expect_golden_text("matrix_sum", two_dimensions::sum_of_matrices(k::threads(16, 16)));
  expect_golden_text("matrix_transpose", two_dimensions::transpose<float>(k::threads(32, 8)));
  expect_golden_text("matrix_product", two_dimensions::product<float>(k::threads(4, 4), 4));
}

TEST(PapersGolden, FilterAndHistogram) {
  expect_golden("filter", k::block<int>(64), [](Pull<int> a) {
    return k::block_filter([](Exp<int> x) { return x % 2 != 0; }, a, Exp<int>(-1));
  });
  expect_golden("histogram", k::block<int>(64), [](Pull<int> a) { return k::block_histogram(8, a); });
}

}  // namespace
}  // namespace fulgurite
