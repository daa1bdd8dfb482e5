// Random programs, traced as a user's are, give on engines what they give on the interpreter.
#include <gtest/gtest.h>

#include "../runtime/pocl.h"
#include "compared.h"
#include "irregular.h"
#include "simplify/specialise.h"

namespace fulgurite::programs {
namespace {

/// What Oclgrind has reported since the last call, where it is the OpenCL device: accesses outside memory.
std::string reported() {
  const char* log = std::getenv("OCLGRIND_LOG");
  if (log == nullptr) return "";
  static std::streamoff known = 0;
  std::ifstream in(log);
  in.seekg(known);
  std::string text(std::istreambuf_iterator<char>(in), {});
  known += static_cast<std::streamoff>(text.size());
  return text;
}

// The program for the extents of these arguments that are short, of arrays of one axis too.
soac::Program specialised_for(const std::vector<soac::Value>& args, const soac::Program& program) {
  std::unordered_map<soac::Var, std::int64_t> extents;
  for (std::size_t k = 0; k < args.size(); ++k) {
    const std::vector<soac::Expr>& shape = program.arena->info(program.params[k]).shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      if (args[k].shape[axis] <= 8) extents.emplace(shape[axis].var(), args[k].shape[axis]);
  }
  return simplify::specialise(program, extents);
}

std::string on_engine(const soac::Program& program, const Runs& runs, const Options& given, Tally& tally) {
  // Oclgrind rounds the product of an fma.
  const bool is_oclgrind = std::getenv("OCLGRIND_LOG") != nullptr;
  Options options = testing_pipeline::tested(is_oclgrind ? Precision::strict : given.precision);
  // Random segments are short: every other program walks them one after the other all the same.
  if (options.engine == Engine::cpu && options.policy.empty() && program.sites.size() % 2 == 1)
    options.policy = "segment_points=1";
  if (options.engine == Engine::opencl) runtime::test::prepare_pocl();
  // Most arguments are short: every third program is specialised for each of them.
  const bool is_specialised = program.sites.size() % 3 == 0;
  const auto load = [&](std::optional<plan::Loaded>& loaded, const std::vector<soac::Value>& args) {
    if (is_specialised)
      loaded = pipeline::load(specialised_for(args, program), options);
    else if (!loaded)
      loaded = pipeline::load(program, options);
  };
  const std::string what = compared(program, runs, options.precision, tally, load, reported);
  if (!what.empty()) return what;
  soac::PassContext context;
  count_constructs(program, tally.constructs);
  count_constructs(pipeline::optimise(program, context, options.precision), tally.constructs);
  return "";
}

TEST(RandomPrograms, SlowPropertyEnginesGiveWhatTheInterpreterGives) {
  campaign(on_engine, parameter("max_success", 100));
}

TEST(RandomIrregularNests, SlowPropertyEnginesGiveWhatTheInterpreterGives) {
  campaign(on_engine, parameter("max_success", 100), irregular::any_nests);
}

TEST(RandomPrograms, SlowEnginesRunWhatWasOnceWrong) {
  Tally tally;
  for (const Kept& kept : all_kept())
    for (const Precision precision : {Precision::fast, Precision::strict})
      EXPECT_EQ(on_engine(kept.program, kept.arguments, {.precision = precision}, tally), "") << kept.name;
}

}  // namespace
}  // namespace fulgurite::programs
