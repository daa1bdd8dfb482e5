// What compiling costs, through the public interface: the first program of a process, which loads the
// compiler; further programs, once a few have been compiled; and the same programs in a second process, which
// finds all kernels in the disk cache and never loads LLVM; and when the first result of a program of several
// kernels is there, with and without Options::background. Times but the last are those of fg::compile and the
// first call together, less a second call; on a busy machine the processor time of this process says more
// than the clock. Uses a cache directory of its own.
#include <fmt/format.h>
#include <fulgurite/fulgurite.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "stopwatch.h"

namespace {

namespace fg = fulgurite;
using bench::median, bench::now_us;
using fg::Exp, fg::Vec;

constexpr int n_variants = 20;  // of each program: constants differ, so each is a kernel of its own
constexpr int n_warming = 5;    // of them, before those that count

const std::vector<float> xs(1000, 2.0f), ys(1000, 3.0f);

struct Cost {
  double ms, processor_ms;
};

double processor_us() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

template <class F, class... Arguments>
Cost first_call(F f, const Arguments&... arguments) {
  const double start = now_us(), processor_start = processor_us();
  const auto program = fg::compile(f);
  program(arguments...);
  const double end = now_us(), processor_end = processor_us();
  program(arguments...);
  const double second = now_us() - end, processor_second = processor_us() - processor_end;
  return {(end - start - second) / 1000, (processor_end - processor_start - processor_second) / 1000};
}

Cost map(float constant) {
  return first_call([=](Exp<float> a, Vec<float> x, Vec<float> y) { return a * x + (y + constant); }, 2.0f,
                    xs, ys);
}

Cost reduction(float constant) {
  return first_call([=](Vec<float> x, Vec<float> y) { return fg::sum(x * (y + constant)); }, xs, ys);
}

Cost black_scholes(float rate) {
  auto normal_cdf = [](Exp<float> d) {
    auto l = fg::abs(d), k = 1.f / (1.f + 0.2316419f * l);
    auto p =
        k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    auto w = 1.f - 0.39894228f * fg::exp(-0.5f * l * l) * p;
    return fg::select(d < 0.f, 1.f - w, w);
  };
  auto price = [=](Exp<float> spot, Exp<float> strike, Exp<float> years) {
    auto root = fg::sqrt(years);
    auto d1 = (fg::log(spot / strike) + (rate + 0.045f) * years) / (0.3f * root), d2 = d1 - 0.3f * root;
    auto discounted = strike * fg::exp(-rate * years), n1 = normal_cdf(d1), n2 = normal_cdf(d2);
    return std::tuple{spot * n1 - discounted * n2, discounted * (1.f - n2) - spot * (1.f - n1)};
  };
  return first_call([=](Vec<float> spot, Vec<float> strike,
                        Vec<float> years) { return fg::unzip(fg::map(price, spot, strike, years)); },
                    xs, ys, xs);
}

Cost product(float constant) {
  const fg::Array<float, 2> m(std::vector<float>(16 * 16, 1.0f), {16, 16});
  return first_call([=](fg::Mat<float> a, fg::Mat<float> b) { return fg::matmul(a * constant, b); }, m, m);
}

struct Program {
  const char* name;
  Cost (*first_call)(float constant);
  double bar_ms;
};
const Program programs[] = {{"map", map, 10},
                            {"reduction", reduction, 15},
                            {"Black-Scholes", black_scholes, 30},
                            {"product", product, 80}};
constexpr double load_bar_ms = 25, cached_bar_ms = 1;

float constant(int variant) {
  return 0.01f * static_cast<float>(variant + 1);
}

Cost median_cost(const Program& program) {
  std::vector<double> ms, processor_ms;
  for (int variant = 1; variant < n_variants; ++variant) {
    const Cost cost = program.first_call(constant(variant));
    if (variant < n_warming) continue;
    ms.push_back(cost.ms);
    processor_ms.push_back(cost.processor_ms);
  }
  return {median(ms), median(processor_ms)};
}

void print_row(const char* name, Cost cost, double bar_ms) {
  fmt::print("| {} | {:.2f} | {:.2f} | {} |\n", name, cost.ms, cost.processor_ms, bar_ms);
}

bool llvm_is_loaded() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("LLVM") != std::string::npos || line.find("clang") != std::string::npos) return true;
  return false;
}

