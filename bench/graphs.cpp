// Graphs, sparse products, sorts and hulls (examples/irregular.h) beside loops with OpenMP. In each round
// ours and the peer run in turn, 15 ms of rest before each; a ratio is the median of the ratios of the
// rounds.
#include "../examples/irregular.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>

#include "peers/graphs.h"
#include "rounds.h"

namespace {

namespace fg = fulgurite;
using bench::median, bench::Options, bench::Run;
using fg::i64, fg::RaggedArray;

template <class T>
bool is_equal(const T& a, const T& b) {
  return a == b;
}
bool is_equal(const irregular::Point& a, const bench::Point& b) {
  return a.x == b.x && a.y == b.y;
}
// Sums of a row are added in another order.
bool is_equal(double a, double b) {
  return std::abs(a - b) <= 1e-9 * (1 + std::abs(b));
}
bool is_equal(float a, float b) {
  return std::abs(a - b) <= 1e-3f * (1 + std::abs(b));
}

template <class T, class Theirs>
void require_equal(const std::string& name, const fg::Array<T>& ours, const std::vector<Theirs>& theirs) {
  if (ours.size() != static_cast<i64>(theirs.size())) {
    fmt::print(stderr, "{}: {} elements, not {}\n", name, ours.size(), theirs.size());
    std::exit(1);
  }
  for (i64 i = 0; i < ours.size(); ++i)
    if (!is_equal(ours[i], theirs[static_cast<std::size_t>(i)])) {
      fmt::print(stderr, "{}: element {} differs\n", name, i);
      std::exit(1);
    }
}

// Whoever calls it has compared the results.
void measure(const Options& options, const std::string& name, const Run& ours, const Run& peer) {
  constexpr double together_us = 4000;
  const auto times = bench::in_turn(options, together_us, {ours, peer});
  fmt::print("| {} | {:.0f} | {:.0f} | {:.2f} | {:.2f} |\n", name, median(times[0]), median(times[1]),
             bench::median_ratio(times[0], times[1]), bench::ratio_of_least(times[0], times[1]));
  std::fflush(stdout);
}

// The same rows for the peers, whose elements are laid out as they want them.
template <class T>
struct Rows {
  std::vector<i64> offsets{0};
  std::vector<T> values;

  void end_row() { offsets.push_back(static_cast<i64>(values.size())); }
  bench::RaggedRows<T> view() const {
    return {static_cast<i64>(offsets.size()) - 1, offsets.data(), values.data()};
  }
};

// A graph as the GAP benchmarks draw theirs: each bit of an edge's ends is one of four quadrants.
std::vector<bench::Edge> skewed_edges(int bits, int n) {
  std::mt19937 random(7);
  std::vector<bench::Edge> edges(static_cast<std::size_t>(n));
  for (auto& [from, to] : edges) {
    from = to = 0;
    for (int bit = 0; bit < bits; ++bit) {
      const unsigned draw = random() % 100;
      from = 2 * from + (draw >= 76);
      to = 2 * to + ((draw >= 57 && draw < 76) || draw >= 95);
    }
  }
  return edges;
}
std::vector<bench::Edge> random_edges(int vertices, int n) {
  std::mt19937 random(7);
  const auto vertex = [&] { return static_cast<int>(random() % static_cast<unsigned>(vertices)); };
  std::vector<bench::Edge> edges(static_cast<std::size_t>(n));
  for (auto& [from, to] : edges) {
    from = vertex();
    to = vertex();
  }
  return edges;
}
std::vector<bench::Edge> grid_edges(int rows, int columns) {
  std::vector<bench::Edge> edges;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      if (x > 0) edges.push_back({y * columns + x, y * columns + x - 1});
      if (y > 0) edges.push_back({y * columns + x, (y - 1) * columns + x});
    }
  return edges;
}

void run_components(const Options& options) {
  struct Case {
    std::string graph;
    int n;
    std::function<std::vector<bench::Edge>()> edges;
  };
  const auto f = fg::compile(irregular::components);
  for (const Case& at :
       {Case{"10^6 vertices, 3 * 10^6 edges", 1000000, [] { return random_edges(1000000, 3000000); }},
        Case{"grid 1000 x 1000", 1000000, [] { return grid_edges(1000, 1000); }},
        Case{"2^18 vertices, 4 * 10^6 skewed edges", 1 << 18, [] { return skewed_edges(18, 4000000); }}}) {
    const std::string name = "components, " + at.graph, by_swaps = name + " (peer: by compare-and-swap)";
    const bool jumping = options.wants(name), swaps = options.wants(by_swaps);
    if (!jumping && !swaps) continue;
    const auto edges = at.edges();
    std::vector<irregular::Edge> same;
    for (const auto& [from, to] : edges) same.push_back({from, to});
    const fg::Array<irregular::Edge> given(same);
    const auto n_edges = static_cast<i64>(edges.size());
    std::vector<int> theirs(static_cast<std::size_t>(at.n));
    fg::Array<int> result;
    const Run ours = [&] { result = {}, result = f(given, at.n); };
    const Run peer = [&] { bench::omp_components_by_jumping(edges.data(), n_edges, at.n, theirs.data()); };
    const Run other = [&] { bench::omp_components_by_swaps(edges.data(), n_edges, at.n, theirs.data()); };
    ours(), peer();
    require_equal(name, result, theirs);
    other();
    require_equal(by_swaps, result, theirs);
    if (jumping) measure(options, name, ours, peer);
    if (swaps) measure(options, by_swaps, ours, other);
  }
}

