// Programs on several ranks as Fulgurite's users write them, beside those of peers/cluster_mpi.cpp: mpirun -n
// R bench_cluster [FILTER [ROUNDS]] with FULGURITE_ENGINE=mpi, or one process with FULGURITE_ENGINE=cpu.
// Arrays are results of programs, so that each rank has its part; where a call needs parts of other ranks, it
// takes arrays of its own, as these ranks would not send the same twice. A call begins when all ranks have
// ended the one before, so that the time of several in a row is that of the slowest rank.
#include <fulgurite/fulgurite.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "cluster_data.h"
#include "stopwatch.h"

namespace {

namespace fg = fulgurite;
using namespace bench::cluster;
using fg::Exp, fg::Mat, fg::Vec;

std::string filter = ".";
int rounds = 15;

// As the launcher tells it.
int told(const char* of_open_mpi, const char* of_mpich, int otherwise) {
  for (const char* name : {of_open_mpi, of_mpich})
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return otherwise;
}
const int rank = told("OMPI_COMM_WORLD_RANK", "PMI_RANK", 0);
const int n_ranks = told("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", 1);

// On the ranks, each its part.
template <class T, class F>
fg::Array<T> made(std::int64_t n, F element) {
  std::vector<T> all(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = element(static_cast<std::int64_t>(i));
  static const auto copy = fg::compile([](Vec<T> x, Exp<T> one) { return x * one; });
  return copy(fg::Array<T>(std::move(all)), T(1));
}
// A copy of which each rank has its part, even if others had more of the original.
fg::Array<float, 2> fresh(const fg::Array<float, 2>& matrix) {
  static const auto copy = fg::compile([](Mat<float> x, Exp<float> one) { return x * one; });
  return copy(matrix, 1.f);
}
template <class F>
fg::Array<float, 2> made_matrix(std::int64_t side, F element) {
  std::vector<float> all(static_cast<std::size_t>(side * side));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = element(static_cast<std::int64_t>(i));
  return fresh(fg::Array<float, 2>(std::move(all), {side, side}));
}

double checksum(float value) {
  return value;
}
template <class T, int N>
double checksum(const fg::Array<T, N>& values) {
  const T* const data = values.data();
  double sum = 0;
  for (std::int64_t i = 0; i < values.size(); ++i) sum += static_cast<double>(data[i]) * weight(i);
  return sum;
}

// Each call of `run` takes what a call of `make` has made, which is no part of its time.
template <class Make, class F>
void measure(const char* name, std::int64_t n, const Make& make, const F& run) {
  constexpr std::size_t together = 3;
  std::vector<double> times;
  for (int round = -2; round < rounds; ++round) {
    std::vector<decltype(make())> given;
    while (given.size() < together) given.push_back(make());
    const double us = bench::time_us([&] {
      for (const auto& each : given) run(each);
    });
    if (round >= 0) times.push_back(us / together);
  }
  const double sum = checksum(run(make()));
  if (rank == 0) print_row(name, "Fulgurite", n_ranks, n, bench::median(times), sum);
}
template <class F>
void measure(const char* name, std::int64_t n, const F& run) {
  measure(name, n, [] { return 0; }, [&](int) { return run(); });
}

void saxpy() {
  const auto f = fg::compile([](Exp<float> a, Vec<float> x, Vec<float> y) { return a * x + y; });
  const auto x = made<float>(elements, left), y = made<float>(elements, right);
  measure("SAXPY", elements, [&] { return f(saxpy_factor, x, y); });
}

void dot() {
  const auto f = fg::compile([](Vec<float> x, Vec<float> y) { return fg::sum(x * y); });
  const auto x = made<float>(elements, left), y = made<float>(elements, right);
  measure("Dot", elements, [&] { return f(x, y); });
}

void scan() {
  const auto f = fg::compile([](Vec<float> x) { return fg::scan(fg::plus, 0.f, x); });
  const auto x = made<float>(elements, centred);
  measure("Scan", elements, [&] { return f(x); });
}

void filtered() {
  const auto f =
      fg::compile([](Vec<float> x) { return fg::filter([](Exp<float> a) { return a > filter_limit; }, x); });
  const auto x = made<float>(elements, left);
  measure("Filter", elements, [&] { return f(x); });
}

void jacobi() {
  const auto f = fg::compile([](Mat<float> start, Exp<int> steps) {
    return fg::iterate(
        steps,
        [](Mat<float> u) {
          auto rows = u.size(0), columns = u.size(1);
          return fg::generate({rows, columns}, [&](Exp<fg::i64> i, Exp<fg::i64> j) {
            auto inside = i > 0 && i < rows - 1 && j > 0 && j < columns - 1;
            return fg::cond(
                inside, [&] { return 0.25f * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)); },
                [&] { return u(i, j); });
          });
        },
        start);
  });
  const auto start = made_matrix(grid, left);
  measure("Jacobi", grid, [&] { return f(start, jacobi_steps); });
}

void sort() {
  const auto f = fg::compile([](Vec<int> x) { return fg::sort(x); });
  const auto keys = made<int>(elements, key);
  measure("Sort", elements, [&] { return f(keys); });
}

void transpose() {
  const auto f = fg::compile([](Mat<float> x) { return fg::transpose(x); });
  const auto x = made_matrix(grid, left);
  measure("Transpose", grid, [&] { return fresh(x); }, f);
}

void product() {
  const auto f = fg::compile([](Mat<float> a, Mat<float> b) { return fg::matmul(a, b); });
  const auto a = made_matrix(matrix, left), b = made_matrix(matrix, right);
  measure("Product", matrix, [&] { return fresh(b); }, [&](const auto& fresh_b) { return f(a, fresh_b); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) filter = argv[1];
  if (argc > 2) rounds = std::max(std::atoi(argv[2]), 1);
  if (rank == 0) print_header();
  const std::pair<const char*, void (*)()> programs[] = {
      {"SAXPY", saxpy},   {"Dot", dot},   {"Scan", scan},           {"Filter", filtered},
      {"Jacobi", jacobi}, {"Sort", sort}, {"Transpose", transpose}, {"Product", product}};
  for (const auto& [name, run] : programs)
    if (std::regex_search(name, std::regex(filter))) run();
  return 0;
}
