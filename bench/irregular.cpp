// Irregular programs beside loops with OpenMP: searches of graphs, PageRank, run-length decoding, lines
// drawn, words, the best of each row; and rows of equal lengths beside the same elements with one long row.
// In each round ours and the peer run in turn, 15 ms of rest before each; a ratio is the median of the ratios
// of the rounds.
#include <fmt/format.h>
#include <fulgurite/fulgurite.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>

#include "peers/irregular.h"
#include "rounds.h"

namespace {

namespace fg = fulgurite;
using bench::median, bench::Options, bench::Run;
using fg::Exp, fg::Mat, fg::Ragged, fg::RaggedArray, fg::Vec, fg::i64;

constexpr double together_us = 4000;

void row(const Options& options, const std::string& name, const Run& ours, const Run& peer) {
  const auto times = bench::in_turn(options, together_us, {ours, peer});
  fmt::print("| {} | {:.0f} | {:.0f} | {:.2f} |\n", name, median(times[0]), median(times[1]),
             bench::median_ratio(times[0], times[1]));
  std::fflush(stdout);
}

template <class T, class Theirs>
void require_close(const std::string& name, const T* ours, const Theirs* theirs, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const double a = static_cast<double>(ours[i]), b = static_cast<double>(theirs[i]);
    if (std::abs(a - b) <= 1e-3 * (1e-6 + std::abs(b))) continue;
    fmt::print(stderr, "{}: element {} is {}, not {}\n", name, i, a, b);
    std::exit(1);
  }
}

