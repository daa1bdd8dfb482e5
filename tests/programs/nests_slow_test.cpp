// Random nests of axes give on the CPU what they give on the interpreter, with code for processors of each
// level, and the same bits on one thread, two and five. A nest counts once for each run, with its extents.
// RC_PARAMS="level=3" tests code for x86-64-v3 alone, in a third of the time.
#include <gtest/gtest.h>

#include "campaign.h"
#include "nests_arguments.h"
#include "runtime/cpu/device.h"
#include "runtime/cpu/threads.h"
#include "runtime/host.h"

namespace fulgurite::programs {
namespace {

using runtime::cpu::CpuDevice, runtime::cpu::ThreadPool;

struct Level {
  std::string name;
  runtime::Description machine;
  CpuDevice* device;
};

/// x86-64-v2, -v3 and -v4. Where this processor has no registers of 64 bytes, its own instructions compute
/// with vectors as wide: schedules and kernels are those of a processor that has them.
const std::vector<Level>& levels() {
  static const std::vector<Level> all = [] {
    std::vector<Level> made;
    CpuDevice* widest = nullptr;
    for (const std::string_view name : runtime::cpu_levels()) {
      const std::string cpu(name);
      auto* device = new CpuDevice(cpu);
      if (runtime::vector_bytes(cpu) <= runtime::host().vector_bytes) widest = device;
      made.push_back({cpu, device->describe(), widest});
    }
    return made;
  }();
  return all;
}

/// While it lives it runs what is launched on other numbers of threads.
class Threads {
 public:
  ~Threads() { ThreadPool::share(before_); }
  static constexpr int numbers[] = {1, 2, 5};
  void use(int n) { ThreadPool::share(n == 1 ? one_ : n == 2 ? two_ : five_); }

 private:
  ThreadPool one_{1}, two_{2}, five_{5};
  ThreadPool& before_ = ThreadPool::shared();
};

bool has_floats(const std::vector<soac::Value>& args) {
  return std::ranges::any_of(args, [](const soac::Value& v) { return scalar::is_float(v.kind); });
}
/// Other floats, sums of which are rounded.
std::vector<soac::Value> rough(std::vector<soac::Value> args) {
  std::mt19937 random(7);
  for (soac::Value& value : args)
    for (std::size_t i = 0; scalar::is_float(value.kind) && i < value.size(); ++i)
      value.set(i, scalar::evaluate(scalar::Op::cast, scalar::Kind::f64, value.kind,
                                    scalar::to_bits(static_cast<double>(random()) / 0x1p31 - 1)));
  return args;
}

/// What differs between numbers of threads; empty: nothing.
std::string on_all_threads(const plan::Loaded& loaded, const soac::Program& program,
                           const std::vector<soac::Value>& args, Threads& threads, Outcome& first) {
  for (const int n : Threads::numbers) {
    threads.use(n);
    const Outcome got = outcome_of([&] { return testing_pipeline::results_of(loaded, program, args); });
    if (n == 1) {
      first = got;
      continue;
    }
    if (first.error != got.error) return "on " + std::to_string(n) + " threads: " + got.message;
    const std::string what = difference(first, got);
    if (!what.empty()) return "on " + std::to_string(n) + " threads: " + what;
  }
  return "";
}

std::string on_every_level(const soac::Program& program, const Runs& runs, const Options& options,
                           Tally& tally) {
  static Threads threads;
  const soac::Program specification = pipeline::specification(program, options.precision);
  std::vector<Outcome> expected;
  for (const std::vector<soac::Value>& args : runs) {
    expected.push_back(interpreted(specification, args));
    ++tally.runs;
    tally.results += program.results.size();
    tally.failed += !expected.back().error.empty();
  }
  const bool signs_zeros = !has_float_extrema(program.body, {});
  const auto differing = [&](const Outcome& of_interpreter, const Outcome& of_level) {
    if (signs_zeros) return difference(of_interpreter, of_level);
    return difference(unsigned_zeros(of_interpreter), unsigned_zeros(of_level));
  };
  const std::uint64_t only = parameter("level", 0);
  for (const Level& level : levels()) {
    if (only != 0 && level.name.back() != static_cast<char>('0' + only)) continue;
    plan::Loaded loaded;
    const Outcome compiled = outcome_of([&] {
      loaded = pipeline::load(program, options, level.machine, *level.device);
      return std::vector<soac::Value>();
    });
    if (is_refused(compiled)) {
      ++tally.refused;
      continue;
    }
    if (!compiled.error.empty()) return level.name + ": compiling fails: " + compiled.message;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      if (expected[k].error == "OutOfMemory") continue;
      Outcome got, of_rough;
      std::string what = on_all_threads(loaded, program, runs[k], threads, got);
      if (what.empty()) what = differing(expected[k], got);
      if (what.empty() && expected[k].error.empty() && has_floats(runs[k]))
        what = on_all_threads(loaded, program, rough(runs[k]), threads, of_rough);
      if (!what.empty()) return level.name + ", run " + std::to_string(k) + ": " + what;
    }
  }
  return "";
}

const Generator any_nests{nests::draw_numbers_of_nests, nests::draw_nests, "nests_"};

TEST(RandomNests, SlowPropertyLevelsAndThreadsGiveWhatTheInterpreterGives) {
  campaign(on_every_level, parameter("max_success", 8), any_nests);
}

TEST(RandomNests, SlowLevelsAndThreadsRunWhatWasOnceWrong) {
  Tally tally;
  for (const Kept& kept : all_kept()) {
    if (!kept.name.starts_with(any_nests.name)) continue;
    for (const char* policy : {"", nests::small_tiles})
      EXPECT_EQ(on_every_level(kept.program, kept.arguments, {.policy = policy}, tally), "") << kept.name;
  }
}

}  // namespace
}  // namespace fulgurite::programs
