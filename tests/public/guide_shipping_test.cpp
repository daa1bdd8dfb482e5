// The code of docs/guide/shipping.md, run.
#include <fulgurite/bundle.h>
#include <fulgurite/emit.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "../runtime/temporary_directory.h"
#include "bundled_programs.h"

namespace {

using namespace bundled_programs;

class GuideShipping : public testing::Test {
 protected:
  GuideShipping() { std::filesystem::current_path(folder_.path()); }
  ~GuideShipping() override { std::filesystem::current_path(before_); }

 private:
  const std::filesystem::path before_ = std::filesystem::current_path();
  const fulgurite::runtime::test::TemporaryDirectory folder_;
};

TEST_F(GuideShipping, SourceIsEmitted) {
  fg::emit({{"rmse", rmse, {"measured", "predicted"}, {"error"}}}, fg::Target::c, "generated");
  std::ifstream header("generated/rmse.h");
  const std::string text{std::istreambuf_iterator<char>(header), {}};
  EXPECT_NE(text.find("fg_status rmse(const float* measured, int64_t measured_size, const float* predicted, "
                      "int64_t predicted_size, float* error, const fg_call* call);"),
            std::string::npos)
      << text;
}
TEST_F(GuideShipping, BundleIsMadeAndOpened) {
  fg::bundle({{"rmse", rmse}, {"evens", evens}}, "programs.fgb");
  const std::vector<float> a{1, 2, 3, 4}, b{1, 2, 3, 8};
  const fg::Bundle programs = fg::open("programs.fgb");
  const auto f = programs.get<float(fg::Array<float>, fg::Array<float>)>("rmse");
  const float error = f(a, b);
  EXPECT_EQ(error, 2.0f);
}

}  // namespace
