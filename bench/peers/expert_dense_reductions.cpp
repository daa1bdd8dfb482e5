// Hand-written reductions of variants: sums by the vectoriser, places of extremes in lanes.
#include "peers/dense_functions.h"
#include "peers/expert_lanes.h"

namespace bench {
namespace {

template <class T, class F>
T sum(std::int64_t n, F f) {
  return fold_parts(
      n, T(0),
      [&](std::int64_t first, std::int64_t last) {
        T all = 0;
#pragma omp simd reduction(+ : all)
        for (std::int64_t i = first; i < last; ++i) all += f(i);
        return all;
      },
      [](T a, T b) { return a + b; });
}
template <class T, class F>
T least(std::int64_t n, T none, F f) {
  return fold_parts(
      n, none,
      [&](std::int64_t first, std::int64_t last) {
        T all = none;
#pragma omp simd reduction(min : all)
        for (std::int64_t i = first; i < last; ++i) all = std::min<T>(all, f(i));
        return all;
      },
      [](T a, T b) { return std::min(a, b); });
}
template <class T, class F>
T most(std::int64_t n, T none, F f) {
  return fold_parts(
      n, none,
      [&](std::int64_t first, std::int64_t last) {
        T all = none;
#pragma omp simd reduction(max : all)
        for (std::int64_t i = first; i < last; ++i) all = std::max<T>(all, f(i));
        return all;
      },
      [](T a, T b) { return std::max(a, b); });
}

void moments(Data& d) {
  const Moments all = fold_parts(
      d.n, Moments{0, 0, 0},
      [&](std::int64_t first, std::int64_t last) {
        std::int32_t positive = 0;
        std::int64_t sum = 0;
        double squares = 0;
#pragma omp simd reduction(+ : positive, sum, squares)
        for (std::int64_t i = first; i < last; ++i) {
          const double x = d.small[i];
          positive += d.small[i] > 0;
          sum += d.small[i];
          squares += x * x;
        }
        return Moments{positive, sum, squares};
      },
      [](Moments a, Moments b) {
        return Moments{a.positive + b.positive, a.sum + b.sum, a.squares + b.squares};
      });
  d.results[0] = all.positive;
  d.results[1] = static_cast<double>(all.sum);
  d.results[2] = all.squares;
}

void extent(Data& d) {
  const Extent all = fold_parts(
      d.n, Extent{INT32_MAX, INT32_MIN},
      [&](std::int64_t first, std::int64_t last) {
        std::int32_t least = INT32_MAX, most = INT32_MIN;
#pragma omp simd reduction(min : least) reduction(max : most)
        for (std::int64_t i = first; i < last; ++i) {
          least = std::min(least, d.tied[i]);
          most = std::max(most, d.tied[i]);
        }
        return Extent{least, most};
      },
      [](Extent a, Extent b) { return Extent{std::min(a.least, b.least), std::max(a.most, b.most)}; });
  d.results[0] = all.least;
  d.results[1] = all.most;
}

// A value and its index, of the size of the value: the comparisons' lanes choose both.
template <class T, class Index>
struct Spot {
  T value;
  Index at;
};
template <bool greatest, class T, class Index>
bool precedes(Spot<T, Index> a, Spot<T, Index> b) {
  if (a.value != b.value) return greatest ? a.value > b.value : a.value < b.value;
  return a.at < b.at;
}

// Each lane keeps the first of its best elements.
template <bool greatest, class T, class Index>
class Best {
 public:
  static constexpr Spot<T, Index> none{
      greatest ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max(),
      std::numeric_limits<Index>::max()};
  [[gnu::always_inline]] void step(Lanes<T> v, Lanes<Index> here) {
    const auto better = greatest ? v > value_ : v < value_;
    value_ = better ? v : value_;
    at_ = better ? here : at_;
  }
  void put_into(Spot<T, Index>& best) const {
    for (int l = 0; l < n_lanes<T>; ++l)
      if (const Spot<T, Index> own{value_[l], at_[l]}; precedes<greatest>(own, best)) best = own;
  }

