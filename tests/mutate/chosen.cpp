#include "chosen.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace fulgurite::mutants {
namespace {

constexpr int none = -1;
constexpr int unread = -2;
constexpr int most_mutants = 1 << 16;

// Initialised before any constructor of a global variable runs, as those may reach mutants. Threads store
// equal values.
constinit std::atomic<int> the_chosen{unread};
constinit std::atomic<bool> reached[most_mutants]{};
constinit std::atomic<bool> is_taken{false};

int read_choice() {
  const char* text = std::getenv("FULGURITE_MUTANT");
  return text != nullptr ? std::atoi(text) : none;
}

// What a program reaches that a test runs.
struct AtExit {
  ~AtExit() {
    const char* path = std::getenv("FULGURITE_REACHED_BELOW");
    std::FILE* to = path != nullptr && !is_taken ? std::fopen(path, "a") : nullptr;
    if (to == nullptr) return;
    for (int mutant : take_reached()) std::fprintf(to, "%d\n", mutant);
    std::fclose(to);
  }
} at_exit;

}  // namespace

bool chosen(int mutant) {
  reached[mutant].store(true, std::memory_order_relaxed);
  int choice = the_chosen.load(std::memory_order_relaxed);
  if (choice == unread) {
    choice = read_choice();
    the_chosen.store(choice, std::memory_order_relaxed);
  }
  return mutant == choice;
}

std::vector<int> take_reached() {
  is_taken = true;
  std::vector<int> result;
  for (int mutant = 0; mutant < most_mutants; ++mutant)
    if (reached[mutant].exchange(false, std::memory_order_relaxed)) result.push_back(mutant);
  return result;
}

}  // namespace fulgurite::mutants
