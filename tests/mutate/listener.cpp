// Part of every test executable that is linked with mutants: adds a line for each test, whether it passed,
// how many milliseconds it took and the mutants that it and the programs that it runs reached, to the file
// that FULGURITE_REACHED names.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "chosen.h"

namespace fulgurite::mutants {
namespace {

class ReachedByTest : public testing::EmptyTestEventListener {
 public:
  explicit ReachedByTest(const std::string& path)
      : below_(path + ".below"), to_(std::fopen(path.c_str(), "a")) {
    setenv("FULGURITE_REACHED_BELOW", below_.c_str(), 1);
  }

 private:
  void OnTestEnd(const testing::TestInfo& test) override {
    const testing::TestResult& result = *test.result();
    std::fprintf(to_, "%s.%s %s %lld", test.test_suite_name(), test.name(),
                 result.Skipped()  ? "skipped"
                 : result.Passed() ? "passed"
                                   : "failed",
                 static_cast<long long>(result.elapsed_time()));
    for (int mutant : take_reached()) std::fprintf(to_, " %d", mutant);
    std::ifstream below(below_);
    for (int mutant = 0; below >> mutant;) std::fprintf(to_, " %d", mutant);
    std::remove(below_.c_str());
    std::fprintf(to_, "\n");
    std::fflush(to_);  // a test may end the process
  }

  std::string below_;
  std::FILE* to_;
};

const bool listening = [] {
  const char* path = std::getenv("FULGURITE_REACHED");
  if (path != nullptr) testing::UnitTest::GetInstance()->listeners().Append(new ReachedByTest(path));
  return path != nullptr;
}();

}  // namespace
}  // namespace fulgurite::mutants
