// The benchmarks beside their peers, in one process. bench/run builds and starts it; --help shows its
// options.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <string_view>

#include "environment.h"
#include "harness/figure.h"
#include "harness/report.h"

namespace bench {
namespace {

Peers all_peers() {
  Peers peers;
  add_serial_peers(peers);
  add_serial_dense_variants_peers(peers);
  add_serial_irregular_variants_peers(peers);
#ifdef BENCH_EXPERT
  add_limit_peers(peers);
  add_expert_reduction_peers(peers);
  add_expert_scan_peers(peers);
  add_expert_map_peers(peers);
  add_expert_function_peers(peers);
  add_expert_paper_peers(peers);
  add_expert_irregular_peers(peers);
  add_expert_dense_peers(peers);
  add_expert_dense_variants_peers(peers);
  add_expert_filter_variants_peers(peers);
  add_expert_histogram_variants_peers(peers);
  add_expert_sparse_variants_peers(peers);
  add_expert_nested_variants_peers(peers);
#endif
#ifdef BENCH_TBB
  add_parallel_stl_peers(peers);
  add_tbb_peers(peers);
#endif
#ifdef BENCH_THRUST
  add_thrust_omp_peers(peers);
  add_thrust_tbb_peers(peers);
#endif
#ifdef BENCH_EIGEN
  add_eigen_peers(peers);
#endif
#ifdef BENCH_BLAS
  add_blas_peers(peers);
#endif
#ifdef BENCH_XTENSOR
  add_xtensor_peers(peers);
#endif
#ifdef BENCH_HALIDE
  add_halide_peers(peers);
#endif
#ifdef BENCH_SORT
  add_sort_peers(peers);
#endif
#ifdef BENCH_FULGURITE
  add_fulgurite_peers(peers);
#endif
  return peers;
}

struct Options {
  std::string filter = "^(SAXPY|SDOT|RMSE|ForwardDiff|WMA15|Jacobi2D|BlackScholesMap|BlackScholesSum)$";
  std::string peer = ".";
  std::vector<double> n = {1e2, 1e4, 1e6, 1e7};
  std::string csv, plot;
  bool list = false, no_fuse = false, redomap = false;
  Effort effort;
};

// The nine programs of the redomap paper (figure 7), at the sizes of its figure 8.
void take_those_of_redomap(Options& options) {
  options.filter =
      "^(ReducePlus|ReduceMax|IndexOfMax|IndexOfMaxPack|Reduce2x2MM|MSSP|ScanPlus|RedomapNT|BlackScholesSum)"
      "$";
  options.peer = "^(fulgurite|thrust|omp-expert)";
  options.n = {1e2, 5e4, 1e5, 5e5, 1e6, 5e6, 1e7};
  options.no_fuse = true;
}

// OpenBLAS uses AVX-512 on CPUs that it does not know.
void restart_for_peers(char** arguments) {
  setenv("OPENBLAS_CORETYPE", "SKYLAKEX", 0);
  restart_with_environment(arguments);
}

std::vector<Peer> select(const Peers& peers, const Benchmark& benchmark, const Options& options) {
  const std::regex wanted(options.peer);
  std::vector<Peer> selected;
  for (const Peer& peer : peers.all()) {
    if (peer.name == unfused_name && !options.no_fuse) continue;
    const bool always = peer.name == reference_name || peer.name.starts_with("limit");
    if (peer.benchmark == benchmark.name && (always || std::regex_search(peer.name, wanted)))
      selected.push_back(peer);
  }
  return selected;
}

int run(const Options& options) {
  const Peers peers = all_peers();
  const std::regex filter(options.filter);
  std::vector<std::pair<const Benchmark*, std::vector<std::int64_t>>> plan;
  std::int64_t largest = 0;
  for (const Benchmark& benchmark : benchmarks()) {
    if (!std::regex_search(benchmark.name, filter)) continue;
    std::vector<std::int64_t> sizes = benchmark.sizes;
    if (sizes.empty()) sizes.assign(options.n.begin(), options.n.end());
    for (std::int64_t n : sizes) largest = std::max(largest, n);
    plan.emplace_back(&benchmark, sizes);
  }
  if (options.list) {
    for (const auto& [benchmark, sizes] : plan)
      for (const Peer& peer : select(peers, *benchmark, options))
        fmt::print("{},{}\n", benchmark->name, peer.name);
    return 0;
  }

  std::ofstream csv_file;
  if (!options.csv.empty()) {
    csv_file.open(options.csv);
    csv_file << csv_header() << std::flush;
    if (!csv_file) throw std::runtime_error("cannot write " + options.csv);
  }
  std::ofstream plot_file;
  if (!options.plot.empty()) {
    plot_file.open(options.plot);
    if (!plot_file) throw std::runtime_error("cannot write " + options.plot);
  }
  Memory memory(largest);
  std::vector<Row> rows;
  for (const auto& [benchmark, sizes] : plan) {
    std::vector<Row> of_benchmark;
    for (std::int64_t n : sizes) {
      for (const Row& row :
           measure(*benchmark, n, select(peers, *benchmark, options), memory, options.effort)) {
        if (csv_file.is_open()) csv_file << csv(row) << std::flush;
        of_benchmark.push_back(row);
      }
    }
    fmt::print("{}", table(benchmark->name, of_benchmark));
    std::fflush(stdout);
    rows.insert(rows.end(), of_benchmark.begin(), of_benchmark.end());
  }
  fmt::print("{}", summary(rows));
  if (options.redomap) fmt::print("{}", figure_table(rows));
  if (plot_file.is_open()) plot_file << figure_csv(rows);
  const auto wrong = std::count_if(rows.begin(), rows.end(),
                                   [](const Row& row) { return row.verdict == Verdict::mismatch; });
  if (wrong) fmt::print(stderr, "{} results differ from the reference (MISMATCH)\n", wrong);
  return wrong != 0;
}

}  // namespace
}  // namespace bench

int main(int count, char** arguments) {
  bench::restart_for_peers(arguments);
  bench::Options options;  // other options change what --redomap chooses
  if (std::find(arguments, arguments + count, std::string_view("--redomap")) != arguments + count)
    bench::take_those_of_redomap(options);
  CLI::App app{"Benchmarks beside their peers: medians in microseconds, ratio to the best peer"};
  app.add_option("--filter", options.filter,
                 "benchmarks whose name has a match of this regular expression ('.': all)");
  app.add_option("--peer", options.peer, "peers likewise; limits always run");
  app.add_option("--n", options.n, "sizes, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(16.0, 67108864.0));
  app.add_option("--csv", options.csv, "also write benchmark,peer,n,median_us,checksum,... to this file");
  app.add_option("--rounds", options.effort.rounds, "rounds over all peers")->check(CLI::Range(1, 1000));
  app.add_option("--ms", options.effort.sample_ms, "milliseconds of samples a peer and round");
  app.add_flag("--no-fuse", options.no_fuse, "our programs also without fusion, as another peer");
  app.add_option("--plot", options.plot,
                 "write the milliseconds over sizes that a figure is drawn from into this CSV file");
  app.add_flag("--redomap", options.redomap,
               "the nine programs and the sizes of the redomap paper's figure 8, also without fusion");
  app.add_flag("--list", options.list, "only name benchmarks and peers");
  CLI11_PARSE(app, count, arguments);
  try {
    return bench::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench: {}\n", error.what());
    return 1;
  }
}
