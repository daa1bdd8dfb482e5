#include "gpu/libraries.h"

#ifdef BENCH_CUBLAS
#include <cublas_v2.h>
#endif
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "peers/functions.h"

namespace bench::gpu {
namespace {

const auto& policy = thrust::device;
using Index = thrust::counting_iterator<std::int32_t>;

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

// Kept, and grown at need.
void* scratch(int k, std::size_t bytes) {
  static void* blocks[2] = {};
  static std::size_t sizes[2] = {};
  if (sizes[k] < bytes) {
    check(cudaFree(blocks[k]));
    check(cudaMalloc(&blocks[k], bytes));
    sizes[k] = bytes;
  }
  return blocks[k];
}

template <class T>
T read(const T* from) {
  T value;
  check(cudaMemcpy(&value, from, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

// The last of a scan: CUB's and Thrust's reductions want operators that commute.
template <class T, class Lift, class Op>
T ordered_reduce(const std::int32_t* xs, std::int64_t n, Lift lift, Op op) {
  T* const all = static_cast<T*>(scratch(0, sizeof(T) * static_cast<std::size_t>(n)));
  const auto lifted = thrust::make_transform_iterator(xs, lift);
  std::size_t bytes = 0;
  check(cub::DeviceScan::InclusiveScan(nullptr, bytes, lifted, all, op, n));
  check(cub::DeviceScan::InclusiveScan(scratch(1, bytes), bytes, lifted, all, op, n));
  return read(all + n - 1);
}

struct Lift2x2 {
  std::uint32_t seed;
  __host__ __device__ std::uint32_t operator()(std::int32_t x) const { return lift_2x2(x, seed); }
};
struct Multiply2x2 {
  __host__ __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return multiply_2x2(a, b);
  }
};
struct LiftSegment {
  __host__ __device__ Segment operator()(std::int32_t x) const { return lift(x); }
};
struct JoinSegments {
  __host__ __device__ Segment operator()(Segment a, Segment b) const { return join(a, b); }
};
struct IndexedAt {
  const std::int32_t* xs;
  __host__ __device__ Indexed operator()(std::int32_t i) const { return {xs[i], i}; }
};
struct LargerThenFirst {
  __host__ __device__ Indexed operator()(Indexed a, Indexed b) const { return larger_then_first(a, b); }
};
struct PackedAt {
  const std::int32_t* xs;
  __host__ __device__ std::int64_t operator()(std::int32_t i) const { return pack(xs[i], i); }
};
struct SquaredDifference {
  __host__ __device__ float operator()(float x, float y) const { return (x - y) * (x - y); }
};
struct Saxpy {
  __host__ __device__ float operator()(float x, float y) const { return saxpy_alpha * x + y; }
};
struct PriceOfDay {
  float per_day;
  __host__ __device__ float operator()(std::int32_t day) const { return black_scholes_day(day, per_day); }
};
struct Prices {
  const float *spot, *strike, *years;
  float *call, *put;
  __host__ __device__ void operator()(std::int32_t i) const {
    float c, p;
    black_scholes(spot[i], strike[i], years[i], c, p);
    call[i] = c;
    put[i] = p;
  }
};
struct Extent {
  float sum, least, most;
};
struct JoinExtents {
  __host__ __device__ Extent operator()(Extent a, Extent b) const {
    return {a.sum + b.sum, a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most};
  }
};
struct RedomapAt {
  float a, b, *v, *w;
  __host__ __device__ Extent operator()(std::int32_t i) const {
    const float x = redomap_f(i * a), y = redomap_g(x * b);
    v[i] = x * a;
    w[i] = y * b;
    return {x + y, x, y};
  }
};
struct IsEven {
  __host__ __device__ bool operator()(std::int32_t x) const { return (x & 1) == 0; }
};
template <class T>
struct RelativeDifference {
  __host__ __device__ double operator()(T a, T b) const {
    const double x = a, y = b, scale = y < -1 ? -y : y > 1 ? y : 1, d = (x < y ? y - x : x - y) / scale;
    return d == d ? d : 1e300;
  }
};

// Values of element i, in [0, 1) and as integers.
struct Random {
  std::uint32_t seed;
  __host__ __device__ std::uint32_t bits(std::uint32_t i) const {
    std::uint32_t h = (i + 1) * 0x9E3779B9u ^ seed * 0x85EBCA6Bu;
    h = (h ^ h >> 16) * 0x21F0AAADu;
    h = (h ^ h >> 15) * 0x735A2D97u;
    return h ^ h >> 15;
  }
};
struct Uniform {
  Random random;
  float low, high;
  __host__ __device__ float operator()(std::int64_t i) const {
    return low +
           (high - low) * (static_cast<float>(random.bits(static_cast<std::uint32_t>(i)) >> 8) * 0x1p-24f);
  }
};
struct Whole {
  Random random;
  std::int32_t low;
  std::uint32_t range;
  __host__ __device__ std::int32_t operator()(std::int64_t i) const {
    const std::uint32_t bits = random.bits(static_cast<std::uint32_t>(i));
    return range == 0 ? static_cast<std::int32_t>(bits) : low + static_cast<std::int32_t>(bits % range);
  }
};

template <class T>
T* array(std::int64_t n) {
  T* memory = nullptr;
  check(cudaMalloc(&memory, sizeof(T) * static_cast<std::size_t>(n)));
  return memory;
}
const float* uniform(std::int64_t n, std::uint32_t seed, float low, float high) {
  float* const values = array<float>(n);
  thrust::tabulate(policy, values, values + n, Uniform{{seed}, low, high});
  return values;
}
const std::int32_t* whole(std::int64_t n, std::uint32_t seed, std::int32_t low, std::uint32_t range) {
  std::int32_t* const values = array<std::int32_t>(n);
  thrust::tabulate(policy, values, values + n, Whole{{seed}, low, range});
  return values;
}

template <class T>
double largest_difference(const T* a, const T* b, std::int64_t n) {
  return thrust::inner_product(policy, a, a + n, b, 0.0, thrust::maximum<double>(), RelativeDifference<T>());
}

#ifdef BENCH_CUBLAS
cublasHandle_t cublas() {
  static const cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    if (cublasCreate(&made) != CUBLAS_STATUS_SUCCESS) throw std::runtime_error("cuBLAS does not start");
    return made;
  }();
  return handle;
}

void add_cublas(std::vector<Peer>& peers) {
  peers.push_back(
      {"SAXPY", "cuBLAS",
       [](Data& d) { cublasSaxpy(cublas(), static_cast<int>(d.n), &saxpy_alpha, d.x, 1, d.out, 1); },
       nullptr});
  peers.push_back({"SDOT", "cuBLAS",
                   [](Data& d) {
                     float result = 0;
                     cublasSdot(cublas(), static_cast<int>(d.n), d.x, 1, d.y, 1, &result);
                     d.results[0] = result;
                   },
                   nullptr});
}
#endif

}  // namespace

std::string why_no_device() {
  int n = 0;
  const cudaError_t status = cudaGetDeviceCount(&n);
  if (status != cudaSuccess) return cudaGetErrorString(status);
  return n == 0 ? "the driver finds none" : "";
}

std::string device_name() {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0));
  return properties.name;
}

