// Transposition and products of matrices: right on every engine, and what their memory accesses cost.
#include "matrices.h"

#include "everywhere.h"

namespace fulgurite {
namespace {

namespace k = kernel;
using k::Pull;
using test::expect_everywhere;

template <class T>
std::vector<T> small_numbers(std::int64_t n) {
  std::vector<T> xs(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < xs.size(); ++i) xs[i] = static_cast<T>(i * 7919 % 17);
  return xs;
}
template <class T>
std::vector<T> transposed(const std::vector<T>& xs, std::int64_t columns) {
  const auto rows = static_cast<std::int64_t>(xs.size()) / columns;
  std::vector<T> result(xs.size());
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c)
      result[static_cast<std::size_t>(c * rows + r)] = xs[static_cast<std::size_t>(r * columns + c)];
  return result;
}

TEST(Matrices, ABlockIsTransposed) {
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{4, 6}, {1, 5}, {16, 16}}) {
    const auto kernel = k::kernel("it", k::block<int>(rows * columns), [r = rows, c = columns](Pull<int> a) {
      return k::block_transpose(r, c, a);
    });
    const std::vector<int> xs = small_numbers<int>(rows * columns);
    expect_everywhere(transposed(xs, columns), kernel, xs);
  }
  EXPECT_THROW(k::kernel("it", k::block<int>(8), [](Pull<int> a) { return k::block_transpose(3, 3, a); }),
               ShapeError);
}

TEST(Matrices, Transpose) {
  const auto check = [](auto zero, std::int64_t rows, std::int64_t columns) {
    using T = decltype(zero);
    const auto kernel = matrices::transpose<T>();
    const std::vector<T> xs = small_numbers<T>(rows * columns);
    expect_everywhere(transposed(xs, columns), kernel, xs, columns);
    const k::Traffic t = k::traffic(kernel, xs, columns);
    EXPECT_EQ(t.bytes, t.least_bytes);
    EXPECT_EQ(t.transactions, t.least_transactions);
    EXPECT_EQ(t.bank_conflicts, 0);
    EXPECT_EQ(t.block_barriers, 1);
  };
  check(0.0f, 64, 96);
  check(0.0, 96, 32);
  const auto kernel = matrices::transpose<float>();
  EXPECT_THROW(k::execute(cpu(), kernel, std::vector<float>(1024), std::int64_t{33}), ShapeError);
  EXPECT_THROW(k::execute(cpu(), kernel, std::vector<float>(1024), std::int64_t{0}), ShapeError);
}

TEST(Matrices, Product) {
  const std::int64_t rows = 32, inner = 80, columns = 48;
  const std::vector<float> a = small_numbers<float>(rows * inner), b = small_numbers<float>(inner * columns);
  std::vector<float> expected(static_cast<std::size_t>(rows * columns));
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c)
      for (std::int64_t i = 0; i < inner; ++i)
        expected[static_cast<std::size_t>(r * columns + c)] +=
            a[static_cast<std::size_t>(r * inner + i)] * b[static_cast<std::size_t>(i * columns + c)];
  const auto kernel = matrices::product<float>();
  expect_everywhere(expected, kernel, a, b, inner, columns);
  const k::Traffic t = k::traffic(kernel, a, b, inner, columns);
  EXPECT_EQ(t.transactions, t.least_transactions);
  EXPECT_EQ(t.bank_conflicts, 0);
  // A tile of a is read for each column of tiles, one of b for each row of them; the product is written once.
  EXPECT_EQ(t.bytes, 4 * (rows * inner * columns / 16 + inner * columns * rows / 16 + rows * columns));
  EXPECT_THROW(k::execute(cpu(), kernel, a, b, inner, std::int64_t{32}), ShapeError);
}

}  // namespace
}  // namespace fulgurite
