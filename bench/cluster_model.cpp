// Weak and strong scaling of programs to 4096 ranks, as <fulgurite/cluster.h> predicts it: `./dev bench
// cluster
// --model [FILTER]` writes docs/performance/cluster_model.csv's rows on standard output. Strong: the same
// sizes for all ranks; weak: so many elements a rank. Efficiency: strong, the time of one rank by that of R
// ranks and by R; weak, the time of one rank by that of R; for programs whose operations grow faster than
// their elements, both by operations of a rank.
#include <fulgurite/cluster.h>
#include <fulgurite/fulgurite.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "../examples/fluid.h"
#include "programs.h"

namespace {

namespace fg = fulgurite;
using fg::Acc, fg::Exp, fg::i64, fg::Mat, fg::Ragged, fg::Vec;
using Arguments = std::vector<std::string>;

Vec<float> running(Vec<float> x) {
  return fg::scan(fg::plus, 0.f, x);
}
Vec<float> large_ones(Vec<float> x) {
  return fg::filter([](Exp<float> a) { return a > 0.5f; }, x);
}
Vec<float> jacobi_1d(Vec<float> x, Exp<int> steps) {
  auto next = [](auto w) { return 0.25f * w(-1) + 0.5f * w(0) + 0.25f * w(1); };
  return fg::iterate(
      steps, [&](Vec<float> v) { return fg::stencil(next, fg::boundary::constant(0.f), v); }, x);
}
Mat<float> jacobi_2d(Mat<float> x, Exp<int> steps) {
  auto next = [](auto w) { return 0.2f * (w(0, -1) + w(0, 0) + w(0, 1) + w(-1, 0) + w(1, 0)); };
  return fg::iterate(steps, [&](Mat<float> v) { return fg::stencil(next, fg::boundary::clamp, v); }, x);
}
// The rows of the transposed matrix are read, which is when its elements travel.
Mat<float> transposed(Mat<float> x, Mat<float> y) {
  auto t = fg::transpose(x);
  return fg::map([](Exp<float> a, Exp<float> b) { return a + b; }, t, y);
}

constexpr int clusters = 16, rounds_of_k_means = 10;
// The mean of each cluster is a sum over all points.
std::tuple<Vec<float>, Vec<float>> k_means(Vec<float> x, Vec<float> y, Vec<float> at_x, Vec<float> at_y) {
  return fg::iterate(
      rounds_of_k_means,
      [&](Vec<float> cx, Vec<float> cy) {
        auto nearest = fg::map(
            [&](Exp<float> px, Exp<float> py) {
              auto distance = [&](Exp<int> c) {
                auto dx = px - cx[c], dy = py - cy[c];
                return dx * dx + dy * dy;
              };
              auto best = fg::iterate(
                  clusters,
                  [&](Exp<int> c, Exp<int> found, Exp<float> least) {
                    auto d = distance(c);
                    auto is_less = d < least;
                    return std::tuple{c + 1, fg::select(is_less, c, found), fg::select(is_less, d, least)};
                  },
                  0, 0, 1e30f);
              return std::get<1>(best);
            },
            x, y);
        auto mean = [&](Vec<float> of) {
          return fg::map(
              [&](Exp<int> c) {
                auto in = fg::map([&](Exp<int> k) { return fg::select(k == c, 1.f, 0.f); }, nearest);
                return fg::sum(in * of) / fg::max(fg::sum(in), 1.f);
              },
              fg::iota<int>(clusters));
        };
        return std::tuple{mean(x), mean(y)};
      },
      at_x, at_y);
}

constexpr int gradient_steps = 10;
Exp<float> dot(Vec<float> a, Vec<float> b) {
  return fg::sum(a * b);
}
Vec<float> conjugate_gradients(Vec<i64> starts, Vec<i64> columns, Vec<float> values, Vec<float> b) {
  const auto [solved, r, d, rr] = fg::iterate(
      gradient_steps,
      [&](Vec<float> x, Vec<float> rest, Vec<float> direction, Exp<float> now) {
        const Vec<float> image = fg::segmented_reduce(fg::plus, 0.0f, fg::offsets(starts),
                                                      values * fg::gather(direction, columns));
        const Exp<float> alpha = now / dot(direction, image);
        const Vec<float> next = rest - alpha * image;
        const Exp<float> then = dot(next, next);
        return std::tuple{x + alpha * direction, next, next + (then / now) * direction, then};
      },
      fg::replicate(b.size(), 0.0f), b, b, dot(b, b));
  return solved;
}

constexpr int rank_steps = 10;
Vec<float> page_rank(Ragged<int> sources, Vec<int> n_targets) {
  auto n = fg::cast<float>(sources.size());
  return fg::iterate(
      rank_steps,
      [&](Vec<float> rank) {
        auto share = rank / fg::cast<float>(n_targets);
        auto received = fg::map([&](Exp<int> page) { return share[page]; }, sources);
        return 0.15f / n + 0.85f * fg::sum(received, fg::axis(1));
      },
      fg::replicate(sources.size(), 1.0f / n));
}

struct Program {
  const char* name;
  std::int64_t strong, weak;  // elements: of all, or of each rank
  // As many times as many operations for twice the elements.
  double growth;
  std::function<fg::Prediction(const fg::Cluster&, std::int64_t n)> predict;
};

template <class F, class Words>
Program program(const char* name, std::int64_t strong, std::int64_t weak, F f, Words words,
                double growth = 1) {
  const auto compiled = std::make_shared<decltype(fg::compile(f))>(fg::compile(f));
  return {name, strong, weak, growth, [compiled, words](const fg::Cluster& cluster, std::int64_t n) {
            return fg::predict(*compiled, cluster, words(n));
          }};
}

std::string square(std::int64_t n) {
  const auto side = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(n))));
  return std::to_string(side) + "x" + std::to_string(side);
}
std::string vector(std::int64_t n) {
  return std::to_string(n);
}
// Which all ranks have.
std::string everywhere(std::int64_t n) {
  return vector(n) + "@all";
}

