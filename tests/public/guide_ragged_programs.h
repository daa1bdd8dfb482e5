// The programs of docs/guide/ragged.md: lint/guide.py checks that they stand here as they stand there.
#pragma once

#include <fulgurite/fulgurite.h>

#include <tuple>

namespace guide::ragged {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

namespace {

fg::Ragged<int> neighbours(Vec<fg::i64> offsets, Vec<int> edges) {
  return fg::segments(offsets, edges);
}
fg::Ragged<int> by_remainder(Vec<int> xs) {  // 0, 1 and 2
  return fg::group_by(3, [](Exp<int> x) { return x % 3; }, xs);
}
fg::Ragged<fg::u8> words(Vec<fg::u8> text) {  // runs of letters
  auto is_letter = fg::map([](Exp<fg::u8> c) { return c != ' '; }, text);
  auto begins =
      fg::generate(text.size(), [&](Exp<fg::i64> i) { return i == 0 || !is_letter[fg::max(i - 1, 0)]; });
  return fg::segments(fg::flags(fg::filter(is_letter, begins)), fg::filter(is_letter, text));
}

// `sources` has for each page a row of the pages that point to it; `n_targets` counts those it points to.
Vec<float> pagerank(fg::Ragged<int> sources, Vec<int> n_targets) {
  auto n = fg::cast<float>(sources.size());
  return fg::iterate(
      20,
      [&](Vec<float> rank) {
        auto share = rank / fg::cast<float>(n_targets);
        auto received = fg::map([&](Exp<int> page) { return share[page]; }, sources);
        return 0.15f / n + 0.85f * fg::sum(received, fg::axis(1));
      },
      fg::replicate(sources.size(), 1.0f / n));
}
fg::Ragged<float> cumulative_shares(fg::Ragged<float> weights) {  // of each row
  auto totals = fg::sum(weights, fg::axis(1));
  return fg::scan(fg::plus, 0.0f, weights) / fg::broadcast(totals, weights);
}
Mat<float> best_three(fg::Ragged<float> ratings) {  // of each user, 0 where there are fewer
  auto greater = [](Exp<float> a, Exp<float> b) { return a > b; };
  return fg::map(
      [](Vec<float> row) {
        return fg::generate(3, [&](Exp<fg::i64> k) {
          return fg::cond(k < row.size(), [&] { return row[k]; }, [] { return 0.0f; });
        });
      },
      fg::rows(fg::sort(greater, ratings)));
}
Vec<int> checksums(fg::Ragged<int> messages) {  // any function of a row
  return fg::map(
      [](Vec<int> row) {
        return fg::iterate(row.size(), [&](Exp<fg::i64> k, Exp<int> h) { return 31 * h + row[k]; }, 7);
      },
      fg::rows(messages));
}
Vec<float> medians(fg::Ragged<float> samples) {  // 0 where there are none
  return fg::map(
      [](Vec<float> row) {
        auto sorted = fg::sort(row);
        return fg::cond(row.size() > 0, [&] { return sorted[row.size() / 2]; }, [] { return 0.0f; });
      },
      fg::rows(samples));
}
Vec<fg::i64> friends_of_friends(fg::Ragged<int> friends) {  // how many different ones
  return fg::map(
      [&](Vec<int> row) {
        auto reached = fg::expand([&](Exp<int> v) { return friends.row(v).size(); },
                                  [&](Exp<int> v, Exp<fg::i64> k) { return friends.row(v)[k]; }, row);
        return fg::unique(reached).size();
      },
      fg::rows(friends));
}
Vec<int> last_of_each_circle(fg::Ragged<int> circles, Exp<int> step) {  // every step-th one leaves
  return fg::map(
      [&](Vec<int> circle) {
        auto left = fg::while_loop([](Vec<int> v) { return v.size() > 1; },
                                   [&](Vec<int> v) {
                                     auto first = fg::cast<fg::i64>(step - 1) % v.size();
                                     return fg::take(fg::rotate(v, first + 1), v.size() - 1);
                                   },
                                   circle);
        return fg::sum(left);
      },
      fg::rows(circles));
}

fg::Ragged<int> common_friends(fg::Ragged<int> friends) {  // of each and the first of their friends
  return fg::map(
      [&](Vec<int> row) {
        auto theirs = fg::cond(row.size() > 0, [&] { return friends.row(row[0]); }, [&] { return row; });
        auto is_theirs = [&](Exp<int> v) {
          return fg::sum(fg::map([&](Exp<int> w) { return fg::cast<int>(v == w); }, theirs)) > 0;
        };
        return fg::Row(fg::filter(is_theirs, row));
      },
      fg::rows(friends));
}
fg::Ragged<fg::i64> collatz(Vec<fg::i64> starts) {  // the numbers on the way to 1
  return fg::map(
      [](Exp<fg::i64> start) {
        auto way = fg::while_loop([](Vec<fg::i64> v) { return v[v.size() - 1] > 1 && v.size() < 1000; },
                                  [](Vec<fg::i64> v) {
                                    auto x = v[v.size() - 1];
                                    auto next = fg::select(x % 2 == 0, x / 2, 3 * x + 1);
                                    return fg::concat(v, fg::replicate(1, next));
                                  },
                                  fg::replicate(1, start));
        return fg::Row(way);
      },
      starts);
}

Vec<int> decoded(Vec<int> lengths, Vec<int> symbols) {
  return fg::replicate(fg::lengths(lengths), symbols);
}
struct Line {
  int x0, y0, x1, y1;
};
Mat<bool> drawn(Vec<Line> lines, Exp<int> height, Exp<int> width) {
  auto steps = [](Exp<Line> line) {
    auto [x0, y0, x1, y1] = line;
    return fg::max(fg::max(fg::abs(x1 - x0), fg::abs(y1 - y0)), 1);
  };
  auto points = fg::expand([&](Exp<Line> line) { return steps(line) + 1; },
                           [&](Exp<Line> line, Exp<fg::i64> k) {
                             auto [x0, y0, x1, y1] = line;
                             auto at = fg::cast<int>(k), n = steps(line);
                             return std::tuple{y0 + (y1 - y0) * at / n, x0 + (x1 - x0) * at / n};
                           },
                           lines);
  auto [rows, columns] = fg::unzip(points);
  return fg::scatter(fg::replicate({height, width}, false), std::tuple{rows, columns},
                     fg::replicate(rows.size(), true));
}
Vec<float> harmonic_numbers(Vec<int> ns) {
  return fg::expand_reduce([](Exp<int> n) { return n; },
                           [](Exp<int>, Exp<fg::i64> k) { return 1.0f / fg::cast<float>(k + 1); }, fg::plus,
                           0.0f, ns);
}
Vec<int> next_frontier(Vec<int> frontier, fg::Ragged<int> graph, Vec<bool> seen) {
  auto reached = fg::expand([&](Exp<int> v) { return graph.row(v).size(); },
                            [&](Exp<int> v, Exp<fg::i64> k) { return graph.row(v)[k]; }, frontier);
  return fg::unique(fg::filter([&](Exp<int> v) { return !seen[v]; }, reached));
}
Vec<int> distances(fg::Ragged<int> graph, Exp<int> from) {  // breadth first; -1 where there is no way
  auto found = fg::while_loop([](Vec<int> frontier, Vec<int>, Exp<int>) { return frontier.size() > 0; },
                              [&](Vec<int> frontier, Vec<int> distance, Exp<int> level) {
                                auto now =
                                    fg::scatter(distance, frontier, fg::replicate(frontier.size(), level));
                                return std::tuple{next_frontier(frontier, graph, now >= 0), now, level + 1};
                              },
                              fg::replicate(1, from), fg::replicate(graph.size(), -1), 0);
  return std::get<1>(found);
}

}  // namespace
}  // namespace guide::ragged
