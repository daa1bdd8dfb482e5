// Random programs emitted as C, many in one project, which a compiler that knows nothing of Fulgurite builds
// with all its warnings, and runs under sanitizers: they give what the interpreter gives.
#include "../pipeline/project_of_emitted_c.h"
#include "campaign.h"

namespace fulgurite::programs {
namespace {

using emitted_programs::Calls, emitted_programs::Case;

detail::ToolProgram described(const Drawn& drawn, const std::string& name) {
  detail::ToolProgram tool{
      name, {}, {}, [traced = drawn.traced](std::span<const std::uint64_t>) { return traced; }};
  const soac::Program& program = drawn.program();
  const auto rank_of = [](int rank) { return static_cast<std::uint8_t>(rank); };
  unsigned position = 0;
  for (const scalar::Var v : program.params) {
    const scalar::Type type = program.arena->info(v).type;
    tool.parameters.push_back({static_cast<detail::Kind>(type.kind), rank_of(type.rank), ++position});
  }
  position = 0;
  for (const soac::Expr& e : program.results)
    tool.results.push_back({static_cast<detail::Kind>(e.kind()), rank_of(e.type().rank), ++position});
  return tool;
}

/// Calls of the program that do not fail.
void add_calls(Calls& calls, const Drawn& drawn, std::size_t number) {
  const soac::Program specification = pipeline::specification(drawn.program(), drawn.precision);
  for (const std::vector<soac::Value>& arguments : drawn.arguments) {
    const Outcome expected = interpreted(specification, arguments);
    if (!expected.error.empty()) continue;
    const auto which = static_cast<std::int32_t>(number);
    emitted_programs::append(calls.arguments, &which, sizeof which);
    for (const soac::Value& v : arguments) {
      emitted_programs::append(calls.arguments, v.shape.data(), v.shape.size() * sizeof v.shape[0]);
      emitted_programs::append(calls.arguments, v.bytes.data(), v.bytes.size());
    }
    calls.expected.push_back(expected.results);
    calls.names.push_back(drawn.text);
  }
}

TEST(RandomPrograms, SlowEmittedCGivesWhatTheInterpreterGives) {
  const std::uint64_t seed = parameter("seed", 1), n_programs = parameter("max_success", 20);
  std::mt19937_64 random(seed);
  std::vector<Case> cases;
  Calls calls;
  while (cases.size() < n_programs) {
    const std::optional<Drawn> drawn = draw_program(draw_numbers(random));
    if (!drawn) continue;
    Case one{.program = EmittedProgram(described(*drawn, "random_" + std::to_string(cases.size()))),
             .precision = drawn->precision};
    const Outcome emits = outcome_of([&] {
      EmitOptions options;
      options.precision = drawn->precision;
      for (const Target target : {Target::c, Target::opencl, Target::cuda})
        emitted({one.program}, target, options);
      return std::vector<soac::Value>();
    });
    if (is_refused(emits)) continue;
    ASSERT_EQ(emits.message, "") << drawn->text;
    add_calls(calls, *drawn, cases.size());
    cases.push_back(std::move(one));
  }
  std::vector<std::string> processors = {"x86-64-v3", "generic"};
  if (__builtin_cpu_supports("avx512bw")) processors.emplace_back("x86-64-v4");
  const emitted_programs::Project project(cases, processors);
  const std::string compiler = seed % 2 == 0 ? "clang-19 -std=gnu17 -O0" : "gcc -std=c11 -O0";
  expect_agreement(compiler, project.run(compiler, calls.arguments), calls);
}

}  // namespace
}  // namespace fulgurite::programs