std::vector<Program> programs() {
  constexpr std::int64_t million = 1 << 20;
  const auto one = [](std::int64_t n) { return Arguments{vector(n)}; };
  const auto two = [](std::int64_t n) { return Arguments{vector(n), vector(n)}; };
  return {
      program("SAXPY", 1024 * million, 4 * million, bench::saxpy,
              [](std::int64_t n) { return Arguments{"2", vector(n), vector(n)}; }),
      program("dot", 1024 * million, 4 * million, bench::sdot, two),
      program("scan", 1024 * million, 4 * million, running, one),
      program("filter", 1024 * million, 4 * million, large_ones, one),
      program("Jacobi 1-D, 100 steps", 1024 * million, 4 * million, jacobi_1d,
              [](std::int64_t n) { return Arguments{vector(n), "100"}; }),
      program("Jacobi 2-D, 100 steps", 1024 * million, 4 * million, jacobi_2d,
              [](std::int64_t n) { return Arguments{square(n), "100"}; }),
      program("fluid, a step", 64 * million, million / 16, fluid::fluid_step,
              [](std::int64_t n) {
                Arguments all{"0.1", "0.001", "0.001"};
                all.insert(all.end(), 6, square(n));
                return all;
              }),
      program(
          "n-body", million, million / 64, bench::n_body,
          [](std::int64_t n) { return Arguments(4, vector(n)); }, 2),
      program("transpose and add", 64 * million, million / 16, transposed,
              [](std::int64_t n) { return Arguments(2, square(n)); }),
      program(
          "matrix product", 64 * million, million, bench::matrix_product,
          [](std::int64_t n) { return Arguments(2, square(n)); }, 1.5),
      program("k-means, 10 rounds", 256 * million, 4 * million, k_means,
              [](std::int64_t n) {
                return Arguments{vector(n), vector(n), everywhere(clusters), everywhere(clusters)};
              }),
      program("conjugate gradients, 10 steps", 64 * million, million, conjugate_gradients,
              [](std::int64_t n) {
                return Arguments{everywhere(n + 1), everywhere(5 * n), everywhere(5 * n), vector(n)};
              }),
      program("PageRank, 10 steps", 64 * million, million, page_rank,
              [](std::int64_t n) { return Arguments{everywhere(n + 1), everywhere(6 * n), everywhere(n)}; }),
      program("Black-Scholes", 1024 * million, 4 * million, bench::black_scholes_map,
              [](std::int64_t n) { return Arguments(3, vector(n)); }),
  };
}

constexpr int most_ranks = 4096;
constexpr double longest = 30;  // seconds that a prediction takes, before the next would take longer

void rows(const Program& program, bool is_weak) {
  double of_one = 0;
  for (int ranks = 1; ranks <= most_ranks; ranks *= 4) {
    const std::int64_t n = is_weak ? program.weak * ranks : program.strong;
    const auto begin = std::chrono::steady_clock::now();
    const fg::Prediction p = program.predict({.ranks = ranks}, n);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (ranks == 1) of_one = p.seconds;
    // What a rank has to do, in units of what one rank alone has.
    const double work = is_weak ? std::pow(ranks, program.growth - 1) : 1.0 / ranks;
    std::printf("\"%s\",%s,%d,%lld,%.6g,%.3f,%.6g,%.6g,%.6g,%lld,%lld,%lld,\"%s\"\n", program.name,
                is_weak ? "weak" : "strong", ranks, static_cast<long long>(n), p.seconds * 1e3,
                of_one * work / p.seconds, p.computing * 1e3, p.sending * 1e3, p.agreeing * 1e3,
                static_cast<long long>(p.messages_of_rank), static_cast<long long>(p.gatherings),
                static_cast<long long>(p.bytes_of_rank), p.limit.c_str());
    std::fflush(stdout);
    std::fprintf(stderr, "%s, %d ranks: predicted in %.2f s\n", program.name, ranks, took.count());
    if (took.count() > longest) break;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::regex filter(argc > 1 ? argv[1] : ".");
  std::printf(
      "program,scaling,ranks,elements,ms,efficiency,computing_ms,sending_ms,agreeing_ms,"
      "messages_of_rank,gatherings,bytes_of_rank,limit\n");
  for (const Program& program : programs())
    if (std::regex_search(program.name, filter))
      for (const bool is_weak : {false, true}) rows(program, is_weak);
}
