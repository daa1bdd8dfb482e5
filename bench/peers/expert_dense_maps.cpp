// Hand-written maps and stencils of variants at the speed of memory.
#include <utility>

#include "peers/dense_functions.h"
#include "peers/expert_lanes.h"

namespace bench {
namespace {

template <class T>
using One = std::array<Lanes<T>, 1>;

template <bool non_temporal>
void saxpy_f64(Data& d) {
  map_lanes<non_temporal>(d.n, std::array{d.out_f64}, [&](std::int64_t i) {
    return One<double>{double{saxpy_alpha} * load(d.x_f64 + i) + load(d.y_f64 + i)};
  });
}
template <bool non_temporal>
void saxpy_i32(Data& d) {
  map_lanes<non_temporal>(d.n, std::array{d.out_ints}, [&](std::int64_t i) {
    return One<std::int32_t>{saxpy_factor * load(d.small + i) + load(d.tied + i)};
  });
}
template <bool non_temporal>
void saxpy_complex(Data& d) {
  map_lanes<non_temporal>(d.n, std::array{d.out, d.out2}, [&](std::int64_t i) {
    const Lanes<float> x = load(d.x + i), y = load(d.y + i);
    return std::array{saxpy_real * x - saxpy_imaginary * y + load(d.z + i),
                      saxpy_real * y + saxpy_imaginary * x + load(d.mass + i)};
  });
}

// Elements k .. of two vectors that lie side by side: cheaper than loads that cross cache lines.
template <int k, class T>
Lanes<T> window(Lanes<T> low, Lanes<T> high) {
  constexpr int words = k * static_cast<int>(sizeof(T)) / 4;
  if constexpr (words == 0) {
    return low;
  } else if constexpr (words >= 16) {
    return high;
  } else {
    return reinterpret_cast<Lanes<T>>(
        _mm512_alignr_epi32(reinterpret_cast<Ints>(high), reinterpret_cast<Ints>(low), words));
  }
}
template <int n, class F>
void for_each_tap(F f) {
  [&]<int... k>(std::integer_sequence<int, k...>) {
    (f(std::integral_constant<int, k>()), ...);
  }(std::make_integer_sequence<int, n>());
}

template <bool non_temporal>
void moving_average(Data& d) {
  Lanes<double> weights[15];
  for (int k = 0; k < 15; ++k) weights[k] = all_lanes_of(static_cast<double>(d.weights[k]));
  map_lanes<non_temporal>(d.n - 14, std::array{d.out_f64}, [&](std::int64_t i) {
    const Lanes<double> x[3] = {load(d.x_f64 + i), load(d.x_f64 + i + 8), load(d.x_f64 + i + 16)};
    Lanes<double> sums[2] = {};
    for_each_tap<15>([&]<int k>(std::integral_constant<int, k>) {
      sums[k % 2] += weights[k] * window<k % 8, double>(x[k / 8], x[k / 8 + 1]);
    });
    return One<double>{sums[0] + sums[1]};
  });
}
template <bool non_temporal>
void moving_maximum(Data& d) {
  map_lanes<non_temporal>(d.n - 6, std::array{d.out_ints}, [&](std::int64_t i) {
    const Lanes<std::int32_t> low = load(d.small + i), high = load(d.small + i + 16);
    Lanes<std::int32_t> most = low;
    for_each_tap<7>([&]<int k>(std::integral_constant<int, k>) {
      most = __builtin_elementwise_max(most, window<k, std::int32_t>(low, high));
    });
    return One<std::int32_t>{most};
  });
}
template <bool non_temporal>
void limited_slopes(Data& d) {
  map_lanes<non_temporal>(d.n - 2, std::array{d.out}, [&](std::int64_t i) {
    using F = Lanes<float>;
    const F left = load(d.x + i), next = load(d.x + i + 16);
    const F middle = window<1, float>(left, next), right = window<2, float>(left, next);
    const F a = middle - left, b = right - middle;
    const F smaller = __builtin_elementwise_abs(a) < __builtin_elementwise_abs(b) ? a : b;
    return One<float>{a * b <= 0.f ? F{} : smaller};
  });
}

// f of a pointer to an inner point gives those from there on; the boundary is copied.
template <bool non_temporal, class T, class F>
void stencil(std::int64_t side, const T* x, T* out, F f) {
  const auto rows = [x, out, side, f](std::int64_t first, std::int64_t last) {
    const std::int64_t n = side;  // copies, which no store can change
    const F at = f;
    for (std::int64_t i = first; i < last; ++i) {
      const T* p = x + i * n;
      T* to = out + i * n;
      if (i == 0 || i == n - 1) {
        std::memcpy(to, p, static_cast<std::size_t>(n) * sizeof(T));
        continue;
      }
      to[0] = p[0];
      std::int64_t j = 1;
      // From the first whole cache line on: of the rows then only neighbours in a row cross lines.
      const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to + 1) % 64 / sizeof(T));
      const std::int64_t count = std::min((n_lanes<T> - past) % n_lanes<T>, n - 2);
      store_first(to + j, count, at(p + j));
      j += count;
#pragma unroll(4)
      for (; j + n_lanes<T> <= n - 1; j += n_lanes<T>) store<non_temporal>(to + j, at(p + j));
      if (j < n - 1) store_first(to + j, n - 1 - j, at(p + j));
      to[n - 1] = p[n - 1];
    }
    if (non_temporal) _mm_sfence();
  };
  if (side * side < serial_below) return rows(0, side);
#pragma omp parallel
  {
    const std::int64_t t = omp_get_thread_num(), team = omp_get_num_threads();
    rows(side * t / team, side * (t + 1) / team);
  }
}
template <bool non_temporal>
void jacobi(Data& d) {
  const std::int64_t n = d.side;
  stencil<non_temporal>(n, d.x_f64, d.out_f64, [n](const double* p) {
    return 0.2 * (load(p) + load(p - n) + load(p + n) + (load(p - 1) + load(p + 1)));
  });
}
template <bool non_temporal>
void nine_points(Data& d) {
  const std::int64_t n = d.side;
  stencil<non_temporal>(n, d.x, d.out, [n](const float* p) {
    const Lanes<float> edges = (load(p - n) + load(p + n)) + (load(p - 1) + load(p + 1));
    const Lanes<float> corners = (load(p - n - 1) + load(p - n + 1)) + (load(p + n - 1) + load(p + n + 1));
    return 0.25f * load(p) + (0.125f * edges + 0.0625f * corners);
  });
}
template <bool non_temporal>
void dilation(Data& d) {
  const std::int64_t n = d.side;
  stencil<non_temporal>(n, d.small, d.out_ints, [n](const std::int32_t* p) {
    const auto rows = __builtin_elementwise_max(load(p - n), load(p + n));
    const auto columns = __builtin_elementwise_max(load(p - 1), load(p + 1));
    return __builtin_elementwise_max(load(p), __builtin_elementwise_max(rows, columns));
  });
}

}  // namespace

void add_expert_dense_maps(Peers& peers) {
  auto add = [&](const char* benchmark, Run run, Run non_temporal) {
    peers.add(benchmark, "omp-expert", run);
    peers.add(benchmark, "omp-expert-nt", non_temporal);
  };
  add("SAXPY-f64", saxpy_f64<false>, saxpy_f64<true>);
  add("SAXPY-i32", saxpy_i32<false>, saxpy_i32<true>);
  add("SAXPY-complex", saxpy_complex<false>, saxpy_complex<true>);
  add("WMA15-f64", moving_average<false>, moving_average<true>);
  add("WMA15-max7", moving_maximum<false>, moving_maximum<true>);
  add("WMA15-minmod", limited_slopes<false>, limited_slopes<true>);
  add("Jacobi2D-f64", jacobi<false>, jacobi<true>);
  add("Jacobi2D-nine", nine_points<false>, nine_points<true>);
  add("Jacobi2D-dilation", dilation<false>, dilation<true>);
}

}  // namespace bench
