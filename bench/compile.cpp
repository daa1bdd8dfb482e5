// What compiling costs, through the public interface: the first program of a process, which loads the
// compiler; further programs; and the same programs in a second process, which finds all kernels in the disk
// cache and never loads LLVM. Times are those of fg::compile and the first call together, less a second call.
// Uses a cache directory of its own.
#include <fmt/format.h>
#include <fulgurite/fulgurite.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "stopwatch.h"

namespace {

namespace fg = fulgurite;
using bench::median, bench::time_us;
using fg::Exp, fg::Vec;

constexpr int n_variants = 9;  // of each program: constants differ, so each is a kernel of its own

const std::vector<float> xs(1000, 2.0f), ys(1000, 3.0f);

template <class F, class... Arguments>
double first_call_ms(F f, const Arguments&... arguments) {
  double second = 0;
  const double all = time_us([&] {
    const auto program = fg::compile(f);
    program(arguments...);
    second = time_us([&] { program(arguments...); });
  });
  return (all - 2 * second) / 1000;
}

double map(float constant) {
  return first_call_ms([=](Exp<float> a, Vec<float> x, Vec<float> y) { return a * x + (y + constant); }, 2.0f,
                       xs, ys);
}

double reduction(float constant) {
  return first_call_ms([=](Vec<float> x, Vec<float> y) { return fg::sum(x * (y + constant)); }, xs, ys);
}

double black_scholes(float rate) {
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
  return first_call_ms([=](Vec<float> spot, Vec<float> strike,
                           Vec<float> years) { return fg::unzip(fg::map(price, spot, strike, years)); },
                       xs, ys, xs);
}

struct Program {
  const char* name;
  double (*first_call_ms)(float constant);
  double bar_ms;
};
const Program programs[] = {
    {"map", map, 10}, {"reduction", reduction, 15}, {"Black-Scholes", black_scholes, 30}};
constexpr double load_bar_ms = 25, cached_bar_ms = 1;

float constant(int variant) {
  return 0.01f * static_cast<float>(variant + 1);
}

double median_ms(const Program& program, int first_variant) {
  std::vector<double> samples;
  for (int variant = first_variant; variant < n_variants; ++variant)
    samples.push_back(program.first_call_ms(constant(variant)));
  return median(samples);
}

bool llvm_is_loaded() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("LLVM") != std::string::npos || line.find("clang") != std::string::npos) return true;
  return false;
}

int second_process() {
  fmt::print("\n| second process, warm disk cache | ms a kernel | bar |\n|---|---:|---:|\n");
  for (const Program& program : programs)
    fmt::print("| {} | {:.2f} | {} |\n", program.name, median_ms(program, 0), cached_bar_ms);
  const fg::Stats stats = fg::stats();
  const bool llvm = llvm_is_loaded();
  fmt::print("\ncompilations: {}, kernels from disk: {}, LLVM loaded: {}\n", stats.compilations,
             stats.disk_hits, llvm ? "yes" : "no");
  return stats.compilations != 0 || llvm;
}

int first_process() {
  const double first = map(constant(0));
  double warm[std::size(programs)];
  std::size_t k = 0;
  for (const Program& program : programs)
    warm[k++] = median_ms(program, program.first_call_ms == map ? 1 : 0);
  fmt::print("| compiling | ms a kernel | bar |\n|---|---:|---:|\n");
  k = 0;
  for (const Program& program : programs)
    fmt::print("| {} | {:.1f} | {} |\n", program.name, warm[k++], program.bar_ms);
  fmt::print("| more for the first of a process | {:.1f} | {} |\n", first - warm[0], load_bar_ms);
  std::fflush(stdout);
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
  const int failed = start("--first") || start("--second");
  std::filesystem::remove_all(folder);
  return failed;
}
