// Segmented folds and scans along each axis of arrays of ranks 1 to 3, from the left and from the right, with
// totals and without neutral elements, against sequential loops over the lines.
#include "lines.h"
#include "operators.h"

namespace {

using lines::Shape;
using Offsets = std::vector<fg::i64>;

/// Ascending from 0 to n; some segments are empty, if they may be.
Offsets segments_of(fg::i64 n, bool may_be_empty, unsigned seed) {
  std::mt19937 random(seed);
  Offsets offsets{0};
  while (offsets.back() < n)
    offsets.push_back(
        std::min<fg::i64>(n, offsets.back() + (may_be_empty ? 0 : 1) + static_cast<fg::i64>(random() % 5)));
  if (may_be_empty) offsets.push_back(n);
  return offsets;
}
std::vector<int> lengths_of(const Offsets& offsets) {
  std::vector<int> lengths;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    lengths.push_back(static_cast<int>(offsets[s + 1] - offsets[s]));
  return lengths;
}
std::vector<bool> flags_of(const Offsets& offsets) {
  std::vector<bool> flags(static_cast<std::size_t>(offsets.back()));
  for (fg::i64 start : offsets)
    if (start < offsets.back()) flags[static_cast<std::size_t>(start)] = true;
  return flags;
}

template <class T, class Op>
std::vector<T> fold(const Op& op, const T& initial, const std::vector<T>& line, const Offsets& offsets) {
  std::vector<T> results;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    T state = initial;
    for (fg::i64 i = offsets[s]; i < offsets[s + 1]; ++i)
      state = op(state, line[static_cast<std::size_t>(i)]);
    results.push_back(state);
  }
  return results;
}
template <class T, class Op>
std::vector<T> scan(const Op& op, const T& initial, const std::vector<T>& line, const Offsets& offsets,
                    bool inclusive) {
  std::vector<T> results;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    T state = initial;
    for (fg::i64 i = offsets[s]; i < offsets[s + 1]; ++i) {
      const T next = op(state, line[static_cast<std::size_t>(i)]);
      results.push_back(inclusive ? next : state);
      state = next;
    }
  }
  return results;
}
template <class T, class Op>
std::vector<T> scan_right(const Op& op, const T& initial, const std::vector<T>& line, const Offsets& offsets,
                          bool inclusive) {
  std::vector<T> results(line.size());
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    T state = initial;
    for (fg::i64 i = offsets[s + 1] - 1; i >= offsets[s]; --i) {
      const auto at = static_cast<std::size_t>(i);
      const T next = op(line[at], state);
      results[at] = inclusive ? next : state;
      state = next;
    }
  }
  return results;
}

/// Everything that there is of segments, along one axis.
template <class T, int N, class Op>
auto everything(const Op& op, const T& initial, int axis) {
  return [=](fg::Acc<T, N> xs, Vec<fg::i64> os, Vec<int> ls, Vec<bool> fs) {
    const auto by_offsets = fg::offsets(os), by_lengths = fg::lengths(ls), by_flags = fg::flags(fs);
    const auto along = fg::axis(axis);
    const T neutral = Op::neutral();
    return std::tuple{fg::segmented_reduce(op, neutral, by_offsets, xs, along),
                      fg::segmented_fold(op, initial, by_flags, xs, along),
                      fg::segmented_scan(op, neutral, by_offsets, xs, along),
                      fg::segmented_scan(op, by_flags, xs, along),
                      fg::segmented_exclusive_scan(op, initial, by_lengths, xs, along),
                      fg::segmented_scan_right(op, neutral, by_flags, xs, along),
                      fg::segmented_scan_right(op, by_lengths, xs, along),
                      fg::segmented_exclusive_scan_right(op, initial, by_offsets, xs, along)};
  };
}
/// Scans with totals, by offsets and by flags.
template <class T, int N, class Op>
auto with_totals(const Op& op, int axis) {
  return [=](fg::Acc<T, N> xs, Vec<fg::i64> os, Vec<bool> fs) {
    const auto along = fg::axis(axis);
    const T neutral = Op::neutral();
    const auto [left, left_totals] = fg::segmented_scan_with_totals(op, neutral, fg::offsets(os), xs, along);
    const auto [right, right_totals] =
        fg::segmented_scan_right_with_totals(op, neutral, fg::flags(fs), xs, along);
    return std::tuple{left, left_totals, right, right_totals};
  };
}

