// What kernels cost on a GPU, without one. The papers' sorters and mergers of 512 elements: the time to
// record them, what NVRTC and ptxas make of their CUDA text for sm_90 (where NVRTC is found), and what the
// emulator counts of a block. The benchmarks' kernels: what NVRTC and ptxas make of them.

// Before kernel.h, whose names some enumerators of the kernel IR have.
#include "cuda_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>

#include "../tests/block/programs.h"
#include "../tests/emit/nvrtc.h"
#include "stopwatch.h"

namespace {

namespace fg = fulgurite;
namespace k = fulgurite::kernel;
using namespace fulgurite::papers;
using k::Pull;

constexpr std::int64_t n = 512;
constexpr int samples = 9;

template <class F>
double recording_ms(std::int64_t size, const F& f) {
  std::vector<double> times;
  for (int sample = 0; sample < samples; ++sample)
    times.push_back(bench::time_us([&] { k::kernel("recorded", k::block<int>(size), f); }));
  return bench::median(times) / 1000;
}

void row(const char* name, double recording, const k::Traffic& t, const std::string& cuda) {
  static const fg::test::Nvrtc nvrtc;
  std::string compiled = "- | - | - |";
  if (nvrtc.is_there()) {
    const auto result = nvrtc(cuda, "sm_90");
    if (!result.is_compiled) throw std::runtime_error(result.log);
    const fg::test::PtxasReport r = fg::test::ptxas_report(result.log);
    compiled = fmt::format("{} | {} | {} |", r.registers, r.spill_stores + r.spill_loads, r.stack);
  }
  fmt::print("| {} | {:.1f} | {} | {} {} | {} + {} | {} | {:.2f} | {} |\n", name, recording, t.threads,
             compiled, t.shared_bytes, t.block_barriers, t.warp_barriers, t.bank_conflicts,
             static_cast<double>(t.transactions) / static_cast<double>(t.least_transactions), t.lanes);
  std::fflush(stdout);
}

// The time for a block with its kernel, including Clang's for the kernel's C.
template <class F>
double first_call_ms(std::int64_t size, const F& f) {
  const std::vector<int> xs(static_cast<std::size_t>(size));
  return bench::time_us([&] { k::execute(fg::cpu(), k::kernel("called", k::block<int>(size), f), xs); }) /
         1000;
}

template <class F>
void row(const char* name, F f) {
  const auto kernel = k::kernel("network", k::block<int>(n), f);
  row(name, recording_ms(n, f), k::traffic(kernel, std::vector<int>(n)), k::to_cuda(kernel));
}

// Keys with values.
using Pair = std::pair<int, int>;
void pairs_row() {
  const auto sorter = [](Pull<Pair> a) {
    const auto lower = [](fg::Exp<Pair> x, fg::Exp<Pair> y) {
      return fg::select(x.get<0>() <= y.get<0>(), x, y);
    };
    const auto higher = [](fg::Exp<Pair> x, fg::Exp<Pair> y) {
      return fg::select(x.get<0>() <= y.get<0>(), y, x);
    };
    const int bits = k::log2(a.size());
    for (int i = 1; i <= bits; ++i)
      for (int j = 1; j <= i; ++j) a = k::sync(k::ilv_vee(bits - i, i - j, lower, higher, a));
    return a;
  };
  const auto record = [&] { return k::kernel("network", k::block<Pair>(n), sorter); };
  std::vector<double> times;
  for (int sample = 0; sample < samples; ++sample) times.push_back(bench::time_us([&] { record(); }));
  const auto kernel = record();
  row("vsort, keys and values", bench::median(times) / 1000, k::traffic(kernel, std::vector<Pair>(n)),
      k::to_cuda(kernel));
}

// How many blocks of this many threads run on a multiprocessor of compute capability 9.0 at the same time
// (CUDA C++ Programming Guide, "Compute Capabilities"): of 65536 registers, given to warps by the 256; of 228
// KiB of shared memory, a block's 1 KiB above what it asks for; of 2048 threads and 32 blocks.
int blocks_at_once(int threads, int registers, int shared_bytes) {
  const int warps = (threads + 31) / 32, of_warp = (registers * 32 + 255) / 256 * 256;
  return std::min({32, 64 / warps, 65536 / of_warp / warps, (228 << 10) / (shared_bytes + 1024)});
}

// How often this stands in the PTX of a function.
std::ptrdiff_t count(const std::string& ptx, const std::string& function, const std::string& pattern) {
  const std::size_t at = ptx.find(".entry " + function + "(");
  if (at == ptx.npos) throw std::runtime_error("no " + function + " in its PTX");
  const std::string text = ptx.substr(at, ptx.find(".entry ", at + 1) - at);
  const std::regex wanted(pattern);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), wanted), std::sregex_iterator());
}

