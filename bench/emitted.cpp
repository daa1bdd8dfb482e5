// Emitted C beside the cpu engine, which runs the same program: by GCC and by Clang, on one thread each, in
// turn. And what a call costs: of a map of 100 elements, beside a loop that an application would write. Emits
// and compiles in a folder of its own; set FULGURITE_THREADS=1.
#include <dlfcn.h>
#include <fmt/format.h>
#include <fulgurite/emit.h>
#include <fulgurite/fulgurite.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "programs.h"
#include "stopwatch.h"

namespace {

namespace fg = fulgurite;
namespace fs = std::filesystem;
using bench::median, bench::time_us;
using std::int64_t;

constexpr const char* loop_text = R"(
#include <stdint.h>
void fg_bench_loop(float a, const float* x, const float* y, int64_t n, float* restrict to) {
  for (int64_t i = 0; i < n; ++i) to[i] = a * x[i] + y[i];
}
)";

void run(const std::string& command) {
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
}

// A folder of emitted files, and what compilers make of it.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "fulgurite_bench_XXXXXX").string();
    path_ = mkdtemp(name.data());
    fg::emit({{"saxpy", bench::saxpy, {"alpha", "x", "y"}},
              {"sdot", bench::sdot, {"x", "y"}},
              {"rmse", bench::rmse, {"measured", "predicted"}},
              {"forward_difference", bench::forward_difference, {"x"}},
              {"jacobi", bench::jacobi, {"u"}},
              {"black_scholes",
               bench::black_scholes_map,
               {"spot", "strike", "years"},
               {"call_price", "put_price"}},
              {"maximum_segment_sum", bench::maximum_segment_sum, {"xs"}},
              {"scan_plus", bench::scan_plus, {"xs"}},
              {"filter_even", bench::filter_even, {"xs"}}},
             fg::Target::c, path_);
    std::ofstream(path_ / "loop.c") << loop_text;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void* library(const std::string& compiler) const {
    const std::string so = (path_ / (compiler + ".so")).string();
    run(
        fmt::format("cd {} && {} -O3 -march=native -c loop.c -o {}_loop.o && ls *.c | grep -v loop.c | xargs "
                    "{} -O2 -fPIC -shared {}_loop.o -lm -o {}",
                    path_.string(), compiler + " -fPIC", compiler, compiler, compiler, so));
    void* const loaded = dlopen(so.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded == nullptr) throw std::runtime_error(dlerror());
    return loaded;
  }

 private:
  fs::path path_;
};

template <class F>
F* function(void* library, const char* name) {
  return reinterpret_cast<F*>(dlsym(library, name));
}

struct Row {
  const char* name;
  std::function<void()> engine;
  std::function<void(void*)> emitted;
};

using Map1 = int(const float*, int64_t, float*, int64_t, int64_t*, const void*);
using Map2 = int(float, const float*, int64_t, const float*, int64_t, float*, int64_t, int64_t*, const void*);
using Sum2 = int(const float*, int64_t, const float*, int64_t, float*, const void*);
using Ints = int(const int*, int64_t, int*, int64_t, int64_t*, const void*);

template <class T>
std::vector<T> numbers(std::size_t n, int below, int from) {
  std::vector<T> xs(n);
  std::uint32_t state = 7;
  for (T& x : xs) {
    state = state * 1664525U + 1013904223U;
    x = static_cast<T>(from + static_cast<int>((state >> 8) % static_cast<std::uint32_t>(below)));
  }
  return xs;
}

