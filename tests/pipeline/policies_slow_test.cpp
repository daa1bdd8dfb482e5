// What lowering decides for each launch of many programs, to be read by people: policies.golden has a line
// for each launch on a processor with vectors of 32 bytes, on one with vectors of 64 and little cache, and on
// a GPU. Results do not depend on these decisions, and the time that they save is not measured here. `./dev
// golden` rewrites the file.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../schedule/reasons.h"
#include "../simplify/pass_file.h"
#include "base/text.h"
#include "explained_programs.h"
#include "kernel/traverse.h"
#include "machines.h"
#include "pipeline.h"
#include "scalar/print.h"
#include "schedule/explain.h"
#include "tool/formula.h"

namespace fulgurite {
namespace {

namespace fs = std::filesystem;

using testing_pipeline::Machine, testing_pipeline::processor, testing_pipeline::accelerator;

std::vector<Machine> machines() {
  return {{"32 bytes", Engine::cpu, processor(32)},
          {"64 bytes", Engine::cpu, processor(64, std::size_t{1} << 20)},
          {"GPU", Engine::cuda, accelerator("cuda", true)}};
}

// What a kernel is made of, which shows whether lanes or scalar code do the work.
std::string parts_of(const kernel::Kernel& k) {
  int loops = 0, branches = 0, reads = 0, writes = 0, waits = 0, others = 0;
  kernel::for_each_stm(k.body, [&](const kernel::Stm& s) {
    const auto is = [&](auto... kinds) { return (... || std::holds_alternative<decltype(kinds)>(s.op)); };
    loops += is(kernel::For(), kernel::While(), kernel::Par());
    branches += is(kernel::If());
    reads += is(kernel::Load(), kernel::WideLoad());
    writes += is(kernel::Store(), kernel::WideStore(), kernel::Atomic());
    waits += is(kernel::Sync(), kernel::InOrder());
    ++others;
  });
  others -= loops + branches + reads + writes + waits;
  return fmt::format("{} loops, {} branches, {} loads, {} stores, {} waits, {} others", loops, branches,
                     reads, writes, waits, others);
}

std::string text_of(const scalar::Arena& arena, scalar::Expr e) {
  std::string text;
  scalar::print(text, e, [&](scalar::Expr part) {
    return part.is_name() ? std::string_view(arena.info(part.var()).name) : std::string_view();
  });
  return text;
}

std::string walks_of(const pipeline::Report& report, const schedule::Launch& launch) {
  tool::SizeNames names(report.optimised);
  return base::join(schedule::in_words(launch, names.naming()), "; ",
                    [](const schedule::PhaseInWords& phase) {
                      return fmt::format("{}: {}", phase.name,
                                         base::join(phase.walk, "; ", [](const auto& walk) { return walk; }));
                    });
}

// Programs for what neither the guide nor the benchmarks have.
const std::pair<const char*, const char*> others[] = {
    {"rows_sorted", R"(program "rows_sorted" (x: f32[n, m]) {
  y: f32[n, m] = map (i < n) {
    a: f32[m] = map (j < m) { x[i, j] }
    b: f32[m] = sort (a) by (k: f32) { bitcast(u32, k) }
    return b
  }
  return y
})"},
    {"one_element", R"(program "one_element" (x: f32[n], k: i64) {
  y: f32[n] = redomap (i < 1) { k, 1.0f } scatter (n) (j: i64) { x[j] }
  z: f32[n] = redomap (i < n) { i64(x[i]), x[i] } scatter (n) (j: i64) { x[j] }
  return y, z
})"},
    {"flat_rows", R"(program "flat_rows" (x: f32[n], m: i64) {
  y: f32[n / m] = map (i < n / m) {
    r: f32 = redomap (j < m) { x[i * m + j] } reduce add comm neutral 0.0f
    return r
  }
  return y
})"},
};

// The operator looks first whether there are operands, which is known in a main loop.
std::string asking(const std::string& value) {
  return R"(program "asking" (x: f32[n]) {
  s: f32, is: bool = redomap (i < n) { )" +
         value + R"(, x[i] < 3.0f } reduce (a: f32, p: bool, b: f32, q: bool) {
    return select(p, select(q, a * b, a), b), p | q
  } neutral 1.0f, false
  return s, is
})";
}

void add_policies(const std::string& name, const soac::Program& program, std::string& text) {
  text += name + "\n";
  for (const Machine& machine : machines()) {
    const pipeline::Report report = pipeline::compile(program, {.engine = machine.engine}, machine.device);
    for (const lower::LaunchNote& note : report.lowered.notes) {
      if (note.launch)
        for (const std::string& fault :
             testing_schedule::faults_of_reasons(*report.optimised.arena, *note.launch))
          ADD_FAILURE() << name << ": " << fault;
      std::string policy = note.launch ? walks_of(report, *note.launch) : "as written";
      if (note.converges) policy += "; decides whether a loop goes on";
      if (note.bytes_read)
        policy += fmt::format("; reads {} bytes", text_of(*report.optimised.arena, note.bytes_read));
      const auto number = static_cast<std::size_t>(note.kernel);
      text += fmt::format("  {}: {}: {}; {}\n", machine.name, report.lowered.plan.kernels.at(number).name,
                          policy, parts_of(report.lowered.kernels.at(number)));
    }
  }
}

TEST(Policies, SlowGoldenOfEachLaunch) {
  std::string text;
  for (const auto& examples : {testing_pipeline::benchmark_examples(), testing_pipeline::guide_examples()})
    for (const testing_pipeline::Example& example : examples)
      add_policies(example.name, example.program, text);
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(FULGURITE_TEST_DATA "/../fuse"))
    if (entry.path().extension() == ".soac") files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& path : files)
    add_policies(path.filename(), soac::parse(testing::read_pass_file(path).before), text);

  for (const auto& [name, program] : others) add_policies(name, soac::parse(program), text);
  std::string value = "x[i]";
  for (int steps = 0; steps < 6; ++steps, value = "(" + value + " * x[i] + 1.0f)")
    add_policies(fmt::format("an operator that asks, {} steps", steps), soac::parse(asking(value)), text);

#ifndef __clang__
  GTEST_SKIP()
      << "compilers evaluate arguments in different orders, in which the programs' statements stand: the "
         "golden file is of a program that Clang compiled";
#endif
  const fs::path golden = FULGURITE_TEST_DATA "/policies.golden";
  if (std::getenv("FULGURITE_UPDATE_GOLDEN") != nullptr) std::ofstream(golden) << text;
  std::ostringstream known;
  known << std::ifstream(golden).rdbuf();
  EXPECT_EQ(text, known.str()) << "if the new decisions are better: ./dev golden";
}

}  // namespace
}  // namespace fulgurite
