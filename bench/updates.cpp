// Rows that loops inside of a map change element by element, beside plain OpenMP. In each round ours and the
// peer run in turn, 15 ms of rest before each; a ratio is the median of the ratios of the rounds.
#include <fmt/format.h>
#include <fulgurite/fulgurite.h>

#include <cmath>
#include <functional>
#include <string>

#include "peers/updates.h"
#include "rounds.h"

namespace {

namespace fg = fulgurite;
using bench::median, bench::Options, bench::Run;
using fg::Exp, fg::Mat, fg::Vec;
using Index = Exp<fg::i64>;

// Short ones run several times together.
constexpr double together_us = 8000;

// `steps`: updates of an element that the program makes in all rows together.
void row(const Options& options, const std::string& name, double steps, const fg::Array<float, 2>& result,
         const std::vector<float>& theirs, const Run& ours, const Run& peer) {
  ours(), peer();
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const double is = static_cast<double>(result.data()[i]), wanted = static_cast<double>(theirs[i]);
    if (!(std::abs(is - wanted) <= 1e-3 * (1 + std::abs(wanted))))
      throw std::runtime_error(fmt::format("{}: element {} is {}, not {}", name, i, is, wanted));
  }
  const auto times = bench::in_turn(options, together_us, {ours, peer});
  const double us = median(times[0]);
  fmt::print("| {} | {:.0f} | {:.2f} | {:.0f} | {:.2f} |\n", name, us, 1e3 * us / steps, median(times[1]),
             bench::median_ratio(times[0], times[1]));
  std::fflush(stdout);
}

fg::Array<float, 2> matrix(std::int64_t rows, std::int64_t columns, float least, int factor) {
  std::vector<float> x(static_cast<std::size_t>(rows * columns));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = least + static_cast<float>(static_cast<std::int64_t>(i) * factor % 1009) / 1009;
  return {std::move(x), {rows, columns}};
}

std::vector<float> room_for(std::int64_t rows, std::int64_t columns) {
  return std::vector<float>(static_cast<std::size_t>(rows * columns));
}

Vec<float> solution(Vec<float> b, Vec<float> c, Vec<float> d) {
  const auto n = d.size();
  const auto first_u = fg::with(c, 0, c[0] / b[0]), first_x = fg::with(d, 0, d[0] / b[0]);
  const auto [last_u, last_x] = fg::iterate(
      n - 1,
      [&](Index k, Vec<float> u, Vec<float> x) {
        const Index i = k + 1;
        const Exp<float> by = 1 / (b[i] - c[k] * u[k]);
        return std::tuple{fg::with(u, i, c[i] * by), fg::with(x, i, (d[i] - c[k] * x[k]) * by)};
      },
      first_u, first_x);
  return fg::iterate(
      n - 1,
      [&, u = last_u](Index k, Vec<float> x) {
        const Index i = n - 2 - k;
        return fg::with(x, i, x[i] - u[i] * x[i + 1]);
      },
      last_x);
}

void run_thomas(const Options& options) {
  const auto f = fg::compile([](Mat<float> diagonal, Mat<float> off, Mat<float> right) {
    return fg::map(solution, fg::rows(diagonal), fg::rows(off), fg::rows(right));
  });
  for (const std::int64_t n : {32, 128}) {
    const std::int64_t rows = 100000;
    const std::string name = fmt::format("Thomas' solver of {} x {}", rows, n);
    if (!options.wants(name)) continue;
    const auto diagonal = matrix(rows, n, 3, 31), off = matrix(rows, n, 0, 17), right = matrix(rows, n, 0, 7);
    std::vector<float> rest = room_for(2, n), theirs = room_for(rows, n);
    fg::Array<float, 2> result;
    row(
        options, name, static_cast<double>(rows * 3 * n), result, theirs,
        [&] { result = {}, result = f(diagonal, off, right); },
        [&] {
          bench::omp_thomas(rows, n, diagonal.data(), off.data(), right.data(), rest.data(), theirs.data());
        });
  }
}

// Steps that halve the distances between known places of a path of n + 1, n a power of two.
std::vector<bench::BridgeStep> bridge_steps(std::int32_t n) {
  std::vector<bench::BridgeStep> steps = {{n, 0, 0, 0, 0, std::sqrt(static_cast<float>(n))}};
  for (std::int32_t apart = n; apart > 1; apart /= 2)
    for (std::int32_t left = 0; left < n; left += apart)
      steps.push_back(
          {left + apart / 2, left, left + apart, 0.5F, 0.5F, std::sqrt(static_cast<float>(apart) / 4)});
  return steps;
}

void run_bridges(const Options& options) {
  const auto f = fg::compile([](Vec<int> at, Vec<int> left, Vec<int> right, Vec<float> of_left,
                                Vec<float> of_right, Vec<float> deviation, Mat<float> normal) {
    return fg::map(
        [&](Vec<float> z) {
          return fg::iterate(
              z.size(),
              [&](Index i, Vec<float> w) {
                return fg::with(w, fg::cast<fg::i64>(at[i]),
                                of_left[i] * w[fg::cast<fg::i64>(left[i])] +
                                    of_right[i] * w[fg::cast<fg::i64>(right[i])] + deviation[i] * z[i]);
              },
              fg::replicate(z.size() + 1, Exp<float>(0)));
        },
        fg::rows(normal));
  });
  for (const std::int32_t n : {64, 1024}) {
    const std::int64_t paths = 6400000 / n;
    const std::string name = fmt::format("Brownian bridges, {} of {}", paths, n);
    if (!options.wants(name)) continue;
    const auto steps = bridge_steps(n);
    std::vector<int> at, left, right;
    std::vector<float> of_left, of_right, deviation;
    for (const bench::BridgeStep& s : steps) {
      at.push_back(s.at), left.push_back(s.left), right.push_back(s.right);
      of_left.push_back(s.of_left), of_right.push_back(s.of_right), deviation.push_back(s.deviation);
    }
    const auto normal = matrix(paths, n, -0.5F, 7919);
    std::vector<float> theirs = room_for(paths, n + 1);
    fg::Array<float, 2> result;
    row(
        options, name, static_cast<double>(paths * n), result, theirs,
        [&] { result = {}, result = f(at, left, right, of_left, of_right, deviation, normal); },
        [&] { bench::omp_bridges(paths, n, steps.data(), normal.data(), theirs.data()); });
  }
}

