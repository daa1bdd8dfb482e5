// Segmented folds and scans against sequential loops: every way to describe segments, empty ones, operators
// that do not commute, descriptions that do not fit.
#include "operators.h"

#include <numeric>

namespace {

using Offsets = std::vector<fg::i64>;

template <class T, class Op>
std::vector<T> folds(const Op& op, const std::vector<T>& xs, const Offsets& offsets) {
  std::vector<T> results;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    T state = Op::neutral();
    for (fg::i64 i = offsets[s]; i < offsets[s + 1]; ++i) state = op(state, xs[static_cast<std::size_t>(i)]);
    results.push_back(state);
  }
  return results;
}
template <class T, class Op>
std::vector<T> scans(const Op& op, const std::vector<T>& xs, const Offsets& offsets, const T& initial,
                     bool inclusive) {
  std::vector<T> results;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    T state = initial;
    for (fg::i64 i = offsets[s]; i < offsets[s + 1]; ++i) {
      const T next = op(state, xs[static_cast<std::size_t>(i)]);
      results.push_back(inclusive ? next : state);
      state = next;
    }
  }
  return results;
}

/// Offsets of segments of at most `most` elements, some empty, that make up n elements.
Offsets segments_of(std::size_t n, unsigned most, unsigned seed) {
  std::mt19937 random(seed);
  Offsets offsets{0};
  while (offsets.back() < static_cast<fg::i64>(n))
    offsets.push_back(std::min<fg::i64>(static_cast<fg::i64>(n),
                                        offsets.back() + static_cast<fg::i64>(random() % (most + 1))));
  for (unsigned k = random() % 3; k > 0; --k) offsets.push_back(offsets.back());
  return offsets;
}
template <class I>
std::vector<I> lengths_of(const Offsets& offsets) {
  std::vector<I> lengths;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    lengths.push_back(static_cast<I>(offsets[s + 1] - offsets[s]));
  return lengths;
}
std::vector<bool> flags_of(const Offsets& offsets, std::size_t n) {
  std::vector<bool> flags(n);
  for (fg::i64 start : offsets)
    if (start < static_cast<fg::i64>(n)) flags[static_cast<std::size_t>(start)] = true;
  return flags;
}
Offsets without_empty(Offsets offsets) {
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  return offsets;
}