Data make_data(std::int64_t n) {
  Data d;
  d.n = n;
  d.small = whole(n, 1, -10000, 20001);
  d.tied = whole(n, 2, 0, 1000000);
  d.unsorted = whole(n, 3, 0, 0);
  d.x = uniform(n, 4, 0, 1);
  d.y = uniform(n, 5, 0, 1);
  d.spot = uniform(n, 6, 5, 30);
  d.strike = uniform(n, 7, 1, 100);
  d.years = uniform(n, 8, 0.25f, 10);
  d.out = array<float>(n);
  d.out2 = array<float>(n);
  d.out_ints = array<std::int32_t>(n);
  return d;
}

void free_data(const Data& d) {
  const void* const all[] = {d.small,  d.tied,  d.unsorted, d.x,    d.y,       d.spot,
                             d.strike, d.years, d.out,      d.out2, d.out_ints};
  for (const void* memory : all) check(cudaFree(const_cast<void*>(memory)));
}

void synchronise() {
  check(cudaDeviceSynchronize());
}

double difference(const float* a, const float* b, std::int64_t n) {
  return largest_difference(a, b, n);
}
double difference(const std::int32_t* a, const std::int32_t* b, std::int64_t n) {
  return largest_difference(a, b, n);
}

double copy_bandwidth(std::int64_t bytes) {
  void *const from = scratch(0, static_cast<std::size_t>(bytes)), *const to = scratch(
                                                                      1, static_cast<std::size_t>(bytes));
  double best = 0;
  for (int k = 0; k < 20; ++k) {
    synchronise();
    const auto start = std::chrono::steady_clock::now();
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice));
    synchronise();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2e-9 * static_cast<double>(bytes) / spent.count());
  }
  return best;
}