int second_process() {
  fmt::print(
      "\n| second process, warm disk cache | ms a kernel | processor ms | bar |\n|---|---:|---:|---:|\n");
  for (const Program& program : programs) print_row(program.name, median_cost(program), cached_bar_ms);
  const fg::Stats stats = fg::stats();
  const bool llvm = llvm_is_loaded();
  fmt::print("\ncompilations: {}, kernels from disk: {}, LLVM loaded: {}\n", stats.compilations,
             stats.disk_hits, llvm ? "yes" : "no");
  return stats.compilations != 0 || llvm;
}

int first_process() {
  const Cost first = map(constant(0));
  std::vector<Cost> warm;
  for (const Program& program : programs) warm.push_back(median_cost(program));
  fmt::print("| compiling | ms a kernel | processor ms | bar |\n|---|---:|---:|---:|\n");
  for (std::size_t k = 0; k < warm.size(); ++k) print_row(programs[k].name, warm[k], programs[k].bar_ms);
  print_row("more for the first of a process",
            {first.ms - warm[0].ms, first.processor_ms - warm[0].processor_ms}, load_bar_ms);
  std::fflush(stdout);
  return 0;
}

// A program of several kernels, each of which reads what another one made.
auto compile_chain(float constant, bool background) {
  return fg::compile(
      [=](Vec<float> x) {
        const auto sums = fg::scan(fg::plus, 0.0f, x * constant);
        const auto large = fg::filter([=](Exp<float> y) { return y > constant; }, sums);
        const auto sorted = fg::sort(large);
        return std::tuple{fg::sum(sorted * sorted), fg::scan(fg::max, 0.0f, fg::reverse(sorted))};
      },
      {.background = background});
}

// From before fg::compile until it returned, and until the first result was there.
struct FirstResult {
  double compiled_ms, result_ms;
};
FirstResult first_result(float constant, bool background, const std::vector<float>& x) {
  const double start = now_us();
  const auto program = compile_chain(constant, background);
  const double compiled = now_us();
  program(x);
  const double end = now_us();
  return {(compiled - start) / 1000, (end - start) / 1000};
}

int in_background() {
  fmt::print("\n| a program of {} kernels, on elements | background | compile() ms | first result ms |\n",
             [] {
               const auto before = fg::stats().compilations;
               compile_chain(0.5f, false);
               return fg::stats().compilations - before;
             }());
  fmt::print("|---:|---|---:|---:|\n");
  for (const std::size_t n : {1000u, 1'000'000u, 4'000'000u}) {
    const std::vector<float> x(n, 1.0f);
    std::vector<double> compiled[2], result[2];
    for (int variant = 0; variant < n_variants; ++variant)
      for (const bool background : {false, true}) {
        const float other = constant(2 * variant + background) + 1e-6f * static_cast<float>(n);
        const FirstResult first = first_result(other, background, x);
        compiled[background].push_back(first.compiled_ms);
        result[background].push_back(first.result_ms);
      }
    for (const bool background : {false, true})
      fmt::print("| {} | {} | {:.1f} | {:.1f} |\n", n, background ? "yes" : "no",
                 median(compiled[background]), median(result[background]));
  }
  return 0;
}

// Runs this program again with one argument; its exit status.
int start(const char* argument) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "bench_compile", argument, static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 2 && std::strcmp(arguments[1], "--first") == 0) return first_process();
  if (count == 2 && std::strcmp(arguments[1], "--second") == 0) return second_process();
  if (count == 2 && std::strcmp(arguments[1], "--background") == 0) return in_background();
  if (count > 1) {
    fmt::print(stderr, "bench compile: takes no options\n");
    return 1;
  }
  std::string folder = (std::filesystem::temp_directory_path() / "fulgurite-bench-XXXXXX").string();
  if (!mkdtemp(folder.data())) {
    fmt::print(stderr, "bench compile: cannot make a directory for the cache: {}\n", std::strerror(errno));
    return 1;
  }
  setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  const int failed = start("--first") || start("--second") || start("--background");
  std::filesystem::remove_all(folder);
  return failed;
}
