// Before the kernel language, whose names some enumerators of the kernel IR have.
#include "replayed.h"

#include "../../../examples/barracuda.h"
#include "../../../examples/black_scholes.h"
#include "../../../examples/fluid.h"
#include "../../../examples/jacobi.h"
#include "../../../examples/large_sorter.h"
#include "../../../examples/moving_average.h"
#include "../../public/bundled_programs.h"
#include "../explained_programs.h"
#include "../programs_to_emit.h"

namespace fulgurite::testing_replay {
namespace {

template <class F>
ArrayProgram traced(std::string name, F f) {
  return {std::move(name), compile(f, {.engine = Engine::interpreter}).traced()->program()};
}

/// As they are, rounding as written, and without checks.
void add_explained(std::vector<ArrayProgram>& all, const std::vector<testing_pipeline::Example>& examples) {
  for (const testing_pipeline::Example& example : examples) {
    all.push_back({example.name, example.program});
    all.push_back({example.name + " strict", example.program, Precision::strict});
    all.push_back({example.name + " unchecked", example.program, Precision::fast, Checks::off});
  }
}

}  // namespace

std::vector<ArrayProgram> traced_programs() {
  std::vector<ArrayProgram> all;
  add_explained(all, testing_pipeline::benchmark_examples());
  add_explained(all, testing_pipeline::guide_examples());
  all.push_back(traced("array_sine", barracuda::array_sine));
  all.push_back(traced("array_maximum", barracuda::array_maximum));
  all.push_back(traced("add_value", barracuda::add_value));
  all.push_back(traced("mul_add", barracuda::mul_add));
  all.push_back(traced("add_sum", barracuda::add_sum));
  all.push_back(traced("ndp", barracuda::ndp));
  all.push_back(traced("black_scholes", black_scholes::black_scholes));
  all.push_back(traced("fluid_step", fluid::fluid_step));
  all.push_back(traced("jacobi_step", jacobi::jacobi_step));
  all.push_back(traced("relax", jacobi::relax));
  all.push_back(traced("large_sorter", [](Vec<int> xs) { return large_sorter::sorted(xs); }));
  all.push_back(traced("weighted_moving_average", moving_average::weighted_moving_average));
  all.push_back(traced("total_and_squares", emitted_programs::total_and_squares));
  all.push_back(traced("halved", emitted_programs::halved));
  all.push_back(traced("sieve of threes", emitted_programs::sieve));
  all.push_back(traced("looked_up", emitted_programs::looked_up));
  all.push_back(traced("relaxed", emitted_programs::relaxed));
  all.push_back(traced("swapped", emitted_programs::swapped));
  all.push_back(traced("counts of bins", bundled_programs::counts));
  all.push_back(traced("halved to a limit", bundled_programs::halved));
  all.push_back(traced("total of blocks", bundled_programs::total));
  all.push_back(traced("picked", bundled_programs::picked));
  all.push_back(traced("quotient", bundled_programs::quotient));
  return all;
}

}  // namespace fulgurite::testing_replay
