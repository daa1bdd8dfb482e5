// What a call costs, through the public interface: hot loops of small kernels on all threads against one,
// calls after idling, and a call of a compiled SDOT on 100 elements against the bare loop. One thread and all
// are two processes that take turns (FULGURITE_THREADS is read once).
#include <fmt/format.h>
#include <fulgurite/fulgurite.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include "stopwatch.h"

namespace {

namespace fg = fulgurite;
using namespace std::chrono_literals;
using bench::median, bench::now_us, bench::time_us;
using fg::Exp, fg::Vec;

constexpr std::size_t n_small = 65536;
constexpr int rounds = 9;

std::vector<float> xs(n_small, 0.5f), ys(n_small, 0.25f);

// Median time of f in a hot loop of 20 ms.
template <class F>
double hot_us(F&& f) {
  const double until = now_us() + 20e3;
  std::vector<double> samples;
  do samples.push_back(time_us(f));
  while (now_us() < until);
  return median(samples);
}

// Median time of f after 20 ms of sleep, in which workers park.
template <class F>
double after_idle_us(F&& f) {
  std::vector<double> samples;
  for (int call = 0; call < 25; ++call) {
    std::this_thread::sleep_for(20ms);
    samples.push_back(time_us(f));
  }
  return median(samples);
}

// In a process of its own: a line "hot idle name" for each program.
int measure() {
  auto report = [](const char* name, auto&& call) {
    call();
    fmt::print("{} {} {}\n", hot_us(call), after_idle_us(call), name);
  };
  const auto axpy = fg::compile([](Exp<float> a, Vec<float> x, Vec<float> y) { return a * x + y; });
  const auto dot = fg::compile([](Vec<float> x, Vec<float> y) { return fg::sum(x * y); });
  const auto exp = fg::compile([](Vec<float> x) { return fg::exp(x); });
  const auto roots = fg::compile([](Vec<float> x, Vec<float> y) { return fg::sum(fg::sqrt(x) / (1.f + y)); });
  report("a * x + y", [&] { axpy(2.0f, xs, ys); });
  report("sum(x * y)", [&] { dot(xs, ys); });
  report("exp(x)", [&] { exp(xs); });
  report("sum(sqrt(x) / (1 + y))", [&] { roots(xs, ys); });
  return 0;
}

struct Samples {
  std::vector<double> hot, idle;
};

// Runs this program with --measure on so many threads (0: all), adds what it prints.
void measure_with(int threads, std::map<std::string, Samples>& samples) {
  setenv("FULGURITE_THREADS", std::to_string(threads).c_str(), 1);
  if (threads == 0) unsetenv("FULGURITE_THREADS");
  FILE* output = popen("exec /proc/$PPID/exe --measure", "r");
  if (!output) throw std::runtime_error("cannot start another process");
  double hot = 0, idle = 0;
  char name[64];
  while (std::fscanf(output, "%lf %lf %63[^\n]", &hot, &idle, name) == 3) {
    samples[name].hot.push_back(hot);
    samples[name].idle.push_back(idle);
  }
  if (pclose(output) != 0) throw std::runtime_error("the measuring process failed");
}

void compare_threads() {
  std::map<std::string, Samples> one, all;
  for (int round = 0; round < rounds; ++round) {
    measure_with(1, one);
    measure_with(0, all);
  }
  fmt::print(
      "{} elements, {} hardware threads; microseconds a call. Bars: ratio 1.6 on two cores, difference "
      "+5.\n\n",
      n_small, std::thread::hardware_concurrency());
  fmt::print("| program | hot, 1 thread | hot, all | ratio | idle, 1 thread | idle, all | difference |\n");
  fmt::print("|---|---:|---:|---:|---:|---:|---:|\n");
  for (const auto& [name, serial] : one) {
    const Samples& parallel = all[name];
    const double hot[] = {median(serial.hot), median(parallel.hot)},
                 idle[] = {median(serial.idle), median(parallel.idle)};
    fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:+.2f} |\n", name, hot[0], hot[1],
               hot[0] / hot[1], idle[0], idle[1], idle[1] - idle[0]);
  }
}

[[gnu::noinline]] float bare_dot(const float* x, const float* y, std::size_t n) {
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// The time of one of 1000 calls of f, whose arguments change from call to call.
template <class F>
double call_us(F&& f) {
  std::vector<double> samples;
  for (int sample = 0; sample < 50; ++sample)
    samples.push_back(time_us([&] {
                        for (int call = 0; call < 1000; ++call) {
                          xs[static_cast<std::size_t>(call % 100)] = static_cast<float>(call);
                          f();
                        }
                      }) /
                      1000);
  return median(samples);
}

void call_overhead() {
  const auto dot = fg::compile([](Vec<float> x, Vec<float> y) { return fg::sum(x * y); });
  const std::span<const float> x(xs.data(), 100), y(ys.data(), 100);
  volatile float sink = 0;
  std::vector<double> bare, compiled;
  for (int round = 0; round < rounds; ++round) {
    bare.push_back(call_us([&] { sink = bare_dot(x.data(), y.data(), x.size()); }));
    compiled.push_back(call_us([&] { sink = dot(x, y); }));
  }
  fmt::print(
      "\nSDOT on 100 elements: bare loop {:.3f} us, compiled program {:.3f} us, {:+.3f} us a call (bar 1)\n",
      median(bare), median(compiled), median(compiled) - median(bare));
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count == 2 && std::strcmp(arguments[1], "--measure") == 0) return measure();
    compare_threads();
    call_overhead();
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench launch: {}\n", error.what());
    return 1;
  }
}