template <class T>
bench::RaggedRows<T> rows_of(const RaggedArray<T>& array) {
  return {array.size(), array.offsets().data(), array.values().data()};
}
template <class T>
RaggedArray<T> ragged(const std::vector<int>& lengths, const std::function<T(std::int64_t)>& value) {
  std::vector<i64> offsets{0};
  for (int length : lengths) offsets.push_back(offsets.back() + length);
  std::vector<T> values(static_cast<std::size_t>(offsets.back()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(static_cast<std::int64_t>(i));
  return {std::move(offsets), std::move(values)};
}
RaggedArray<int> random_graph(int n, int edges_of_each) {
  std::mt19937 random(7);
  return ragged<int>(std::vector<int>(static_cast<std::size_t>(n), edges_of_each),
                     [&](std::int64_t) { return static_cast<int>(random() % static_cast<unsigned>(n)); });
}
RaggedArray<int> grid_graph(int rows, int columns) {
  std::vector<i64> offsets{0};
  std::vector<int> values;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      if (y > 0) values.push_back((y - 1) * columns + x);
      if (y + 1 < rows) values.push_back((y + 1) * columns + x);
      if (x > 0) values.push_back(y * columns + x - 1);
      if (x + 1 < columns) values.push_back(y * columns + x + 1);
      offsets.push_back(static_cast<i64>(values.size()));
    }
  return {std::move(offsets), std::move(values)};
}

Vec<int> next_frontier(Vec<int> frontier, Ragged<int> graph, Vec<bool> seen) {
  auto reached = fg::expand([&](Exp<int> v) { return graph.row(v).size(); },
                            [&](Exp<int> v, Exp<i64> k) { return graph.row(v)[k]; }, frontier);
  return fg::unique(fg::filter([&](Exp<int> v) { return !seen[v]; }, reached));
}
Vec<int> distances(Ragged<int> graph, Exp<int> from) {
  auto found = fg::while_loop([](Vec<int> frontier, Vec<int>, Exp<int>) { return frontier.size() > 0; },
                              [&](Vec<int> frontier, Vec<int> distance, Exp<int> level) {
                                auto now =
                                    fg::scatter(distance, frontier, fg::replicate(frontier.size(), level));
                                return std::tuple{next_frontier(frontier, graph, now >= 0), now, level + 1};
                              },
                              fg::replicate(1, from), fg::replicate(graph.size(), -1), 0);
  return std::get<1>(found);
}
// One of the edges that reach a vertex claims it: the last to write its number there.
Vec<int> distances_by_claims(Ragged<int> graph, Exp<int> from) {
  auto found = fg::while_loop(
      [](Vec<int> frontier, Vec<int>, Vec<int>, Exp<int>) { return frontier.size() > 0; },
      [&](Vec<int> frontier, Vec<int> distance, Vec<int> claims, Exp<int> level) {
        auto reached = fg::expand([&](Exp<int> v) { return graph.row(v).size(); },
                                  [&](Exp<int> v, Exp<i64> k) { return graph.row(v)[k]; }, frontier);
        auto fresh = fg::filter([&](Exp<int> v) { return distance[v] < 0; }, reached);
        auto numbers = fg::iota<int>(fresh.size());
        auto claimed = fg::scatter(claims, fresh, numbers, fg::any_of_equal);
        auto next = fg::filter(
            fg::map([&](Exp<int> v, Exp<int> i) { return claimed[v] == i; }, fresh, numbers), fresh);
        auto now = fg::scatter(distance, next, fg::replicate(next.size(), level), fg::any_of_equal);
        return std::tuple{next, now, claimed, level + 1};
      },
      fg::replicate(1, from), fg::with(fg::replicate(graph.size(), -1), from, 0),
      fg::replicate(graph.size(), -1), 1);
  return std::get<1>(found);
}

void run_searches(const Options& options) {
  const std::pair<std::string, std::function<RaggedArray<int>()>> graphs[] = {
      {"grid 100 x 2000", [] { return grid_graph(100, 2000); }},
      {"10^6 vertices, 6 * 10^6 edges", [] { return random_graph(1000000, 6); }},
      {"2 * 10^4 vertices, 12 * 10^6 edges", [] { return random_graph(20000, 600); }}};
  for (const auto& [graph_name, make] : graphs)
    for (const bool claims : {false, true}) {
      const std::string name =
          fmt::format("breadth-first search{}, {}", claims ? " by claims" : "", graph_name);
      if (!options.wants(name)) continue;
      const RaggedArray<int> graph = make();
      const auto f = fg::compile(claims ? distances_by_claims : distances);
      std::vector<int> theirs(static_cast<std::size_t>(graph.size()));
      fg::Array<int> result;
      const Run ours = [&] { result = {}, result = f(graph, 0); };
      const Run peer = [&] { bench::omp_distances(rows_of(graph), 0, theirs.data()); };
      ours(), peer();
      require_close(name, result.data(), theirs.data(), graph.size());
      row(options, name, ours, peer);
    }
}

Vec<float> pagerank(Ragged<int> sources, Vec<int> n_targets) {
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
void run_pagerank(const Options& options) {
  const std::string name = "PageRank, 10^6 pages, 6 * 10^6 links, 20 steps";
  if (!options.wants(name)) return;
  const RaggedArray<int> sources = random_graph(1000000, 6);
  std::vector<int> n_targets(1000000, 1);
  for (int page : sources.values()) ++n_targets[static_cast<std::size_t>(page)];
  const auto f = fg::compile(pagerank);
  std::vector<float> theirs;
  fg::Array<float> result;
  const Run ours = [&] { result = {}, result = f(sources, n_targets); };
  const Run peer = [&] { bench::omp_pagerank(rows_of(sources), n_targets.data(), 20, theirs); };
  ours(), peer();
  require_close(name, result.data(), theirs.data(), result.size());
  row(options, name, ours, peer);
}

void run_decoding(const Options& options) {
  const std::string name = "run-length decoding, 10^6 runs";
  if (!options.wants(name)) return;
  std::mt19937 random(3);
  std::vector<int> lengths(1000000), symbols(1000000);
  for (int& length : lengths) length = static_cast<int>(random() % 17);
  std::iota(symbols.begin(), symbols.end(), 0);
  const auto f = fg::compile([](Vec<int> n, Vec<int> s) { return fg::replicate(fg::lengths(n), s); });
  std::vector<int> theirs;
  fg::Array<int> result;
  const Run ours = [&] { result = {}, result = f(lengths, symbols); };
  const Run peer = [&] { bench::omp_decoded(lengths.data(), symbols.data(), 1000000, theirs); };
  ours(), peer();
  require_close(name, result.data(), theirs.data(), result.size());
  row(options, name, ours, peer);
}

using Line = std::tuple<int, int, int, int>;
Mat<bool> drawn(Vec<Line> lines, Exp<int> height, Exp<int> width) {
  auto steps = [](Exp<Line> line) {
    auto [x0, y0, x1, y1] = line;
    return fg::max(fg::max(fg::abs(x1 - x0), fg::abs(y1 - y0)), 1);
  };
  auto points = fg::expand([&](Exp<Line> line) { return steps(line) + 1; },
                           [&](Exp<Line> line, Exp<i64> k) {
                             auto [x0, y0, x1, y1] = line;
                             auto at = fg::cast<int>(k), n = steps(line);
                             return std::tuple{y0 + (y1 - y0) * at / n, x0 + (x1 - x0) * at / n};
                           },
                           lines);
  auto [rows, columns] = fg::unzip(points);
  return fg::scatter(fg::replicate({height, width}, false), std::tuple{rows, columns},
                     fg::replicate(rows.size(), true));
}
void run_lines(const Options& options) {
  const std::string name = "10^5 lines drawn, 1000 x 1000";
  if (!options.wants(name)) return;
  std::mt19937 random(5);
  std::vector<Line> lines;
  std::vector<bench::Line> same;
  for (int i = 0; i < 100000; ++i) {
    const int x = static_cast<int>(random() % 900), y = static_cast<int>(random() % 900);
    same.push_back({x, y, x + static_cast<int>(random() % 100), y + static_cast<int>(random() % 100)});
    lines.emplace_back(same.back().x0, same.back().y0, same.back().x1, same.back().y1);
  }
  const auto f = fg::compile(drawn);
  const fg::Array<Line> given(lines);
  std::vector<unsigned char> theirs;
  fg::Array<bool, 2> result;
  const Run ours = [&] { result = {}, result = f(given, 1000, 1000); };
  const Run peer = [&] {
    theirs.assign(1000000, 0);
    bench::omp_drawn(same.data(), 100000, 1000, theirs.data());
  };
  ours(), peer();
  require_close(name, result.data(), theirs.data(), result.size());
  row(options, name, ours, peer);
}

void run_words(const Options& options) {
  const std::string name = "words of a text, 10^7 bytes";
  if (!options.wants(name)) return;
  std::mt19937 random(5);
  std::vector<fg::u8> text(10000000);
  for (fg::u8& c : text) c = random() % 6 == 0 ? ' ' : static_cast<fg::u8>('a' + random() % 26);
  const auto f = fg::compile([](Vec<fg::u8> given) {
    auto is_letter = fg::map([](Exp<fg::u8> c) { return c != ' '; }, given);
    auto begins =
        fg::generate(given.size(), [&](Exp<i64> i) { return i == 0 || !is_letter[fg::max(i - 1, 0)]; });
    return fg::segments(fg::flags(fg::filter(is_letter, begins)), fg::filter(is_letter, given));
  });
  std::vector<i64> offsets;
  std::vector<fg::u8> letters;
  RaggedArray<fg::u8> result;
  const Run ours = [&] { result = {}, result = f(text); };
  const Run peer = [&] { bench::omp_words(text.data(), 10000000, offsets, letters); };
  ours(), peer();
  require_close(name, result.offsets().data(), offsets.data(), static_cast<std::int64_t>(offsets.size()));
  row(options, name, ours, peer);
}

// Up to 28 of each of 10^5 users.
RaggedArray<float> some_ratings() {
  std::mt19937 random(5);
  std::vector<int> lengths(100000);
  for (int& length : lengths) length = static_cast<int>(random() % 29);
  return ragged<float>(lengths, [&](std::int64_t) { return 0.1f + static_cast<float>(random() % 1000); });
}

// A function of a row that makes a row of a length of its own.
void run_upper_halves(const Options& options) {
  const std::string name = "ratings of at least half of each user's best, 10^5 users, 1.4 * 10^6 ratings";
  if (!options.wants(name)) return;
  const RaggedArray<float> ratings = some_ratings();
  const auto f = fg::compile([](Ragged<float> given) {
    return fg::map(
        [](Vec<float> row) {
          const auto half = fg::reduce(fg::max, 0.0f, row) / 2;
          return fg::Row(fg::filter([=](Exp<float> x) { return x >= half; }, row));
        },
        fg::rows(given));
  });
  std::vector<i64> offsets;
  std::vector<float> values;
  RaggedArray<float> result;
  const Run ours = [&] { result = {}, result = f(ratings); };
  const Run peer = [&] { bench::omp_upper_halves(rows_of(ratings), offsets, values); };
  ours(), peer();
  require_close(name, result.offsets().data(), offsets.data(), static_cast<std::int64_t>(offsets.size()));
  require_close(name, result.values().data(), values.data(), static_cast<std::int64_t>(values.size()));
  row(options, name, ours, peer);
}

void run_best(const Options& options) {
  const std::string name = "best three of each user, 10^5 users, 1.4 * 10^6 ratings";
  if (!options.wants(name)) return;
  const RaggedArray<float> ratings = some_ratings();
  const auto f = fg::compile([](Ragged<float> given) {
    auto greater = [](Exp<float> a, Exp<float> b) { return a > b; };
    return fg::map(
        [](Vec<float> best) {
          return fg::generate(3, [&](Exp<i64> k) {
            return fg::cond(k < best.size(), [&] { return best[k]; }, [] { return 0.0f; });
          });
        },
        fg::rows(fg::sort(greater, given)));
  });
  std::vector<float> theirs(300000);
  fg::Array<float, 2> result;
  const Run ours = [&] { result = {}, result = f(ratings); };
  const Run peer = [&] { bench::omp_best_three(rows_of(ratings), theirs.data()); };
  ours(), peer();
  require_close(name, result.data(), theirs.data(), result.size());
  row(options, name, ours, peer);
}

// One row of 10^6 among 10^5 of 3, and as many elements in equal rows; the peer is a loop over rows.
void run_balance(const Options& options) {
  std::vector<int> uneven(100001, 3), even(100001, 13);
  uneven[50000] = 1000000;
  const auto sums = fg::compile([](Ragged<float> r) { return fg::sum(r, fg::axis(1)); });
  const auto scans = fg::compile([](Ragged<float> r) { return fg::scan(fg::plus, 0.0f, r).values(); });
  const auto sorts = fg::compile([](Ragged<float> r) { return fg::sort(r).values(); });
  const auto size_of = [](Exp<int> n) { return n; };
  const auto element_of = [](Exp<int>, Exp<i64> k) { return 1.0f / fg::cast<float>(k + 1); };
  const auto expands = fg::compile([=](Vec<int> n) { return fg::expand(size_of, element_of, n); });
  const auto folds =
      fg::compile([=](Vec<int> n) { return fg::expand_reduce(size_of, element_of, fg::plus, 0.0f, n); });
  for (const auto& [kind, lengths] : {std::pair{"one row of 10^6", uneven}, std::pair{"equal rows", even}}) {
    const auto rows = ragged<float>(lengths, [](std::int64_t i) { return static_cast<float>(i % 8); });
    const fg::Array<int> given(lengths);
    std::vector<float> theirs(lengths.size());
    const auto n = static_cast<std::int64_t>(lengths.size());
    const Run peer_sums = [&] { bench::omp_row_sums(rows_of(rows), theirs.data()); };
    const Run peer_folds = [&, &numbers = lengths] {
      bench::omp_harmonic_numbers(numbers.data(), n, theirs.data());
    };
    const auto measured = [&, &what = kind](const std::string& name, const Run& ours, const Run& peer) {
      const std::string full = name + ", " + what;
      if (!options.wants(full)) return;
      ours();
      row(options, full, ours, peer);
    };
    measured("sum of rows", [&] { sums(rows); }, peer_sums);
    measured("scan of rows (peer: sums)", [&] { scans(rows); }, peer_sums);
    measured("sort of rows (peer: sums)", [&] { sorts(rows); }, peer_sums);
    measured("expand (peer: folds)", [&] { expands(given); }, peer_folds);
    measured("expand_reduce", [&] { folds(given); }, peer_folds);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options =
      bench::options_of(argc, argv, "Ragged arrays and searches of graphs, beside OpenMP");
  fmt::print("| program | ours, us | OpenMP, us | ratio |\n|---|--:|--:|--:|\n");
  run_searches(options);
  run_pagerank(options);
  run_decoding(options);
  run_lines(options);
  run_words(options);
  run_best(options);
  run_upper_halves(options);
  run_balance(options);
}
