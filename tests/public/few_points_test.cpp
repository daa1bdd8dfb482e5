// Histograms and permutes of few points into many places, which sort the points: beside loops in plain C++.
#include "engines.h"

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

namespace {

struct Points {
  std::vector<int> places, values;
};

constexpr int n_places = 40000;
const std::vector<std::size_t> numbers{0, 1, 2, 3, 17, 100, n_places / 64, n_places / 64 + 1, 3000};

// Some in one place, some outside.
Points points(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n) + 1);
  Points all;
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_common = random() % 3 == 0;
    all.places.push_back(is_common ? 7
                                   : static_cast<int>(random() % static_cast<unsigned>(n_places + 20)) - 10);
    all.values.push_back(static_cast<int>(random() % 1000));
  }
  return all;
}

// x -> factor * x + term: one after the other is one again, and order matters.
using Line = std::tuple<unsigned, unsigned>;
Line line_of(int x) {
  return {2 * static_cast<unsigned>(x) + 1, static_cast<unsigned>(x) * 7u + 3};
}
Line then(const Line& a, const Line& b) {
  return {std::get<0>(a) * std::get<0>(b), std::get<1>(a) * std::get<0>(b) + std::get<1>(b)};
}
auto both(Exp<Line> a, Exp<Line> b) {
  return std::tuple(fg::get<0>(a) * fg::get<0>(b), fg::get<1>(a) * fg::get<0>(b) + fg::get<1>(b));
}

template <class T, class Op>
std::vector<T> expected(std::vector<T> at, const Points& p, const std::vector<T>& values, const Op& op) {
  for (std::size_t i = 0; i < p.places.size(); ++i)
    if (p.places[i] >= 0 && p.places[i] < n_places) {
      T& element = at[static_cast<std::size_t>(p.places[i])];
      element = op(element, values[i]);
    }
  return at;
}

TEST(FewPoints, OfPermutes) {
  const auto program = [](Vec<int> to, Vec<int> places, Vec<int> values, Exp<fg::i64> steps) {
    return fg::iterate(
        steps,
        [&](Exp<fg::i64>, Vec<int> at) {
          return fg::permute(fg::min, at, [&](Exp<fg::i64> i) { return places[i]; }, values);
        },
        to);
  };
  std::vector<int> before;
  for (int j = 0; j < n_places; ++j) before.push_back(j % 611);
  on_every_engine(program, [&](const auto& f) {
    for (const std::size_t n : numbers) {
      SCOPED_TRACE(n);
      const Points p = points(n);
      const auto least = [](int a, int b) { return std::min(a, b); };
      EXPECT_EQ(f(before, p.places, p.values, 1).to_vector(), expected(before, p, p.values, least));
    }
  });
}

// The statement makes a maximum and another scatter besides, which reads what the permute changes.
TEST(FewPoints, OfPermutesBesideOtherOutputs) {
  const auto program = [](Vec<int> to, Vec<int> places, Vec<int> values, Exp<fg::i64> steps) {
    const auto found = fg::iterate(
        steps,
        [&](Exp<fg::i64>, Vec<int> at, Vec<int> seen, Exp<int> most) {
          auto place = [&](Exp<fg::i64> i) { return places[i]; };
          const Vec<int> now = fg::permute(fg::min, at, place, values);
          const Vec<int> inside = fg::map([&](Exp<int> v) { return fg::clamp(v, 0, n_places - 1); }, places);
          const Vec<int> read = fg::map([&](Exp<int> v) { return at[v]; }, inside);
          return std::tuple{now, fg::scatter(seen, inside, read, fg::any_of_equal),
                            fg::max(most, fg::reduce(fg::max, 0, values))};
        },
        to, to, 0);
    return found;
  };
  std::vector<int> before;
  for (int j = 0; j < n_places; ++j) before.push_back(j % 611);
  on_every_engine(program, [&](const auto& f) {
    for (const std::size_t n : numbers) {
      SCOPED_TRACE(n);
      const Points p = points(n);
      const auto least = [](int a, int b) { return std::min(a, b); };
      const auto [now, seen, most] = f(before, p.places, p.values, 1);
      EXPECT_EQ(now.to_vector(), expected(before, p, p.values, least));
      EXPECT_EQ(seen.to_vector(), before);
      EXPECT_EQ(most, n == 0 ? 0 : *std::ranges::max_element(p.values));
    }
  });
}

TEST(FewPoints, InTheirOrder) {
  const auto program = [](Vec<Line> to, Vec<int> places, Vec<Line> values, Exp<fg::i64> steps) {
    return fg::iterate(
        steps,
        [&](Exp<fg::i64>, Vec<Line> at) {
          return fg::permute([](Exp<Line> a, Exp<Line> b) { return both(a, b); }, at,
                             [&](Exp<fg::i64> i) { return places[i]; }, values);
        },
        to);
  };
  std::vector<Line> before;
  for (int j = 0; j < n_places; ++j) before.push_back(line_of(j % 11));
  on_every_engine(program, [&](const auto& f) {
    for (const std::size_t n : numbers) {
      SCOPED_TRACE(n);
      const Points p = points(n);
      std::vector<Line> values;
      for (int x : p.values) values.push_back(line_of(x));
      EXPECT_EQ(f(before, p.places, values, 1).to_vector(), expected(before, p, values, then));
    }
  });
}

// Step by step, so that each finds what the one before it left.
TEST(FewPoints, OfHistogramsAndInLoops) {
  const auto program = [](Vec<int> places, Vec<int> values) {
    const Vec<int> counts = fg::histogram(fg::plus, 0, n_places, places, values);
    return fg::iterate(
        3,
        [&](Exp<fg::i64> step, Vec<int> to) {
          return fg::permute(
              fg::plus, to, [&](Exp<fg::i64> i) { return fg::cast<fg::i64>(places[i]) + step; }, values);
        },
        counts);
  };
  on_every_engine(program, [&](const auto& f) {
    for (const std::size_t n : numbers) {
      SCOPED_TRACE(n);
      Points p = points(n);
      const std::vector<int> given = p.places;
      const auto sum = [](int a, int b) { return a + b; };
      std::vector<int> at = expected(std::vector<int>(n_places), p, p.values, sum);
      for (int step = 0; step < 3; ++step) {
        at = expected(at, p, p.values, sum);
        for (int& place : p.places) ++place;
      }
      EXPECT_EQ(f(given, p.values).to_vector(), at);
    }
  });
}

}  // namespace