void benchmark_rows() {
  const fg::test::Nvrtc nvrtc;
  if (!nvrtc.is_there()) {
    fmt::print("\nNVRTC was not found: nothing is known of the benchmarks' kernels.\n");
    return;
  }
  fmt::print(
      "\nKernels of the benchmarks, sm_90. Loads and stores of global memory: those of 128 bits, of all, in "
      "the PTX."
      "\n\n| benchmark | kernel | threads of a block | registers | spills | stack | shared bytes "
      "| threads of 2048 at once | loads | stores |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  const std::string wide = "\\.global[a-zA-Z0-9_.:]*\\.(v4\\.[a-z]32|v2\\.[a-z]64|v8\\.[a-z]16|b128)";
  for (const bench::CudaKernel& kernel : bench::cuda_kernels_of_benchmarks()) {
    const auto result = nvrtc(kernel.text, "sm_90");
    if (!result.is_compiled) throw std::runtime_error(result.log);
    const std::string ptx = nvrtc.ptx(kernel.text, "compute_90");
    const std::vector<fg::test::PtxasReport> reports = fg::test::ptxas_reports(result.log);
    for (std::size_t phase = 0; phase < kernel.block_sizes.size(); ++phase) {
      const std::string function = fmt::format("{}_p{}", kernel.name, phase);
      const auto r = std::find_if(reports.begin(), reports.end(), [&](const fg::test::PtxasReport& report) {
        return report.function == function;
      });
      if (r == reports.end()) throw std::runtime_error("ptxas says nothing of " + function);
      const int threads = kernel.block_sizes[phase];
      const int shared = kernel.shared_bytes.empty() ? 0 : kernel.shared_bytes[phase];
      fmt::print("| {} | {} | {} | {} | {} | {} | {} | {} | {} of {} | {} of {} |\n", kernel.program,
                 function, threads, r->registers, r->spill_stores + r->spill_loads, r->stack, shared,
                 blocks_at_once(threads, r->registers, shared) * threads,
                 count(ptx, function, "\\bld" + wide), count(ptx, function, "\\bld\\.global"),
                 count(ptx, function, "\\bst" + wide), count(ptx, function, "\\bst\\.global"));
    }
  }
}

}  // namespace

int main() {
  setenv("FULGURITE_CACHE", "", 1);  // no kernel is there from before
  try {
    fmt::print(
        "Kernels of {} i32, sm_90.\n\n| kernel | recording, ms | threads | registers | spills | stack | "
        "shared bytes "
        "| barriers, block + warp | bank conflicts | transactions of the least | lane slots "
        "|\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        n);
    row("tsort1", tsort_1);
    row("tsort2", tsort_2);
    row("tsort2 of sync(a)", [](Pull<int> a) { return tsort_2(k::sync(a)); });
    row("vsort1", vsort_1);
    row("vsort", vsort);
    row("vsortR", vsort_r);
    pairs_row();
    row("bmerge", [](Pull<int> a) { return bmerge(9, a); });
    row("bmerge2", [](Pull<int> a) { return bmerge_2(9, a); });
    row("tmerge", [](Pull<int> a) { return tmerge(9, a); });
    row("tmerge2", [](Pull<int> a) { return tmerge_2(9, a); });
    row("bpmerge2", [](Pull<int> a) { return bpmerge_2(9, a); });
    first_call_ms(n, map_fusion);  // loads the compiler
    fmt::print("\n| | recording, ms | first call, ms |\n|---|---:|---:|\n");
    for (std::int64_t size : {512, 1024, 4096, 16384}) {
      const auto merger = [size](Pull<int> a) { return bmerge_2(k::log2(size), a); };
      fmt::print("| vsort of {} | {:.1f} | {:.1f} |\n", size, recording_ms(size, vsort),
                 first_call_ms(size, vsort));
      fmt::print("| bitonic merger of {} | {:.1f} | {:.1f} |\n", size, recording_ms(size, merger),
                 first_call_ms(size, merger));
    }
    benchmark_rows();
  } catch (const std::exception& error) {
    fmt::print(stderr, "kernels: {}\n", error.what());
    return 1;
  }
}
