// Bundles in processes of their own: a server of calls, and how soon after its start a program has its first
// result.
#include <fulgurite/bundle.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "../public/bundled_programs.h"
#include "../runtime/temporary_directory.h"
#include "process.h"

namespace {

using namespace bundled_programs;

class BundleProcess : public testing::Test {
 protected:
  BundleProcess() {
    fg::bundle({{"rmse", rmse}, {"evens", evens}, {"quotient", quotient}}, bundle_,
               {.cpu_levels = {"x86-64-v2"}, .opencl = false});
  }
  // Nothing that this process has in its caches helps.
  test::Outcome run(const std::string& program, const std::string& more = "") const {
    const std::string command =
        "cd '" + folder_.path().string() + "' && FULGURITE_CACHE= '" + program + "' programs.fgb " + more;
    return test::shell(command, folder_.path() / "out.txt");
  }

  const fulgurite::runtime::test::TemporaryDirectory folder_;
  const std::string bundle_ = (folder_.path() / "programs.fgb").string();
};

TEST_F(BundleProcess, ServerAnswersCalls) {
  fg::write_npy((folder_.path() / "a.npy").string(), fg::Array<float>{1, 2, 3, 4});
  fg::write_npy((folder_.path() / "b.npy").string(), fg::Array<float>{1, 2, 3, 8});
  fg::write_npy((folder_.path() / "n.npy").string(), fg::Array<int>{1, 2, 3, 4});
  std::ofstream(folder_.path() / "calls.txt") << "rmse a.npy b.npy\n\nquotient 7 -2\nquotient 7 0\n"
                                                 "evens n.npy\nquotient 1\nblur a.npy\nevens a.npy\n";
  const test::Outcome served = run(FULGURITE_SERVER_PROGRAM, "<calls.txt");
  EXPECT_EQ(served.status, 0) << served.out;
  std::istringstream lines(served.out);
  const auto next = [&] {
    std::string line;
    std::getline(lines, line);
    return line;
  };
  EXPECT_EQ(next(), "2");
  EXPECT_EQ(next(), "-3");
  EXPECT_NE(next().find("bundled_programs.h"), std::string::npos) << served.out;
  EXPECT_EQ(next(), "i32[2] in result_1.npy");
  EXPECT_NE(next().find("'quotient' takes 2 arguments, and was given 1"), std::string::npos) << served.out;
  EXPECT_EQ(next(), "error: there is no program 'blur'");
  EXPECT_NE(next().find("argument 1 of 'evens' is f32[4], and i32[] is needed"), std::string::npos)
      << served.out;
  EXPECT_EQ((fg::read_npy<int>((folder_.path() / "result_1.npy").string()).to_vector()),
            (std::vector<int>{2, 4}));
}

TEST_F(BundleProcess, FirstCallNeedsNoCompiler) {
  const test::Outcome outcome = run(FULGURITE_BUNDLE_PROGRAM);
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_TRUE(outcome.out.starts_with("2 ")) << outcome.out;
  EXPECT_TRUE(outcome.out.ends_with("without a compiler\n")) << outcome.out;
}

TEST_F(BundleProcess, FirstCallTiming) {
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    std::istringstream words(run(FULGURITE_BUNDLE_PROGRAM).out);
    double error = 0, taken = 1e9;
    words >> error >> taken;
    best = std::min(best, taken);
  }
  EXPECT_LE(best, 1000) << "microseconds";
}

}  // namespace
