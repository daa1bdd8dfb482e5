// "serial": definitions of the variants of redomaps, maps and stencils with other operators, element types
// and tuple shapes; where rounding matters the reference computes in doubles.
#include "peers/dense_functions.h"

namespace bench {
namespace {

void redomap_f64(Data& d) {
  const double a = 8. / static_cast<double>(d.n), b = redomap_scale;
  double sum = 0, least = std::numeric_limits<double>::infinity(), most = -least;
  for (std::int64_t i = 0; i < d.n; ++i) {
    const double x = redomap_f(static_cast<double>(i) * a), y = redomap_g(x * b);
    sum += x + y;
    least = std::min(least, x);
    most = std::max(most, y);
    d.out_f64[i] = x * a;
    d.out2_f64[i] = y * b;
  }
  d.results[0] = sum;
  d.results[1] = least;
  d.results[2] = most;
}

void redomap_i32(Data& d) {
  std::int32_t sum = 0, most = std::numeric_limits<std::int32_t>::min(), parity = 0;
  for (std::int64_t i = 0; i < d.n; ++i) {
    const std::int32_t x = 3 * d.small[i] + 1, y = x * x - d.small[i];
    sum += x;
    most = std::max(most, y);
    parity ^= x;
    d.out_ints[i] = x;
    d.out_ints2[i] = y;
  }
  d.results[0] = sum;
  d.results[1] = most;
  d.results[2] = parity;
}

void black_scholes_f64(Data& d) {
  for (std::int64_t i = 0; i < d.n; ++i)
    black_scholes(static_cast<double>(d.spot[i]), static_cast<double>(d.strike[i]),
                  static_cast<double>(d.years[i]), d.out_f64[i], d.out2_f64[i]);
}

void greeks_map(Data& d) {
  for (std::int64_t i = 0; i < d.n; ++i) {
    const Greeks g = greeks(d.spot[i], d.strike[i], d.years[i]);
    d.out[i] = g.delta;
    d.out2[i] = g.gamma;
    d.out3[i] = g.vega;
  }
}

template <class Sum>
void black_scholes_pair(Data& d) {
  Sum calls = 0, puts = 0;
  const float per_day = 1.f / static_cast<float>(d.n);
  for (std::int64_t i = 0; i < d.n; ++i) {
    const float t = static_cast<float>(i + 1) * per_day;
    float call, put;
    black_scholes(58.f + 4.f * t, 65.f, 10.f * t, call, put);
    calls += call;
    puts += put;
  }
  d.results[0] = calls;
  d.results[1] = puts;
}

void saxpy_f64(Data& d) {
  for (std::int64_t i = 0; i < d.n; ++i) d.out_f64[i] = double{saxpy_alpha} * d.x_f64[i] + d.y_f64[i];
}

void saxpy_i32(Data& d) {
  for (std::int64_t i = 0; i < d.n; ++i) d.out_ints[i] = saxpy_factor * d.small[i] + d.tied[i];
}

void saxpy_complex(Data& d) {
  for (std::int64_t i = 0; i < d.n; ++i) {
    d.out[i] = saxpy_real * d.x[i] - saxpy_imaginary * d.y[i] + d.z[i];
    d.out2[i] = saxpy_real * d.y[i] + saxpy_imaginary * d.x[i] + d.mass[i];
  }
}

void dot_f64(Data& d) {
  double sum = 0;
  for (std::int64_t i = 0; i < d.n; ++i) sum += d.x_f64[i] * d.y_f64[i];
  d.results[0] = sum;
}

void dot_i64(Data& d) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < d.n; ++i) sum += std::int64_t{d.small[i]} * d.tied[i];
  d.results[0] = static_cast<double>(sum);
}

template <class Sum>
void dot_complex(Data& d) {
  Sum real = 0, imaginary = 0;
  for (std::int64_t i = 0; i < d.n; ++i) {
    const Sum a = d.x[i], b = d.y[i], p = d.z[i], q = d.mass[i];
    real += a * p - b * q;
    imaginary += a * q + b * p;
  }
  d.results[0] = real;
  d.results[1] = imaginary;
}

void rmse_f64(Data& d) {
  double sum = 0;
  for (std::int64_t i = 0; i < d.n; ++i) sum += (d.x_f64[i] - d.y_f64[i]) * (d.x_f64[i] - d.y_f64[i]);
  d.results[0] = std::sqrt(sum / static_cast<double>(d.n));
}

