// Calls whose arrays have short axes, for which programs are compiled anew, against the interpreter: points,
// pixels and small matrices of 1 to 9 elements, at numbers of points around those of vectors and tiles.
#include "engines.h"

#include <random>
#include <thread>
#include <tuple>

namespace {

using Index = Exp<fg::i64>;
template <class T>
using Matrix = fg::Array<T, 2>;

constexpr std::int64_t columns[] = {1, 3, 4, 7, 9};
constexpr std::int64_t rows[] = {0, 1, 15, 16, 50};
const char* const always = "short_axis_elements=0 block_short_axis_elements=0";

// Small whole numbers, whose sums and products are exact.
template <class T>
Matrix<T> matrix(std::int64_t n_rows, std::int64_t n_columns, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<T> x(static_cast<std::size_t>(n_rows * n_columns));
  for (T& value : x) value = static_cast<T>(random() % 20);
  return {x, {n_rows, n_columns}};
}

template <class T, int N>
void expect_same(const fg::Array<T, N>& ours, const fg::Array<T, N>& theirs) {
  EXPECT_EQ(ours.shape(), theirs.shape());
  EXPECT_EQ(ours.to_vector(), theirs.to_vector());
}
template <class A, class B>
void expect_same(const std::tuple<A, B>& ours, const std::tuple<A, B>& theirs) {
  expect_same(std::get<0>(ours), std::get<0>(theirs));
  expect_same(std::get<1>(ours), std::get<1>(theirs));
}

// f(rows x columns, columns x columns) on every engine, specialised.
template <class T, class F>
void expect_as_interpreted(F f) {
  const auto expected = fg::compile(f, {.engine = fg::Engine::interpreter});
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE(name);
    const auto specialised = fg::compile(f, {.engine = engine, .policy = always});
    for (const std::int64_t m : columns)
      for (const std::int64_t n : rows) {
        SCOPED_TRACE(::testing::Message() << n << " x " << m);
        const Matrix<T> points = matrix<T>(n, m), square = matrix<T>(m, m, 2);
        expect_same(specialised(points, square), expected(points, square));
      }
  }
}

template <class T>
class ShortAxes : public ::testing::Test {};
using Elements = ::testing::Types<float, std::int8_t, fg::i64>;
TYPED_TEST_SUITE(ShortAxes, Elements);

TYPED_TEST(ShortAxes, PointsAreTransformed) {
  using T = TypeParam;
  expect_as_interpreted<T>([](Mat<T> points, Mat<T> square) {
    return fg::map([&](Vec<T> p) { return fg::matvec(square, p) + p; }, fg::rows(points));
  });
}

TYPED_TEST(ShortAxes, PointsAreReversedAndScaledByColumn) {
  using T = TypeParam;
  expect_as_interpreted<T>([](Mat<T> points, Mat<T> square) {
    return fg::generate({points.size(0), points.size(1)},
                        [&](Index i, Index k) { return points(i, points.size(1) - 1 - k) * square(0, k); });
  });
}

TYPED_TEST(ShortAxes, RowsAreSorted) {
  using T = TypeParam;
  expect_as_interpreted<T>([](Mat<T> points, Mat<T> square) {
    return std::tuple(fg::map([](Vec<T> p) { return fg::sort(p); }, fg::rows(points)),
                      fg::map([](Vec<T> p) { return fg::sort(p)[p.size() - 1]; }, fg::rows(square)));
  });
}

TYPED_TEST(ShortAxes, ColumnsAreSummedAndGreatest) {
  using T = TypeParam;
  expect_as_interpreted<T>([](Mat<T> points, Mat<T> square) {
    return std::tuple(fg::sum(points, fg::axis(0)),
                      fg::map([](Vec<T> c) { return fg::max(c); }, fg::columns(square)));
  });
}

TYPED_TEST(ShortAxes, ColumnsAreMultiplied) {
  using T = TypeParam;
  expect_as_interpreted<T>([](Mat<T> points, Mat<T> square) {
    return std::tuple(fg::matmul(fg::transpose(points), points), fg::matmul(points, square));
  });
}

