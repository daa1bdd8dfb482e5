// The benchmarks: their sizes, their results, how exact those must be, and which inputs may change between
// samples.
#pragma once

#include <vector>

#include "harness/data.h"

namespace bench {

enum class Input {
  small,
  tied,
  x,
  y,
  z,
  mass,
  spot,
  strike,
  years,
  left,
  right,
  keys,
  values,
  vector,
  unsorted,
  x64,
  y64,
  x16,
  count
};

enum Output : unsigned {
  no_array = 0,
  ints = 1,
  out = 2,
  out2 = 4,
  out3 = 8,
  histogram = 16,
  ints2 = 32,
  doubles = 64,
  doubles2 = 128
};

struct Memory;

struct Benchmark {
  const char* name;
  std::vector<std::int64_t> sizes;            // its own; empty: those that the user asks for
  unsigned outputs;                           // Output, ored
  double tolerance;                           // of the checksum, relative; 0: exact
  std::vector<Input> inputs;                  // arrays of which two elements are swapped between samples
  std::int64_t (*length)(const Data&);        // of the outputs
  void (*set_up)(Data&, Memory&) = nullptr;   // once a size, not timed
  void (*prepare)(Data&, Memory&) = nullptr;  // before each call, not timed
};

const std::vector<Benchmark>& benchmarks();

// All arrays, on huge pages where the system grants them, as `data` shows them to peers.
struct Memory {
  explicit Memory(std::int64_t elements);  // the largest size that will be asked for

  void clear_outputs(const Benchmark& benchmark);
  double checksum(const Benchmark& benchmark) const;
  void swap_elements(const Benchmark& benchmark, std::int64_t first, std::int64_t second);

  Data data;
  std::uint32_t* inputs[static_cast<int>(Input::count)] = {};  // the same arrays as in `data`, to write
  std::size_t width[static_cast<int>(Input::count)] = {};      // bytes of an element
  std::int32_t *row_starts = nullptr, *columns = nullptr;
  float weights[15] = {};
};

}  // namespace bench
