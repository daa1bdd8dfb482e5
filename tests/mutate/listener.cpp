// Part of every test executable that is linked with mutants: writes, for each test, whether it passed, how
// many milliseconds it took and the mutants that it reached, to the file that FULGURITE_REACHED names.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "chosen.h"

namespace fulgurite::mutants {
namespace {

class ReachedByTest : public testing::EmptyTestEventListener {
 public:
  explicit ReachedByTest(std::FILE* to) : to_(to) {}

 private:
  void OnTestEnd(const testing::TestInfo& test) override {
    const testing::TestResult& result = *test.result();
    std::fprintf(to_, "%s.%s %s %lld", test.test_suite_name(), test.name(),
                 result.Skipped()  ? "skipped"
                 : result.Passed() ? "passed"
                                   : "failed",
                 static_cast<long long>(result.elapsed_time()));
    for (int mutant : take_reached()) std::fprintf(to_, " %d", mutant);
    std::fprintf(to_, "\n");
    std::fflush(to_);  // a test may end the process
  }

  std::FILE* to_;
};

const bool listening = [] {
  const char* path = std::getenv("FULGURITE_REACHED");
  std::FILE* to = path != nullptr ? std::fopen(path, "w") : nullptr;
  if (to != nullptr) testing::UnitTest::GetInstance()->listeners().Append(new ReachedByTest(to));
  return to != nullptr;
}();

}  // namespace
}  // namespace fulgurite::mutants
