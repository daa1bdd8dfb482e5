// Random programs whose tasks run alone, each in memory where only what its footprint says is as it should
// be.
#include <gtest/gtest.h>

#include "../distribute/tasks_alone.h"
#include "compared.h"

namespace fulgurite::programs {
namespace {

// The smallest tasks that there may be.
const char* const tiny =
    "cheap_tile=64, moderate_tile=64, expensive_tile=64, run_tile=64, expensive_run_tile=64";

std::string alone(const soac::Program& program, const Runs& runs, const Options& given, Tally& tally) {
  Options options = given;
  options.engine = Engine::cpu;
  if (options.policy.empty()) options.policy = tiny;
  static auto& device = *new runtime::test::TasksAlone;  // results may outlive the test
  device.begin();
  return on_device(device, program, runs, options, tally);
}

TEST(RandomPrograms, SlowPropertyTasksTouchWhatTheirFootprintsSay) {
  campaign(alone, parameter("max_success", 100));
}

TEST(RandomPrograms, SlowTasksTouchWhatTheirFootprintsSayOfWhatWasOnceWrong) {
  Tally tally;
  for (const Kept& kept : all_kept())
    for (const Precision precision : {Precision::fast, Precision::strict})
      EXPECT_EQ(alone(kept.program, kept.arguments, {.precision = precision}, tally), "") << kept.name;
}

}  // namespace
}  // namespace fulgurite::programs