template <class T, int N, class Op>
void check(Op op, T initial, const std::vector<int>& axes, const std::vector<Shape<std::size_t{N}>>& shapes) {
  const T neutral = Op::neutral();
  for (int axis : axes) {
    const auto k = static_cast<std::size_t>(axis);
    const int given = axis % 2 == 0 ? axis : axis - N;
    for (const auto& [name, engine] : tested_engines()) {
      const ParallelOnDevice is_parallel(engine);
      const auto f = fg::compile(everything<T, N>(op, initial, given), {.engine = engine});
      const auto g = fg::compile(with_totals<T, N>(op, given), {.engine = engine});
      for (const Shape<std::size_t{N}>& shape : shapes) {
        SCOPED_TRACE(name + " " + ::testing::PrintToString(shape) + " along " + std::to_string(axis));
        const std::vector<T> xs = values<T>(lines::count(shape));
        const fg::i64 n = shape[k];
        const Offsets offsets = segments_of(n, true, 7), full = segments_of(n, false, 7);
        const std::vector<bool> flags = flags_of(full);
        const auto expected = [&](std::size_t length, const auto& of_line) {
          return lines::mapped<T>(xs, shape, k, length, of_line);
        };
        const auto scanned = [&](const T& first, const Offsets& of, bool inclusive) {
          return expected(static_cast<std::size_t>(n),
                          [&](const auto& line) { return scan(op, first, line, of, inclusive); });
        };
        const auto scanned_right = [&](const T& first, const Offsets& of, bool inclusive) {
          return expected(static_cast<std::size_t>(n),
                          [&](const auto& line) { return scan_right(op, first, line, of, inclusive); });
        };
        const auto folded = [&](const T& first, const Offsets& of) {
          return expected(of.size() - 1, [&](const auto& line) { return fold(op, first, line, of); });
        };
        const auto x = fg::Array<T, N>(xs, shape);
        const auto [reduced, folds, left, without, from, right, right_without, right_from] =
            f(x, offsets, lengths_of(offsets), flags);
        EXPECT_EQ(reduced.to_vector(), folded(neutral, offsets));
        EXPECT_EQ(reduced.size(axis), static_cast<fg::i64>(offsets.size()) - 1);
        EXPECT_EQ(folds.to_vector(), folded(initial, full));
        EXPECT_EQ(left.to_vector(), scanned(neutral, offsets, true));
        EXPECT_EQ(without.to_vector(), scanned(neutral, full, true));
        EXPECT_EQ(from.to_vector(), scanned(initial, offsets, false));
        EXPECT_EQ(right.to_vector(), scanned_right(neutral, full, true));
        EXPECT_EQ(right_without.to_vector(), scanned_right(neutral, offsets, true));
        EXPECT_EQ(right_from.to_vector(), scanned_right(initial, offsets, false));

        const auto [prefixes, totals, suffixes, right_totals] = g(x, offsets, flags);
        EXPECT_EQ(prefixes.to_vector(), scanned(neutral, offsets, false));
        EXPECT_EQ(totals.to_vector(), folded(neutral, offsets));
        EXPECT_EQ(suffixes.to_vector(), scanned_right(neutral, full, false));
        EXPECT_EQ(right_totals.to_vector(), folded(neutral, full));
      }
    }
  }
}

