// Some n-th allocations fail, under sanitizers; allocations_slow_test.cpp tries more, `./dev fuzz` all.
#include "allocations.h"

namespace {

void expect_sound(const std::string& words) {
  test::expect_sound(FULGURITE_ALLOCATION_PROGRAM, words);
}

TEST(Allocations, AnyMayFailInACall) {
  expect_sound("interpreter loop call one 0 29 0.5");
  expect_sound("emulator loop call one 3 499 0.5");
  expect_sound("cpu loop call one 0 1 1");
  expect_sound("cpu loop call all 0 1 1");
}

TEST(Allocations, AnyMayFailWhileAProgramIsCompiled) {
  expect_sound("interpreter loop compile one 0 61 0.5");
  expect_sound("emulator filter compile one 0 311 0.5");
  expect_sound("cpu map compile all 40 173 0.5");
}

}  // namespace