/// By offsets, lengths and flags. Element 0 starts a segment whether its flag says so or not.
template <class T, class Op>
void check(Op op, T initial) {
  const T neutral = Op::neutral();
  const auto program = [=](Vec<T> xs, Vec<fg::i64> os, Vec<int> ls, Vec<bool> fs) {
    const auto by_offsets = fg::offsets(os), by_lengths = fg::lengths(ls), by_flags = fg::flags(fs);
    return std::tuple{fg::segmented_reduce(op, neutral, by_offsets, xs),
                      fg::segmented_scan(op, neutral, by_offsets, xs),
                      fg::segmented_exclusive_scan(op, initial, by_offsets, xs),
                      fg::segmented_reduce(op, neutral, by_lengths, xs),
                      fg::segmented_scan(op, neutral, by_lengths, xs),
                      fg::segmented_reduce(op, neutral, by_flags, xs),
                      fg::segmented_scan(op, neutral, by_flags, xs),
                      fg::segmented_exclusive_scan(op, initial, by_flags, xs)};
  };
  on_every_engine(program, [&](const auto& f) {
    for (std::size_t n : sizes_for(f.options().engine))
      for (unsigned most : {1u, 3u, 40u, 5000u}) {
        SCOPED_TRACE(std::to_string(n) + " in segments of " + std::to_string(most));
        const std::vector<T> xs = values<T>(n);
        const Offsets offsets = segments_of(n, most, static_cast<unsigned>(n));
        const Offsets others = without_empty(offsets);
        std::vector<bool> flags = flags_of(others, n);
        if (n > 0) flags[0] = n % 2 == 0;
        const auto results = f(xs, offsets, lengths_of<int>(offsets), flags);
        EXPECT_EQ(std::get<0>(results).to_vector(), folds(op, xs, offsets));
        EXPECT_EQ(std::get<1>(results).to_vector(), scans(op, xs, offsets, neutral, true));
        EXPECT_EQ(std::get<2>(results).to_vector(), scans(op, xs, offsets, initial, false));
        EXPECT_EQ(std::get<3>(results).to_vector(), folds(op, xs, offsets));
        EXPECT_EQ(std::get<4>(results).to_vector(), scans(op, xs, offsets, neutral, true));
        EXPECT_EQ(std::get<5>(results).to_vector(), folds(op, xs, others));
        EXPECT_EQ(std::get<6>(results).to_vector(), scans(op, xs, others, neutral, true));
        EXPECT_EQ(std::get<7>(results).to_vector(), scans(op, xs, others, initial, false));
      }
  });
}
/// Offsets and lengths of any integer type.
template <class I>
void check_integers() {
  const auto program = [](Vec<int> xs, Vec<I> os, Vec<I> ls) {
    return std::tuple{fg::segmented_reduce(LastNonZero<int>(), 0, fg::offsets(os), xs),
                      fg::segmented_scan(LastNonZero<int>(), 0, fg::lengths(ls), xs)};
  };
  on_every_engine(program, [&](const auto& f) {
    for (std::size_t n : {0u, 1u, 2u, 17u, 100u, 127u}) {
      SCOPED_TRACE(n);
      const std::vector<int> xs = values<int>(n);
      const Offsets offsets = segments_of(n, 5, 3);
      const auto [reduced, scanned] =
          f(xs, std::vector<I>(offsets.begin(), offsets.end()), lengths_of<I>(offsets));
      EXPECT_EQ(reduced.to_vector(), folds(LastNonZero<int>(), xs, offsets));
      EXPECT_EQ(scanned.to_vector(), scans(LastNonZero<int>(), xs, offsets, 0, true));
    }
  });
}
template <class T, class Op>
void check_regular(Op op, T initial) {
  const T neutral = Op::neutral();
  const auto program = [=](Vec<T> xs, Exp<int> length) {
    return std::tuple{fg::segmented_reduce(op, neutral, fg::regular(length), xs),
                      fg::segmented_scan(op, neutral, fg::regular(length), xs),
                      fg::segmented_exclusive_scan(op, initial, fg::regular(length), xs)};
  };
  on_every_engine(program, [&](const auto& f) {
    for (int length : {1, 2, 16, 17, 1025})
      for (int count : {0, 1, 2, 15, 17, 130}) {
        if (length * count > 20000) continue;
        SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(length));
        const std::vector<T> xs = values<T>(static_cast<std::size_t>(length * count));
        Offsets offsets;
        for (int s = 0; s <= count; ++s) offsets.push_back(s * length);
        const auto [reduced, scanned, exclusive] = f(xs, length);
        EXPECT_EQ(reduced.to_vector(), folds(op, xs, offsets));
        EXPECT_EQ(scanned.to_vector(), scans(op, xs, offsets, neutral, true));
        EXPECT_EQ(exclusive.to_vector(), scans(op, xs, offsets, initial, false));
      }
  });
}

TEST(Segmented, EveryScalarProperty) {
  for_every_scalar([]<class T>() { check<T>(LastNonZero<T>(), T(1)); });
}
TEST(Segmented, EveryNumberInRowsProperty) {
  for_every_number([]<class T>() { check_regular<T>(Sum<T>(), T(5)); });
}
TEST(Segmented, EveryIntegerDescribesProperty) {
  for_every_integer([]<class I>() { check_integers<I>(); });
}
TEST(Segmented, OperatorsThatDoNotCommuteProperty) {
  const Matrix matrix{2, 3, 5, 7};
  check<Matrix>(MatrixProduct(), matrix);
  check_regular<Matrix>(MatrixProduct(), matrix);
  check<Function>(Then(), Function{0b00011011});
  check<Interval>(Clamped(), Interval{-10, 10});
  check_regular<Interval>(Clamped(), Interval{-10, 10});
  check<Placed>(FirstLeast(), Placed{500.0f, 1});
}
TEST(Segmented, KnownOperatorsProperty) {
  check<double>(Sum<double>(), 5);
  check<int>(Greatest<int>(), 3);
  check_regular<bool>(Differs(), true);
}

TEST(Segmented, SparseMatrixTimesVector) {
  const auto spmv = [](Vec<fg::i64> row_starts, Vec<int> columns, Vec<float> v, Vec<float> x) {
    return fg::segmented_reduce(fg::plus, 0.0f, fg::offsets(row_starts), v * fg::gather(x, columns));
  };
  on_every_engine(spmv, [](const auto& f) {
    const auto y = f(std::vector<fg::i64>{0, 2, 2, 3}, std::vector<int>{0, 2, 1}, std::vector<float>{1, 2, 3},
                     std::vector<float>{10, 20, 30});
    EXPECT_EQ(vector_of(y), (std::vector<float>{70, 0, 60}));
  });
}

