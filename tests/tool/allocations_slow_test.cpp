// Some n-th allocations fail, in the library as users have it, on every engine, cold and warm. `./dev fuzz`
// tries all of them.
#include "allocations.h"

namespace {

class AnyAllocationMayFail : public testing::TestWithParam<const char*> {
 protected:
  void sweep(const std::string& words, bool is_cache_warm = false) const {
    test::expect_sound(FULGURITE_SLOW_ALLOCATION_PROGRAM, std::string(GetParam()) + " " + words,
                       is_cache_warm);
  }
};

TEST_P(AnyAllocationMayFail, InACall) {
  sweep("loop call one 0 1 0.5");
  sweep("loop call all 3 7 0.5");
}

TEST_P(AnyAllocationMayFail, WhileAProgramIsCompiled) {
  sweep("map compile one 7 151 0.3");
  sweep("loop compile all 5 197 0.3");
}

TEST_P(AnyAllocationMayFail, AtFirstCold) {
  sweep("map first one 2 67 0.4");
  sweep("filter first all 40 101 0.4");
}

TEST_P(AnyAllocationMayFail, AtFirstWarm) {
  sweep("map first one 1 37 0.4", true);
  sweep("filter first all 20 31 0.4", true);
}

INSTANTIATE_TEST_SUITE_P(Engines, AnyAllocationMayFail,
                         testing::Values("cpu", "opencl", "interpreter", "emulator"));

}  // namespace