// The neighbours of each vertex that have more neighbours, or as many and a greater number.
Rows<int> later_neighbours(int n, const std::vector<bench::Edge>& edges) {
  std::vector<int> degrees(static_cast<std::size_t>(n));
  for (const auto& [from, to] : edges) {
    ++degrees[static_cast<std::size_t>(from)];
    ++degrees[static_cast<std::size_t>(to)];
  }
  std::vector<std::set<int>> later(static_cast<std::size_t>(n));
  for (const auto& [from, to] : edges) {
    const auto key = [&](int v) { return std::pair(degrees[static_cast<std::size_t>(v)], v); };
    if (from != to)
      later[static_cast<std::size_t>(std::min(key(from), key(to)).second)].insert(
          std::max(key(from), key(to)).second);
  }
  Rows<int> rows;
  for (const auto& row : later) {
    rows.values.insert(rows.values.end(), row.begin(), row.end());
    rows.end_row();
  }
  return rows;
}

void run_triangles(const Options& options) {
  const auto f = fg::compile(irregular::triangles);
  for (const bool is_skewed : {false, true}) {
    const std::string name = is_skewed ? "triangles, 2^15 vertices, 5 * 10^5 skewed edges"
                                       : "triangles, 10^5 vertices, 10^6 edges";
    if (!options.wants(name)) continue;
    const Rows<int> later = is_skewed ? later_neighbours(1 << 15, skewed_edges(15, 500000))
                                      : later_neighbours(100000, random_edges(100000, 1000000));
    const RaggedArray<int> given(later.offsets, later.values);
    i64 result = 0, theirs = 0;
    const Run ours = [&] { result = f(given); };
    const Run peer = [&] { theirs = bench::omp_triangles(later.view()); };
    ours(), peer();
    require_equal(name, fg::Array<i64>(std::vector{result}), std::vector{theirs});
    measure(options, name, ours, peer);
  }
}

void run_shortest_paths(const Options& options) {
  const auto f = fg::compile(irregular::shortest_paths);
  for (const bool is_grid : {false, true}) {
    const std::string name =
        is_grid ? "shortest paths, grid 300 x 300" : "shortest paths, 3 * 10^5 vertices, 2.4 * 10^6 roads";
    if (!options.wants(name)) continue;
    const int n = is_grid ? 90000 : 300000, delta = is_grid ? 250 : 50;
    std::vector<std::vector<bench::Road>> roads(static_cast<std::size_t>(n));
    std::mt19937 random(3);
    for (const auto& [from, to] : is_grid ? grid_edges(300, 300) : random_edges(n, 4 * n)) {
      const int length = 1 + static_cast<int>(random() % 255);
      roads[static_cast<std::size_t>(from)].push_back({to, length});
      roads[static_cast<std::size_t>(to)].push_back({from, length});
    }
    Rows<bench::Road> rows;
    std::vector<irregular::Road> same;
    for (const auto& row : roads) {
      rows.values.insert(rows.values.end(), row.begin(), row.end());
      rows.end_row();
    }
    for (const auto& [to, length] : rows.values) same.push_back({to, length});
    const RaggedArray<irregular::Road> given(rows.offsets, same);
    std::vector<int> theirs(static_cast<std::size_t>(n));
    fg::Array<int> result;
    const Run ours = [&] { result = {}, result = f(given, 0, delta); };
    const Run peer = [&] { bench::omp_shortest_paths(rows.view(), 0, delta, theirs.data()); };
    ours(), peer();
    require_equal(name, result, theirs);
    measure(options, name, ours, peer);
  }
}

struct Matrix {
  std::vector<i64> offsets{0};
  std::vector<int> columns;
  std::vector<double> values;
  std::vector<irregular::Entry> entries;