TYPED_TEST(ShortAxes, RowsAreScannedAndLeastElementsFound) {
  using T = TypeParam;
  expect_as_interpreted<T>([](Mat<T> points, Mat<T> square) {
    return std::tuple(fg::map([](Vec<T> p) { return fg::scan(fg::plus, T(0), p); }, fg::rows(points)),
                      fg::map([](Vec<T> p) { return fg::argmin(p); }, fg::rows(square)));
  });
}

// As in two statements that depend on each other.
TYPED_TEST(ShortAxes, ColumnsAreFoldedTwice) {
  using T = TypeParam;
  expect_as_interpreted<T>([](Mat<T> points, Mat<T> square) {
    const auto f = [](Vec<T> c) {
      const Exp<T> total = fg::sum(c);
      return fg::sum(fg::map([&](Exp<T> x) { return fg::select(x < total, x, total - x); }, c));
    };
    return std::tuple(fg::map(f, fg::columns(points)), fg::map(f, fg::rows(square)));
  });
}

// A read that may fail has a version without checks, for arrays that are large enough.
TEST(ShortAxesThatFail, SayWhatTheInterpreterSays) {
  const auto f = [](Mat<int> a, Mat<int> b, Vec<int> c) {
    return fg::generate({a.size(0), a.size(1)}, [&](Index i, Index k) { return a(i, k) * c[k] + b(i, k); });
  };
  const auto expected = fg::compile(f, {.engine = fg::Engine::interpreter});
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE(name);
    const auto specialised = fg::compile(f, {.engine = engine, .policy = always});
    const auto call = [&](const auto& program, std::int64_t n_b, std::size_t n_c) {
      return program(matrix<int>(40, 3), matrix<int>(n_b, 3, 2), std::vector<int>(n_c, 5));
    };
    expect_same(call(specialised, 40, 3), call(expected, 40, 3));
    expect_same(call(specialised, 41, 4), call(expected, 41, 4));
    for (const auto& [n_b, n_c] : {std::pair(40, 2), std::pair(17, 3), std::pair(0, 0)})
      EXPECT_EQ(message_of<fg::IndexError>([&] { call(specialised, n_b, static_cast<std::size_t>(n_c)); }),
                message_of<fg::IndexError>([&] { call(expected, n_b, static_cast<std::size_t>(n_c)); }));
  }
}

TEST(ShortAxesOfShapes, MustAgreeAsEver) {
  const auto f = [](Mat<int> a, Mat<int> b) { return a * b; };
  const auto expected = fg::compile(f, {.engine = fg::Engine::interpreter});
  for (const auto& [name, engine] : tested_engines()) {
    const auto specialised = fg::compile(f, {.engine = engine, .policy = always});
    const auto message = [](const auto& program) {
      return message_of<fg::ShapeError>([&] { program(matrix<int>(40, 3), matrix<int>(40, 4)); });
    };
    EXPECT_EQ(message(specialised), message(expected)) << name;
  }
}

// One program a set of short extents, made once; none where arrays are small, or the policy says never.
TEST(ShortAxesOfCalls, AreCompiledOnce) {
  const auto f = [](Mat<int> a) { return fg::map([](Vec<int> r) { return fg::sum(r * 77); }, fg::rows(a)); };
  const auto kernels_of = [&](const auto& program, std::int64_t n_rows, std::int64_t n_columns) {
    const auto known = [](const fg::Stats& s) { return s.memory_hits + s.disk_hits + s.misses; };
    const auto before = known(fg::stats());
    EXPECT_EQ(program(matrix<int>(n_rows, n_columns)).size(), n_rows);
    return known(fg::stats()) - before;
  };
  const auto usual = fg::compile(f, {.engine = fg::Engine::cpu});
  EXPECT_EQ(kernels_of(usual, 10, 3), 0u);
  EXPECT_GT(kernels_of(usual, 2000, 3), 0u);
  EXPECT_EQ(kernels_of(usual, 1000, 3), 0u);
  EXPECT_GT(kernels_of(usual, 1000, 4), 0u);
  EXPECT_EQ(kernels_of(usual, 2000, 3), 0u);
  EXPECT_EQ(kernels_of(usual, 1000, 9), 0u);
  const auto never = fg::compile(f, {.engine = fg::Engine::cpu, .policy = "short_axis=0"});
  EXPECT_EQ(kernels_of(never, 2000, 3), 0u);
}

}  // namespace
