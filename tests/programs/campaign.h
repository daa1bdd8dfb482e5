// Random programs one after the other. One that fails is made smaller, printed as C++ and as IR, and kept in
// the folder kept/, from where it is tested ever after; FULGURITE_KEEP names another folder.
#pragma once

#include "kept.h"

namespace fulgurite::programs {

inline void keep(const Numbers& numbers, std::uint64_t seed, std::uint64_t number,
                 const Generator& generator) {
  const std::optional<Drawn> drawn = generator.program(numbers);
  if (!drawn) return;
  const char* folder = std::getenv("FULGURITE_KEEP");
  std::ofstream out(std::string(folder != nullptr ? folder : FULGURITE_TEST_DATA "/kept") + "/" +
                    generator.name + "seed_" + std::to_string(seed) + "_program_" + std::to_string(number) +
                    ".soac");
  out << text_of(drawn->program(), drawn->arguments);
}

/// Draws programs and tests them, those with numbers `from` on, until one fails, or `limit` seconds are over.
inline void campaign(const Test& test, std::uint64_t n_programs, const Generator& generator = any_program) {
  const std::uint64_t seed = parameter("seed", 1);
  std::mt19937_64 random(seed);
  Tally tally;
  const auto start = std::chrono::steady_clock::now();
  const std::chrono::duration<double> most(static_cast<double>(parameter("limit", 1000000)));
  for (std::uint64_t k = 0; k < n_programs && std::chrono::steady_clock::now() - start < most; ++k) {
    const Numbers numbers = generator.numbers(random);
    if (k < parameter("from", 0)) continue;
    const auto began = std::chrono::steady_clock::now();
    const std::string what = tested(numbers, test, tally, generator);
    const std::chrono::duration<double> one = std::chrono::steady_clock::now() - began;
    if (one.count() > tally.slowest.first) tally.slowest = {one.count(), k};
    if (what.empty()) continue;
    const Numbers smaller =
        shrunk(numbers, test, std::chrono::seconds(parameter("shrink_seconds", 60)), generator);
    Tally other;
    keep(smaller, seed, k, generator);
    ADD_FAILURE() << "seed " << seed << ", program " << k << ": " << what
                  << "\nsmaller: " << story(smaller, tested(smaller, test, other, generator), generator);
    if (parameter("go_on", 0) == 0) break;
  }
  // Enough programs have every construct, on this engine as on others.
  if (generator.has_every_construct && tally.drawn >= 5000) {
    std::vector<std::string> rows = constructs_of_traces();
    for (const std::string& row : constructs_of_passes()) rows.push_back(row);
    EXPECT_EQ(missing(tally.constructs, rows), std::vector<std::string>());
  }
  if (parameter("table", 0) != 0)
    for (const auto& [row, n] : tally.constructs) std::cout << n << " " << row << "\n";
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cout << "seed " << seed << ": " << tally << ", " << took.count() << " s\n";
}

}  // namespace fulgurite::programs
