// ./dev bench gpu: our engine cuda beside Thrust and CUB, cuBLAS where it has the function, and a copy, on
// one device: arrays of the same memory, in one run, each peer in turn. Where there is no device it says so
// and measures nothing.
#include <fmt/format.h>
#include <fulgurite/device_memory.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "compiled.h"
#include "gpu/libraries.h"
#include "programs.h"
#include "stopwatch.h"

namespace bench::gpu {
namespace {

constexpr int rounds = 21;

// The arrays of a Data as ours.
struct Given {
  Data d;
  fg::Array<int> small, tied, unsorted;
  fg::Array<float> x, y, spot, strike, years;

  explicit Given(const Data& data)
      : d(data),
        small(adopt(d.small)),
        tied(adopt(d.tied)),
        unsorted(adopt(d.unsorted)),
        x(adopt(d.x)),
        y(adopt(d.y)),
        spot(adopt(d.spot)),
        strike(adopt(d.strike)),
        years(adopt(d.years)) {}

 private:
  template <class T>
  fg::Array<T> adopt(const T* memory) const {
    return fg::adopt<T>(fg::Engine::cuda, const_cast<T*>(memory), {d.n});
  }
};

// What ours gave: numbers, and the device memory of arrays in the order of Data's out, out2 and out_ints.
struct Outcome {
  std::array<double, 4> numbers{};
  const float* floats[2] = {};
  const std::int32_t* ints = nullptr;
  std::int64_t n = 0;  // elements of these
};

struct Benchmark {
  std::string name;
  double bytes;  // the least that must move, of each element
  std::function<void(const Given&)> run;
  std::function<Outcome(const Given&)> outcome;
  double tolerance = 0;  // relative
};

fg::Engine on_cuda() {
  return fg::Engine::cuda;
}
template <auto function>
using Ours = Program<function, true, on_cuda>;

template <class T>
const T* memory_of(const fg::Array<T>& array) {
  return static_cast<const T*>(fg::device_memory(fg::Engine::cuda, array));
}

// Runs a program whose result is one number, one array of floats or of ints.
template <auto function>
Outcome outcome_of(const Given&) {
  const auto& result = Ours<function>::result;
  using R = std::decay_t<decltype(result)>;
  Outcome outcome;
  if constexpr (std::is_arithmetic_v<R>) {
    outcome.numbers[0] = static_cast<double>(result);
  } else {
    outcome.n = result.size();
    if constexpr (std::is_same_v<R, fg::Array<float>>) {
      outcome.floats[0] = memory_of(result);
    } else {
      outcome.ints = memory_of(result);
    }
  }
  return outcome;
}
template <auto function>
Outcome counted_outcome_of(const Given& given) {
  Outcome outcome = outcome_of<function>(given);
  outcome.numbers[0] = static_cast<double>(outcome.n);
  return outcome;
}

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> all = {
      {"SAXPY", 12, [](const Given& g) { Ours<saxpy>::run(saxpy_alpha, g.x, g.y); }, outcome_of<saxpy>, 1e-6},
      {"SDOT", 8, [](const Given& g) { Ours<sdot>::run(g.x, g.y); }, outcome_of<sdot>, 1e-4},
      {"RMSE", 8, [](const Given& g) { Ours<rmse>::run(g.x, g.y); }, outcome_of<rmse>, 1e-4},
      {"BlackScholesMap", 20, [](const Given& g) { Ours<black_scholes_map>::run(g.spot, g.strike, g.years); },
       [](const Given&) {
         const auto& [call, put] = Ours<black_scholes_map>::result;
         return Outcome{{}, {memory_of(call), memory_of(put)}, nullptr, call.size()};
       },
       1e-4},
      {"BlackScholesSum", 0, [](const Given& g) { Ours<black_scholes_sum>::run(g.d.n); },
       outcome_of<black_scholes_sum>, 1e-3},
      {"ReducePlus", 4, [](const Given& g) { Ours<reduce_plus>::run(g.small); }, outcome_of<reduce_plus>},
      {"ReduceMax", 4, [](const Given& g) { Ours<reduce_max>::run(g.tied); }, outcome_of<reduce_max>},
      {"IndexOfMax", 4, [](const Given& g) { Ours<index_of_max>::run(g.tied); },
       [](const Given&) {
         const auto [value, index] = Ours<index_of_max>::result;
         return Outcome{{static_cast<double>(value), static_cast<double>(index)}};
       }},
      {"IndexOfMaxPack", 4, [](const Given& g) { Ours<index_of_max_packed>::run(g.tied); },
       [](const Given&) {
         const std::int64_t packed = Ours<index_of_max_packed>::result;
         return Outcome{{static_cast<double>(packed >> 32), static_cast<double>(static_cast<std::int32_t>(
                                                                ~static_cast<std::uint32_t>(packed)))}};
       }},
      {"Reduce2x2MM", 4 * products_2x2, [](const Given& g) { Ours<reduce_2x2>::run(g.small); },
       outcome_of<reduce_2x2>},
      {"MSSP", 4, [](const Given& g) { Ours<maximum_segment_sum>::run(g.small); },
       [](const Given&) {
         const Segment& found = Ours<maximum_segment_sum>::result;
         return Outcome{{static_cast<double>(found.best), static_cast<double>(found.prefix),
                         static_cast<double>(found.suffix), static_cast<double>(found.total)}};
       }},
      {"ScanPlus", 8, [](const Given& g) { Ours<scan_plus>::run(g.small); }, outcome_of<scan_plus>},
      {"RedomapNT", 8, [](const Given& g) { Ours<redomap>::run(g.d.n); },
       [](const Given&) {
         const auto& [sum, least, most, x, y] = Ours<redomap>::result;
         return Outcome{{sum, least, most}, {memory_of(x), memory_of(y)}, nullptr, x.size()};
       },
       1e-3},
      {"FilterEven", 6, [](const Given& g) { Ours<filter_even>::run(g.small); },
       counted_outcome_of<filter_even>},
      {"Sort", 0, [](const Given& g) { Ours<sorted>::run(g.unsorted); }, outcome_of<sorted>},
  };
  return all;
}

// Whether a peer that has just run agrees with ours.
bool agrees(const Benchmark& benchmark, const Outcome& ours, const Data& theirs) {
  double error = 0;
  for (std::size_t k = 0; k < ours.numbers.size(); ++k)
    error = std::max(
        error, std::abs(ours.numbers[k] - theirs.results[k]) / std::max(1.0, std::abs(theirs.results[k])));
  if (ours.floats[0] != nullptr) error = std::max(error, difference(ours.floats[0], theirs.out, ours.n));
  if (ours.floats[1] != nullptr) error = std::max(error, difference(ours.floats[1], theirs.out2, ours.n));
  if (ours.ints != nullptr) error = std::max(error, difference(ours.ints, theirs.out_ints, ours.n));
  return error <= benchmark.tolerance;
}

struct Times {
  double ours;
  std::vector<double> of_peers;
  bool all_agree = true;
};

Times measure(const Benchmark& benchmark, const std::vector<Peer>& peers, Given& given) {
  const auto time_of = [](const auto& run) {
    synchronise();
    return time_us([&] {
      run();
      synchronise();
    });
  };
  Times times{};
  for (const Peer& peer : peers) {
    given.d.results[0] = given.d.results[1] = given.d.results[2] = given.d.results[3] = 0;
    benchmark.run(given);
    peer.run(given.d);
    synchronise();
    if (peer.benchmark == "SAXPY" && peer.name == "cuBLAS") continue;  // which adds to what was there
    times.all_agree = times.all_agree && agrees(benchmark, benchmark.outcome(given), given.d);
  }
  std::vector<double> ours;
  std::vector<std::vector<double>> theirs(peers.size());
  for (int round = 0; round < rounds; ++round) {
    ours.push_back(time_of([&] { benchmark.run(given); }));
    for (std::size_t k = 0; k < peers.size(); ++k)
      theirs[k].push_back(time_of([&] { peers[k].run(given.d); }));
  }
  times.ours = median(ours);
  for (const std::vector<double>& samples : theirs) times.of_peers.push_back(median(samples));
  return times;
}

// Microseconds for which a call of a program holds its caller.
double call_overhead(const Given& given) {
  constexpr int calls = 1000;
  Ours<saxpy>::run(saxpy_alpha, given.x, given.y);
  synchronise();
  const double spent = time_us([&] {
    for (int k = 0; k < calls; ++k) Ours<saxpy>::run(saxpy_alpha, given.x, given.y);
  });
  synchronise();
  return spent / calls;
}

bool run() {
  std::vector<Peer> all;
  add_library_peers(all);
  fmt::print("{}; medians of {} rounds, in microseconds. A copy of 1 GiB reads and writes {:.0f} GB/s.\n\n",
             device_name(), rounds, copy_bandwidth(std::int64_t{1} << 30));
  fmt::print(
      "| benchmark | n | ours | peers (ours of theirs) | GB/s | of a copy of as many bytes | results |\n"
      "|---|---:|---:|---|---:|---:|---|\n");
  bool all_agree = true;
  for (const std::int64_t n : {10'000'000, 100'000'000}) {
    Given given(make_data(n));
    for (const Benchmark& benchmark : benchmarks()) {
      std::vector<Peer> peers;
      for (const Peer& peer : all)
        if (peer.benchmark == benchmark.name) peers.push_back(peer);
      const Times times = measure(benchmark, peers, given);
      all_agree = all_agree && times.all_agree;
      std::string beside;
      for (std::size_t k = 0; k < peers.size(); ++k)
        beside += fmt::format("{}{} {:.1f} ({:.2f})", k == 0 ? "" : ", ", peers[k].name, times.of_peers[k],
                              times.ours / times.of_peers[k]);
      std::string speed = " | ";
      if (benchmark.bytes > 0) {
        const double bytes = benchmark.bytes * static_cast<double>(n), reached = bytes / times.ours / 1000;
        speed = fmt::format("{:.0f} | {:.2f}", reached,
                            reached / copy_bandwidth(static_cast<std::int64_t>(std::min(bytes, 4e9) / 2)));
      }
      fmt::print("| {} | {} | {:.1f} | {} | {} | {} |\n", benchmark.name, n, times.ours, beside, speed,
                 times.all_agree ? "equal" : "DIFFERENT");
      std::fflush(stdout);
    }
    synchronise();
    free_data(given.d);
  }
  const Given small(make_data(1000));
  fmt::print("\nA call of SAXPY on 1000 elements holds its caller for {:.2f} us.\n", call_overhead(small));
  return all_agree;
}

}  // namespace
}  // namespace bench::gpu

int main() {
  try {
    if (const std::string reason = bench::gpu::why_no_device(); !reason.empty()) {
      fmt::print(
          "There is no CUDA device here ({}): nothing is measured. What is known of the kernels without one: "
          "./dev bench kernels\n",
          reason);
      return 0;
    }
    return bench::gpu::run() ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpu: {}\n", error.what());
    return 1;
  }
}
