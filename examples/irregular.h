// Programs whose work depends on the data: components, triangles and shortest paths of graphs, the product of
// sparse matrices, a sort and a hull that divide all their parts at once.
#pragma once

#include <fulgurite/fulgurite.h>

#include <limits>
#include <tuple>

namespace irregular {

namespace fg = fulgurite;
using fg::Exp, fg::i64, fg::Ragged, fg::Vec;

struct Edge {
  int from, to;
};

/// The least vertex that edges connect with each vertex. In each round roots are hooked to the least root
/// beside them, and every vertex jumps to its root; edges inside of a component are left out from then on.
inline Vec<int> components(Vec<Edge> edges, Exp<int> n) {
  auto found = fg::while_loop(
      [](Vec<Edge> left, Vec<int>) { return left.size() > 0; },
      [](Vec<Edge> left, Vec<int> roots) {
        auto [from, to] = fg::unzip(left);
        auto high = fg::max(from, to);
        auto hooked = fg::permute(fg::min, roots, [&](Exp<i64> e) { return high[e]; }, fg::min(from, to));
        auto [jumped, moves] = fg::while_loop([](Vec<int>, Exp<bool> is_new) { return is_new; },
                                              [](Vec<int> up, Exp<bool>) {
                                                auto next = fg::gather(up, up);
                                                return std::tuple{next, fg::any(next != up)};
                                              },
                                              hooked, true);
        auto moved = fg::map(
            [&, &root = jumped](Exp<Edge> edge) {
              auto [a, b] = edge;
              return fg::make<Edge>(root[a], root[b]);
            },
            left);
        auto is_between = [](Exp<Edge> edge) {
          auto [a, b] = edge;
          return a != b;
        };
        return std::tuple{fg::filter(is_between, moved), jumped};
      },
      edges, fg::iota<int>(n));
  return std::get<1>(found);
}

/// How many triangles a graph has; `later` are the neighbours of each vertex that come after it, in order.
inline Exp<i64> triangles(Ragged<int> later) {
  auto n_common = [&](Exp<i64> u, Exp<int> v) {
    auto of_u = later.row(u), of_v = later.row(v);
    auto last = fg::while_loop(
        [&](Exp<i64> i, Exp<i64> j, Exp<i64>) { return i < of_u.size() && j < of_v.size(); },
        [&](Exp<i64> i, Exp<i64> j, Exp<i64> n) {
          auto a = of_u[i], b = of_v[j];
          return std::tuple{i + fg::cast<i64>(a <= b), j + fg::cast<i64>(b <= a), n + fg::cast<i64>(a == b)};
        },
        i64{0}, i64{0}, i64{0});
    return std::get<2>(last);
  };
  return fg::sum(fg::map(n_common, later.row_numbers(), later.values()));
}

struct Road {
  int to, length;
};

/// The lengths of the shortest paths from a vertex; the greatest int where there is no path. Vertices nearer
/// than a limit are relaxed until none of them changes, then the limit grows by `delta` (delta stepping).
inline Vec<int> shortest_paths(Ragged<Road> roads, Exp<int> from, Exp<int> delta) {
  auto relaxed = [&](Vec<int> near, Vec<int> far, Vec<int> lengths, Vec<int> claims, Exp<int> limit) {
    auto reached = fg::expand([&](Exp<int> v) { return roads.row(v).size(); },
                              [&](Exp<int> v, Exp<i64> k) {
                                auto [to, length] = Exp<Road>(roads.row(v)[k]);
                                return fg::make<Road>(to, lengths[v] + length);
                              },
                              near);
    auto is_shorter = [&](Exp<Road> path) {
      auto [to, length] = path;
      return length < lengths[to];
    };
    auto [to, length] = fg::unzip(fg::filter(is_shorter, reached));
    auto now = fg::permute(fg::min, lengths, [&, &vertices = to](Exp<i64> i) { return vertices[i]; }, length);
    // One of the paths to a vertex claims it: the last to write its number there.
    auto numbers = fg::iota<int>(to.size());
    auto claimed = fg::scatter(claims, to, numbers, fg::any_of_equal);
    auto changed =
        fg::filter(fg::map([&](Exp<int> v, Exp<int> i) { return claimed[v] == i; }, to, numbers), to);
    auto [next, later] = fg::partition([&](Exp<int> v) { return now[v] < limit; }, changed);
    return std::tuple{next, fg::concat(far, later), now, claimed, limit};
  };
  auto raised = [&](Vec<int> far, Vec<int> lengths, Vec<int> claims, Exp<int> limit) {
    auto left = fg::filter([&](Exp<int> v) { return lengths[v] >= limit; }, far);
    auto [next, later] = fg::partition([&](Exp<int> v) { return lengths[v] < limit + delta; }, left);
    return std::tuple{next, later, lengths, claims, limit + delta};
  };
  auto nowhere = fg::replicate(roads.size(), std::numeric_limits<int>::max());
  auto found = fg::while_loop(
      [](Vec<int> near, Vec<int> far, Vec<int>, Vec<int>, Exp<int>) { return near.size() + far.size() > 0; },
      [&](Vec<int> near, Vec<int> far, Vec<int> lengths, Vec<int> claims, Exp<int> limit) {
        return fg::cond(
            near.size() > 0, [&] { return relaxed(near, far, lengths, claims, limit); },
            [&] { return raised(far, lengths, claims, limit); });
      },
      fg::replicate(1, from), fg::replicate(0, 0), fg::with(nowhere, from, 0), nowhere, delta);
  return std::get<2>(found);
}

struct Entry {
  int column;
  double value;
};

/// The product of two sparse matrices, whose rows have entries in order of their columns: all products,
/// sorted by column in each row, and added up where columns are equal.
inline Ragged<Entry> product(Ragged<Entry> a, Ragged<Entry> b) {
  auto row_of = [&](Exp<Entry> entry) {
    auto [column, value] = entry;
    return b.row(column);
  };
  auto products = fg::expand_rows([&](Exp<Entry> x) { return row_of(x).size(); },
                                  [&](Exp<Entry> x, Exp<i64> k) {
                                    auto [middle, by] = x;
                                    auto [column, value] = Exp<Entry>(row_of(x)[k]);
                                    return fg::make<Entry>(column, by * value);
                                  },
                                  a.values());
  auto by_column = [](Exp<Entry> x, Exp<Entry> y) { return x.get<0>() < y.get<0>(); };
  auto sorted =
      fg::sort(by_column, fg::segments(fg::gather(products.offsets(), a.offsets()), products.values()));
  auto [columns, values] = fg::unzip(sorted.values());
  auto is_first = fg::map(
      [&, &column = columns](Exp<i64> row, Exp<i64> i) {
        return i == sorted.offsets()[row] || column[fg::max(i - 1, 0)] != column[i];
      },
      sorted.row_numbers(), fg::iota(columns.size()));
  auto sums = fg::segmented_reduce(fg::plus, 0.0, fg::flags(is_first), values);
  auto kept = fg::filter(is_first, columns);
  auto [before, total] = fg::scan_with_total(fg::plus, i64{0}, fg::cast<i64>(is_first));
  auto offsets = fg::map(
      [&, &before_each = before, &all = total](Exp<i64> at) {
        return fg::cond(at < is_first.size(), [&] { return before_each[at]; }, [&] { return all; });
      },
      sorted.offsets());
  return fg::segments(
      offsets,
      fg::map([](Exp<int> column, Exp<double> sum) { return fg::make<Entry>(column, sum); }, kept, sums));
}

/// The sums of the elements of each row up to each of them.
inline Ragged<float> row_scans(Ragged<float> rows) {
  return fg::scan(fg::plus, 0.0f, rows);
}

/// Sorted: each segment is divided by its first element, all segments at once, until all have one element.
/// Scans of flags tell every element where its segment begins and ends, and how many are less so far.
inline Vec<int> quicksort(Vec<int> given) {
  auto n = fg::cast<int>(given.size());
  auto numbers = fg::iota<int>(given.size());
  auto sorted = fg::while_loop(
      [](Vec<int>, Vec<bool> begins) { return !fg::all(begins); },
      [&](Vec<int> xs, Vec<bool> begins) {
        auto begin = fg::scan(fg::max, 0, fg::select(begins, numbers, 0));
        auto end = fg::exclusive_scan_right(fg::min, n, fg::select(begins, numbers, n));
        auto is_less = xs < fg::gather(xs, begin);
        auto [before, total] = fg::scan_with_total(fg::plus, 0, fg::cast<int>(is_less));
        auto n_before = [&, &each = before, &all = total](Exp<int> i) {
          return fg::cond(i < n, [&] { return each[i]; }, [&] { return all; });
        };
        auto pivot =
            fg::map([&](Exp<int> first, Exp<int> last) { return first + n_before(last) - n_before(first); },
                    begin, end);
        auto place = fg::map(
            [&](Exp<int> i, Exp<bool> less, Exp<int> first, Exp<int> at) {
              auto n_less = n_before(i) - n_before(first);
              return fg::select(less, first + n_less, at + i - first - n_less);
            },
            numbers, is_less, begin, pivot);
        auto divided = begins || numbers == pivot || numbers == pivot + 1;
        return std::tuple{fg::scatter(xs, place, xs, fg::any_of_equal), divided};
      },
      given, numbers == 0);
  return std::get<0>(sorted);
}

struct Point {
  double x, y;
};
struct Outside {
  double x, y;
  i64 side;
};
struct Farthest {
  double distance, x, y;
};

/// The corners of the convex hull, counterclockwise from the leftmost point, of which the lowest. Each side
/// gets the point that is farthest outside of it as a corner, until no point is outside.
inline Vec<Point> quickhull(Vec<Point> points) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  auto is_less = [](Exp<Point> p, Exp<Point> q) {
    auto [px, py] = p;
    auto [qx, qy] = q;
    return px < qx || (px == qx && py < qy);
  };
  // Negative to the right of the line from a to b.
  auto distance = [](Exp<double> x, Exp<double> y, Exp<Point> a, Exp<Point> b) {
    auto [ax, ay] = a;
    auto [bx, by] = b;
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax);
  };
  auto left = fg::reduce([&](Exp<Point> p, Exp<Point> q) { return fg::select(is_less(q, p), q, p); },
                         Point{infinity, infinity}, points);
  auto right = fg::reduce([&](Exp<Point> p, Exp<Point> q) { return fg::select(is_less(p, q), q, p); },
                          Point{-infinity, -infinity}, points);
  auto is_outside = [](Exp<Outside> p) { return p.get<2>() >= 0; };
  auto outside = fg::filter(is_outside, fg::map(
                                            [&](Exp<Point> p) {
                                              auto [x, y] = p;
                                              auto d = distance(x, y, left, right);
                                              auto side = fg::select(d < 0.0, i64{0},
                                                                     fg::select(d > 0.0, i64{1}, i64{-1}));
                                              return fg::make<Outside>(x, y, side);
                                            },
                                            points));
  auto found = fg::while_loop(
      [](Vec<Point>, Vec<Outside> left_over) { return left_over.size() > 0; },
      [&](Vec<Point> corners, Vec<Outside> left_over) {
        auto after = [&](Exp<i64> side) {
          return corners[fg::select(side + 1 < corners.size(), side + 1, i64{0})];
        };
        auto farther = [](Exp<Farthest> p, Exp<Farthest> q) {
          auto [pd, px, py] = p;
          auto [qd, qx, qy] = q;
          return fg::select(qd < pd || (qd == pd && (qx < px || (qx == px && qy < py))), q, p);
        };
        auto measured = fg::map(
            [&](Exp<Outside> p) {
              auto [x, y, side] = p;
              return fg::make<Farthest>(distance(x, y, corners[side], after(side)), x, y);
            },
            left_over);
        auto sides = fg::map([](Exp<Outside> p) { return p.get<2>(); }, left_over);
        auto farthest =
            fg::histogram(farther, Farthest{0, infinity, infinity}, corners.size(), sides, measured);
        auto n_of = [&](Exp<i64> side) { return fg::select(farthest[side].get<0>() < 0.0, i64{2}, i64{1}); };
        auto corner = [&](Exp<i64> side) {
          auto [d, x, y] = Exp<Farthest>(farthest[side]);
          return fg::make<Point>(x, y);
        };
        auto all_sides = fg::iota(corners.size());
        auto place = fg::exclusive_scan(fg::plus, i64{0}, fg::map(n_of, all_sides));
        auto next = fg::expand(
            n_of,
            [&](Exp<i64> side, Exp<i64> k) {
              return fg::select(k == 0, Exp<Point>(corners[side]), corner(side));
            },
            all_sides);
        auto divided = fg::map(
            [&](Exp<Outside> p) {
              auto [x, y, side] = p;
              auto is_before = distance(x, y, corners[side], corner(side)) < 0.0;
              auto is_behind = distance(x, y, corner(side), after(side)) < 0.0;
              auto at = place[side];
              return fg::make<Outside>(x, y,
                                       fg::select(is_before, at, fg::select(is_behind, at + 1, i64{-1})));
            },
            left_over);
        return std::tuple{next, fg::filter(is_outside, divided)};
      },
      fg::generate(2, [&](Exp<i64> i) { return fg::select(i == 0, left, right); }), outside);
  auto hull = std::get<0>(found);
  auto n = fg::select(points.size() == 0, i64{0}, fg::select(is_less(left, right), hull.size(), i64{1}));
  return fg::take(hull, n);
}

}  // namespace irregular
