#include "graphs.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <vector>

namespace bench {

namespace {

int loaded(const int& x) {
  return __atomic_load_n(&x, __ATOMIC_RELAXED);
}
void store(int& x, int value) {
  __atomic_store_n(&x, value, __ATOMIC_RELAXED);
}
bool swapped(int& x, int expected, int value) {
  return __atomic_compare_exchange_n(&x, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

// Every vertex finds its root.
void jump(int n, int* roots) {
#pragma omp parallel for schedule(static)
  for (int v = 0; v < n; ++v) {
    int root = loaded(roots[v]);
    while (root != loaded(roots[root])) root = loaded(roots[root]);
    store(roots[v], root);
  }
}

}  // namespace

void omp_components_by_jumping(const Edge* edges, std::int64_t n_edges, int n, int* roots) {
  std::iota(roots, roots + n, 0);
  for (bool changed = true; changed;) {
    changed = false;
#pragma omp parallel for schedule(static) reduction(|| : changed)
    for (std::int64_t e = 0; e < n_edges; ++e) {
      const int a = loaded(roots[edges[e].from]), b = loaded(roots[edges[e].to]);
      if (a == b) continue;
      const int low = std::min(a, b), high = std::max(a, b);
      if (loaded(roots[high]) != high) continue;
      store(roots[high], low);
      changed = true;
    }
    jump(n, roots);
  }
}

void omp_components_by_swaps(const Edge* edges, std::int64_t n_edges, int n, int* roots) {
  std::iota(roots, roots + n, 0);
  // On the way each vertex is moved to the parent of its parent.
  const auto root_of = [&](int v) {
    for (;;) {
      const int up = loaded(roots[v]), next = loaded(roots[up]);
      if (up == next) return up;
      store(roots[v], next);
      v = next;
    }
  };
#pragma omp parallel for schedule(static)
  for (std::int64_t e = 0; e < n_edges; ++e) {
    int a = root_of(edges[e].from), b = root_of(edges[e].to);
    while (a != b && !swapped(roots[std::max(a, b)], std::max(a, b), std::min(a, b))) {
      a = root_of(a);
      b = root_of(b);
    }
  }
  jump(n, roots);
}

std::int64_t omp_triangles(const RaggedRows<int>& later) {
  std::int64_t total = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : total)
  for (std::int64_t u = 0; u < later.rows; ++u) {
    const int *begin = later.values + later.offsets[u], *end = later.values + later.offsets[u + 1];
    for (const int* v = begin; v < end; ++v) {
      const int *x = begin, *y = later.values + later.offsets[*v],
                *y_end = later.values + later.offsets[*v + 1];
      while (x < end && y < y_end) {
        const int a = *x, b = *y;
        total += a == b;
        x += a <= b;
        y += b <= a;
      }
    }
  }
  return total;
}

void omp_shortest_paths(const RaggedRows<Road>& roads, int from, int delta, int* lengths) {
  std::fill_n(lengths, roads.rows, std::numeric_limits<int>::max());
  lengths[from] = 0;
  std::vector<int> frontier{from};
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::size_t bucket = 0, next = none;
#pragma omp parallel
  {
    std::vector<std::vector<int>> buckets;
    const auto relax = [&](int v) {
      for (std::int64_t k = roads.offsets[v]; k < roads.offsets[v + 1]; ++k) {
        const auto [to, length] = roads.values[k];
        const int with = loaded(lengths[v]) + length;
        int before = loaded(lengths[to]);
        while (with < before) {
          if (!swapped(lengths[to], before, with)) {
            before = loaded(lengths[to]);
            continue;
          }
          const auto of = static_cast<std::size_t>(with / delta);
          if (of >= buckets.size()) buckets.resize(of + 1);
          buckets[of].push_back(to);
          break;
        }
      }
    };
    while (bucket != none) {
#pragma omp for schedule(dynamic, 64)
      for (std::size_t i = 0; i < frontier.size(); ++i)
        if (loaded(lengths[frontier[i]]) / delta >= static_cast<int>(bucket)) relax(frontier[i]);
      // What a thread adds to the bucket that it works on, it does at once while that is little.
      while (bucket < buckets.size() && !buckets[bucket].empty() && buckets[bucket].size() < 1000) {
        std::vector<int> mine;
        mine.swap(buckets[bucket]);
        for (int v : mine) relax(v);
      }
      std::size_t first = bucket;
      while (first < buckets.size() && buckets[first].empty()) ++first;
      if (first < buckets.size()) {
#pragma omp critical
        next = std::min(next, first);
      }
#pragma omp barrier
#pragma omp single
      {
        bucket = next;
        next = none;
        frontier.clear();
      }
      if (bucket < buckets.size()) {
#pragma omp critical
        frontier.insert(frontier.end(), buckets[bucket].begin(), buckets[bucket].end());
        buckets[bucket].clear();
      }
#pragma omp barrier
    }
  }
}

void omp_sparse_product(const Sparse& a, const Sparse& b, std::vector<std::int64_t>& offsets,
                        std::vector<int>& columns, std::vector<double>& values) {
  const auto each_row = [&](const auto& body) {
#pragma omp parallel
    {
      std::vector<int> found, last(static_cast<std::size_t>(b.columns), -1);
      std::vector<double> sums(static_cast<std::size_t>(b.columns));
#pragma omp for schedule(dynamic, 256)
      for (std::int64_t row = 0; row < a.rows; ++row) {
        found.clear();
        body(row, found, last, sums);
      }
    }
  };
  offsets.assign(static_cast<std::size_t>(a.rows) + 1, 0);
  each_row([&](std::int64_t row, std::vector<int>&, std::vector<int>& last, std::vector<double>&) {
    std::int64_t n = 0;
    for (std::int64_t i = a.offsets[row]; i < a.offsets[row + 1]; ++i)
      for (std::int64_t k = b.offsets[a.column[i]]; k < b.offsets[a.column[i] + 1]; ++k) {
        int& seen = last[static_cast<std::size_t>(b.column[k])];
        n += seen != row;
        seen = static_cast<int>(row);
      }
    offsets[static_cast<std::size_t>(row) + 1] = n;
  });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  columns.resize(static_cast<std::size_t>(offsets.back()));
  values.resize(columns.size());
  each_row([&](std::int64_t row, std::vector<int>& found, std::vector<int>& last, std::vector<double>& sums) {
    for (std::int64_t i = a.offsets[row]; i < a.offsets[row + 1]; ++i)
      for (std::int64_t k = b.offsets[a.column[i]]; k < b.offsets[a.column[i] + 1]; ++k) {
        const int column = b.column[k];
        const auto at = static_cast<std::size_t>(column);
        const double product = a.value[i] * b.value[k];
        if (last[at] == row) {
          sums[at] += product;
          continue;
        }
        last[at] = static_cast<int>(row);
        sums[at] = product;
        found.push_back(column);
      }
    std::sort(found.begin(), found.end());
    auto to = static_cast<std::size_t>(offsets[static_cast<std::size_t>(row)]);
    for (int column : found) {
      columns[to] = column;
      values[to++] = sums[static_cast<std::size_t>(column)];
    }
  });
}

void omp_row_scans(const RaggedRows<float>& rows, float* sums) {
#pragma omp parallel for schedule(dynamic, 1024)
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    float sum = 0;
    for (std::int64_t k = rows.offsets[row]; k < rows.offsets[row + 1]; ++k) sums[k] = sum += rows.values[k];
  }
}

namespace {

void quicksort(int* begin, int* end) {
  while (end - begin > 4096) {
    int *middle = begin + (end - begin) / 2, *last = end - 1;
    const int pivot = std::max(std::min(*begin, *middle), std::min(std::max(*begin, *middle), *last));
    int *low = begin, *high = last;
    while (low <= high) {
      while (*low < pivot) ++low;
      while (*high > pivot) --high;
      if (low <= high) std::swap(*low++, *high--);
    }
#pragma omp task if (high - begin > 20000)
    quicksort(begin, high + 1);
    begin = low;
  }
  std::sort(begin, end);
}

}  // namespace

void omp_quicksort(int* xs, std::int64_t n) {
#pragma omp parallel
#pragma omp single
  quicksort(xs, xs + n);
}

void omp_flat_quicksort(int* xs, std::int64_t n) {
  std::vector<int> other(static_cast<std::size_t>(n));
  struct Segment {
    std::int64_t begin, end;
  };
  int *from = xs, *to = other.data();
  std::vector<Segment> segments{{0, n}}, next;
  std::vector<std::vector<Segment>> found(static_cast<std::size_t>(omp_get_max_threads()));
  while (!segments.empty()) {
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t s = 0; s < segments.size(); ++s) {
      const auto [begin, end] = segments[s];
      const int pivot = from[begin + (end - begin) / 2];
      std::int64_t low = begin, n_equal = 0;
      for (std::int64_t i = begin; i < end; ++i) {
        if (from[i] < pivot) to[low++] = from[i];
        n_equal += from[i] == pivot;
      }
      std::int64_t high = low + n_equal;
      std::fill(to + low, to + high, pivot);
      auto& mine = found[static_cast<std::size_t>(omp_get_thread_num())];
      const std::int64_t first = high;
      for (std::int64_t i = begin; i < end; ++i)
        if (from[i] > pivot) to[high++] = from[i];
      // What has its place is read from either array.
      std::fill(from + low, from + first, pivot);
      const auto divided = [&](std::int64_t a, std::int64_t b) {
        if (b - a > 1) mine.push_back({a, b});
        if (b - a == 1) from[a] = to[a];
      };
      divided(begin, low);
      divided(first, end);
    }
    next.clear();
    for (auto& part : found) {
      next.insert(next.end(), part.begin(), part.end());
      part.clear();
    }
    segments.swap(next);
    std::swap(from, to);
  }
  if (from != xs) std::copy_n(from, n, xs);
}

