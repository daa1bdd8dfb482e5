// The programs of examples/irregular.h against plain C++: graphs, sparse matrices and points of no, one and
// some hundred elements, in components, with parallel edges, on lines and in one place.
#include "../../examples/irregular.h"
#include "engines.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <random>
#include <set>

namespace {

using fg::i64, fg::RaggedArray;
using irregular::Edge, irregular::Entry, irregular::Point, irregular::Road;
using Ints = std::vector<int>;

struct Graph {
  int n;
  std::vector<Edge> edges;
};
std::vector<Graph> graphs() {
  std::vector<Graph> all{{0, {}}, {1, {}}, {1, {{0, 0}}}, {7, {{5, 2}, {2, 5}, {6, 2}, {3, 3}}}};
  std::mt19937 random(3);
  for (const auto& [n, n_edges] : {std::pair{2, 9}, {40, 30}, {60, 400}, {500, 1200}, {300, 100}}) {
    all.push_back({n, {}});
    for (int e = 0; e < n_edges; ++e) {
      const auto vertex = [&, size = static_cast<unsigned>(n)] { return static_cast<int>(random() % size); };
      const int from = vertex();
      all.back().edges.push_back({from, vertex()});
    }
  }
  Graph way{200, {}};
  for (int v = 0; v + 1 < way.n; ++v) way.edges.push_back({way.n - 1 - v, way.n - 2 - v});
  all.push_back(way);
  return all;
}

TEST(IrregularPrograms, Components) {
  on_every_engine(irregular::components, [](const auto& f) {
    for (const auto& [n, edges] : graphs()) {
      SCOPED_TRACE(n);
      Ints roots(static_cast<std::size_t>(n));
      std::iota(roots.begin(), roots.end(), 0);
      for (const auto& [from, to] : edges) {
        const auto low = static_cast<std::size_t>(from), high = static_cast<std::size_t>(to);
        const int a = std::min(roots[low], roots[high]), b = std::max(roots[low], roots[high]);
        std::ranges::replace(roots, b, a);
      }
      EXPECT_EQ(f(edges, n).to_vector(), roots);
    }
  });
}

TEST(IrregularPrograms, Triangles) {
  on_every_engine(irregular::triangles, [](const auto& f) {
    for (const auto& [n, edges] : graphs()) {
      SCOPED_TRACE(n);
      std::vector<std::set<int>> later(static_cast<std::size_t>(n));
      for (const auto& [from, to] : edges)
        if (from != to) later[static_cast<std::size_t>(std::min(from, to))].insert(std::max(from, to));
      std::vector<Ints> rows;
      i64 count = 0;
      for (const auto& row : later) {
        rows.emplace_back(row.begin(), row.end());
        for (int v : row)
          count += std::ranges::count_if(later[static_cast<std::size_t>(v)],
                                         [&](int w) { return row.contains(w); });
      }
      EXPECT_EQ(f(RaggedArray<int>(rows)), count);
    }
  });
}

Ints lengths_by_queue(const std::vector<std::vector<Road>>& roads, int from) {
  Ints lengths(roads.size(), std::numeric_limits<int>::max());
  std::priority_queue<std::pair<int, int>> waiting;
  waiting.emplace(0, from);
  while (!waiting.empty()) {
    const auto [negative, v] = waiting.top();
    waiting.pop();
    int& length = lengths[static_cast<std::size_t>(v)];
    if (length <= -negative) continue;
    length = -negative;
    for (const auto& [to, more] : roads[static_cast<std::size_t>(v)]) waiting.emplace(negative - more, to);
  }
  return lengths;
}
TEST(IrregularPrograms, ShortestPaths) {
  on_every_engine(irregular::shortest_paths, [](const auto& f) {
    std::mt19937 random(5);
    for (const auto& [n, edges] : graphs()) {
      if (n == 0) continue;
      SCOPED_TRACE(n);
      std::vector<std::vector<Road>> roads(static_cast<std::size_t>(n));
      for (const auto& [from, to] : edges)
        roads[static_cast<std::size_t>(from)].push_back({to, static_cast<int>(random() % 30)});
      for (const int delta : {1, 9, 1000})
        EXPECT_EQ(f(RaggedArray<Road>(roads), n - 1, delta).to_vector(), lengths_by_queue(roads, n - 1));
    }
  });
}

using Matrix = std::vector<std::map<int, double>>;
Matrix matrix(int rows, int columns, int n_each, unsigned seed) {
  std::mt19937 random(seed);
  Matrix m(static_cast<std::size_t>(rows));
  for (auto& row : m)
    for (int k = static_cast<int>(random() % static_cast<unsigned>(2 * n_each + 1)); k > 0 && columns > 0;
         --k)
      row[static_cast<int>(random() % static_cast<unsigned>(columns))] = static_cast<int>(random() % 19) - 9;
  return m;
}
RaggedArray<Entry> sparse(const Matrix& m) {
  std::vector<std::vector<Entry>> rows;
  for (const auto& row : m) {
    rows.emplace_back();
    for (const auto& [column, value] : row) rows.back().push_back({column, value});
  }
  return RaggedArray<Entry>(rows);
}
TEST(IrregularPrograms, SparseProduct) {
  on_every_engine(irregular::product, [](const auto& f) {
    for (const auto& [rows, middle, columns, n_each] : {std::array{0, 0, 0, 1},
                                                        {1, 1, 1, 1},
                                                        {3, 0, 2, 1},
                                                        {5, 4, 6, 2},
                                                        {90, 70, 80, 3},
                                                        {20, 30, 10, 20}}) {
      SCOPED_TRACE(rows);
      const Matrix a = matrix(rows, middle, n_each, 1), b = matrix(middle, columns, n_each, 2);
      Matrix expected(a.size());
      for (std::size_t row = 0; row < a.size(); ++row)
        for (const auto& [k, x] : a[row])
          for (const auto& [column, y] : b[static_cast<std::size_t>(k)]) expected[row][column] += x * y;
      const auto given = f(sparse(a), sparse(b)).to_vectors();
      ASSERT_EQ(given.size(), expected.size());
      for (std::size_t row = 0; row < given.size(); ++row) {
        ASSERT_EQ(given[row].size(), expected[row].size());
        auto at = expected[row].begin();
        for (const auto& [column, value] : given[row]) {
          EXPECT_EQ(std::pair(column, value), std::pair(at->first, at->second));
          ++at;
        }
      }
    }
  });
}

TEST(IrregularPrograms, RowScans) {
  on_every_engine(irregular::row_scans, [](const auto& f) {
    for (const Ints& lengths : {Ints{}, Ints{0}, Ints{1}, Ints{3, 0, 0, 70, 1, 0}}) {
      std::vector<std::vector<float>> rows, sums;
      for (int length : lengths) {
        rows.emplace_back(static_cast<std::size_t>(length), 2.0f);
        sums.emplace_back(rows.back());
        std::partial_sum(rows.back().begin(), rows.back().end(), sums.back().begin());
      }
      EXPECT_EQ(f(RaggedArray<float>(rows)).to_vectors(), sums);
    }
  });
}

TEST(IrregularPrograms, Quicksort) {
  on_every_engine(irregular::quicksort, [](const auto& f) {
    std::mt19937 random(9);
    for (const unsigned different : {3u, 1000000u})
      for (const std::size_t n : {0u, 1u, 2u, 3u, 17u, 400u}) {
        SCOPED_TRACE(n);
        Ints xs(n);
        for (int& x : xs) x = static_cast<int>(random() % different) - 1;
        Ints sorted = xs;
        std::ranges::sort(sorted);
        EXPECT_EQ(f(xs).to_vector(), sorted);
        EXPECT_EQ(f(sorted).to_vector(), sorted);
      }
  });
}

using Corners = std::vector<std::pair<double, double>>;
// The lower and the upper chain, from left to right and back.
Corners hull_by_chains(const std::vector<Point>& points) {
  std::set<std::pair<double, double>> ordered;
  for (const auto& [x, y] : points) ordered.emplace(x, y);
  if (ordered.size() < 2) return {ordered.begin(), ordered.end()};
  const auto chain = [](auto begin, auto end) {
    Corners kept;
    for (; begin != end; ++begin) {
      const auto [x, y] = *begin;
      const auto turns_right = [&] {
        const auto [bx, by] = kept.back();
        const auto [ax, ay] = kept[kept.size() - 2];
        return (bx - ax) * (y - ay) - (by - ay) * (x - ax) <= 0;
      };
      while (kept.size() > 1 && turns_right()) kept.pop_back();
      kept.emplace_back(x, y);
    }
    kept.pop_back();
    return kept;
  };
  Corners hull = chain(ordered.begin(), ordered.end()), upper = chain(ordered.rbegin(), ordered.rend());
  hull.insert(hull.end(), upper.begin(), upper.end());
  return hull;
}
TEST(IrregularPrograms, Quickhull) {
  on_every_engine(irregular::quickhull, [](const auto& f) {
    std::vector<std::vector<Point>> all{
        {}, {{3, 4}}, {{3, 4}, {3, 4}}, {{1, 5}, {1, 2}, {1, 9}}, {{0, 0}, {2, 2}, {1, 1}, {5, 5}}};
    std::mt19937 random(11);
    for (const unsigned size : {3u, 20u, 100000u})
      for (const int n : {4, 60, 700}) {
        all.emplace_back();
        for (int i = 0; i < n; ++i) {
          const double x = random() % size;
          all.back().push_back({x, static_cast<double>(random() % size)});
        }
      }
    for (const auto& points : all) {
      SCOPED_TRACE(points.size());
      Corners corners;
      for (const auto& [x, y] : f(points).to_vector()) corners.emplace_back(x, y);
      EXPECT_EQ(corners, hull_by_chains(points));
    }
  });
}

}  // namespace
