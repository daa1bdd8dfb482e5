// Filters and partitions against sequential loops: every element type, results whose sizes are known at run
// time only, and what may be done with them.
#include "operators.h"

#include <functional>

namespace {

template <class T>
bool is_kept(const T& x) {
  return x < T(1);
}
template <class T>
Exp<bool> is_kept(const Exp<T>& x) {
  if constexpr (std::same_as<T, bool>)
    return !x;
  else
    return x < T(1);
}

template <class T>
std::vector<T> those(const std::vector<T>& xs, const std::function<bool(T)>& p) {
  std::vector<T> results;
  for (const T& x : xs)
    if (p(x)) results.push_back(x);
  return results;
}

template <class T>
void check_filter() {
  const auto program = [](Vec<T> xs) {
    const auto p = [](Exp<T> x) { return is_kept<T>(x); };
    auto [yes, no] = fg::partition(p, xs);
    auto kept = fg::filter(p, xs);
    return std::tuple{kept, kept.size(), yes, no};
  };
  on_every_engine(program, [](const auto& f) {
    for (std::size_t n : sizes_for(f.options().engine)) {
      SCOPED_TRACE(n);
      const std::vector<T> xs = values<T>(n);
      const std::vector<T> yes = those<T>(xs, [](T x) { return is_kept<T>(x); });
      const auto [kept, size, also, others] = f(xs);
      EXPECT_EQ(kept.to_vector(), yes);
      EXPECT_EQ(size, static_cast<fg::i64>(yes.size()));
      EXPECT_EQ(also.to_vector(), yes);
      EXPECT_EQ(others.to_vector(), those<T>(xs, [](T x) { return !is_kept<T>(x); }));
    }
  });
}

TEST(Filters, EveryScalarProperty) {
  for_every_scalar([]<class T>() { check_filter<T>(); });
}

TEST(Filters, AllAndNoneProperty) {
  const auto program = [](Vec<int> xs, Exp<bool> all) {
    const auto kept = fg::filter([&](Exp<int>) { return all; }, xs);
    return std::tuple{kept, fg::sum(kept), fg::filter([](Exp<int>) { return false; }, xs)};
  };
  on_every_engine(program, [](const auto& f) {
    for (std::size_t n : sizes_for(f.options().engine)) {
      const std::vector<int> xs = integers<int>(n, -9, 9);
      const auto [everything, sum, none] = f(xs, true);
      EXPECT_EQ(everything.to_vector(), xs);
      EXPECT_EQ(none.size(), 0);
      EXPECT_EQ(std::get<0>(f(xs, false)).size(), 0);
      EXPECT_EQ(std::get<1>(f(xs, false)), 0);
    }
  });
}

TEST(Filters, CompositesKeepAllTheirFieldsProperty) {
  const auto program = [](Vec<Interval> xs) {
    return fg::filter([](Exp<Interval> x) { return x.get<1>() > 100.0; }, xs);
  };
  on_every_engine(program, [](const auto& f) {
    for (std::size_t n : sizes_for(f.options().engine)) {
      const auto xs = values<Interval>(n);
      EXPECT_EQ(f(xs).to_vector(), those<Interval>(xs, [](Interval x) { return x.high > 100; })) << n;
    }
  });
}

/// Elements by class, and where classes begin.
template <class T>
std::tuple<std::vector<T>, std::vector<fg::i64>> sorted(const std::vector<T>& xs, fg::i64 k,
                                                        const std::function<fg::i64(T)>& class_of) {
  std::vector<T> results;
  std::vector<fg::i64> offsets;
  for (fg::i64 c = 0; c < k; ++c) {
    offsets.push_back(static_cast<fg::i64>(results.size()));
    for (const T& x : xs)
      if (class_of(x) == c) results.push_back(x);
  }
  offsets.push_back(static_cast<fg::i64>(results.size()));
  return {results, offsets};
}

template <class T, class I>
void check_classes(const std::vector<int>& numbers_of_classes) {
  // Classes are -1 (left out), 0 .. k - 1, and k (left out).
  const auto program = [](Vec<std::tuple<T, I>> xs, Exp<int> k) {
    return fg::partition(k, [](Exp<std::tuple<T, I>> x) { return x.template get<1>(); }, xs);
  };
  on_every_engine(program, [&](const auto& f) {
    using Element = std::tuple<T, I>;
    for (int k : numbers_of_classes)
      for (std::size_t n : sizes_for(f.options().engine)) {
        SCOPED_TRACE(std::to_string(n) + " in " + std::to_string(k) + " classes");
        const std::vector<I> classes = integers<I>(n, std::is_signed_v<I> ? -1 : 0, k);
        const std::vector<T> xs = values<T>(n);
        std::vector<Element> elements(n);
        for (std::size_t i = 0; i < n; ++i) elements[i] = {xs[i], classes[i]};
        const auto [grouped, offsets] = f(elements, k);
        const auto [expected, starts] =
            sorted<Element>(elements, k, [](Element x) { return static_cast<fg::i64>(std::get<1>(x)); });
        EXPECT_EQ(grouped.to_vector(), expected);
        EXPECT_EQ(offsets.to_vector(), starts);
      }
  });
}

TEST(Filters, ClassesProperty) {
  check_classes<double, int>({1, 2, 3, 10, 100});
  check_classes<bool, fg::i8>({1, 3, 100});
  check_classes<fg::i64, fg::u8>({2, 7});
  check_classes<fg::u16, fg::i64>({5});
  check_classes<float, fg::u64>({5});
}

// Into a number of classes that the compiler knows, for which blocks have other ways than for one that it
// does not. Classes are those of check_classes, or all points have one, the last or none.
template <class T>
void check_known_classes(int k) {
  const auto program = [k](Vec<std::tuple<T, int>> xs) {
    return fg::partition(k, [](Exp<std::tuple<T, int>> x) { return x.template get<1>(); }, xs);
  };
  on_every_engine(program, [&](const auto& f) {
    using Element = std::tuple<T, int>;
    for (std::size_t n : {0u, 1u, 31u, 33u, 1000u, 2303u, 2304u, 2305u, 7000u})
      for (int one : {-1, k - 1, k}) {
        SCOPED_TRACE(std::to_string(n) + " in " + std::to_string(k) + " classes, " + std::to_string(one));
        const std::vector<int> classes = one == -1 ? integers<int>(n, -1, k) : std::vector<int>(n, one);
        const std::vector<T> xs = values<T>(n);
        std::vector<Element> elements(n);
        for (std::size_t i = 0; i < n; ++i) elements[i] = {xs[i], classes[i]};
        const auto [grouped, offsets] = f(elements);
        const auto [expected, starts] =
            sorted<Element>(elements, k, [](Element x) { return static_cast<fg::i64>(std::get<1>(x)); });
        EXPECT_EQ(grouped.to_vector(), expected);
        EXPECT_EQ(offsets.to_vector(), starts);
      }
  });
}

TEST(Filters, KnownClassesProperty) {
  for (int k : {1, 8, 9, 100, 256, 257}) check_known_classes<float>(k);
  check_known_classes<double>(256);
  check_known_classes<bool>(31);
  check_known_classes<fg::u8>(200);
}

TEST(Filters, WhatMayBeDoneWithTheResult) {
  const auto program = [](Vec<int> xs) {
    auto kept = fg::filter([](Exp<int> x) { return x > 2; }, xs);
    auto twice = fg::filter([](Exp<int> x) { return x % 2 == 0; }, kept * 3);
    auto [yes, no] = fg::partition([](Exp<int> x) { return x > 2; }, xs);
    return std::tuple{kept + fg::reverse(kept), twice, fg::sum(yes) - fg::sum(no),
                      fg::map([&](Exp<int> x) { return x * fg::cast<int>(kept.size()); }, kept),
                      fg::scan(fg::plus, 0, kept)};
  };
  on_every_engine(program, [](const auto& f) {
    const auto [sums, twice, difference, scaled, scanned] = f(std::vector<int>{5, 1, 4, 2, 8, 0, 3});
    EXPECT_EQ(vector_of(sums), (std::vector<int>{8, 12, 12, 8}));
    EXPECT_EQ(vector_of(twice), (std::vector<int>{12, 24}));
    EXPECT_EQ(difference, 17);
    EXPECT_EQ(vector_of(scaled), (std::vector<int>{20, 16, 32, 12}));
    EXPECT_EQ(vector_of(scanned), (std::vector<int>{5, 9, 17, 20}));
  });
}

TEST(Filters, ClassesAreSegments) {
  const auto sums_by_class = [](Vec<int> xs) {
    auto [grouped, offsets] = fg::partition(3, [](Exp<int> x) { return x % 3; }, xs);
    return fg::segmented_reduce(fg::plus, 0, fg::offsets(offsets), grouped);
  };
  on_every_engine(sums_by_class, [](const auto& f) {
    EXPECT_EQ(vector_of(f(std::vector<int>{1, 2, 3, 4, 5, 6, 7})), (std::vector<int>{9, 12, 7}));
    EXPECT_EQ(vector_of(f(std::vector<int>())), (std::vector<int>{0, 0, 0}));
  });
}

// A check fails in a predicate, in the first tile, between tiles and in the last one: nothing waits for ever.
TEST(Filters, ChecksInPredicates) {
  const auto program = [](Vec<int> xs, Vec<int> table) {
    return fg::filter([&](Exp<int> x) { return table[x] > 0; }, xs);
  };
  on_every_engine(program, [](const auto& f) {
    std::vector<int> xs(100000);
    for (std::size_t i = 0; i < xs.size(); ++i) xs[i] = static_cast<int>(i % 3);
    const std::vector<int> table{1, 0, 2};
    EXPECT_EQ(vector_of(f(xs, table)).size(), 66667u);
    for (std::size_t bad : {0u, 16383u, 16384u, 50001u, 99999u}) {
      std::vector<int> wrong = xs;
      wrong[bad] = 3;
      EXPECT_THROW(f(wrong, table), fg::IndexError) << bad;
    }
    EXPECT_EQ(vector_of(f(xs, table)).size(), 66667u);
  });
}

TEST(Filters, Errors) {
  const auto unequal = [](Vec<int> xs) {
    return fg::filter([](Exp<int> x) { return x > 0; }, xs) +
           fg::filter([](Exp<int> x) { return x > 1; }, xs);
  };
  on_every_engine(unequal, [](const auto& f) {
    EXPECT_EQ(vector_of(f(std::vector<int>{0, 2, 3})), (std::vector<int>{4, 6}));
    EXPECT_NE(message_of<fg::ShapeError>([&] {
                f(std::vector<int>{0, 1, 2});
              }).find("elementwise '+' needs equal shapes: left is i32[2], right is i32[1]"),
              std::string::npos);
  });
  const std::string line = line_after(2);
  on_every_engine(
      [](Vec<int> xs, Exp<int> k) { return fg::partition(k, [](Exp<int> x) { return x; }, xs); },
      [&](const auto& f) {
        const std::string text = message_of<fg::ShapeError>([&] { f(std::vector<int>{0, 1}, 0); });
        EXPECT_NE(text.find("partition needs a number of classes from 1 to 2^32, not 0"), std::string::npos)
            << text;
        EXPECT_NE(text.find(line), std::string::npos) << text;
        EXPECT_THROW(f(std::vector<int>{0, 1}, -1), fg::ShapeError);
      });
}

}  // namespace
