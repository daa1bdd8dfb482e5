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
  x_f64,
  y_f64,
  z_f64,
  mass_f64,
  small_u8,
  any_u16,
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
  out_f64 = 64,
  out2_f64 = 128,
  out3_f64 = 256,
  out_i64 = 512,
  out_u8 = 1024,
  histogram_f32 = 2048,
  histogram_i64 = 4096,
  any_histogram = histogram | histogram_f32 | histogram_i64
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
  void* inputs[static_cast<int>(Input::count)] = {};  // the same arrays as in `data`, to write
  std::size_t element_bytes[static_cast<int>(Input::count)] = {};
  std::int32_t *row_starts = nullptr, *columns = nullptr;
  float weights[15] = {};
};

}  // namespace bench
