// Benchmarks in which ours and its peers take turns: their options, and the times of rounds.
#pragma once

#include <CLI/CLI.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <string>
#include <vector>

#include "environment.h"
#include "stopwatch.h"

namespace bench {

using Run = std::function<void()>;

struct Options {
  std::regex filter{"."};
  int rounds = 9;
  bool wants(const std::string& name) const { return std::regex_search(name, filter); }
};

/// What the command line says; ends the process after --help and after what it cannot mean.
inline Options options_of(int count, char** arguments, const std::string& about) {
  restart_with_environment(arguments);
  Options options;
  std::string filter = ".";
  CLI::App app(about);
  app.add_option("--filter", filter, "only programs whose names match");
  app.add_option("--rounds", options.rounds, "rounds, of which medians are taken");
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  options.filter = std::regex(filter);
  return options;
}

/// While it lives the calling thread has the first core to itself, and threads that are not ours (of OpenMP,
/// OpenBLAS, Halide) have the others. Linux may wake a worker on the core of the thread that waits for it,
/// where both stay for a time slice; those who know bind threads.
class BoundToCores {
 public:
  BoundToCores() {
    sched_getaffinity(0, sizeof before_, &before_);
    std::vector<std::size_t> cores;
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &before_)) cores.push_back(core);
    if (cores.size() < 2) return;
    bind(0, cores[0]);
    const std::vector<pid_t> others = workers_of_peers();
    for (std::size_t k = 0; k < others.size(); ++k) bind(others[k], cores[1 + k % (cores.size() - 1)]);
  }
  BoundToCores(const BoundToCores&) = delete;
  ~BoundToCores() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  static void bind(pid_t thread, std::size_t core) {
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(core, &own);
    sched_setaffinity(thread, sizeof own, &own);
  }
  // In the order in which they were made.
  static std::vector<pid_t> workers_of_peers() {
    std::vector<pid_t> found;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::string name;
      std::getline(std::ifstream(task.path() / "comm"), name);
      const pid_t thread = std::stoi(task.path().filename());
      if (thread != getpid() && !name.starts_with("fulgurite")) found.push_back(thread);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  cpu_set_t before_;
};

using Times = std::vector<double>;
/// The times of all of them in each round: ours, which decides itself where its threads run, then peers,
/// whose threads are bound. Short ones run several times, for about `together_us`. All of them have run
/// before, so that libraries have made their threads.
inline std::vector<Times> in_turn(const Options& options, double together_us, const std::vector<Run>& runs) {
  std::vector<Times> times(runs.size());
  for (int round = 0; round < options.rounds; ++round) {
    times[0].push_back(sample_us(runs[0], together_us));
    const BoundToCores bound;
    for (std::size_t k = 1; k < runs.size(); ++k) times[k].push_back(sample_us(runs[k], together_us));
  }
  return times;
}
/// The median of the ratios of rounds.
inline double median_ratio(const Times& a, const Times& b) {
  Times ratios;
  for (std::size_t round = 0; round < a.size(); ++round) ratios.push_back(a[round] / b[round]);
  return median(ratios);
}
inline double ratio_of_least(const Times& a, const Times& b) {
  return *std::min_element(a.begin(), a.end()) / *std::min_element(b.begin(), b.end());
}

}  // namespace bench
