// The benchmarks' programs as CUDA text, with no device here: what `./dev bench kernels` and the tests show
// to NVRTC. As for a device of compute capability 9.0 with 50 MB of second-level cache.
#pragma once

#include <fulgurite/compile.h>

#include <string>
#include <vector>

#include "pipeline.h"
#include "programs.h"
#include "trace/traced.h"

namespace bench {

struct CudaKernel {
  std::string program, name, text;
  std::vector<std::int32_t> block_sizes, shared_bytes;  // of each phase
};

inline constexpr const char* large_gpu = "as a large GPU";

inline void add_cuda_kernels(std::vector<CudaKernel>& kernels, const std::string& name,
                             const fg::soac::Program& program) {
  const fg::runtime::Description device{.engine = "cuda",
                                        .name = large_gpu,
                                        .n_cores = 132,
                                        .memory = std::size_t{80} << 30,
                                        .last_level_cache = std::size_t{50} << 20,
                                        .vector_bytes = 16,
                                        .is_host = false,
                                        .blocks_wait = true,
                                        .tells_occupancy = true};
  const fg::pipeline::Report report = fg::pipeline::compile(program, {.engine = fg::Engine::cuda}, device);
  for (const fg::plan::KernelText& k : report.lowered.plan.kernels)
    kernels.push_back({name, k.name, k.source, k.block_sizes, k.shared_bytes});
}

template <class F>
void add_cuda_kernels(std::vector<CudaKernel>& kernels, const std::string& name, F f) {
  add_cuda_kernels(kernels, name, fg::compile(f, {.engine = fg::Engine::interpreter}).traced()->program());
}

/// The kernels of the benchmark table.
inline std::vector<CudaKernel> cuda_kernels_of_benchmarks() {
  std::vector<CudaKernel> kernels;
  add_cuda_kernels(kernels, "SAXPY", saxpy);
  add_cuda_kernels(kernels, "SDOT", sdot);
  add_cuda_kernels(kernels, "RMSE", rmse);
  add_cuda_kernels(kernels, "ForwardDiff", forward_difference);
  add_cuda_kernels(kernels, "WMA15", moving_average);
  add_cuda_kernels(kernels, "Jacobi2D", jacobi);
  add_cuda_kernels(kernels, "BlackScholesMap", black_scholes_map);
  add_cuda_kernels(kernels, "BlackScholesSum", black_scholes_sum);
  add_cuda_kernels(kernels, "ReducePlus", reduce_plus);
  add_cuda_kernels(kernels, "ReduceMax", reduce_max);
  add_cuda_kernels(kernels, "IndexOfMax", index_of_max);
  add_cuda_kernels(kernels, "IndexOfMaxPack", index_of_max_packed);
  add_cuda_kernels(kernels, "Reduce2x2MM", reduce_2x2);
  add_cuda_kernels(kernels, "MSSP", maximum_segment_sum);
  add_cuda_kernels(kernels, "MSPP", maximum_segment_product);
  add_cuda_kernels(kernels, "Product2x2", product_of_matrices);
  add_cuda_kernels(kernels, "ScanPlus", scan_plus);
  add_cuda_kernels(kernels, "ScanMax", scan_max);
  add_cuda_kernels(kernels, "Scan2x2MM", scan_2x2);
  add_cuda_kernels(kernels, "RedomapNT", redomap);
  add_cuda_kernels(kernels, "RedomapNT-paper", redomap_of_paper);
  add_cuda_kernels(kernels, "BlackScholes-paper", black_scholes_of_paper);
  add_cuda_kernels(kernels, "SMVM", sparse_times_vector);
  add_cuda_kernels(kernels, "Histogram", count_keys);
  add_cuda_kernels(kernels, "HistLeast", least_of_keys);
  add_cuda_kernels(kernels, "FilterEven", filter_even);
  add_cuda_kernels(kernels, "FilterFields", filter_fields);
  add_cuda_kernels(kernels, "Sort", sorted);
  add_cuda_kernels(kernels, "Mandelbrot", mandelbrot_set);
  add_cuda_kernels(kernels, "NBody", n_body);
  add_cuda_kernels(kernels, "MatMul", matrix_product);
  return kernels;
}

}  // namespace bench