// Empty rows, short ones, and one that is longer than what threads take together; then an element of it
// fails.
TEST(Segmented, RowsOfAllLengthsAndOneThatFails) {
  const auto program = [](Vec<int> row_starts, Vec<int> columns, Vec<double> v, Vec<double> x) {
    auto values = v * fg::gather(x, columns);
    return std::tuple{
        fg::segmented_reduce(fg::plus, 0.0, fg::offsets(row_starts), values),
        fg::segmented_reduce(fg::max, -1.0, fg::offsets(row_starts), fg::gather(x, columns)) * 2.0};
  };
  on_every_engine(program, [](const auto& f) {
    const int longest = f.options().engine == fg::Engine::interpreter ? 3'000 : 70'000;
    std::vector<int> starts{0, 0, 3, 3};
    starts.push_back(starts.back() + longest);
    for (int k = 0; k < 3'000; ++k) starts.push_back(starts.back() + k % 5);
    const auto n = static_cast<std::size_t>(starts.back());
    std::vector<int> columns(n);
    std::vector<double> v(n), x(1'000), sums, greatest;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * 7 % 1000);
    for (std::size_t i = 0; i < n; ++i) columns[i] = static_cast<int>(i * 31 % 1000), v[i] = 1.0 + i % 3;
    for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
      sums.push_back(0);
      greatest.push_back(-1);
      for (auto i = static_cast<std::size_t>(starts[s]); i < static_cast<std::size_t>(starts[s + 1]); ++i) {
        sums.back() += v[i] * x[static_cast<std::size_t>(columns[i])];
        greatest.back() = std::max(greatest.back(), x[static_cast<std::size_t>(columns[i])]);
      }
      greatest.back() *= 2;
    }
    const auto [a, b] = f(starts, columns, v, x);
    EXPECT_EQ(vector_of(a), sums) << "integers: exact in any order";
    EXPECT_EQ(vector_of(b), greatest);

    columns[2'000] = 1'000;
    columns[n - 1] = -5;
    const std::string text = message_of<fg::IndexError>([&] { f(starts, columns, v, x); });
    EXPECT_NE(text.find("index 1000 at position"), std::string::npos) << text;
    columns[2'000] = columns[n - 1] = 0;
    EXPECT_NO_THROW(f(starts, columns, v, x)) << "it works on";
  });
}

TEST(Segmented, ConstantsAndComputedDescriptions) {
  const auto f = [](Vec<int> xs, Vec<int> keys) {
    // Runs of equal keys: their lengths, and the sums of their elements.
    auto n = keys.size();
    auto starts =
        fg::map([&](Exp<fg::i64> i) { return i == 0 || keys[i] != keys[fg::max(i - 1, 0)]; }, fg::iota(n));
    auto runs = fg::segmented_reduce(fg::plus, 0, fg::flags(starts), fg::replicate(n, 1));
    return std::tuple{runs, fg::segmented_reduce(fg::plus, 0, fg::flags(starts), xs),
                      fg::segmented_reduce(fg::plus, 0, fg::lengths(runs), xs),
                      fg::segmented_reduce(fg::max, -100, fg::regular(3), xs)};
  };
  on_every_engine(f, [](const auto& g) {
    const auto [runs, sums, again, greatest] =
        g(std::vector<int>{1, 2, 3, 4, 5, 6}, std::vector<int>{7, 7, 8, 9, 9, 9});
    EXPECT_EQ(vector_of(runs), (std::vector<int>{2, 1, 3}));
    EXPECT_EQ(vector_of(sums), (std::vector<int>{3, 3, 15}));
    EXPECT_EQ(vector_of(again), (std::vector<int>{3, 3, 15}));
    EXPECT_EQ(vector_of(greatest), (std::vector<int>{3, 6}));
  });
}

// Addition that fails for 15 on its left.
Exp<int> picky(Exp<int> a, Exp<int> b) {
  return a + b + 0 / (a - 15);
}
TEST(Segmented, AnOperatorThatFailsIsNotCalledAcrossSegments) {
  on_every_engine(
      [](Vec<int> xs, Vec<bool> starts) {
        return std::tuple{fg::segmented_scan(picky, 0, fg::flags(starts), xs),
                          fg::segmented_reduce(fg::plus, 0, fg::flags(starts), xs)};
      },
      [](const auto& f) {
        const std::vector<int> xs{12, 3, 1, 5, 8, 2};
        const auto [scanned, sums] = f(xs, std::vector<bool>{true, false, true, false, true, false});
        EXPECT_EQ(vector_of(scanned), (std::vector<int>{12, 15, 1, 6, 8, 10}));
        EXPECT_EQ(vector_of(sums), (std::vector<int>{15, 6, 10}));
        EXPECT_THROW(f(xs, std::vector<bool>(6)), fg::ArithmeticError);
      });
}

TEST(Segmented, ErrorsOfOffsets) {
  const std::string line = line_after(2);
  const auto program = [](Vec<int> xs, Vec<int> os) {
    return fg::segmented_reduce(fg::plus, 0, fg::offsets(os), xs);
  };
  on_every_engine(program, [&](const auto& f) {
    const std::vector<int> xs(5, 1);
    EXPECT_EQ(vector_of(f(xs, std::vector<int>{0, 5})), std::vector<int>{5});
    EXPECT_EQ(message_of<fg::ShapeError>([&] { f(xs, std::vector<int>{0, 3, 2, 5}); }),
              line +
                  ": fulgurite::ShapeError: offsets of segments ascend from 0 to the number of elements, "
                  "which is 5: offset 2 does not");
    for (const std::vector<int>& bad : {std::vector<int>{1, 5}, {0, 4}, {0, 6}, {0, 7, 5}, {-1, 5}, {0}, {5}})
      EXPECT_THROW(f(xs, bad), fg::ShapeError) << ::testing::PrintToString(bad);
    EXPECT_NE(message_of<fg::ShapeError>([&] { f(xs, std::vector<int>()); }).find("one more than segments"),
              std::string::npos);
    EXPECT_EQ(f(std::vector<int>(), std::vector<int>{0}).size(), 0);
  });
}
TEST(Segmented, ErrorsOfLengths) {
  on_every_engine(
      [](Vec<int> xs, Vec<int> ls) { return fg::segmented_scan(fg::plus, 0, fg::lengths(ls), xs); },
      [](const auto& f) {
        const std::vector<int> xs(5, 1);
        EXPECT_EQ(vector_of(f(xs, std::vector<int>{0, 3, 2})), (std::vector<int>{1, 2, 3, 1, 2}));
        EXPECT_NE(message_of<fg::ShapeError>([&] {
                    f(xs, std::vector<int>{6, -1});
                  }).find("lengths of segments of 5 elements are from 0 to 5: that of segment 0 is not"),
                  std::string::npos);
        EXPECT_NE(message_of<fg::ShapeError>([&] {
                    f(xs, std::vector<int>{3, -1, 3});
                  }).find("that of segment 1 is not"),
                  std::string::npos);
        EXPECT_NE(message_of<fg::ShapeError>([&] {
                    f(xs, std::vector<int>{2, 2});
                  }).find("lengths of segments sum to 4, but there are 5 elements"),
                  std::string::npos);
        EXPECT_THROW(f(xs, std::vector<int>()), fg::ShapeError);
      });
}
TEST(Segmented, ErrorsOfFlagsAndRows) {
  on_every_engine(
      [](Vec<int> xs, Vec<bool> fs) { return fg::segmented_scan(fg::plus, 0, fg::flags(fs), xs); },
      [](const auto& f) {
        EXPECT_NE(message_of<fg::ShapeError>([&] { f(std::vector<int>(5), std::vector<bool>(4)); })
                      .find("segmented_scan needs equal shapes: the array of flags is bool[4] (argument 2), "
                            "the array of "
                            "elements is i32[5] (argument 1)"),
                  std::string::npos);
      });
  on_every_engine(
      [](Vec<int> xs, Exp<int> n) { return fg::segmented_reduce(fg::plus, 0, fg::regular(n), xs); },
      [](const auto& f) {
        EXPECT_EQ(f(std::vector<int>(6), 3).size(), 2);
        EXPECT_NE(message_of<fg::ShapeError>([&] { f(std::vector<int>(5), 3); })
                      .find("regular segments of length 3 need a length from 1 and a multiple of it, not 5 "
                            "elements"),
                  std::string::npos);
        EXPECT_THROW(f(std::vector<int>(5), 0), fg::ShapeError);
        EXPECT_THROW(f(std::vector<int>(6), -3), fg::ShapeError);
        EXPECT_THROW(f(std::vector<int>(), 0), fg::ShapeError);
      });
  EXPECT_THROW(fg::compile([](Vec<int> xs) { return fg::segmented_reduce(fg::plus, 0, fg::regular(0), xs); }),
               fg::ShapeError);
}

}  // namespace
