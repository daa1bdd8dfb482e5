// How much memory our programs of the benchmarks move on a GPU, as the emulator counts it:
// `traffic [N [NAME...]]` prints a table, of these benchmarks or of most. The least is each array that the
// benchmark must read or write, once.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string_view>

#include "engines/emulator_device.h"
#include "fulgurite_program.h"
#include "harness/benchmarks.h"

namespace {

using namespace bench;

Vec<float> sums_of_rows(Mat<float> xs) {
  return fg::sum(xs, fg::axis(1));
}
Mat<float> transposed(Mat<float> xs) {
  return fg::transpose(xs);
}

double ratio(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) / static_cast<double>(b);
}

// `least`: bytes that have to be moved.
void row(const std::string& name, std::int64_t least) {
  const fg::kernel::PhaseCounts c = fg::EmulatorDevice::shared().take_counts();
  const std::int64_t moved = c.global_read + c.global_written;
  const std::string of_least = least == 0 ? "-" : fmt::format("{:.3f}", ratio(moved, least));
  fmt::print("| {} | {} | {} | {:.3f} |\n", name, least, of_least,
             ratio(c.least_transactions, c.transactions));
  std::fflush(stdout);
}

// Bytes of all outputs' elements at one place.
std::int64_t bytes_of_outputs(const Benchmark& benchmark) {
  constexpr unsigned wide = out_f64 | out2_f64 | out3_f64 | out_i64 | histogram_i64;
  const int all = std::popcount(benchmark.outputs), of_8 = std::popcount(benchmark.outputs & wide),
            of_1 = std::popcount(benchmark.outputs & out_u8);
  return 8 * of_8 + of_1 + 4 * (all - of_8 - of_1);
}

// Whether it is the benchmark of this name, or a variant of it.
bool is_of(std::string_view name, std::string_view family) {
  return name.substr(0, name.find('-')) == family;
}

void benchmark_row(const Benchmark& benchmark, const Peer& peer, Memory& memory) {
  peer.run(memory.data);
  if (peer.publish) peer.publish(memory.data);
  std::int64_t least = bytes_of_outputs(benchmark) * benchmark.length(memory.data);
  for (const Input input : benchmark.inputs)
    least += static_cast<std::int64_t>(memory.element_bytes[static_cast<int>(input)]) * memory.data.n;
  if (is_of(peer.benchmark, "SMVM")) {  // columns and rows; the vector, its last input, has as many as rows
    const std::size_t bytes = memory.element_bytes[static_cast<int>(benchmark.inputs.back())];
    least += 4 * (memory.data.n + memory.data.rows + 1);
    least -= static_cast<std::int64_t>(bytes) * (memory.data.n - memory.data.rows);
  }
  row(peer.benchmark, least);
}

}  // namespace

int main(int count, char** arguments) {
  setenv("FULGURITE_ENGINE", "emulator", 1);
  const std::int64_t n = count > 1 ? std::atoll(arguments[1]) : 1 << 18;
  const std::set<std::string_view> wanted(arguments + std::min(count, 2), arguments + count);
  const std::set<std::string_view> too_slow{"Sort", "Mandelbrot", "NBody", "MatMul", "Hist1M"};
  Memory memory(n);
  Peers peers;
  add_fulgurite_peers(peers);
  fmt::print(
      "| n = {} | least, bytes | moved, of the least | sectors, least of moved |\n|---|---:|---:|---:|\n", n);
  for (const Benchmark& benchmark : benchmarks()) {
    const bool slow = std::any_of(too_slow.begin(), too_slow.end(),
                                  [&](std::string_view family) { return is_of(benchmark.name, family); });
    if (wanted.empty() ? slow : !wanted.contains(benchmark.name)) continue;
    memory.data.n = n;
    if (benchmark.set_up) benchmark.set_up(memory.data, memory);
    for (const Peer& peer : peers.all())
      if (peer.benchmark == benchmark.name && peer.name == our_name) benchmark_row(benchmark, peer, memory);
  }
  if (!wanted.empty()) return 0;
  for (const std::int64_t rows : {n / 16, n / 512, std::int64_t{4}}) {
    const std::int64_t columns = n / rows;
    const auto matrix = fg::view(memory.data.x, {rows, columns});
    Program<sums_of_rows>::run(matrix);
    row(fmt::format("rows of {}, sums", columns), 4 * (rows * columns + rows));
    Program<transposed>::run(matrix);
    row(fmt::format("rows of {}, transposed", columns), 4 * 2 * rows * columns);
  }
  return 0;
}