namespace {

using Points = std::vector<Point>;

double side(Point p, Point a, Point b) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}
// The lesser one of points that are equally far is taken.
bool is_less(Point p, Point q) {
  return p.x < q.x || (p.x == q.x && p.y < q.y);
}

// The corners after a and before b, of points that lie to the right of the line from a to b.
void corners(const Points& outside, Point a, Point b, Points& hull) {
  if (outside.empty()) return;
  Point far = outside[0];
  double most = side(far, a, b);
  for (const Point& p : outside) {
    const double now = side(p, a, b);
    if (now < most || (now == most && is_less(p, far))) {
      most = now;
      far = p;
    }
  }
  Points first, second, hull_of_second;
  for (const Point& p : outside) {
    if (side(p, a, far) < 0)
      first.push_back(p);
    else if (side(p, far, b) < 0)
      second.push_back(p);
  }
#pragma omp task shared(second, hull_of_second) if (second.size() > 5000)
  corners(second, far, b, hull_of_second);
  corners(first, a, far, hull);
#pragma omp taskwait
  hull.push_back(far);
  hull.insert(hull.end(), hull_of_second.begin(), hull_of_second.end());
}

}  // namespace

void omp_quickhull(const Point* points, std::int64_t n, std::vector<Point>& hull) {
  hull.clear();
  if (n == 0) return;
  Point left = points[0], right = points[0];
#pragma omp parallel
  {
    Point my_left = points[0], my_right = points[0];
#pragma omp for schedule(static) nowait
    for (std::int64_t i = 0; i < n; ++i) {
      if (is_less(points[i], my_left)) my_left = points[i];
      if (is_less(my_right, points[i])) my_right = points[i];
    }
#pragma omp critical
    {
      if (is_less(my_left, left)) left = my_left;
      if (is_less(right, my_right)) right = my_right;
    }
  }
  hull.push_back(left);
  if (left.x == right.x && left.y == right.y) return;
  std::vector<Points> belows(static_cast<std::size_t>(omp_get_max_threads())), aboves(belows.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const double now = side(points[i], left, right);
    const auto t = static_cast<std::size_t>(omp_get_thread_num());
    if (now < 0) belows[t].push_back(points[i]);
    if (now > 0) aboves[t].push_back(points[i]);
  }
  for (auto* parts : {&belows, &aboves})
    for (std::size_t t = 1; t < parts->size(); ++t)
      (*parts)[0].insert((*parts)[0].end(), (*parts)[t].begin(), (*parts)[t].end());
  Points upper;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    corners(belows[0], left, right, hull);
    corners(aboves[0], right, left, upper);
  }
  hull.push_back(right);
  hull.insert(hull.end(), upper.begin(), upper.end());
}

}  // namespace bench
