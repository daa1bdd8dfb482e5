// Before the kernel language, whose names some enumerators of the kernel IR have.
#include "replayed.h"

#include <fmt/format.h>

#include "../../programs/random_program.h"
#include "../../soac/random_program.h"

namespace fulgurite::testing_replay {
namespace {

constexpr int n_traced = 150, n_made = 150;

/// As a user writes them.
void add_traced(std::vector<ArrayProgram>& all) {
  std::mt19937_64 random(1);
  for (int k = 0; k < n_traced; ++k) {
    const std::optional<programs::Drawn> drawn = programs::draw_program(programs::draw_numbers(random));
    if (drawn) all.push_back({fmt::format("drawn {}", k), drawn->program(), drawn->precision});
  }
}

/// Of the array IR's statements.
void add_made(std::vector<ArrayProgram>& all) {
  for (int k = 0; k < n_made; ++k)
    all.push_back({fmt::format("made {}", k),
                   soac::RandomProgram(static_cast<std::uint64_t>(k)).make(2 + k % 7),
                   k % 2 == 0 ? Precision::fast : Precision::strict});
}

}  // namespace

std::vector<ArrayProgram> drawn_programs() {
  std::vector<ArrayProgram> all;
  add_traced(all);
  add_made(all);
  return all;
}

}  // namespace fulgurite::testing_replay
