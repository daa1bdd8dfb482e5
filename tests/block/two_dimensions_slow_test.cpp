// Two-dimensional blocks and matrices as arguments and results: right on every engine and in array programs,
// each element at the thread that the user states, and what their memory accesses cost.
#include "two_dimensions.h"

#include <fulgurite/array.h>

#include <algorithm>

#include "everywhere.h"

namespace fulgurite {
namespace {

using namespace two_dimensions;
using k::Index;
using test::on_every_engine;

template <class T>
Array<T, 2> numbered(std::int64_t rows, std::int64_t columns, int step = 7919) {
  std::vector<T> xs(static_cast<std::size_t>(rows * columns));
  for (std::size_t i = 0; i < xs.size(); ++i) xs[i] = static_cast<T>(static_cast<int>(i) * step % 17);
  return Array<T, 2>(std::move(xs), {rows, columns});
}
template <class T, class F>
Array<T, 2> made(std::int64_t rows, std::int64_t columns, const F& f) {
  std::vector<T> xs;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) xs.push_back(f(r, c));
  return Array<T, 2>(std::move(xs), {rows, columns});
}
template <class T>
void expect_same(const Array<T, 2>& result, const Array<T, 2>& expected) {
  EXPECT_EQ(result.shape(), expected.shape());
  EXPECT_EQ(result.to_vector(), expected.to_vector());
}
template <class T>
Array<T, 2> transposed(const Array<T, 2>& a) {
  const std::vector<T> xs = a.to_vector();
  return made<T>(a.shape()[1], a.shape()[0], [&](std::int64_t r, std::int64_t c) {
    return xs[static_cast<std::size_t>(c * a.shape()[1] + r)];
  });
}
Array<float, 2> multiplied(const Array<float, 2>& a, const Array<float, 2>& b) {
  const std::vector<float> xs = a.to_vector(), ys = b.to_vector();
  const std::int64_t inner = a.shape()[1], columns = b.shape()[1];
  return made<float>(a.shape()[0], columns, [&](std::int64_t r, std::int64_t c) {
    float sum = 0;
    for (std::int64_t i = 0; i < inner; ++i)
      sum += xs[static_cast<std::size_t>(r * inner + i)] * ys[static_cast<std::size_t>(i * columns + c)];
    return sum;
  });
}
template <class T, class K, class... Arguments>
void expect_matrix(const Array<T, 2>& expected, const K& kernel, const Arguments&... arguments) {
  on_every_engine([&](const auto& result) { expect_same(result, expected); }, kernel, arguments...);
}
std::int64_t count(const std::string& text, const std::string& what) {
  std::int64_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(TwoDimensions, TransposeReadsAndWritesRows) {
  for (const k::Threads threads :
       {k::threads(32, 8), k::threads(32, 32), k::threads(16, 16), k::threads(64)}) {
    const auto kernel = transpose<float>(threads);
    const auto a = numbered<float>(64, 96);
    expect_matrix(transposed(a), kernel, a);
    const k::Traffic t = k::traffic(kernel, a);
    EXPECT_EQ(t.bytes, t.least_bytes);
    EXPECT_EQ(t.transactions, t.least_transactions);
    EXPECT_EQ(t.block_barriers, 1);
    EXPECT_EQ(t.shared_bytes, 32 * 33 * 4);
    EXPECT_EQ(t.threads, threads.shape.x * threads.shape.y);
    EXPECT_EQ(t.idle_lanes, 0);
  }
  EXPECT_EQ(k::traffic(transpose<float>(k::threads(32, 8)), numbered<float>(32, 32)).bank_conflicts, 0);
  expect_matrix(numbered<float>(32, 0), transpose<float>(k::threads(32, 8)), numbered<float>(0, 32));
}

TEST(TwoDimensions, Product) {
  const auto a = numbered<float>(32, 80), b = numbered<float>(80, 48, 7907);
  for (const k::Threads threads : {k::threads(16, 16), k::threads(16, 4), k::threads(8, 8)}) {
    const auto kernel = product<float>(threads);
    expect_matrix(multiplied(a, b), kernel, a, b);
    const k::Traffic t = k::traffic(kernel, a, b);
    EXPECT_EQ(t.threads, threads.shape.x * threads.shape.y);
    // A tile of a is read for each column of tiles, one of b for each row of them; the product is written
    // once.
    EXPECT_EQ(t.bytes, 4 * (32 * 80 * 48 / 16 + 80 * 48 * 32 / 16 + 32 * 48));
  }
  const k::Traffic t = k::traffic(product<float>(k::threads(16, 16)), a, b);
  EXPECT_EQ(t.transactions, t.least_transactions);
  EXPECT_EQ(t.bank_conflicts, 0);
}

TEST(TwoDimensions, MatricesOfWhichEachBlockHasATile) {
  const auto a = numbered<float>(48, 32), b = numbered<float>(48, 32, 13);
  const std::vector<float> xs = a.to_vector(), ys = b.to_vector();
  const auto expected = made<float>(48, 32, [&](std::int64_t r, std::int64_t c) {
    return xs[static_cast<std::size_t>(r * 32 + c)] + ys[static_cast<std::size_t>(r * 32 + c)];
  });
  for (const k::Threads threads :
       {k::threads(16, 16), k::threads(16, 2), k::threads(5, 3), k::threads(32, 32)})
    expect_matrix(expected, sum_of_matrices(threads), a, b);
  const std::string text = k::to_cuda(sum_of_matrices(k::threads(16, 16)));
  EXPECT_EQ(count(text, "__syncthreads"), 0) << text;
  EXPECT_EQ(count(text, "__shared__"), 0) << text;
  EXPECT_EQ(count(text, "__launch_bounds__(256)"), 1) << text;
  // Results may have other tiles than arguments.
  const auto sums = k::kernel("sums", k::matrix_block<int>(4, 8), [](Matrix<int> m) {
    const Matrix<int> rows(4, 1, [m](Index r, Index) { return k::seq_reduce(plus, m.row(r)); });
    const Matrix<int> columns(1, 8, [m](Index, Index c) { return k::seq_reduce(plus, m.column(c)); });
    return std::pair(rows, columns);
  });
  on_every_engine(
      [](const auto& both) {
        expect_same(std::get<0>(both), made<int>(8, 2, [](std::int64_t, std::int64_t) { return 8; }));
        expect_same(std::get<1>(both), made<int>(2, 16, [](std::int64_t, std::int64_t) { return 4; }));
      },
      sums, made<int>(8, 16, [](std::int64_t, std::int64_t) { return 1; }));
}

// Thread (tx, ty) has rows ty, ty + y ... and columns tx, tx + x ...
TEST(TwoDimensions, EachThreadHasItsRowsAndColumns) {
  const auto whose = [](std::int64_t x, std::int64_t y) {
    return k::kernel("whose", k::threads(x, y), k::matrix_block<int>(6, 10), [](Matrix<int> m) {
      // What a thread has written itself it reads without a barrier: threads that do not share it would race.
      const Matrix<int> kept = k::commit(m);
      return k::map([](Exp<int> e) { return e + 1; }, kept);
    });
  };
  const auto a = numbered<int>(12, 20);
  const std::vector<int> xs = a.to_vector();
  const auto expected = made<int>(
      12, 20, [&](std::int64_t r, std::int64_t c) { return xs[static_cast<std::size_t>(r * 20 + c)] + 1; });
  for (const auto& [x, y] :
       {std::pair{10, 6}, {5, 3}, {5, 6}, {10, 2}, {4, 4}, {3, 5}, {20, 1}, {1, 7}, {1, 1}})
    expect_matrix(expected, whose(x, y), a);
}

TEST(TwoDimensions, PushMatricesAndReshapes) {
  const auto halves = k::kernel("halves", k::threads(4, 2), k::matrix_block<int>(2, 8), [](Matrix<int> m) {
    return k::PushMatrix<int>(2, 8, [m](const k::PushMatrix<int>::Write& write) {
      k::par(2, 4, [&](Index r, Index c) {
        write(r, 2 * c, m(r, c));
        write(r, 2 * c + 1, m(r, c + 4));
      });
    });
  });
  const auto a = numbered<int>(4, 8);
  const std::vector<int> xs = a.to_vector();
  expect_matrix(made<int>(4, 8,
                          [&](std::int64_t r, std::int64_t c) {
                            return xs[static_cast<std::size_t>(r * 8 + c / 2 + c % 2 * 4)];
                          }),
                halves, a);
  const auto turned = k::kernel("turned", k::threads(2, 2), k::block<int>(12), [](k::Pull<int> x) {
    return k::flat(k::transpose(k::sync(k::matrix(3, 4, x), k::Rows::packed, k::Place::global)));
  });
  std::vector<int> ys(12);
  for (int i = 0; i < 12; ++i) ys[static_cast<std::size_t>(i)] = i / 3 + i % 3 * 4;
  std::vector<int> in(12);
  for (int i = 0; i < 12; ++i) in[static_cast<std::size_t>(i)] = i;
  test::expect_everywhere(ys, turned, in);
}

TEST(TwoDimensions, StepsOfArrayPrograms) {
  const auto turn = transpose<float>(k::threads(32, 8));
  const auto times = product<float>(k::threads(16, 16));
  const auto gram = [&](Mat<float> a) { return k::call(times, k::call(turn, a + 1.0f), a + 1.0f); };
  const auto a = numbered<float>(64, 32);
  const std::vector<float> xs = a.to_vector();
  const auto more = made<float>(
      64, 32, [&](std::int64_t r, std::int64_t c) { return xs[static_cast<std::size_t>(r * 32 + c)] + 1; });
  const auto expected = multiplied(transposed(more), more);
  expect_same(compile(gram)(a), expected);
  expect_same(compile(gram, {.engine = Engine::interpreter})(a), expected);
  if (test::has_opencl()) expect_same(compile(gram, {.engine = Engine::opencl})(a), expected);
}

// Each block takes what is least in a row of its tile from the row's elements.
auto above_the_least() {
  return k::kernel("above", k::threads(8, 4), k::updated_matrix<int>(), [](k::UpdatedMatrix<int> a) {
    const k::MatrixTiles tiles = k::tiles(a.rows(), a.columns(), 4, 8);
    const Matrix<int> tile = k::sync(k::tile(a, tiles));
    return k::update(a, tiles, Matrix<int>(4, 8, [tile](Index r, Index c) {
                       return tile(r, c) - k::seq_reduce(min, tile.row(r));
                     }));
  });
}

TEST(TwoDimensions, UpdatedMatricesByTiles) {
  const auto a = numbered<int>(12, 24);
  const std::vector<int> xs = a.to_vector();
  const auto expected = made<int>(12, 24, [&](std::int64_t r, std::int64_t c) {
    const auto first = xs.begin() + r * 24 + c / 8 * 8;
    return xs[static_cast<std::size_t>(r * 24 + c)] - *std::min_element(first, first + 8);
  });
  expect_matrix(expected, above_the_least(), a);
  const auto step = [](Mat<int> m) { return k::call(above_the_least(), m + 1) * 2; };
  const auto twice = made<int>(12, 24, [&](std::int64_t r, std::int64_t c) {
    return 2 * expected.to_vector()[static_cast<std::size_t>(r * 24 + c)];
  });
  expect_same(compile(step)(a), twice);
  expect_same(compile(step, {.engine = Engine::interpreter})(a), twice);
  expect_same(compile(step, {.engine = Engine::emulator})(a), twice);
  if (test::has_opencl()) expect_same(compile(step, {.engine = Engine::opencl})(a), twice);
  EXPECT_THROW(k::execute(cpu(), above_the_least(), numbered<int>(12, 20)), ShapeError);
  const auto other = k::kernel("other", k::updated_matrix<int>(), [](k::UpdatedMatrix<int> m) {
    const k::MatrixTiles tiles = k::tiles(m.columns(), m.rows(), 4, 4);
    return k::update(m, tiles, Matrix<int>(4, 4, [](Index r, Index) { return Exp<int>(cast<int>(r)); }));
  });
  EXPECT_THROW(k::execute(cpu(), other, numbered<int>(4, 8)), ShapeError);
}

// An element outside of the matrix is not written, though there is one of its number.
TEST(TwoDimensions, UpdatedMatricesElementByElement) {
  const auto scattered = k::kernel(
      "scattered", k::threads(8, 4), k::matrix_block<int>(4, 8), k::updated_matrix<int>(),
      k::updated_matrix<int>(), [](Matrix<int> m, k::UpdatedMatrix<int> to, k::UpdatedMatrix<int> counts) {
        const Index across = to.rows() / 8, block = k::block_number();
        const Index row = block / across * 4, column = block % across * 8;
        k::par(4, 8, [&](Index r, Index c) {
          to.write(column + c, row + r, m(r, c));
          to.write(column + c, row + r + to.columns(), -1);
          k::atomic(plus, counts, cast<std::int64_t>(m(r, c) % 3), cast<std::int64_t>(m(r, c) % 7), 1);
        });
        return std::pair(to, counts);
      });
  const auto a = numbered<int>(8, 32);
  const std::vector<int> xs = a.to_vector();
  const auto zeros = [](std::int64_t, std::int64_t) { return 0; };
  const auto expected = made<int>(3, 6, [&](std::int64_t r, std::int64_t c) {
    return static_cast<int>(std::ranges::count_if(xs, [&](int x) { return x % 3 == r && x % 7 == c; }));
  });
  on_every_engine(
      [&](const auto& both) {
        expect_same(std::get<0>(both), transposed(a));
        expect_same(std::get<1>(both), expected);
      },
      scattered, a, made<int>(32, 8, zeros), made<int>(3, 6, zeros));
}

TEST(TwoDimensions, ShapesThatDoNotFit) {
  const auto turn = transpose<float>(k::threads(32, 8));
  EXPECT_THROW(k::execute(cpu(), turn, numbered<float>(32, 33)), ShapeError);
  const auto times = product<float>(k::threads(16, 16));
  EXPECT_THROW(k::execute(cpu(), times, numbered<float>(16, 32), numbered<float>(48, 16)), ShapeError);
  const auto add = sum_of_matrices(k::threads(16, 16));
  EXPECT_THROW(k::execute(cpu(), add, numbered<float>(16, 32), numbered<float>(32, 16)), ShapeError);
  EXPECT_THROW(k::execute(cpu(), add, numbered<float>(16, 40), numbered<float>(16, 40)), ShapeError);
  for (const auto& [x, y] : {std::pair{64, 32}, {-1, -1}, {0, 4}, {4, 0}, {-32, -32}})
    EXPECT_THROW(sum_of_matrices(k::threads(x, y)), ShapeError);
}

}  // namespace
}  // namespace fulgurite