void add_library_peers(std::vector<Peer>& peers) {
  const auto add = [&](const char* benchmark, const char* name, Run run) {
    peers.push_back({benchmark, name, run, nullptr});
  };
#ifdef BENCH_CUBLAS
  add_cublas(peers);
#endif
  add("SAXPY", "Thrust", [](Data& d) { thrust::transform(policy, d.x, d.x + d.n, d.y, d.out, Saxpy()); });
  add("SDOT", "Thrust",
      [](Data& d) { d.results[0] = thrust::inner_product(policy, d.x, d.x + d.n, d.y, 0.f); });
  add("RMSE", "Thrust", [](Data& d) {
    const float sum =
        thrust::inner_product(policy, d.x, d.x + d.n, d.y, 0.f, thrust::plus<float>(), SquaredDifference());
    d.results[0] = std::sqrt(sum / static_cast<float>(d.n));
  });
  add("BlackScholesMap", "Thrust", [](Data& d) {
    thrust::for_each_n(policy, Index(0), d.n, Prices{d.spot, d.strike, d.years, d.out, d.out2});
  });
  add("BlackScholesSum", "Thrust", [](Data& d) {
    d.results[0] =
        thrust::transform_reduce(policy, Index(0), Index(static_cast<std::int32_t>(d.n)),
                                 PriceOfDay{1.f / static_cast<float>(d.n)}, 0.f, thrust::plus<float>());
  });
  add("ReducePlus", "Thrust",
      [](Data& d) { d.results[0] = thrust::reduce(policy, d.small, d.small + d.n, std::int32_t(0)); });
  add("ReduceMax", "Thrust", [](Data& d) {
    d.results[0] = thrust::reduce(policy, d.tied, d.tied + d.n, INT32_MIN, thrust::maximum<std::int32_t>());
  });
  add("IndexOfMax", "Thrust", [](Data& d) {
    const Indexed found =
        thrust::transform_reduce(policy, Index(0), Index(static_cast<std::int32_t>(d.n)), IndexedAt{d.tied},
                                 Indexed{INT32_MIN, INT32_MAX}, LargerThenFirst());
    d.results[0] = found.value;
    d.results[1] = found.index;
  });
  add("IndexOfMaxPack", "Thrust", [](Data& d) {
    const std::int64_t packed =
        thrust::transform_reduce(policy, Index(0), Index(static_cast<std::int32_t>(d.n)), PackedAt{d.tied},
                                 INT64_MIN, thrust::maximum<std::int64_t>());
    d.results[0] = static_cast<std::int32_t>(packed >> 32);
    d.results[1] = static_cast<std::int32_t>(~static_cast<std::uint32_t>(packed));
  });
  add("Reduce2x2MM", "CUB scan", [](Data& d) {
    std::uint32_t s = seed_2x2;
    for (int k = 0; k < products_2x2; ++k)
      s = ordered_reduce<std::uint32_t>(d.small, d.n, Lift2x2{s}, Multiply2x2());
    d.results[0] = s;
  });
  add("MSSP", "CUB scan", [](Data& d) {
    const Segment all = ordered_reduce<Segment>(d.small, d.n, LiftSegment(), JoinSegments());
    d.results[0] = all.best;
    d.results[1] = all.prefix;
    d.results[2] = all.suffix;
    d.results[3] = all.total;
  });
  add("ScanPlus", "CUB", [](Data& d) {
    std::size_t bytes = 0;
    check(cub::DeviceScan::InclusiveSum(nullptr, bytes, d.small, d.out_ints, d.n));
    check(cub::DeviceScan::InclusiveSum(scratch(1, bytes), bytes, d.small, d.out_ints, d.n));
  });
  add("RedomapNT", "Thrust", [](Data& d) {
    const Extent all =
        thrust::transform_reduce(policy, Index(0), Index(static_cast<std::int32_t>(d.n)),
                                 RedomapAt{8.f / static_cast<float>(d.n), redomap_scale, d.out, d.out2},
                                 Extent{0, 3e38f, -3e38f}, JoinExtents());
    d.results[0] = all.sum;
    d.results[1] = all.least;
    d.results[2] = all.most;
  });
  add("FilterEven", "CUB", [](Data& d) {
    auto* const n_kept = static_cast<std::int64_t*>(scratch(0, sizeof(std::int64_t)));
    std::size_t bytes = 0;
    check(cub::DeviceSelect::If(nullptr, bytes, d.small, d.out_ints, n_kept, d.n, IsEven()));
    check(cub::DeviceSelect::If(scratch(1, bytes), bytes, d.small, d.out_ints, n_kept, d.n, IsEven()));
    d.results[0] = static_cast<double>(read(n_kept));
  });
  add("Sort", "Thrust", [](Data& d) {  // which sorts in place, the copy is within the time
    thrust::copy(policy, d.unsorted, d.unsorted + d.n, d.out_ints);
    thrust::sort(policy, d.out_ints, d.out_ints + d.n);
  });
}

}  // namespace bench::gpu
