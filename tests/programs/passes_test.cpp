// Random programs, traced as a user's are, give the same on the interpreter before and after every pass.
#include <gtest/gtest.h>

#include "campaign.h"
#include "soac/room.h"

namespace fulgurite::programs {
namespace {

std::string through_passes(const soac::Program& traced, const Runs& runs, const Options& options,
                           Tally& tally) {
  const Precision precision = options.precision;
  soac::check(traced, "trace");
  std::vector<Outcome> expected;
  for (const std::vector<soac::Value>& args : runs) {
    expected.push_back(interpreted(pipeline::specification(traced, precision), args));
    ++tally.runs;
    tally.failed += !expected.back().error.empty();
  }
  soac::PassContext context;
  soac::Program after = traced;
  for (const soac::Pass* pass : pipeline::passes(precision)) {
    after = pass->run(std::move(after), context);
    soac::check(after, pass->name);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      if (expected[k].error == "OutOfMemory") continue;
      // Fusion may compute elements more than once.
      const std::string what = difference(expected[k], interpreted(after, runs[k], 1 << 25));
      if (!what.empty()) return "after " + std::string(pass->name) + ": " + what + "\n" + soac::print(after);
    }
  }
  count_constructs(traced, tally.constructs);
  count_constructs(after, tally.constructs);
  return "";
}

TEST(RandomPrograms, PropertyPassesKeepMeaning) {
  campaign(through_passes, parameter("max_success", 100));
}

TEST(RandomPrograms, PassesKeepMeaningOfWhatWasOnceWrong) {
  Tally tally;
  for (const Kept& kept : all_kept())
    for (const Precision precision : {Precision::fast, Precision::strict})
      EXPECT_EQ(through_passes(kept.program, kept.arguments, {.precision = precision}, tally), "")
          << kept.name;
}

}  // namespace
}  // namespace fulgurite::programs
