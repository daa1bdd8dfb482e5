// Variants of reductions and scans as Fulgurite's users write them: other operators, element
// types and tuple shapes. Definitions: peers/serial_dense_variants.cpp.
#pragma once

#include "peers/dense_functions.h"
#include "programs.h"

namespace bench {

// Reductions.

inline Exp<double> sum_f64(Vec<double> xs) {
  return fg::sum(xs);
}
inline Exp<fg::i64> sum_of_squares(Vec<int> xs) {
  auto wide = fg::cast<fg::i64>(xs);
  return fg::sum(wide * wide);
}
inline Exp<Moments> moments(Vec<int> xs) {
  auto lift = [](Exp<int> x) {
    auto real = fg::cast<double>(x);
    return fg::make<Moments>(fg::cast<int>(x > 0), fg::cast<fg::i64>(x), real * real);
  };
  auto add = [](Exp<Moments> a, Exp<Moments> b) {
    auto [a_positive, a_sum, a_squares] = a;
    auto [b_positive, b_sum, b_squares] = b;
    return fg::make<Moments>(a_positive + b_positive, a_sum + b_sum, a_squares + b_squares);
  };
  return fg::reduce(add, Moments{0, 0, 0}, fg::map(lift, xs));
}

inline Exp<float> max_f32(Vec<float> xs) {
  return fg::max(xs);
}
inline Exp<double> min_f64(Vec<double> xs) {
  return fg::min(xs);
}
inline Exp<Extent> extent(Vec<int> xs) {
  auto lift = [](Exp<int> x) { return fg::make<Extent>(x, x); };
  auto around = [](Exp<Extent> a, Exp<Extent> b) {
    auto [a_least, a_most] = a;
    auto [b_least, b_most] = b;
    return fg::make<Extent>(fg::min(a_least, b_least), fg::max(a_most, b_most));
  };
  return fg::reduce(around, fg::map(lift, xs));
}

using PlaceOfFloat = std::pair<float, int>;  // value, index

inline Exp<PlaceOfFloat> index_of_min_f32(Vec<float> xs) {
  auto smaller_then_first = [](Exp<PlaceOfFloat> a, Exp<PlaceOfFloat> b) {
    auto [a_value, a_index] = a;
    auto [b_value, b_index] = b;
    return fg::select(b_value < a_value || (a_value == b_value && b_index < a_index), b, a);
  };
  auto places = fg::map([](Exp<float> value, Exp<int> index) { return fg::make<PlaceOfFloat>(value, index); },
                        xs, fg::iota<int>(xs.size()));
  const PlaceOfFloat none{std::numeric_limits<float>::infinity(), std::numeric_limits<int>::max()};
  return fg::reduce_comm(smaller_then_first, none, places);
}
inline std::tuple<Exp<double>, Exp<fg::i64>> index_of_max_f64(Vec<double> xs) {
  auto at = fg::argmax(xs);
  return {xs[at], at};
}
inline Exp<Extremes> extremes(Vec<int> xs) {
  auto lift = [](Exp<int> x, Exp<int> i) { return fg::make<Extremes>(x, i, x, i); };
  auto beyond = [](Exp<Extremes> a, Exp<Extremes> b) {
    auto [a_most, a_most_at, a_least, a_least_at] = a;
    auto [b_most, b_most_at, b_least, b_least_at] = b;
    auto larger = b_most > a_most || (b_most == a_most && b_most_at < a_most_at);
    auto smaller = b_least < a_least || (b_least == a_least && b_least_at < a_least_at);
    return fg::make<Extremes>(fg::select(larger, b_most, a_most), fg::select(larger, b_most_at, a_most_at),
                              fg::select(smaller, b_least, a_least),
                              fg::select(smaller, b_least_at, a_least_at));
  };
  return fg::reduce_comm(beyond, fg::map(lift, xs, fg::iota<int>(xs.size())));
}

inline Exp<fg::u64> index_of_min_packed(Vec<float> xs) {
  auto packed = [](Exp<float> x, Exp<fg::u64> index) {
    auto bits = fg::bitcast<fg::u32>(x);
    auto sign = fg::cast<fg::u32>(fg::bitcast<int>(x) >> 31);
    auto ordered = bits ^ (sign | 0x80000000u);
    return (fg::cast<fg::u64>(ordered) << 32) | index;
  };
  return fg::min(fg::map(packed, xs, fg::iota<fg::u64>(xs.size())));
}
inline Exp<fg::i64> payload_of_max(Vec<int> keys, Vec<int> payloads) {
  return fg::max((fg::cast<fg::i64>(keys) << 32) | fg::cast<fg::i64>(fg::cast<fg::u32>(payloads)));
}
inline Exp<fg::u32> block_of_max(Vec<fg::u16> xs) {
  auto blocks = fg::cast<fg::u32>(~(fg::iota(xs.size()) >> 16) & 0xFFFF);
  return fg::max((fg::cast<fg::u32>(xs) << 16) | blocks);
}

inline Exp<Affine> compose(Vec<int> xs) {
  auto lift = [](Exp<int> x) {
    auto bits = fg::cast<fg::u32>(x);
    return fg::make<Affine>(2 * bits + 1, bits);
  };
  auto after = [](Exp<Affine> first, Exp<Affine> second) {
    auto [first_factor, first_summand] = first;
    auto [second_factor, second_summand] = second;
    return fg::make<Affine>(first_factor * second_factor, first_summand * second_factor + second_summand);
  };
  return fg::reduce(after, Affine{1, 0}, fg::map(lift, xs));
}
inline Exp<Quaternion<float>> rotate(Vec<float> xs) {
  using Q = Quaternion<float>;
  auto lift = [](Exp<float> x) {
    return fg::make<Q>(1.f, (x - 0.5f) * 1e-3f, (x * x - 1.f / 3) * 1e-3f, (x * x * x - 0.25f) * 1e-3f);
  };
  auto multiply = [](Exp<Q> p, Exp<Q> q) {
    auto [pw, px, py, pz] = p;
    auto [qw, qx, qy, qz] = q;
    return fg::make<Q>(pw * qw - px * qx - py * qy - pz * qz, pw * qx + px * qw + py * qz - pz * qy,
                       pw * qy - px * qz + py * qw + pz * qx, pw * qz + px * qy - py * qx + pz * qw);
  };
  return fg::reduce(multiply, Q{1, 0, 0, 0}, fg::map(lift, xs));
}

inline Exp<RealSegment<float>> maximum_segment_sum_f32(Vec<float> xs) {
  using S = RealSegment<float>;
  auto lift = [](Exp<float> x) {
    auto p = fg::max(x - 0.5f, 0.f);
    return fg::make<S>(p, p, p, x - 0.5f);
  };
  auto join = [](Exp<S> a, Exp<S> b) {
    auto [a_best, a_prefix, a_suffix, a_total] = a;
    auto [b_best, b_prefix, b_suffix, b_total] = b;
    return fg::make<S>(fg::max(fg::max(a_best, b_best), a_suffix + b_prefix),
                       fg::max(a_prefix, a_total + b_prefix), fg::max(b_suffix, a_suffix + b_total),
                       a_total + b_total);
  };
  return fg::reduce(join, S{0, 0, 0, 0}, fg::map(lift, xs));
}
inline Exp<Stretch> longest_run(Vec<int> xs) {
  auto lift = [](Exp<int> x) {
    auto one = fg::cast<int>(x > 0);
    return fg::make<Stretch>(one, one, one, 1);
  };
  auto join = [](Exp<Stretch> a, Exp<Stretch> b) {
    auto [a_best, a_prefix, a_suffix, a_length] = a;
    auto [b_best, b_prefix, b_suffix, b_length] = b;
    return fg::make<Stretch>(fg::max(fg::max(a_best, b_best), a_suffix + b_prefix),
                             fg::select(a_prefix == a_length, a_length + b_prefix, a_prefix),
                             fg::select(b_suffix == b_length, b_length + a_suffix, b_suffix),
                             a_length + b_length);
  };
  return fg::reduce(join, Stretch{0, 0, 0, 0}, fg::map(lift, xs));
}

// Scans.

inline Vec<double> scan_f64(Vec<double> xs) {
  return fg::scan(fg::plus, 0., xs);
}
inline Vec<float> recurrence(Vec<float> weights, Vec<float> xs) {
  using Line = std::tuple<float, float>;  // a y + b, composed
  auto after = [](Exp<Line> f, Exp<Line> g) {
    auto [fa, fb] = f;
    auto [ga, gb] = g;
    return std::tuple{fa * ga, fb * ga + gb};
  };
  auto [a, b] = fg::unzip(fg::scan(after, Line{1.f, 0.f}, fg::zip(1.f - 1e-3f * weights, xs)));
  return b;
}

}  // namespace bench
