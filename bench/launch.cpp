// What a call costs, through the public interface: hot loops of small kernels on all threads against one,
// calls after idling, and a call of a compiled SDOT on 100 elements against the bare loop.
#include <fmt/format.h>
#include <fulgurite/fulgurite.h>

#include <chrono>
#include <thread>

#include "stopwatch.h"

namespace {

namespace fg = fulgurite;
using namespace std::chrono_literals;
using bench::median, bench::now_us, bench::time_us;
using fg::Exp, fg::Vec;

constexpr std::size_t n_small = 65536;
constexpr int rounds = 5;

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
  for (int call = 0; call < 10; ++call) {
    std::this_thread::sleep_for(20ms);
    samples.push_back(time_us(f));
  }
  return median(samples);
}

// One program on one thread and on all, in turns.
template <class F, class... Arguments>
void compare(const char* name, F f, const Arguments&... arguments) {
  const auto serial = fg::compile(f, {.threads = 1}), parallel = fg::compile(f);
  std::vector<double> hot[2], idle[2];
  for (int round = 0; round < rounds; ++round) {
    hot[0].push_back(hot_us([&] { serial(arguments...); }));
    hot[1].push_back(hot_us([&] { parallel(arguments...); }));
    idle[0].push_back(after_idle_us([&] { serial(arguments...); }));
    idle[1].push_back(after_idle_us([&] { parallel(arguments...); }));
  }
  fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:+.2f} |\n", name, median(hot[0]),
             median(hot[1]), median(hot[0]) / median(hot[1]), median(idle[0]), median(idle[1]),
             median(idle[1]) - median(idle[0]));
  std::fflush(stdout);
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

int main() {
  fmt::print(
      "{} elements, {} hardware threads; microseconds a call. Bars: hot ratio 1.6 on two cores, after idling "
      "+5.\n\n",
      n_small, std::thread::hardware_concurrency());
  fmt::print("| program | hot, 1 thread | hot, all | ratio | idle, 1 thread | idle, all | difference |\n");
  fmt::print("|---|---:|---:|---:|---:|---:|---:|\n");
  compare("a * x + y", [](Exp<float> a, Vec<float> x, Vec<float> y) { return a * x + y; }, 2.0f, xs, ys);
  compare("sum(x * y)", [](Vec<float> x, Vec<float> y) { return fg::sum(x * y); }, xs, ys);
  compare("exp(x)", [](Vec<float> x) { return fg::exp(x); }, xs);
  compare(
      "sum(sqrt(x) / (1 + y))", [](Vec<float> x, Vec<float> y) { return fg::sum(fg::sqrt(x) / (1.f + y)); },
      xs, ys);
  call_overhead();
}
