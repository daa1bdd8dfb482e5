// Points that read by quotients and remainders of their index by small constants, and windows of neighbours
// that are a few elements apart, beside loops.
#include <fmt/format.h>
#include <fulgurite/fulgurite.h>

#include <algorithm>
#include <cmath>

#include "peers/interleaved.h"
#include "peers/nests.h"
#include "windows.h"

namespace bench {
namespace {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;
using Index = Exp<fg::i64>;
using Floats = std::vector<float>;
using Bytes = std::vector<std::uint8_t>;

void measure_floats(const Measure& measure) {
  constexpr std::int64_t n = 1 << 21, rows = 1024, columns = 2048;
  const Floats a = floats(n), b(a.rbegin(), a.rend());
  const fg::Array<float, 1> x(a), y(b);
  const auto interleave = fg::compile([](Vec<float> first, Vec<float> second) {
    return fg::generate(2 * first.size(), [=](Index i) {
      return fg::cond(i % 2 == 0, [&] { return first[i / 2]; }, [&] { return second[i / 2]; });
    });
  });
  floats_row<1>(
      measure, "interleaved arrays", 2 * n, [&] { return interleave(x, y); },
      [&](float* to) { omp_interleaved(n, a.data(), b.data(), to); });
  const auto haar = fg::compile([](Vec<float> sums, Vec<float> differences) {
    return fg::generate(2 * sums.size(), [=](Index i) {
      const auto s = sums[i / 2], d = differences[i / 2];
      return fg::select(i % 2 == 0, s + d, s - d);
    });
  });
  floats_row<1>(
      measure, "interleaved Haar step", 2 * n, [&] { return haar(x, y); },
      [&](float* to) { omp_haar(n, a.data(), b.data(), to); });
  const auto repeat =
      fg::compile([](Vec<float> v) { return fg::generate(3 * v.size(), [=](Index i) { return v[i / 3]; }); });
  floats_row<1>(
      measure, "interleaved repeat 3", 3 * n, [&] { return repeat(x); },
      [&](float* to) { omp_repeated(n, a.data(), to); });
  const fg::Array<float, 2> picture(a, {rows, columns});
  const auto enlarge = fg::compile([](Mat<float> m) {
    return fg::generate({2 * m.size(0), 2 * m.size(1)}, [=](Index i, Index j) { return m(i / 2, j / 2); });
  });
  floats_row<2>(
      measure, "interleaved pixels", 4 * n, [&] { return enlarge(picture); },
      [&](float* to) { omp_enlarged(rows, columns, a.data(), to); });
  Floats cosines, sines;
  for (std::int64_t k = 0; k < n / 2; ++k) {
    const float angle = a[static_cast<std::size_t>(k)];
    cosines.push_back(std::cos(angle)), sines.push_back(std::sin(angle));
  }
  const fg::Array<float, 2> c(cosines, {rows, columns / 2}), s(sines, {rows, columns / 2});
  const auto rotate = fg::compile([](Mat<float> m, Mat<float> cosine, Mat<float> sine) {
    return fg::generate({m.size(0), m.size(1)}, [=](Index i, Index j) {
      const auto first = m(i, j / 2 * 2), second = m(i, j / 2 * 2 + 1), by = cosine(i, j / 2),
                 to = sine(i, j / 2);
      return fg::select(j % 2 == 0, first * by - second * to, first * to + second * by);
    });
  });
  floats_row<2>(
      measure, "interleaved rotations", n, [&] { return rotate(picture, c, s); },
      [&](float* to) { omp_rotated(rows, columns, a.data(), cosines.data(), sines.data(), to); });
}

void measure_windows_apart(const Measure& measure) {
  constexpr std::int64_t n = 1 << 20, taps = 32, rows = 1024, columns = 2048;
  const Floats a = floats(std::max(3 * n + taps, rows * columns)), weights = floats(taps);
  const fg::Array<float, 1> x(Floats(a.begin(), a.begin() + 3 * n + taps)), w(weights);
  const auto filter = fg::compile([](Vec<float> signal, Vec<float> by) {
    return fg::generate((signal.size() - by.size()) / 3, [=](Index i) {
      return fg::sum(fg::generate(by.size(), [=](Index k) { return by[k] * signal[3 * i + k]; }));
    });
  });
  floats_row<1>(
      measure, "apart 3: 32 taps", n, [&] { return filter(x, w); },
      [&](float* to) { omp_every_third(n, taps, a.data(), weights.data(), to); });
  const fg::Array<float, 2> picture(Floats(a.begin(), a.begin() + rows * columns), {rows, columns});
  const fg::Array<float, 2> nine(Floats(weights.begin(), weights.begin() + 9), {3, 3});
  const auto convolution = fg::compile([](Mat<float> m, Mat<float> by) {
    const auto points = [&](int axis) { return (m.size(axis) - by.size(axis)) / 2 + 1; };
    return fg::generate({points(0), points(1)}, [=](Index i, Index j) {
      return fg::sum(fg::generate({by.size(0), by.size(1)},
                                  [=](Index k, Index l) { return by(k, l) * m(2 * i + k, 2 * j + l); }));
    });
  });
  floats_row<2>(
      measure, "apart 2: 3 x 3 weights", ((rows - 3) / 2 + 1) * ((columns - 3) / 2 + 1),
      [&] { return convolution(picture, nine); },
      [&](float* to) { omp_every_second(rows, columns, a.data(), weights.data(), to); });
  const auto pool = fg::compile([](Mat<float> m) {
    return fg::generate({m.size(0) / 2, m.size(1) / 2}, [=](Index i, Index j) {
      return fg::max(fg::generate({2, 2}, [=](Index k, Index l) { return m(2 * i + k, 2 * j + l); }));
    });
  });
  floats_row<2>(
      measure, "apart 2: 2 x 2 maxima", n / 2, [&] { return pool(picture); },
      [&](float* to) { omp_largest_of_four(rows, columns, a.data(), to); });
}

/// One row of the table, of `n_results` bytes, which have to be the peer's; the limit copies them.
template <class F>
void bytes_row(const Measure& measure, const std::string& name, std::int64_t n_results, const F& ours,
               const std::function<void(std::uint8_t*)>& peer) {
  Bytes theirs(static_cast<std::size_t>(n_results)), copy(theirs.size());
  fg::Array<std::uint8_t, 1> result;
  measure(name, [&] { result = {}, result = ours(); }, [&] { peer(theirs.data()); }, [&] { copy = theirs; });
  if (result.size() == 0) return;
  peer(theirs.data());
  if (result.to_vector() == theirs) return;
  fmt::print(stderr, "{}: bytes differ from the peer's\n", name);
  std::exit(1);
}

void measure_bytes(const Measure& measure) {
  constexpr std::int64_t n = 3 << 20;
  Bytes a;
  for (std::int64_t i = 0; i < n; ++i) a.push_back(static_cast<std::uint8_t>(i * 7919 % 251));
  const fg::Array<std::uint8_t, 1> x(a);
  const auto nibbles = fg::compile([](Vec<std::uint8_t> v) {
    return fg::generate(2 * v.size(), [=](Index i) {
      return (v[i / 2] >> fg::cast<std::uint8_t>(4 * (i % 2))) & std::uint8_t(15);
    });
  });
  bytes_row(
      measure, "interleaved nibbles", 2 * n, [&] { return nibbles(x); },
      [&](std::uint8_t* to) { omp_nibbles(n, a.data(), to); });
  const auto bits = fg::compile([](Vec<std::uint8_t> v) {
    return fg::generate(
        8 * v.size(), [=](Index i) { return (v[i / 8] >> fg::cast<std::uint8_t>(i % 8)) & std::uint8_t(1); });
  });
  bytes_row(
      measure, "interleaved bits", 8 * n, [&] { return bits(x); },
      [&](std::uint8_t* to) { omp_bits(n, a.data(), to); });
  const auto sixes = fg::compile([](Vec<std::uint8_t> v) {
    return fg::generate(v.size() / 3 * 4, [=](Index i) {
      const auto byte = [&](Index k) { return fg::cast<std::uint32_t>(v[i / 4 * 3 + k]); };
      const auto three = (byte(0) << 16u) | (byte(1) << 8u) | byte(2);
      return fg::cast<std::uint8_t>((three >> fg::cast<std::uint32_t>(18 - 6 * (i % 4))) & 63u);
    });
  });
  bytes_row(
      measure, "interleaved base64", n / 3 * 4, [&] { return sixes(x); },
      [&](std::uint8_t* to) { omp_sixes(n, a.data(), to); });
}

}  // namespace

void measure_interleaved(const Measure& measure) {
  measure_floats(measure);
  measure_windows_apart(measure);
  measure_bytes(measure);
}

}  // namespace bench