  bench::Sparse view() const {
    const auto n = static_cast<i64>(offsets.size()) - 1;
    return {n, n, offsets.data(), columns.data(), values.data()};
  }
};
// A square matrix with so many entries in each row, anywhere or in a band of 100 columns.
Matrix matrix(int n, int n_each, bool is_band) {
  std::mt19937 random(9);
  Matrix m;
  for (int row = 0; row < n; ++row) {
    std::set<int> columns;
    for (int k = 0; k < n_each; ++k)
      columns.insert(is_band ? std::clamp(row - 50 + static_cast<int>(random() % 100), 0, n - 1)
                             : static_cast<int>(random() % static_cast<unsigned>(n)));
    for (int column : columns) {
      m.columns.push_back(column);
      m.values.push_back(static_cast<double>(random() % 1000) / 1000);
      m.entries.push_back({column, m.values.back()});
    }
    m.offsets.push_back(static_cast<i64>(m.columns.size()));
  }
  return m;
}
void run_sparse_products(const Options& options) {
  const auto f = fg::compile(irregular::product);
  for (const bool is_band : {false, true}) {
    const std::string name = fmt::format("sparse product, 10^5 rows of 8{}", is_band ? ", in a band" : "");
    if (!options.wants(name)) continue;
    const Matrix m = matrix(100000, 8, is_band);
    const RaggedArray<irregular::Entry> given(m.offsets, m.entries);
    Matrix theirs;
    RaggedArray<irregular::Entry> result;
    const Run ours = [&] { result = {}, result = f(given, given); };
    const Run peer = [&] {
      bench::omp_sparse_product(m.view(), m.view(), theirs.offsets, theirs.columns, theirs.values);
    };
    ours(), peer();
    std::vector<int> columns;
    std::vector<double> values;
    for (const auto& [column, value] : result.values().to_vector()) {
      columns.push_back(column);
      values.push_back(value);
    }
    require_equal(name, result.offsets(), theirs.offsets);
    require_equal(name, fg::Array<int>(columns), theirs.columns);
    require_equal(name, fg::Array<double>(values), theirs.values);
    measure(options, name, ours, peer);
  }
}

void run_row_scans(const Options& options) {
  const auto f = fg::compile(irregular::row_scans);
  for (const bool is_short : {true, false}) {
    const std::string name = is_short ? "scans of 10^6 rows of 0 to 12" : "scans of 10^4 rows of 0 to 1200";
    if (!options.wants(name)) continue;
    std::mt19937 random(5);
    Rows<float> rows;
    for (int row = 0; row < (is_short ? 1000000 : 10000); ++row) {
      for (unsigned k = random() % (is_short ? 13 : 1201); k > 0; --k)
        rows.values.push_back(static_cast<float>(random() % 16) / 16);
      rows.end_row();
    }
    const RaggedArray<float> given(rows.offsets, rows.values);
    std::vector<float> theirs(rows.values.size());
    RaggedArray<float> result;
    const Run ours = [&] { result = {}, result = f(given); };
    const Run peer = [&] { bench::omp_row_scans(rows.view(), theirs.data()); };
    ours(), peer();
    require_equal(name, result.values(), theirs);
    measure(options, name, ours, peer);
  }
}

void run_quicksort(const Options& options) {
  const std::string name = "quicksort by segments, 10^6", by_tasks = name + " (peer: recursive tasks)";
  const bool flat = options.wants(name), tasks = options.wants(by_tasks);
  if (!flat && !tasks) return;
  std::mt19937 random(5);
  std::vector<int> xs(1000000), theirs;
  for (int& x : xs) x = static_cast<int>(random());
  const auto f = fg::compile(irregular::quicksort);
  fg::Array<int> result;
  const Run ours = [&] { result = {}, result = f(xs); };
  const auto sorted = [&](void (*sort)(int*, i64)) {
    theirs = xs;
    sort(theirs.data(), static_cast<i64>(theirs.size()));
  };
  const Run peer = [&] { sorted(bench::omp_flat_quicksort); };
  const Run other = [&] { sorted(bench::omp_quicksort); };
  ours(), peer();
  require_equal(name, result, theirs);
  other();
  require_equal(by_tasks, result, theirs);
  if (flat) measure(options, name, ours, peer);
  if (tasks) measure(options, by_tasks, ours, other);
}

void run_quickhull(const Options& options) {
  const auto f = fg::compile(irregular::quickhull);
  for (const bool is_circle : {false, true}) {
    const std::string name =
        is_circle ? "quickhull, 2 * 10^5 points near a circle" : "quickhull, 2 * 10^6 points in a disk";
    if (!options.wants(name)) continue;
    std::mt19937 random(5);
    std::vector<bench::Point> points;
    std::vector<irregular::Point> same;
    for (int i = 0; i < (is_circle ? 200000 : 2000000); ++i) {
      const auto unit = [&] { return static_cast<double>(random() % 1000000) / 1000000; };
      const double angle = 6.283185307179586 * unit(),
                   r = 500000 * (is_circle ? 1 - 1e-4 * unit() : std::sqrt(unit()));
      points.push_back({std::floor(500000 + r * std::cos(angle)), std::floor(500000 + r * std::sin(angle))});
      same.push_back({points.back().x, points.back().y});
    }
    const fg::Array<irregular::Point> given(same);
    std::vector<bench::Point> theirs;
    fg::Array<irregular::Point> result;
    const Run ours = [&] { result = {}, result = f(given); };
    const Run peer = [&] { bench::omp_quickhull(points.data(), static_cast<i64>(points.size()), theirs); };
    ours(), peer();
    require_equal(name, result, theirs);
    measure(options, name, ours, peer);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = bench::options_of(
      argc, argv, "Programs of graphs, sparse products, quicksort and quickhull, beside OpenMP");
  fmt::print("| program | ours, us | OpenMP, us | ratio | of the least |\n|---|--:|--:|--:|--:|\n");
  run_components(options);
  run_triangles(options);
  run_shortest_paths(options);
  run_sparse_products(options);
  run_row_scans(options);
  run_quicksort(options);
  run_quickhull(options);
}
