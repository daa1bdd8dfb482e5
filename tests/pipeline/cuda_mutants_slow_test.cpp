// What the stand-in for CUDA finds in whole programs (tests/runtime/cuda_stand_in/machine.h): launches,
// copies and kernels with a mistake each, none of which may pass. Without one the programs give the
// interpreter's results.
#include <dlfcn.h>
#include <fmt/format.h>
#include <fulgurite/fulgurite.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "../runtime/cuda_stand_in/machine.h"

namespace fulgurite {
namespace {

using runtime::test::CudaMutant;
using runtime::test::CudaStandIn;

// What a mutant's process compiles is not found on disk.
const bool has_no_disk_cache = setenv("FULGURITE_CACHE", "", 1) == 0;

constexpr std::int64_t n = 20'000;

// Others for each call, as memory may have what an earlier one left there.
std::vector<int> numbers(std::size_t call) {
  std::vector<int> xs(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < xs.size(); ++i) xs[i] = static_cast<int>((call * 31 + i) * 7919 % 10007);
  return xs;
}

using Function = std::function<std::vector<int>(const std::vector<int>&)>;
struct Program {
  const char* name;
  std::function<Function(Engine)> compiled;
};

template <class F>
Program program(const char* name, F f) {
  return {name, [f](Engine engine) -> Function {
            return [g = compile(f, {.engine = engine})](const std::vector<int>& xs) {
              return g(xs).to_vector();
            };
          }};
}

const std::vector<Program> programs = {
    program("map", [](Vec<int> x) { return x * x + 3; }),
    program("sum of rows",
            [](Vec<int> x) {
              return map([](Vec<int> row) { return sum(row) + 3; }, rows(reshape(x, {20, 1000})));
            }),
    program("sum", [](Vec<int> x) { return x + sum(x * 3); }),
    program("scan", [](Vec<int> x) { return scan(plus, 0, x * 3); }),
    program("filter", [](Vec<int> x) { return filter([](Exp<int> a) { return a % 3 == 0; }, x); }),
    program("histogram", [](Vec<int> x) { return histogram(plus, 0, 16, x % 16, x); }),
    program("sort", [](Vec<int> x) { return sort(x + 3); }),
};

// What is wrong with what a program gave, or nothing; how many statements of the kind that is dropped its
// kernels have.
struct Found {
  std::string what;
  int droppable = 0;
};

class CudaMutants : public testing::Test {
 protected:
  void SetUp() override {
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    ASSERT_NE(driver, nullptr) << dlerror();
    const auto stand_in =
        reinterpret_cast<runtime::test::CudaStandInFunction>(dlsym(driver, "cuda_stand_in"));
    ASSERT_NE(stand_in, nullptr) << "this is a driver of a device";
    machine_ = stand_in();
    ASSERT_TRUE(has_no_disk_cache);
  }
  void TearDown() override {
    machine().mutant = CudaMutant::none;
    machine().dropped_statement.clear();
    machine().seed = 0;
  }
  CudaStandIn& machine() { return *machine_; }
  void expect_found_without_statements(std::size_t n_programs);

  // Several orders of threads. With seed 0, which comes first, streams run as late as they may. In a process
  // of its own: none has kernels that another mutant's process compiled.
  Found found_in(const Program& program) {
    int ends[2] = {};
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t child = fork();
    if (child == 0) {
      const std::string what = found_here(program);
      const int droppable = machine().most_droppable;
      const bool is_said = write(ends[1], &droppable, sizeof droppable) == sizeof droppable &&
                           write(ends[1], what.data(), what.size()) == static_cast<ssize_t>(what.size());
      _exit(is_said ? 0 : 1);
    }
    close(ends[1]);
    Found found;
    if (read(ends[0], &found.droppable, sizeof found.droppable) != sizeof found.droppable)
      found.what = "it did not end";
    char text[256];
    for (ssize_t size = 0; (size = read(ends[0], text, sizeof text)) > 0;)
      found.what.append(text, static_cast<std::size_t>(size));
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return found;
  }

 private:
  std::string found_here(const Program& program) {
    const bool is_mutant = machine().mutant != CudaMutant::none || !machine().dropped_statement.empty();
    try {
      const Function f = program.compiled(Engine::cuda), reference = program.compiled(Engine::interpreter);
      for (machine().seed = 0; machine().seed < (is_mutant ? 40 : 5); ++machine().seed) {
        const std::vector<int> xs = numbers(machine().seed);
        if (f(xs) != reference(xs)) return "another result";
      }
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  CudaStandIn* machine_ = nullptr;
};

TEST_F(CudaMutants, SlowProgramsWithoutOneAreRight) {
  for (const Program& program : programs) EXPECT_EQ(found_in(program).what, "") << program.name;
}

TEST_F(CudaMutants, SlowMistakesOfLaunchesAndCopiesAreFound) {
  for (const CudaMutant mutant :
       {CudaMutant::smaller_grid, CudaMutant::smaller_block, CudaMutant::swapped_arguments,
        CudaMutant::dropped_waits, CudaMutant::late_uploads})
    for (const Program& program : programs) {
      machine().mutant = mutant;
      EXPECT_NE(found_in(program).what, "") << program.name << ", mutant " << static_cast<int>(mutant);
      machine().mutant = CudaMutant::none;
    }
}

// What nothing depends on in arrays of this size. Of the look-back of scans and filters: barriers between
// rounds, and of warps, that only more tiles in flight need, one between a store and a load of one thread,
// one at the end of a loop that each block goes through once, and a fence that others follow. Of sorts:
// barriers of bins in shared memory, which only counts of fewer places use, and those at the end of loops
// whose next round stores where the same thread loaded.
struct Harmless {
  std::string program, statement;
  std::vector<int> numbers;
};
const std::vector<Harmless> harmless = {
    {"scan", "__syncthreads();", {8, 9, 11, 12, 14}}, {"scan", "__threadfence();", {1}},
    {"filter", "__syncthreads();", {8, 9, 12, 15}},   {"filter", "__threadfence();", {1}},
    {"histogram", "__syncthreads();", {2}},           {"sort", "__syncthreads();", {0, 1, 2, 7, 10}}};

void CudaMutants::expect_found_without_statements(std::size_t n_programs) {
  int n_barriers = 0, n_fences = 0;
  for (const Program& program : std::span(programs).first(n_programs))
    for (const std::string statement : {"__syncthreads();", "__threadfence();"}) {
      machine().dropped_statement = statement;
      for (machine().dropped_number = 0;; ++machine().dropped_number) {
        const auto is_it = [&](const Harmless& h) {
          return h.program == program.name && h.statement == statement &&
                 std::ranges::find(h.numbers, machine().dropped_number) != h.numbers.end();
        };
        if (std::ranges::any_of(harmless, is_it)) continue;
        const Found found = found_in(program);
        if (machine().dropped_number >= found.droppable) break;
        EXPECT_NE(found.what, "") << program.name << " without " << statement << " "
                                  << machine().dropped_number;
        ++(statement == "__threadfence();" ? n_fences : n_barriers);
      }
    }
  EXPECT_GE(n_barriers, 10);
  EXPECT_GE(n_fences, 2);
}

// The kernels are of the first programs, up to the scan.
TEST_F(CudaMutants, SlowKernelsWithoutABarrierOrAFenceAreFound) {
  expect_found_without_statements(4);
}

TEST_F(CudaMutants, LargeKernelsWithoutABarrierOrAFenceAreFound) {
  expect_found_without_statements(programs.size());
}

}  // namespace
}  // namespace fulgurite
