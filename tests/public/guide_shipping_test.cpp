// The code of docs/guide/shipping.md, run.
#include <fulgurite/bundle.h>

#include <gtest/gtest.h>

#include <filesystem>

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

TEST_F(GuideShipping, BundleIsMadeAndOpened) {
  fg::bundle({{"rmse", rmse}, {"evens", evens}}, "programs.fgb");
  const std::vector<float> a{1, 2, 3, 4}, b{1, 2, 3, 8};
  const fg::Bundle programs = fg::open("programs.fgb");
  const auto f = programs.get<float(fg::Array<float>, fg::Array<float>)>("rmse");
  const float error = f(a, b);
  EXPECT_EQ(error, 2.0f);
}

}  // namespace
