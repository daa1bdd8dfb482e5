// Maps whose neighbouring rows read neighbouring elements: transposes of every type, permuted axes, and what
// else a point computes, at extents around those of rows that are taken together, vectors and tasks.
#include "lines.h"
#include "operators.h"
#include "policies.h"

namespace {

using fg::i64;
using lines::Shape, lines::transposed;

constexpr i64 extents[] = {0, 1, 2, 15, 16, 17, 35, 70, 130};

// Rows as they are, fewer, one by one; small tasks.
const char* const policies[] = {"", "across_rows=4 cheap_tile=64", "across_rows=1 cheap_tile=256",
                                "across_rows=16 across_lines=1 cheap_tile=1024"};

TEST(ReadsAcross, TransposesProperty) {
  for_every_scalar([]<class T>() {
    on_every_engine_and_policy(
        policies, [](Mat<T> m) { return fg::transpose(m); },
        [](const auto& f) {
          for (const i64 rows : extents)
            for (const i64 columns : extents) {
              const Shape<2> shape{rows, columns};
              const std::vector<T> x = values<T>(lines::count(shape));
              const auto y = f(fg::Array<T, 2>(x, shape));
              ASSERT_EQ(y.shape(), (Shape<2>{columns, rows}));
              ASSERT_EQ(y.to_vector(), (transposed<T, 2>(x, shape, {1, 0}).first))
                  << rows << " x " << columns;
            }
        });
  });
}

constexpr Shape<3> cubes[] = {{0, 3, 4},   {4, 0, 3},   {3, 4, 0},    {17, 3, 33}, {3, 17, 40},
                              {33, 40, 2}, {20, 1, 19}, {64, 32, 16}, {5, 130, 21}};

template <std::size_t A, std::size_t B, std::size_t C>
void expect_permuted() {
  SCOPED_TRACE(testing::Message() << A << B << C);
  const auto program = [](fg::Acc<int, 3> x, fg::Acc<double, 3> y) {
    return std::tuple{fg::transpose(x, {A, B, C}), fg::transpose(y, {A, B, C}) + 1.0};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const Shape<3>& shape : cubes) {
      const auto x = values<int>(lines::count(shape));
      const auto y = values<double>(lines::count(shape));
      const auto [a, b] = f(fg::Array<int, 3>(x, shape), fg::Array<double, 3>(y, shape));
      ASSERT_EQ(a.to_vector(), (transposed<int, 3>(x, shape, {A, B, C}).first));
      std::vector<double> more = transposed<double, 3>(y, shape, {A, B, C}).first;
      for (double& value : more) value += 1;
      ASSERT_EQ(b.to_vector(), more);
    }
  });
}

TEST(ReadsAcross, PermutedAxesProperty) {
  expect_permuted<0, 2, 1>();
  expect_permuted<1, 2, 0>();
  expect_permuted<2, 0, 1>();
  expect_permuted<2, 1, 0>();
}

// Rows lie along an axis that is known to have one index.
TEST(ReadsAcross, OneRowProperty) {
  const auto program = [](fg::Acc<int, 3> x) {
    return fg::generate({Exp<i64>(1), x.size(1), x.size(0)},
                        [&](Exp<i64> i, Exp<i64> j, Exp<i64> k) { return x(k, j, i) + 1; });
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const i64 rows : extents)
      for (const i64 columns : extents) {
        const Shape<3> shape{columns, rows, 1};
        const auto x = values<int>(lines::count(shape));
        std::vector<int> more = transposed<int, 3>(x, shape, {2, 1, 0}).first;
        for (int& value : more) value = static_cast<int>(static_cast<unsigned>(value) + 1);
        ASSERT_EQ(f(fg::Array<int, 3>(x, shape)).to_vector(), more) << rows << " x " << columns;
      }
  });
}

TEST(ReadsAcross, FourAxesProperty) {
  const auto program = [](fg::Acc<float, 4> x) {
    return std::tuple{fg::transpose(x, {3, 1, 2, 0}), fg::transpose(x, {3, 2, 0, 1}),
                      fg::transpose(x, {1, 3, 0, 2})};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const Shape<4>& shape :
         {Shape<4>{17, 2, 3, 18}, Shape<4>{2, 33, 5, 16}, Shape<4>{20, 3, 34, 1}, Shape<4>{3, 0, 2, 20}}) {
      const auto x = values<float>(lines::count(shape));
      const auto [a, b, c] = f(fg::Array<float, 4>(x, shape));
      ASSERT_EQ(a.to_vector(), (transposed<float, 4>(x, shape, {3, 1, 2, 0}).first));
      ASSERT_EQ(b.to_vector(), (transposed<float, 4>(x, shape, {3, 2, 0, 1}).first));
      ASSERT_EQ(c.to_vector(), (transposed<float, 4>(x, shape, {1, 3, 0, 2}).first));
    }
  });
}

// Stores bypass the caches, of rows that begin at cache lines and of others.
TEST(ReadsAcross, LargeTransposes) {
  const auto f = fg::compile([](Mat<float> m) { return fg::transpose(m); });
  for (const Shape<2>& shape : {Shape<2>{2048, 2064}, Shape<2>{2051, 2063}}) {
    const auto x = values<float>(lines::count(shape));
    ASSERT_TRUE(f(fg::Array<float, 2>(x, shape)).to_vector() ==
                (transposed<float, 2>(x, shape, {1, 0}).first));
  }
}

// What a point reads along its row, two results of other types, and a divisor that may be 0.
TEST(ReadsAcross, BesideOtherReadsProperty) {
  const auto program = [](Mat<float> x, Mat<float> y, Vec<int> by) {
    const auto sums = fg::transpose(x) + y;
    const auto shares = fg::generate({y.size(0), y.size(1)}, [=](auto i, auto j) {
      return fg::cast<int>(x(j, i)) / by(j) + fg::cast<int>(y(i, j));
    });
    return std::tuple{sums, sums > 0.0f, shares};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const i64 rows : extents)
      for (const i64 columns : extents) {
        const Shape<2> shape{rows, columns}, turned{columns, rows};
        const auto x = values<float>(lines::count(shape)), y = values<float>(lines::count(shape) + 1);
        const std::vector<float> own(y.begin(), y.end() - 1);
        std::vector<int> by(static_cast<std::size_t>(rows));
        for (std::size_t j = 0; j < by.size(); ++j) by[j] = static_cast<int>(j % 3) + 1;
        const auto across = transposed<float, 2>(x, shape, {1, 0}).first;
        std::vector<float> sums(own.size());
        std::vector<bool> are_positive(own.size());
        std::vector<int> shares(own.size());
        for (std::size_t i = 0; i < own.size(); ++i) {
          sums[i] = across[i] + own[i];
          are_positive[i] = sums[i] > 0;
          shares[i] = static_cast<int>(across[i]) / by[i % by.size()] + static_cast<int>(own[i]);
        }
        const auto [a, b, c] =
            f(fg::Array<float, 2>(x, shape), fg::Array<float, 2>(own, turned), fg::Array<int, 1>(by));
        ASSERT_EQ(a.to_vector(), sums) << rows << " x " << columns;
        ASSERT_EQ(b.to_vector(), are_positive) << rows << " x " << columns;
        ASSERT_EQ(c.to_vector(), shares) << rows << " x " << columns;
        if (by.empty() || columns == 0) continue;
        by.back() = 0;
        EXPECT_THROW(
            f(fg::Array<float, 2>(x, shape), fg::Array<float, 2>(own, turned), fg::Array<int, 1>(by)),
            fg::Error);
      }
  });
}

}  // namespace
