// Compares the kernels of many programs, for processors of three widths and three kinds of devices, with what
// they were: kernel_digests.txt has a line of digests for each program.
//   kernel_texts                    says which programs have other kernels than the file says; where
//                                   FULGURITE_UPDATE_GOLDEN is set it rewrites the file
//   kernel_texts --machine MACHINE [EVERY]
//                                   says it of the kernels for one machine; EVERY: of one in so many programs
//   kernel_texts --growth [MACHINE] says by how much splits make the kernels for processors longer: none may
//                                   be more than four times as long
//   kernel_texts --nameless [MACHINE]
//                                   says which array programs have other kernels when no name is left in them
//   kernel_texts --time POLICY      says how long it takes to compile the programs of the guide, the examples
//                                   and the benchmarks for this processor, with such a policy and without
//   kernel_texts NAME               prints the kernels and host programs of one program
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "table.h"

namespace {

using namespace fulgurite::testing_replay;

constexpr std::size_t most_lines = 60;
constexpr double most_growth = 4;

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

int print_texts(const char* name) {
  const std::string found = texts(name);
  if (found.empty()) fmt::print(stderr, "there is no program '{}': kernel_digests.txt lists them\n", name);
  fmt::print("{}", found);
  return found.empty() ? 1 : 0;
}

int compare(const std::filesystem::path& path, std::string_view machine, std::size_t every) {
  const Table found = digests(machine, every);
  const std::vector<std::string> changed = differences(parse(read(path)), found);
  if (machine.empty() && std::getenv("FULGURITE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << print(found);
    fmt::print("{} of {} programs have other kernels than before\n", changed.size(), found.size());
    return 0;
  }
  if (changed.empty()) {
    const auto compiled = [](const Row& row) {
      return std::ranges::any_of(row.digests, [](const auto& d) { return d != "-"; });
    };
    fmt::print("{} programs have the kernels that kernel_digests.txt says\n",
               std::ranges::count_if(found, compiled));
    return 0;
  }
  fmt::print("{} of {} programs have other kernels than kernel_digests.txt says:\n", changed.size(),
             found.size());
  for (std::size_t k = 0; k < std::min(changed.size(), most_lines); ++k) fmt::print("  {}\n", changed[k]);
  if (changed.size() > most_lines) fmt::print("  and {} more\n", changed.size() - most_lines);
  fmt::print(
      "`kernel_texts NAME` prints a program's kernels: compare what it prints before and after the "
      "change.\nIf the new kernels are better: ./dev golden\n");
  return 1;
}

int compare_with_unsplit(std::string_view machine) {
  const std::vector<Growth> all = growths(machine);
  for (std::size_t k = 0; k < std::min(all.size(), most_lines); ++k)
    fmt::print("{:.2f} times as long: {} on {}, {} bytes instead of {}\n", all[k].factor(), all[k].program,
               all[k].machine, all[k].split, all[k].unsplit);
  return !all.empty() && all[0].factor() > most_growth;
}

int compare_with_nameless(std::string_view machine) {
  const std::vector<std::string> changed = changed_without_names(machine);
  for (const std::string& line : changed) fmt::print("{}\n", line);
  fmt::print("{} kernels depend on names\n", changed.size());
  return changed.empty() ? 0 : 1;
}

int time_beside(const char* policy) {
  constexpr int rounds = 3;
  double best = 0, best_beside = 0;
  for (int round = 0; round < rounds; ++round) {
    const double ms = milliseconds_of_compiling(""), beside = milliseconds_of_compiling(policy);
    best = round == 0 ? ms : std::min(best, ms);
    best_beside = round == 0 ? beside : std::min(best_beside, beside);
  }
  fmt::print("{:.0f} ms, {:.0f} ms with '{}': {:.2f} times\n", best, best_beside, policy, best / best_beside);
  return 0;
}

}  // namespace

int main(int n_arguments, char** arguments) {
  try {
    const auto digests = std::filesystem::path(FULGURITE_TEST_DATA) / "kernel_digests.txt";
    if (n_arguments > 2 && arguments[1] == std::string_view("--machine"))
      return compare(digests, arguments[2], n_arguments > 3 ? std::stoul(arguments[3]) : 1);
    if (n_arguments > 1 && arguments[1] == std::string_view("--growth"))
      return compare_with_unsplit(n_arguments > 2 ? arguments[2] : "");
    if (n_arguments > 1 && arguments[1] == std::string_view("--nameless"))
      return compare_with_nameless(n_arguments > 2 ? arguments[2] : "");
    if (n_arguments > 2 && arguments[1] == std::string_view("--time")) return time_beside(arguments[2]);
    if (n_arguments > 1) return print_texts(arguments[1]);
    return compare(digests, "", 1);
  } catch (const std::exception& error) {
    fmt::print(stderr, "kernel_texts: {}\n", error.what());
    return 1;
  }
}