 private:
  Lanes<T> value_ = all_lanes_of(none.value);
  Lanes<Index> at_ = all_lanes_of(none.at);
};

// Both directions at once, or one: the other one is not computed.
template <class T, class Index, bool greatest, bool other>
struct Spots {
  Spot<T, Index> best, worst;

  static Spots none() { return {Best<greatest, T, Index>::none, Best<!greatest, T, Index>::none}; }
  static Spots joined(Spots a, Spots b) {
    return {precedes<greatest>(b.best, a.best) ? b.best : a.best,
            precedes<!greatest>(b.worst, a.worst) ? b.worst : a.worst};
  }
  static Spots of_piece(const T* x, std::int64_t first, std::int64_t last) {
    constexpr std::int64_t step = n_lanes<T>, unroll = 4;
    Best<greatest, T, Index> best[unroll];
    Best<!greatest, T, Index> worst[unroll];
    Lanes<Index> here = all_lanes_of(static_cast<Index>(first));
    for (int l = 0; l < step; ++l) here[l] += l;
    std::int64_t i = first;
    for (; i + unroll * step <= last; i += unroll * step)
      for (int u = 0; u < unroll; ++u) {
        const Lanes<T> v = load(x + i + u * step);
        best[u].step(v, here);
        if (other) worst[u].step(v, here);
        here += static_cast<Index>(step);
      }
    Spots all = none();
    for (int u = 0; u < unroll; ++u) {
      best[u].put_into(all.best);
      if (other) worst[u].put_into(all.worst);
    }
    for (; i < last; ++i) {
      const Spot<T, Index> own{x[i], static_cast<Index>(i)};
      all = joined(all, {own, own});
    }
    return all;
  }
};
template <class Index, bool greatest, bool other, class T>
auto spots(const T* x, std::int64_t n) {
  using S = Spots<T, Index, greatest, other>;
  return fold_parts(
      n, S::none(), [&](std::int64_t first, std::int64_t last) { return S::of_piece(x, first, last); },
      S::joined);
}

void extremes(Data& d) {
  const auto all = spots<std::int32_t, true, true>(d.tied, d.n);
  d.results[0] = all.best.value;
  d.results[1] = all.best.at;
  d.results[2] = all.worst.value;
  d.results[3] = all.worst.at;
}

void index_of_min_packed(Data& d) {
  const std::uint64_t best = least(d.n, std::numeric_limits<std::uint64_t>::max(), [&](std::int64_t i) {
    return std::uint64_t{ordered_bits(d.x[i])} << 32 | static_cast<std::uint32_t>(i);
  });
  d.results[0] = of_ordered_bits(static_cast<std::uint32_t>(best >> 32));
  d.results[1] = static_cast<std::uint32_t>(best);
}

void payload_of_max(Data& d) {
  const std::int64_t best = most(d.n, INT64_MIN, [&](std::int64_t i) {
    return std::int64_t{d.tied[i]} << 32 | static_cast<std::uint32_t>(d.unsorted[i]);
  });
  d.results[0] = static_cast<std::int32_t>(best >> 32);
  d.results[1] = static_cast<std::uint32_t>(best);
}

void block_of_max(Data& d) {
  const std::uint32_t best = most(d.n, 0u, [&](std::int64_t i) {
    return static_cast<std::uint32_t>(d.any_u16[i]) << 16 | (~(static_cast<std::uint32_t>(i) >> 16) & 0xFFFF);
  });
  d.results[0] = best >> 16;
  d.results[1] = ~best & 0xFFFF;
}

void largest_error(Data& d) {
  struct Errors {
    float largest, squares;
  };
  const Errors all = fold_parts(
      d.n, Errors{0, 0},
      [&](std::int64_t first, std::int64_t last) {
        float largest = 0, squares = 0;
#pragma omp simd reduction(max : largest) reduction(+ : squares)
        for (std::int64_t i = first; i < last; ++i) {
          const float difference = d.x[i] - d.y[i];
          largest = std::max(largest, std::fabs(difference));
          squares += difference * difference;
        }
        return Errors{largest, squares};
      },
      [](Errors a, Errors b) { return Errors{std::max(a.largest, b.largest), a.squares + b.squares}; });
  d.results[0] = all.largest;
  d.results[1] = all.squares / static_cast<float>(d.n);
}

void dot_complex(Data& d) {
  struct Complex {
    float real, imaginary;
  };
  const Complex all = fold_parts(
      d.n, Complex{0, 0},
      [&](std::int64_t first, std::int64_t last) {
        float real = 0, imaginary = 0;
#pragma omp simd reduction(+ : real, imaginary)
        for (std::int64_t i = first; i < last; ++i) {
          real += d.x[i] * d.z[i] - d.y[i] * d.mass[i];
          imaginary += d.x[i] * d.mass[i] + d.y[i] * d.z[i];
        }
        return Complex{real, imaginary};
      },
      [](Complex a, Complex b) { return Complex{a.real + b.real, a.imaginary + b.imaginary}; });
  d.results[0] = all.real;
  d.results[1] = all.imaginary;
}

}  // namespace

void add_expert_dense_reductions(Peers& peers) {
  auto add = [&](const char* benchmark, Run run) { peers.add(benchmark, "omp-expert", run); };
  add("ReducePlus-f64",
      [](Data& d) { d.results[0] = sum<double>(d.n, [&](std::int64_t i) { return d.x_f64[i]; }); });
  add("ReducePlus-i64", [](Data& d) {
    d.results[0] = static_cast<double>(
        sum<std::int64_t>(d.n, [&](std::int64_t i) { return std::int64_t{d.small[i]} * d.small[i]; }));
  });
  add("ReducePlus-moments", moments);
  add("ReduceMax-f32", [](Data& d) {
    d.results[0] = most(d.n, std::numeric_limits<float>::lowest(), [&](std::int64_t i) { return d.x[i]; });
  });
  add("ReduceMax-f64", [](Data& d) {
    d.results[0] = least(d.n, std::numeric_limits<double>::max(), [&](std::int64_t i) { return d.x_f64[i]; });
  });
  add("ReduceMax-extent", extent);
  add("IndexOfMax-f32", [](Data& d) {
    const auto all = spots<std::int32_t, false, false>(d.x, d.n);
    d.results[0] = all.best.value;
    d.results[1] = all.best.at;
  });
  add("IndexOfMax-f64", [](Data& d) {
    const auto all = spots<std::int64_t, true, false>(d.x_f64, d.n);
    d.results[0] = all.best.value;
    d.results[1] = static_cast<double>(all.best.at);
  });
  add("IndexOfMax-extremes", extremes);
  add("IndexOfMaxPack-f32", index_of_min_packed);
  add("IndexOfMaxPack-payload", payload_of_max);
  add("IndexOfMaxPack-u16", block_of_max);
  add("SDOT-f64", [](Data& d) {
    d.results[0] = sum<double>(d.n, [&](std::int64_t i) { return d.x_f64[i] * d.y_f64[i]; });
  });
  add("SDOT-i64", [](Data& d) {
    d.results[0] = static_cast<double>(
        sum<std::int64_t>(d.n, [&](std::int64_t i) { return std::int64_t{d.small[i]} * d.tied[i]; }));
  });
  add("SDOT-complex", dot_complex);
  add("RMSE-f64", [](Data& d) {
    d.results[0] = std::sqrt(sum<double>(d.n,
                                         [&](std::int64_t i) {
                                           const double difference = d.x_f64[i] - d.y_f64[i];
                                           return difference * difference;
                                         }) /
                             static_cast<double>(d.n));
  });
  add("RMSE-absolute", [](Data& d) {
    d.results[0] =
        sum<float>(d.n, [&](std::int64_t i) { return std::fabs(d.x[i] - d.y[i]); }) / static_cast<float>(d.n);
  });
  add("RMSE-largest", largest_error);
}

}  // namespace bench
