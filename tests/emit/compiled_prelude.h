// C functions of a test, compiled with the part of the prelude that they use, by the compiler that kernels go
// through.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

#include "emit/cpu_prelude.h"
#include "runtime/cpu/compiler.h"
#include "runtime/cpu/levels.h"
#include "runtime/cpu/module.h"

namespace fulgurite::emit::testing {

class Compiled {
 public:
  Compiled(const std::string& text, const std::string& cpu)
      : module_(runtime::cpu::compile("test", cpu_prelude(text) + text, {.cpu = cpu})) {}

  template <class Function>
  Function* find(const std::string& name) const {
    void* found = module_.find(name);
    if (found == nullptr) throw std::runtime_error("the test's text has no function " + name);
    return reinterpret_cast<Function*>(found);
  }

 private:
  runtime::cpu::Module module_;
};

/// The levels of this machine's instruction set that it reaches.
inline std::vector<std::string> levels() {
  const auto first = runtime::cpu::levels.begin();
  return {first, first + static_cast<std::ptrdiff_t>(runtime::cpu::n_levels_reached())};
}

inline constexpr int lane_counts[] = {1, 2, 4, 8, 16, 32, 64};

/// The lane counts with which the turn-th operation is tested at a level: all at this machine's best level.
/// At each of the others two, as compiling takes most of the time: operations together meet every lane count.
inline std::vector<int> lane_counts_at(const std::string& cpu, std::size_t turn) {
  constexpr std::size_t n = std::size(lane_counts);
  if (cpu == levels().back()) return {std::begin(lane_counts), std::end(lane_counts)};
  return {lane_counts[turn % n], lane_counts[(turn + 3) % n]};
}

/// A function that applies `stem` to the elements of one or two arrays: stem_kind_xlanes(a, b, result, n), n
/// a multiple of the lanes.
inline std::string elementwise(const std::string& stem, const std::string& kind, const std::string& to,
                               int lanes, int arguments) {
  std::string suffix = to.empty() ? kind : kind + "_" + to, result = to.empty() ? kind : to;
  auto pointer = [](const std::string& k) { return k == "b1" ? std::string("u8") : k; };
  auto load = [&](const char* array) { return fmt::format("fg_load_{}_x{}({} + i)", kind, lanes, array); };
  return fmt::format(
      "void {0}_{1}_x{2}(const {3}* a, const {3}* b, {4}* r, i64 n) {{\n"
      "  for (i64 i = 0; i < n; i += {2}) fg_store_{5}_x{2}(r + i, fg_{0}_{1}_x{2}({6}{7}));\n}}\n",
      stem, suffix, lanes, pointer(kind), pointer(result), result, load("a"),
      arguments == 2 ? ", " + load("b") : "");
}

}  // namespace fulgurite::emit::testing