void beside_the_engine(const std::vector<std::pair<std::string, void*>>& libraries, std::size_t n) {
  const auto x = numbers<float>(n, 1000, 1), y = numbers<float>(n, 900, 1), z = numbers<float>(n, 9, 1);
  const auto xs = numbers<int>(n, 2001, -1000);
  const auto size = static_cast<int64_t>(n), side = int64_t{1000}, rows = size / side;
  std::vector<float> to(n), to_2(n), to_3(n);
  std::vector<int> ints(n);
  int64_t extents[2];
  const fg::Options one{.engine = fg::Engine::cpu};
  const auto saxpy = fg::compile(bench::saxpy, one);
  const auto sdot = fg::compile(bench::sdot, one);
  const auto rmse = fg::compile(bench::rmse, one);
  const auto difference = fg::compile(bench::forward_difference, one);
  const auto jacobi = fg::compile(bench::jacobi, one);
  const auto black_scholes = fg::compile(bench::black_scholes_map, one);
  const auto segment = fg::compile(bench::maximum_segment_sum, one);
  const auto scan = fg::compile(bench::scan_plus, one);
  const auto filter = fg::compile(bench::filter_even, one);
  const fg::Array<float> ax(x), ay(y), az(z);
  const fg::Array<int> axs(xs);
  const fg::Array<float, 2> au(x, {rows, side});
  float sum = 0;
  int best[4];
  const std::vector<Row> table = {
      {"saxpy", [&] { (void)saxpy(2.0f, ax, ay); },
       [&](void* l) {
         function<Map2>(l, "saxpy")(2.0f, x.data(), size, y.data(), size, to.data(), size, extents, nullptr);
       }},
      {"sdot", [&] { (void)sdot(ax, ay); },
       [&](void* l) { function<Sum2>(l, "sdot")(x.data(), size, y.data(), size, &sum, nullptr); }},
      {"rmse", [&] { (void)rmse(ax, ay); },
       [&](void* l) { function<Sum2>(l, "rmse")(x.data(), size, y.data(), size, &sum, nullptr); }},
      {"forward_difference", [&] { (void)difference(ax); },
       [&](void* l) {
         function<Map1>(l, "forward_difference")(x.data(), size, to.data(), size, extents, nullptr);
       }},
      {"jacobi", [&] { (void)jacobi(au); },
       [&](void* l) {
         function<int(const float*, int64_t, int64_t, float*, int64_t, int64_t*, const void*)>(l, "jacobi")(
             x.data(), rows, side, to.data(), size, extents, nullptr);
       }},
      {"black_scholes", [&] { (void)black_scholes(ax, ay, az); },
       [&](void* l) {
         function<int(const float*, int64_t, const float*, int64_t, const float*, int64_t, float*, int64_t,
                      int64_t*, float*, int64_t, int64_t*, const void*)>(l, "black_scholes")(
             x.data(), size, y.data(), size, z.data(), size, to_2.data(), size, extents, to_3.data(), size,
             extents, nullptr);
       }},
      {"maximum_segment_sum", [&] { (void)segment(axs); },
       [&](void* l) {
         function<int(const int*, int64_t, int*, int*, int*, int*, const void*)>(l, "maximum_segment_sum")(
             xs.data(), size, best, best + 1, best + 2, best + 3, nullptr);
       }},
      {"scan_plus", [&] { (void)scan(axs); },
       [&](void* l) {
         function<Ints>(l, "scan_plus")(xs.data(), size, ints.data(), size, extents, nullptr);
       }},
      {"filter_even", [&] { (void)filter(axs); },
       [&](void* l) {
         function<Ints>(l, "filter_even")(xs.data(), size, ints.data(), size, extents, nullptr);
       }}};
  fmt::print("{} elements, us on one thread; the engine's time has the allocation of its result\n", n);
  for (const Row& row : table) {
    std::vector<double> engine;
    std::vector<std::vector<double>> emitted(libraries.size());
    const int rounds = n > 100'000 ? 60 : 600;
    for (int k = 0; k < rounds; ++k) {
      engine.push_back(time_us(row.engine));
      for (std::size_t l = 0; l < libraries.size(); ++l)
        emitted[l].push_back(time_us([&] { row.emitted(libraries[l].second); }));
    }
    const double base = median(engine);
    fmt::print("  {:20} engine {:9.1f}", row.name, base);
    for (std::size_t l = 0; l < libraries.size(); ++l)
      fmt::print("   {} {:9.1f} ({:.2f})", libraries[l].first, median(emitted[l]), median(emitted[l]) / base);
    fmt::print("\n");
  }
}

void of_a_call(const std::vector<std::pair<std::string, void*>>& libraries) {
  constexpr int n_calls = 2000;
  const auto x = numbers<float>(100, 1000, 1), y = numbers<float>(100, 900, 1);
  std::vector<float> to(100);
  fmt::print("saxpy of 100 elements, ns a call\n");
  for (const auto& [name, library] : libraries) {
    auto* const loop =
        function<void(float, const float*, const float*, int64_t, float*)>(library, "fg_bench_loop");
    auto* const emitted = function<Map2>(library, "saxpy");
    std::vector<double> bare, called;
    int64_t extent = 0;
    for (int k = 0; k < 200; ++k) {
      bare.push_back(time_us([&] {
        for (int c = 0; c < n_calls; ++c) loop(2.0f, x.data(), y.data(), 100, to.data());
      }));
      called.push_back(time_us([&] {
        for (int c = 0; c < n_calls; ++c)
          emitted(2.0f, x.data(), 100, y.data(), 100, to.data(), 100, &extent, nullptr);
      }));
    }
    const double of_loop = median(bare) * 1000 / n_calls, of_call = median(called) * 1000 / n_calls;
    fmt::print("  {:8} loop {:6.1f}   emitted {:6.1f}   more {:6.1f}\n", name, of_loop, of_call,
               of_call - of_loop);
  }
}

}  // namespace

int main() {
  const Folder folder;
  std::vector<std::pair<std::string, void*>> libraries;
  for (const char* compiler : {"gcc", "clang-19"})
    if (std::system(fmt::format("{} --version > /dev/null 2>&1", compiler).c_str()) == 0)
      libraries.emplace_back(compiler, folder.library(compiler));
  of_a_call(libraries);
  beside_the_engine(libraries, 10'000);
  beside_the_engine(libraries, 1'000'000);
}
