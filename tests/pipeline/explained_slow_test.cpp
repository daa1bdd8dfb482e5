// What `explain` says of the programs of the guide and of the benchmarks is what their kernels do: the bytes
// of each launch are those that the emulator counts, or a bound of them where elements decide, and every copy
// and all memory of single launches is named. Both kinds of kernels are tested: of blocks of threads, and of
// a processor's lanes before they become vectors.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine_run.h"
#include "engines/emulator_device.h"
#include "engines/engines.h"
#include "explained_programs.h"
#include "formula_value.h"
#include "kernel/print.h"
#include "tool/explanation.h"

namespace fulgurite {
namespace {

using namespace testing_pipeline;
using lower::Schedule;
using nlohmann::json;

// What a launch moved, all buffers or those of other launches.
struct Counted {
  std::int64_t read = 0, written = 0;  // of arrays
  std::int64_t own = 0;                // by memory of the launch alone
  int n_launches = 0;
};

struct Run {
  json told;
  std::vector<Counted> counted;  // of each kernel's last launch
  std::map<std::string, std::int64_t> sizes;
};

// Names of sizes and scalars in the types of parameters, "a: f32[n, m]".
void add_sizes(const std::string& parameter, const soac::Value& argument,
               std::map<std::string, std::int64_t>& sizes) {
  const std::size_t bracket = parameter.find('[');
  if (bracket == parameter.npos) {
    if (scalar::is_integer(argument.kind))
      sizes[parameter.substr(0, parameter.find(':'))] = static_cast<std::int64_t>(argument.at(0));
    return;
  }
  std::string list = parameter.substr(bracket + 1, parameter.size() - bracket - 2);
  for (const std::int64_t extent : argument.shape) {
    const std::size_t comma = std::min(list.find(", "), list.size());
    sizes[list.substr(0, comma)] = extent;
    list = list.substr(std::min(comma + 2, list.size()));
  }
}

// Memory in which blocks say how far they have come. How often they read it depends on which is quicker.
bool is_looked_back_at(const lower::LaunchNote& note, soac::Var array) {
  if (!note.launch) return false;
  for (const schedule::Phase& phase : note.launch->phases) {
    const auto* nest = std::get_if<schedule::Nest>(&phase.walk);
    if (nest == nullptr) continue;
    for (const schedule::Combine& combine : nest->combines)
      if (!combine.levels.empty() && combine.levels.back().how == schedule::Join::handed_on &&
          std::ranges::find(combine.memory, array) != combine.memory.end())
        return true;
  }
  return false;
}

Counted counted(const lower::LaunchNote& note, const kernel::Kernel& kernel, const kernel::Counts& counts) {
  const lower::LaunchSource& source = *note.source;
  Counted result;
  std::size_t b = 0;
  for (const kernel::Param& p : kernel.params) {
    if (p.role == kernel::Param::Role::scalar) continue;
    const kernel::BufferCounts& moved = counts.buffers.at(b++);
    const auto of = std::ranges::find(source.buffers, p.name, &lower::LaunchSource::Buffer::param);
    const bool is_own =
        of != source.buffers.end() && std::ranges::find(source.own, of->array) != source.own.end();
    if (is_own)
      result.own += moved.written + (is_looked_back_at(note, of->array) ? 0 : moved.read);
    else
      result.read += moved.read, result.written += moved.written;
  }
  return result;
}

// Lanes are those of the narrowest vectors; they run as threads of a block do, which is all that counting
// needs.
Run run(const Example& e, Schedule schedule) {
  Options options;
  options.engine = schedule == Schedule::blocks ? Engine::emulator : Engine::cpu;
  runtime::Description device = engines::device_of(options.engine).describe();
  device.vector_bytes = 16;
  const pipeline::Report report = pipeline::compile(e.program, options, device);
  Run result{json::parse(tool::to_json(tool::explanation_of(report))), {}, {}};
  for (std::size_t p = 0; p < e.arguments.size(); ++p)
    add_sizes(result.told["parameters"][p], e.arguments[p], result.sizes);

  lower::Options lowering;
  lowering.target = {device.vector_bytes, static_cast<std::int64_t>(device.last_level_cache)};
  lowering.schedule = schedule;
  lowering.blocks_wait = device.blocks_wait;
  const lower::Lowered scalar = lower::lower(report.optimised, lowering);
  EmulatorDevice& emulator = EmulatorDevice::shared();
  plan::Loaded loaded = plan::without_kernels(scalar.plan, emulator, emulator.describe());
  loaded.sites.resize(report.optimised.sites.size() + 1000);
  for (const kernel::Kernel& kernel : scalar.kernels)
    loaded.kernels.push_back(emulator.build({kernel.name, kernel::print(kernel)}));
  emulator.begin_recording(schedule == Schedule::blocks);
  execute(loaded, e.arguments, report.optimised.results.size());
  result.counted.resize(scalar.kernels.size());
  for (const EmulatorDevice::Recorded& launch : emulator.end_recording())
    for (std::size_t k = 0; k < loaded.kernels.size(); ++k)
      if (loaded.kernels[k].get() == launch.kernel && !launch.was_off) {
        const int n = result.counted[k].n_launches;
        result.counted[k] = counted(scalar.notes[k], scalar.kernels[k], launch.counts);
        result.counted[k].n_launches = n + 1;
      }
  return result;
}

// What is said, where all names in it are sizes of arguments.
std::optional<double> value(const Run& run, const json& formula) {
  try {
    return static_cast<double>(FormulaValue(formula.get<std::string>(), run.sizes)());
  } catch (const std::out_of_range&) {
    return std::nullopt;
  }
}

// A percent, and a few elements: what is in no formula is counters, ends of tables.
constexpr double tolerance = 0.01, few = 64;

void expect_said(const char* what, const std::optional<double>& said, bool is_bound, std::int64_t counted) {
  if (!said) return;
  const auto real = static_cast<double>(counted), room = tolerance * std::max(real, *said) + few;
  EXPECT_LE(real, *said + room) << what;
  if (!is_bound) {
    EXPECT_GE(real, *said - room) << what;
  }
}

// How many launches were compared, and how many formulas name sizes that elements decide.
struct Compared {
  int n_exact = 0, n_bound = 0, n_unknown = 0;
};

void compare(const Example& e, Schedule schedule, Compared& compared) {
  SCOPED_TRACE(e.name + (schedule == Schedule::blocks ? ", blocks" : ", lanes"));
  const Run r = run(e, schedule);
  SCOPED_TRACE(r.told.dump(1));
  Counted all;
  double all_read = 0, all_written = 0;
  bool has_copies = false;
  for (std::size_t k = 0; k < r.counted.size(); ++k) {
    const Counted& counted = r.counted[k];
    if (counted.n_launches == 0) continue;
    const json& launch = r.told["kernels"][k];
    SCOPED_TRACE("kernel " + std::to_string(k + 1) + ", launched " + std::to_string(counted.n_launches) +
                 " times");
    const json& bytes = launch["bytes"];
    const auto read = value(r, bytes["read"]), written = value(r, bytes["written"]);
    all.read += counted.read, all.written += counted.written;
    all_read += read.value_or(0), all_written += written.value_or(0);
    has_copies |= !launch["copies"].empty();
    if (!has_copies) {
      expect_said("read", read, bytes["read_is_bound"], counted.read);
      expect_said("written", written, bytes["written_is_bound"], counted.written);
    }
    if (!read || !written)
      ++compared.n_unknown;
    else
      ++(bytes["read_is_bound"] || bytes["written_is_bound"] ? compared.n_bound : compared.n_exact);
    EXPECT_TRUE(counted.own == 0 || !launch["private"].empty());
    double own = 0;
    bool knows_own = true;
    for (const json& p : launch["private"]) {
      const auto moved = value(r, p["moved_at_most"]);
      knows_own = knows_own && moved.has_value();
      own += moved.value_or(0);
    }
    if (knows_own) expect_said("private", own, true, counted.own);
  }
  // Which of several updates of an argument copies it depends on whose memory it is.
  if (has_copies) {
    expect_said("read by all", all_read, false, all.read);
    expect_said("written by all", all_written, false, all.written);
  }
}

Compared compare_all(const std::vector<Example>& examples) {
  Compared compared;
  for (const Example& e : examples)
    for (const Schedule schedule : {Schedule::blocks, Schedule::lanes}) compare(e, schedule, compared);
  return compared;
}

TEST(Explained, BenchmarksMoveWhatItSays) {
  const Compared compared = compare_all(benchmark_examples());
  EXPECT_GE(compared.n_exact, 50);
  EXPECT_LE(compared.n_unknown, 4);
}

TEST(Explained, ProgramsOfTheGuideMoveWhatItSays) {
  const Compared compared = compare_all(guide_examples());
  EXPECT_GE(compared.n_exact, 100);
  EXPECT_LE(compared.n_unknown, 40);
}

}  // namespace
}  // namespace fulgurite
