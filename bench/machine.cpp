// What the machine can do: arithmetic of f32 with AVX-512, bandwidth over sizes of working sets, and what
// starting threads costs with each run time. Numbers of different runs are not comparable on a shared
// machine: the limits that peers are held against are measured beside them (peers/limit.cpp).
#include <immintrin.h>
#include <omp.h>
#include <sys/mman.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "environment.h"
#include "stopwatch.h"

namespace {

using bench::median, bench::now_us, bench::time_us;
using Floats = __m512;

template <class F>
double median_us(F f, double for_ms = 60) {
  f();
  f();
  std::vector<double> samples;
  const double until = now_us() + for_ms * 1000;
  while (samples.size() < 5 || (now_us() < until && samples.size() < 20000)) samples.push_back(time_us(f));
  return median(samples);
}

template <class F>
double median_after_idle_us(F f) {
  std::vector<double> samples;
  for (int call = 0; call < 60; ++call) {
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
    samples.push_back(time_us(f));
  }
  return median(samples);
}

double multiply_adds(long trips) {
  constexpr int chains = 16;
  Floats sums[chains];
  for (int u = 0; u < chains; ++u) sums[u] = _mm512_set1_ps(static_cast<float>(u));
  const Floats factor = _mm512_set1_ps(0.999f), term = _mm512_set1_ps(0.001f);
  for (long trip = 0; trip < trips; ++trip) {
    for (Floats& sum : sums) sum = _mm512_fmadd_ps(sum, factor, term);
    for (Floats& sum : sums) asm volatile("" : "+v"(sum));
  }
  for (int u = 1; u < chains; ++u) sums[0] = _mm512_add_ps(sums[0], sums[u]);
  return _mm512_reduce_add_ps(sums[0]);
}

void arithmetic() {
  constexpr long trips = 1000000;
  volatile double sink = 0;
  const double one = median_us([&] { sink = multiply_adds(trips); }, 300);
  const int threads = omp_get_max_threads();
  const double all = median_us(
      [&] {
#pragma omp parallel
        {
          volatile double sum = multiply_adds(trips);
          (void)sum;
        }
      },
      300);
  const double flops = trips * 16.0 * 32;
  std::printf("f32 multiply-add: %.1f GFLOP/s on 1 thread, %.1f on %d\n", flops / one / 1e3,
              flops * threads / all / 1e3, threads);
  const double adds = median_us(
      [&] {
        long x = 0;
        for (long i = 0; i < 10000000; ++i) asm volatile("add $1,%0" : "+r"(x));
        sink = static_cast<double>(x);
      },
      200);
  std::printf("clock (dependent additions): %.2f GHz\n\n", 1e7 / adds / 1e3);
}

float* allocate(std::size_t bytes) {
  constexpr std::size_t page = std::size_t{2} << 20;
  void* memory = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  if (!memory) std::abort();
  madvise(memory, bytes, MADV_HUGEPAGE);
  std::memset(memory, 1, bytes);
  return static_cast<float*>(memory);
}

template <bool non_temporal>
void store(float* p, Floats v) {
  if (non_temporal) {
    _mm512_stream_ps(p, v);
  } else {
    _mm512_store_ps(p, v);
  }
}

template <bool non_temporal>
void copy(const float* a, float* b, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; i += 64)
    for (std::size_t u = 0; u < 64; u += 16) store<non_temporal>(b + i + u, _mm512_load_ps(a + i + u));
  if (non_temporal) _mm_sfence();
}

void read(const float* a, std::size_t first, std::size_t last) {
  static volatile float sink[1024];
  Floats sums[8];
  for (Floats& sum : sums) sum = _mm512_setzero_ps();
  for (std::size_t i = first; i < last; i += 128)
    for (std::size_t u = 0; u < 8; ++u) sums[u] = _mm512_add_ps(sums[u], _mm512_load_ps(a + i + 16 * u));
  for (int u = 1; u < 8; ++u) sums[0] = _mm512_add_ps(sums[0], sums[u]);
  sink[omp_get_thread_num() % 64 * 16] = _mm512_reduce_add_ps(sums[0]);
}

void bandwidth() {
  const std::size_t largest = std::size_t{256} << 20;
  float *a = allocate(largest), *b = allocate(largest);
  std::printf(
      "| KiB an array | threads | read GB/s | copy | copy, non-temporal |\n|---:|---:|---:|---:|---:|\n");
  for (std::size_t bytes = 256u << 10; bytes <= largest; bytes *= 4)
    for (int threads : {1, omp_get_max_threads()}) {
      const std::size_t n = bytes / sizeof(float);
      auto run = [&](auto body) {
        return median_us([&] {
#pragma omp parallel num_threads(threads)
          {
            const std::size_t piece = n / static_cast<std::size_t>(threads) / 128 * 128;
            const std::size_t first = static_cast<std::size_t>(omp_get_thread_num()) * piece;
            body(first, first + piece);
          }
        });
      };
      const double reading = run([&](std::size_t first, std::size_t last) { read(a, first, last); });
      const double copying =
          run([&](std::size_t first, std::size_t last) { copy<false>(a, b, first, last); });
      const double streaming =
          run([&](std::size_t first, std::size_t last) { copy<true>(a, b, first, last); });
      const auto size = static_cast<double>(bytes);
      std::printf("| %zu | %d | %.1f | %.1f | %.1f |\n", bytes >> 10, threads, size / reading / 1e3,
                  2 * size / copying / 1e3, 2 * size / streaming / 1e3);
      std::fflush(stdout);
    }
  std::free(a);
  std::free(b);
}

// One store to start and one to finish: the least that a second thread can cost.
class SpinningThread {
 public:
  ~SpinningThread() {
    stop_ = true;
    thread_.join();
  }
  void run() {
    const int call = started_.load(std::memory_order_relaxed) + 1;
    started_.store(call, std::memory_order_release);
    while (finished_.load(std::memory_order_acquire) != call) _mm_pause();
  }

 private:
  std::atomic<int> started_{0}, finished_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_{[this] {
    for (int call = 0; !stop_.load(std::memory_order_relaxed);) {
      if (started_.load(std::memory_order_acquire) == call) {
        _mm_pause();
      } else {
        finished_.store(++call, std::memory_order_release);
      }
    }
  }};
};

void thread_starts() {
  auto openmp = [] {
#pragma omp parallel
    asm volatile("");
  };
  auto tbb = [] { tbb::parallel_for(0, 2, [](int) { asm volatile(""); }, tbb::static_partitioner()); };
  std::printf("\n| starting threads | hot us | after idling us |\n|---|---:|---:|\n");
  std::printf("| OpenMP | %.3f | %.3f |\n", median_us(openmp), median_after_idle_us(openmp));
  std::printf("| oneTBB, static | %.3f | %.3f |\n", median_us(tbb), median_after_idle_us(tbb));
  std::printf("| std::thread | %.3f | |\n", median_us([] { std::thread([] {}).join(); }));
  SpinningThread spinning;
  std::printf("| one spinning thread | %.3f | |\n", median_us([&] { spinning.run(); }));
}

}  // namespace

int main(int, char** arguments) {
  bench::restart_with_environment(arguments);
  arithmetic();
  bandwidth();
  thread_starts();
}
