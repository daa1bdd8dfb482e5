// Benchmarks in which ours and its peers take turns: their options, and the times of rounds.
#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <regex>
#include <string>
#include <vector>

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

using Times = std::vector<double>;
/// The times of all of them in each round. Short ones run several times, for about `together_us`.
inline std::vector<Times> in_turn(const Options& options, double together_us, const std::vector<Run>& runs) {
  std::vector<Times> times(runs.size());
  for (int round = 0; round < options.rounds; ++round)
    for (std::size_t k = 0; k < runs.size(); ++k) times[k].push_back(sample_us(runs[k], together_us));
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
