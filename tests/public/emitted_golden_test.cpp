// The headers of emitted programs, letter by letter: what applications compile against changes on purpose
// alone.
#include <fulgurite/emitted.h>
#include <fulgurite/fulgurite.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

Exp<float> rmse(Vec<float> x, Vec<float> y) {
  auto d = x - y;
  return fg::sqrt(fg::sum(d * d) / fg::cast<float>(x.size()));
}
Vec<int> positives(Vec<int> xs) {
  return fg::filter([](Exp<int> x) { return x > 0; }, xs);
}
std::tuple<Mat<double>, Vec<fg::u8>, Exp<bool>> all_kinds(Exp<bool> wanted, Mat<double> m, Vec<fg::u8> bytes,
                                                          Exp<fg::i64> n) {
  return {fg::transpose(m) * 2.0, bytes + fg::cast<fg::u8>(n), wanted && fg::any(bytes == fg::u8{1})};
}
struct Place {
  float x, y;
  int id;
};
Vec<Place> moved(Vec<Place> places, Exp<float> by) {
  return fg::map(
      [&](Exp<Place> place) {
        auto [x, y, id] = place;
        return fg::make<Place>(x + by, y, id);
      },
      places);
}
Vec<float> power(Vec<float> x, int k) {
  auto result = x;
  for (int i = 1; i < k; ++i) result = result * x;
  return result;
}

void expect_headers(fg::Target target, const std::string& name, std::size_t n) {
  fg::EmitOptions options;
  options.levels = {"x86-64-v2"};
  const std::vector<fg::EmittedFile> files =
      fg::emitted({{"rmse", rmse, {"measured", "predicted"}, {"error"}},
                   {"positives", positives, {"xs"}},
                   {"all_kinds", all_kinds},
                   {"moved", moved, {{"places", {"x", "y", "id"}}, "by"}, {{"there", {"x", "y", "id"}}}},
                   fg::EmittedProgram("power_3", power, {"x"}).with(3)},
                  target, options);
  std::size_t n_headers = 0;
  for (const fg::EmittedFile& file : files) {
    if (!file.name.ends_with(".h") && !file.name.ends_with(".cuh")) continue;
    ++n_headers;
    const std::filesystem::path golden =
        std::filesystem::path(FULGURITE_TEST_DATA) / "emitted" / name / (file.name + ".golden");
    if (std::getenv("FULGURITE_UPDATE_GOLDEN")) {
      std::filesystem::create_directories(golden.parent_path());
      std::ofstream(golden) << file.text;
    }
    std::ifstream in(golden);
    const std::string expected{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(file.text, expected) << file.name << "; if the new interface is better: ./dev golden";
  }
  EXPECT_EQ(n_headers, n);
}

TEST(EmittedGolden, HeadersOfC) {
  expect_headers(fg::Target::c, "c", 6);
}
TEST(EmittedGolden, HeadersOfCuda) {
  expect_headers(fg::Target::cuda, "cuda", 8);
}
TEST(EmittedGolden, HeadersOfOpenCl) {
  expect_headers(fg::Target::opencl, "opencl", 7);
}

}  // namespace
