// The command `emit` of FULGURITE_MAIN, on the programs of example_program.cpp.
#include <gtest/gtest.h>

#include <filesystem>

#include "../runtime/temporary_directory.h"
#include "process.h"

namespace {

namespace fs = std::filesystem;

class ToolEmit : public testing::Test {
 protected:
  test::Outcome emit(const std::string& words) const {
    return test::shell("'" FULGURITE_TEST_PROGRAM "' emit " + words, folder_ / "printed.txt");
  }
  std::string out() const { return " --out '" + (folder_ / "new" / "generated").string() + "' "; }
  std::string written(const std::string& name) const {
    return test::text_of(folder_ / "new" / "generated" / name);
  }

  const fulgurite::runtime::test::TemporaryDirectory directory_;
  const fs::path& folder_ = directory_.path();
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_REFUSES(words, part)              \
  do {                                           \
    const test::Outcome refused = emit(words);   \
    EXPECT_EQ(refused.status, 2) << refused.out; \
    EXPECT_SAYS(refused.out, part);              \
    EXPECT_FALSE(fs::exists(folder_ / "new"));   \
  } while (false)

TEST_F(ToolEmit, WritesFilesUnderTheNamesThatAreGiven) {
  const test::Outcome done = emit("rmse power_3=power" + out() +
                                  "--target c --parameters rmse:measured,predicted --results rmse:error "
                                  "--constants power_3:3 --levels x86-64-v3,x86-64-v2");
  EXPECT_EQ(done.status, 0) << done.out;
  EXPECT_EQ(done.out, "");
  EXPECT_SAYS(written("rmse.h"),
              "fg_status rmse(const float* measured, int64_t measured_size, const float* predicted, "
              "int64_t predicted_size, float* error, const fg_call* call);");
  EXPECT_SAYS(written("power_3.h"), "fg_status power_3(const float* ");
  for (const char* file : {"fulgurite_c.h", "rmse.c", "rmse_v3.c", "rmse_v2.c", "power_3.c", "power_3_v3.c"})
    EXPECT_NE(written(file), "") << file;
  EXPECT_EQ(written("rmse_v4.c"), "");
}

TEST_F(ToolEmit, WritesEachTarget) {
  const test::Outcome done = emit("rmse --target cuda --parameters measured,predicted" + out());
  EXPECT_EQ(done.status, 0) << done.out;
  EXPECT_SAYS(written("rmse.cuh"),
              "rmse(const gpu_array<float>& measured, const gpu_array<float>& predicted");
  for (const char* file : {"fulgurite_c.h", "fulgurite_cuda.h", "fulgurite_cuda_run.h", "rmse.cu"})
    EXPECT_NE(written(file), "") << file;
}

TEST_F(ToolEmit, APolicyIsThatOfTheCode) {
  const std::string words = "rmse --target c --levels x86-64-v3" + out();
  ASSERT_EQ(emit(words).status, 0);
  const std::string usual = written("rmse_v3.c");
  ASSERT_EQ(emit(words + " --policy chain=16").status, 0);
  EXPECT_NE(written("rmse_v3.c"), usual);
  ASSERT_EQ(emit(words + " --policy thread_chain=8").status, 0);
  EXPECT_EQ(written("rmse_v3.c"), usual);
  const test::Outcome refused = emit(words + " --policy chains=16");
  EXPECT_EQ(refused.status, 1);
  EXPECT_SAYS(refused.out, "the nearest name is chain");
}

TEST_F(ToolEmit, NamesOfOneFunctionNeedNoFunction) {
  const test::Outcome done =
      emit("brighter --target c --levels x86-64-v2 --precision strict --parameters by,pixels" + out());
  EXPECT_EQ(done.status, 0) << done.out;
  EXPECT_SAYS(written("brighter.h"),
              "fg_status brighter(uint8_t by, const uint8_t* pixels, int64_t pixels_size");
}

TEST_F(ToolEmit, RefusesWhatMakesNoSense) {
  EXPECT_REFUSES("rmse --target fortran" + out(), "fortran");
  EXPECT_REFUSES("rmse" + out(), "--target is required");
  EXPECT_REFUSES("rmse --target c", "--out is required");
  EXPECT_REFUSES("nothing --target c" + out(), "there is no program 'nothing'; there are saxpy, rmse");
  EXPECT_REFUSES("rmse saxpy --target c --parameters x,y" + out(),
                 "--parameters x,y does not say of which function: write --parameters rmse:x,y");
  EXPECT_REFUSES("rmse --target c --parameters saxpy:x,y" + out(),
                 "no function saxpy is written; there are rmse");
  EXPECT_REFUSES("rmse --target c --results e --results f" + out(), "--results is given twice for rmse");
  EXPECT_REFUSES("rmse rmse --target c" + out(),
                 "rmse stands twice: give one of them another name, as in rmse_2=rmse");
  EXPECT_REFUSES("power --target c" + out(),
                 "power has 1 constant, 0 given: power(base: f32[], exponent: constant i32) -> f32[]");
  EXPECT_REFUSES("rmse --target c --levels sparc" + out(), "sparc");
  EXPECT_REFUSES("rmse --target c --precision high" + out(), "high");
}

TEST_F(ToolEmit, ReportsWhatEmitRefuses) {
  const test::Outcome refused = emit("rmse --target c --parameters while,x" + out());
  EXPECT_EQ(refused.status, 1);
  EXPECT_SAYS(refused.out, "'while' cannot be the name of");
  const test::Outcome no_number = emit("power --target c --constants three" + out());
  EXPECT_EQ(no_number.status, 1);
  EXPECT_SAYS(no_number.out, "three");
}

}  // namespace