template <class Sum>
void absolute_error(Data& d) {
  Sum sum = 0;
  for (std::int64_t i = 0; i < d.n; ++i) sum += std::fabs(d.x[i] - d.y[i]);
  d.results[0] = sum / static_cast<Sum>(d.n);
}

template <class Sum>
void largest_error(Data& d) {
  Sum squares = 0;
  float largest = 0;
  for (std::int64_t i = 0; i < d.n; ++i) {
    const float difference = d.x[i] - d.y[i];
    largest = std::max(largest, std::fabs(difference));
    squares += static_cast<Sum>(difference) * difference;
  }
  d.results[0] = largest;
  d.results[1] = squares / static_cast<Sum>(d.n);
}

void moving_average_f64(Data& d) {
  for (std::int64_t i = 0; i + 14 < d.n; ++i) {
    double sum = 0;
    for (int k = 0; k < 15; ++k) sum += static_cast<double>(d.weights[k]) * d.x_f64[i + k];
    d.out_f64[i] = sum;
  }
}

void moving_maximum(Data& d) {
  for (std::int64_t i = 0; i + 6 < d.n; ++i) d.out_ints[i] = *std::max_element(d.small + i, d.small + i + 7);
}

void limited_slopes(Data& d) {
  for (std::int64_t i = 0; i + 2 < d.n; ++i) d.out[i] = minmod(d.x[i + 1] - d.x[i], d.x[i + 2] - d.x[i + 1]);
}

// f of a pointer to each inner point; those of the boundary stay as they are.
template <class T, class F>
void stencil(std::int64_t n, const T* x, T* out, F f) {
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const T* p = x + i * n + j;
      const bool boundary = i == 0 || j == 0 || i == n - 1 || j == n - 1;
      out[i * n + j] = boundary ? *p : f(p);
    }
}

void jacobi_f64(Data& d) {
  const std::int64_t n = d.side;
  stencil(n, d.x_f64, d.out_f64, [n](const double* p) { return 0.2 * (p[0] + p[-n] + p[n] + p[-1] + p[1]); });
}

void nine_points(Data& d) {
  const std::int64_t n = d.side;
  stencil(n, d.x, d.out, [n](const float* p) {
    const float edges = p[-n] + p[n] + p[-1] + p[1], corners = p[-n - 1] + p[-n + 1] + p[n - 1] + p[n + 1];
    return 0.25f * p[0] + 0.125f * edges + 0.0625f * corners;
  });
}

void dilation(Data& d) {
  const std::int64_t n = d.side;
  stencil(n, d.small, d.out_ints,
          [n](const std::int32_t* p) { return std::max({p[0], p[-n], p[n], p[-1], p[1]}); });
}

}  // namespace

void add_serial_dense_map_variants(Peers& peers) {
  auto add = [&](const char* benchmark, Run timed, Run reference = nullptr) {
    peers.add(benchmark, reference_name, reference ? reference : timed);
    peers.add(benchmark, "serial", timed);
  };
  add("RedomapNT-f64", redomap_f64);
  add("RedomapNT-i32", redomap_i32);
  add("BlackScholesMap-f64", black_scholes_f64);
  add("BlackScholesMap-greeks", greeks_map);
  add("BlackScholesSum-pair", black_scholes_pair<float>, black_scholes_pair<double>);
  add("SAXPY-f64", saxpy_f64);
  add("SAXPY-i32", saxpy_i32);
  add("SAXPY-complex", saxpy_complex);
  add("SDOT-f64", dot_f64);
  add("SDOT-i64", dot_i64);
  add("SDOT-complex", dot_complex<float>, dot_complex<double>);
  add("RMSE-f64", rmse_f64);
  add("RMSE-absolute", absolute_error<float>, absolute_error<double>);
  add("RMSE-largest", largest_error<float>, largest_error<double>);
  add("WMA15-f64", moving_average_f64);
  add("WMA15-max7", moving_maximum);
  add("WMA15-minmod", limited_slopes);
  add("Jacobi2D-f64", jacobi_f64);
  add("Jacobi2D-nine", nine_points);
  add("Jacobi2D-dilation", dilation);
}

}  // namespace bench
