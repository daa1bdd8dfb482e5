// How much memory our programs of the benchmarks move on a GPU, as the emulator counts it:
// `traffic [N [NAME...]]` prints a table, of these benchmarks or of most. The least is each array that the
// benchmark must read or write, once.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "emulator_device.h"
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

// `n`: elements of 4 bytes that have to be moved.
void row(const std::string& name, std::int64_t n) {
  const fg::kernel::PhaseCounts c = fg::EmulatorDevice::shared().take_counts();
  const std::int64_t moved = c.global_read + c.global_written;
  const std::string of_least = n == 0 ? "-" : fmt::format("{:.3f}", ratio(moved, 4 * n));
  fmt::print("| {} | {} | {} | {:.3f} |\n", name, 4 * n, of_least,
             ratio(c.least_transactions, c.transactions));
  std::fflush(stdout);
}

void benchmark_row(const Benchmark& benchmark, const Peer& peer, Memory& memory) {
  peer.run(memory.data);
  if (peer.publish) peer.publish(memory.data);
  const int n_outputs = std::popcount(benchmark.outputs);
  const bool wide = benchmark.outputs & (doubles | doubles2);
  std::int64_t n = n_outputs * benchmark.length(memory.data) * (wide ? 2 : 1);
  for (const Input input : benchmark.inputs)
    n += memory.data.n * static_cast<std::int64_t>(memory.width[static_cast<int>(input)]) / 4;
  if (peer.benchmark == std::string_view("SMVM"))  // columns and rows; the vector has as many as rows
    n += memory.data.rows + 1 + memory.data.rows;
  row(peer.benchmark, n);
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
    if (wanted.empty() ? too_slow.contains(benchmark.name) : !wanted.contains(benchmark.name)) continue;
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
    row(fmt::format("rows of {}, sums", columns), rows * columns + rows);
    Program<transposed>::run(matrix);
    row(fmt::format("rows of {}, transposed", columns), 2 * rows * columns);
  }
  return 0;
}
