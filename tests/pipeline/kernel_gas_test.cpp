// Programs whose kernels lack some or all of the optional passes compute the same.
#include "engine_run.h"
#include "kernel/print.h"
#include "soac/interpret.h"
#include "soac/parse.h"
#include "trace/traced.h"

#include <fulgurite/fulgurite.h>
#include <fulgurite/kernel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace fulgurite {
namespace {

using testing_pipeline::results_of, testing_pipeline::tested;

std::vector<soac::Value> integers(std::size_t n) {
  std::vector<std::int32_t> x(n);
  std::iota(x.begin(), x.end(), 1);
  return {soac::array_value<std::int32_t>(x)};
}

// Runs the program with ever more gas, until there is enough. `expected`: kernel passes that change its
// kernels for a CPU.
void expect_same_with_any_gas(const soac::Program& program, const std::set<std::string_view>& expected) {
  const std::vector<soac::Value> args = integers(5120);
  const std::vector<soac::Value> wanted = soac::interpret(program, args);
  std::set<std::string_view> taken;
  for (std::int64_t gas = 0, left = 0; left == 0; ++gas) {
    kernel::PassContext context{.gas = gas};
    const plan::Loaded loaded = pipeline::load_optimised(program, tested(), context);
    EXPECT_TRUE(std::ranges::equal(results_of(loaded, program, args), wanted, soac::same)) << "gas " << gas;
    left = *context.gas;
    for (const kernel::Application& application : context.log)
      if (kernel::print(application.before) != kernel::print(application.after))
        taken.insert(application.pass->name);
  }
  if (tested().engine != Engine::cpu) return;
  for (std::string_view name : expected) EXPECT_TRUE(taken.contains(name)) << name << " changes nothing";
}

TEST(KernelGas, WindowsMayBeLoadedOneByOne) {
  expect_same_with_any_gas(soac::parse(R"(program(x: i32[n]) {
  y: i32[n - 8] = map (i < n - 8) { x[i] + x[i + 1] * 2i32 + x[i + 2] + x[i + 3] }
  return y
})"),
                           {"share_windows", "remove_dead"});
}

TEST(KernelGas, RunsNeedNotBeTransposed) {
  expect_same_with_any_gas(soac::parse(R"(program(x: i32[n]) {
  p: i32, q: i32 = redomap (i < n) { x[i], x[i] } reduce (a: i32, b: i32, c: i32, d: i32) { c * a, c * b + d } neutral 1i32, 0i32
  return p, q
})"),
                           {"transpose_runs"});
}

TEST(KernelGas, LanesOfUsersKernelsNeedNotBePermuted) {
  namespace k = kernel;
  const auto half_cleaner =
      k::kernel("half_cleaner", k::block<int>(128), [](k::Pull<int> a) { return k::ilv(1, min, max, a); });
  const auto cleaned = [&](Vec<int> x) { return k::call(half_cleaner, x); };
  const auto traced = compile(cleaned, {.engine = Engine::interpreter}).traced();
  expect_same_with_any_gas(traced->program(), {"permutes"});
}

}  // namespace
}  // namespace fulgurite