// Matrices of n x n elements, each in a row.
template <class N>
Vec<float> lu(N n, Vec<float> m) {
  return fg::iterate(
      n - 1,
      [&](Index k, Vec<float> block) {
        return fg::iterate(
            n - 1 - k,
            [&](Index r, Vec<float> rows) {
              const Index i = k + 1 + r;
              const Vec<float> scaled = fg::with(rows, i * n + k, rows[i * n + k] / rows[k * n + k]);
              return fg::iterate(
                  n - 1 - k,
                  [&](Index c, Vec<float> u) {
                    const Index j = k + 1 + c;
                    return fg::with(u, i * n + j, u[i * n + j] - u[i * n + k] * u[k * n + j]);
                  },
                  scaled);
            },
            block);
      },
      m);
}

void run_lu(const Options& options) {
  const auto f = fg::compile([](Index n, Mat<float> m) {
    return fg::map([&](Vec<float> each) { return lu(n, each); }, fg::rows(m));
  });
  for (const std::int64_t n : {4, 16, 48}) {
    const std::int64_t matrices = 6400000 / (n * n);
    const std::string name = fmt::format("LU, {} of {} x {}", matrices, n, n);
    if (!options.wants(name)) continue;
    fg::Array<float, 2> from = matrix(matrices, n * n, 0, 7919);
    std::vector<float> elements = from.to_vector();
    for (std::int64_t i = 0; i < matrices * n; ++i)
      elements[static_cast<std::size_t>(i / n * n * n + i % n * (n + 1))] += static_cast<float>(n);
    from = fg::Array<float, 2>(std::move(elements), {matrices, n * n});
    std::vector<float> theirs = room_for(matrices, n * n);
    fg::Array<float, 2> result;
    row(
        options, name, static_cast<double>(matrices * n * n * n) / 3, result, theirs,
        [&] { result = {}, result = f(n, from); },
        [&] { bench::omp_lu(matrices, n, from.data(), theirs.data()); });
  }
}

void run_steps(const Options& options) {
  const auto f = fg::compile([](Mat<float> m, Index steps) {
    return fg::map(
        [&](Vec<float> each) {
          return fg::iterate(
              steps,
              [](Index k, Vec<float> x) {
                const Index at = (k * 7) & (x.size() - 1);
                return fg::with(x, at, x[at] * 0.5F + 1);
              },
              each);
        },
        fg::rows(m));
  });
  for (const std::int64_t n : {64, 1024, 16384}) {
    const std::int64_t rows = 64, steps = 16384;
    const std::string name = fmt::format("{} steps in rows, {} of {}", steps, rows, n);
    if (!options.wants(name)) continue;
    const auto m = matrix(rows, n, 0, 7919);
    std::vector<float> theirs = room_for(rows, n);
    fg::Array<float, 2> result;
    row(
        options, name, static_cast<double>(rows * steps), result, theirs,
        [&] { result = {}, result = f(m, steps); },
        [&] { bench::omp_steps(rows, n, steps, m.data(), theirs.data()); });
  }
}

void run_insertions(const Options& options) {
  const auto f = fg::compile([](Mat<float> m) {
    return fg::map(
        [](Vec<float> each) {
          return fg::iterate(
              fg::max(each.size() - 1, 0),
              [](Index i, Vec<float> before) {
                const auto [at, sorted] = fg::while_loop(
                    [](Index j, Vec<float> x) { return j > 0 && x[j - 1] > x[j]; },
                    [](Index j, Vec<float> x) {
                      return std::tuple{j - 1, fg::with(fg::with(x, j, x[j - 1]), j - 1, x[j])};
                    },
                    i + 1, before);
                return sorted;
              },
              each);
        },
        fg::rows(m));
  });
  for (const std::int64_t n : {16, 64}) {
    const std::int64_t rows = 1600000 / n;
    const std::string name = fmt::format("sorts by insertion, {} of {}", rows, n);
    if (!options.wants(name)) continue;
    const auto m = matrix(rows, n, 0, 7919);
    std::vector<float> theirs = room_for(rows, n);
    fg::Array<float, 2> result;
    row(
        options, name, static_cast<double>(rows * n * n) / 4, result, theirs,
        [&] { result = {}, result = f(m); },
        [&] { bench::omp_insertions(rows, n, m.data(), theirs.data()); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = bench::options_of(
      argc, argv, "Rows that loops inside of a map change element by element, beside OpenMP");
  fmt::print("| program | us | ns a step | peer us | ours / peer |\n|---|---|---|---|---|\n");
  run_thomas(options);
  run_bridges(options);
  run_lu(options);
  run_steps(options);
  run_insertions(options);
  return 0;
}