TEST(SegmentedAxes, VectorsProperty) {
  check<int, 1>(LastNonZero<int>(), 5, {0}, {{0}, {1}, {2}, {17}, {64}, {1025}, {20'001}});
}
TEST(SegmentedAxes, MatricesProperty) {
  const std::vector<Shape<2>> shapes = {{0, 3}, {3, 0}, {1, 1}, {5, 7}, {2, 300}, {300, 2}};
  check<Matrix, 2>(MatrixProduct(), Matrix{2, 3, 5, 7}, {0, 1}, shapes);
}
TEST(SegmentedAxes, RankThreeProperty) {
  check<Function, 3>(Then(), Function{0b00011011}, {1}, lines::shapes);
}

/// Equal segments along both axes of a matrix.
TEST(SegmentedAxes, RegularProperty) {
  const auto op = MatrixProduct();
  const Matrix neutral = MatrixProduct::neutral(), initial{2, 3, 5, 7};
  for (int axis : {0, 1}) {
    const auto program = [=](Mat<Matrix> xs, Exp<int> length) {
      const auto segments = fg::regular(length);
      const auto along = fg::axis(axis);
      const auto [suffixes, totals] = fg::segmented_scan_right_with_totals(op, neutral, segments, xs, along);
      return std::tuple{
          fg::segmented_reduce(op, segments, xs, along), fg::segmented_scan(op, neutral, segments, xs, along),
          fg::segmented_exclusive_scan_right(op, initial, segments, xs, along), suffixes, totals};
    };
    on_every_engine(program, [&](const auto& f) {
      for (const Shape<2>& shape : {Shape<2>{0, 6}, {6, 0}, {6, 6}, {12, 30}, {30, 12}, {6, 252}})
        for (int length : {1, 2, 3, 6}) {
          SCOPED_TRACE(::testing::PrintToString(shape) + " by " + std::to_string(length));
          const auto k = static_cast<std::size_t>(axis);
          const auto xs = values<Matrix>(lines::count(shape));
          Offsets offsets{0};
          while (offsets.back() < shape[k]) offsets.push_back(offsets.back() + length);
          const auto n = static_cast<std::size_t>(shape[k]);
          const auto expected = [&](std::size_t to, const auto& of) {
            return lines::mapped<Matrix>(xs, shape, k, to, of);
          };
          const auto folded = expected(offsets.size() - 1,
                                       [&](const auto& line) { return fold(op, neutral, line, offsets); });
          const auto [reduced, scanned, from, suffixes, totals] = f(fg::Array<Matrix, 2>(xs, shape), length);
          EXPECT_EQ(reduced.to_vector(), folded);
          EXPECT_EQ(totals.to_vector(), folded);
          EXPECT_EQ(scanned.to_vector(),
                    expected(n, [&](const auto& line) { return scan(op, neutral, line, offsets, true); }));
          EXPECT_EQ(from.to_vector(), expected(n, [&](const auto& line) {
                      return scan_right(op, initial, line, offsets, false);
                    }));
          EXPECT_EQ(suffixes.to_vector(), expected(n, [&](const auto& line) {
                      return scan_right(op, neutral, line, offsets, false);
                    }));
        }
    });
  }
}

TEST(SegmentedAxes, ErrorsOfDescriptions) {
  const auto fold = [](Mat<int> xs, Vec<int> ls) {
    return fg::segmented_reduce(fg::times, fg::lengths(ls), xs, fg::axis(0));
  };
  on_every_engine(fold, [](const auto& f) {
    const fg::Array<int, 2> m({1, 2, 3, 4, 5, 6}, {3, 2});
    EXPECT_EQ(vector_of(f(m, std::vector<int>{1, 2})), (std::vector<int>{1, 2, 15, 24}));
    EXPECT_NE(message_of<fg::ShapeError>([&] {
                f(m, std::vector<int>{1, 0, 2});
              }).find("segmented_reduce: segment 1 is empty: give a neutral element"),
              std::string::npos);
    EXPECT_NE(message_of<fg::ShapeError>([&] {
                f(m, std::vector<int>{1, 1});
              }).find("lengths of segments sum to 2, but there are 3 elements"),
              std::string::npos);
  });
  const auto scan = [](Mat<int> xs, Vec<bool> fs) {
    return fg::segmented_scan_right(fg::plus, 0, fg::flags(fs), xs);
  };
  on_every_engine(scan, [](const auto& f) {
    EXPECT_NE(message_of<fg::ShapeError>(
                  [&] { f(fg::Array<int, 2>(std::vector<int>(6), {3, 2}), std::vector<bool>(3)); })
                  .find("segmented_scan_right needs a vector as long as the axis: the vector has 3 elements "
                        "(argument 2), axis 1 has 2 (argument 1)"),
              std::string::npos);
  });
}

}  // namespace
