// Axes in any order, and new ones: the values, and that neither makes an array of its own.
#include "lines.h"
#include "structure.h"

#include <algorithm>
#include <numeric>

namespace {

using lines::Shape, lines::transposed;
using Ints = std::vector<int>;

template <std::size_t N>
Ints numbered(const Shape<N>& shape) {
  Ints x(lines::count(shape));
  std::iota(x.begin(), x.end(), 1);
  return x;
}

/// Every element of outer axes before `axis`, with what is inside of it n times.
template <std::size_t N>
Ints repeated(const Ints& x, const Shape<N>& shape, std::size_t axis, std::size_t n) {
  const std::size_t inner = lines::count(shape, axis);
  Ints result;
  for (std::size_t o = 0; o < lines::count(shape, 0, axis); ++o)
    for (std::size_t k = 0; k < n; ++k)
      result.insert(result.end(), x.begin() + static_cast<std::ptrdiff_t>(o * inner),
                    x.begin() + static_cast<std::ptrdiff_t>((o + 1) * inner));
  return result;
}

TEST(Axes, TransposedInEveryOrder) {
  const auto program = [](fg::Acc<int, 3> x) {
    return std::tuple{fg::transpose(x, {0, 1, 2}), fg::transpose(x, {0, 2, 1}),
                      fg::transpose(x, {1, 0, 2}), fg::transpose(x, {1, 2, 0}),
                      fg::transpose(x, {2, 0, 1}), fg::transpose(x, {-1, -2, 0})};
  };
  on_every_engine(program, [](const auto& f) {
    for (const Shape<3>& shape : lines::shapes) {
      SCOPED_TRACE(::testing::PrintToString(shape));
      const Ints x = numbered(shape);
      std::array<std::size_t, 3> order{0, 1, 2};
      const auto compare = [&](const fg::Array<int, 3>& result) {
        const auto [values, extents] = transposed(x, shape, order);
        EXPECT_EQ(result.shape(), extents) << ::testing::PrintToString(order);
        EXPECT_EQ(result.to_vector(), values) << ::testing::PrintToString(order);
        std::next_permutation(order.begin(), order.end());
      };
      std::apply([&](const auto&... results) { (compare(results), ...); }, f(fg::Array<int, 3>(x, shape)));
    }
  });
}

TEST(Axes, TransposedOfOtherRanksAndComposites) {
  using Pair = std::tuple<int, double>;
  const auto program = [](Vec<int> x, Mat<Pair> m, fg::Acc<int, 4> y) {
    const auto [ints, doubles] = fg::unzip(fg::transpose(m, {1, 0}));
    return std::tuple{fg::transpose(x, {0}), ints, doubles, fg::transpose(y, {3, 1, 0, 2})};
  };
  on_every_engine(program, [](const auto& f) {
    const Shape<4> shape{2, 3, 4, 5};
    const Ints y = numbered(shape);
    const std::vector<Pair> m{{1, 0.5}, {2, 1.5}, {3, 2.5}, {4, 3.5}, {5, 4.5}, {6, 5.5}};
    const auto [x, ints, doubles, z] =
        f(Ints{3, 1, 2}, fg::view(m.data(), {2, 3}), fg::Array<int, 4>(y, shape));
    EXPECT_EQ(vector_of(x), (Ints{3, 1, 2}));
    EXPECT_EQ(vector_of(ints), (Ints{1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(vector_of(doubles), (std::vector<double>{0.5, 3.5, 1.5, 4.5, 2.5, 5.5}));
    const auto [values, extents] = transposed(y, shape, {3, 1, 0, 2});
    EXPECT_EQ(z.shape(), extents);
    EXPECT_EQ(z.to_vector(), values);
  });
}

TEST(Axes, TransposeNamesEachAxisOnce) {
  const auto message = [](auto f) { return message_of<fg::ShapeError>([&] { (void)fg::compile(f); }); };
  EXPECT_NE(
      message([](fg::Acc<int, 3> x) { return fg::transpose(x, {0, 1, -2}); }).find("names axis 1 twice"),
      std::string::npos);
  EXPECT_NE(message([](fg::Acc<int, 3> x) { return fg::transpose(x, {0, 1, 3}); }).find("no axis 3"),
            std::string::npos);
}

TEST(Axes, ReplicatedAlongANewOne) {
  const auto program = [](Mat<int> m, Exp<int> n) {
    return std::tuple{fg::replicate(n, m, fg::axis(0)),  fg::replicate(n, m, fg::axis(1)),
                      fg::replicate(n, m, fg::axis(2)),  fg::replicate(n, m, fg::axis(-1)),
                      fg::replicate(n, m, fg::axis(-3)), fg::replicate(n, m)};
  };
  on_every_engine(program, [](const auto& f) {
    for (const Shape<2>& shape : {Shape<2>{0, 3}, {3, 0}, {1, 1}, {2, 3}, {17, 5}, {3, 130}})
      for (int n : {0, 1, 3, 40}) {
        SCOPED_TRACE(::testing::PrintToString(shape) + " " + std::to_string(n) + " times");
        const Ints m = numbered(shape);
        const auto times = static_cast<std::size_t>(n);
        const auto [outer, middle, inner, last, first, as_before] = f(fg::Array<int, 2>(m, shape), n);
        EXPECT_EQ(outer.shape(), (Shape<3>{n, shape[0], shape[1]}));
        EXPECT_EQ(middle.shape(), (Shape<3>{shape[0], n, shape[1]}));
        EXPECT_EQ(inner.shape(), (Shape<3>{shape[0], shape[1], n}));
        EXPECT_EQ(outer.to_vector(), repeated(m, shape, 0, times));
        EXPECT_EQ(middle.to_vector(), repeated(m, shape, 1, times));
        EXPECT_EQ(inner.to_vector(), repeated(m, shape, 2, times));
        EXPECT_EQ(last.to_vector(), inner.to_vector());
        EXPECT_EQ(first.to_vector(), outer.to_vector());
        EXPECT_EQ(as_before.to_vector(), outer.to_vector());
      }
    EXPECT_NE(message_of<fg::ShapeError>([&] {
                (void)f(fg::Array<int, 2>({1}, {1, 1}), -1);
              }).find("replicate: a size is from 0 to 2^47 elements, not -1"),
              std::string::npos);
  });
  EXPECT_NE(message_of<fg::ShapeError>([] {
              (void)fg::compile([](Vec<int> x) { return fg::replicate(3, x, fg::axis(2)); });
            }).find("no axis 2"),
            std::string::npos);
}

/// One kernel that reads the argument and writes the result, for orders of axes and for new axes alike.
TEST(Axes, BecomeNoArrays) {
  const std::size_t n = 60'000;
  const fg::Array<float, 3> x(std::vector<float>(n), {30, 40, 50});
  const auto turned = [](fg::Acc<float, 3> a) {
    return fg::transpose(fg::transpose(a * 2.0f, {2, 0, 1}), {2, 0, 1}) + 1.0f;
  };
  structure::expect_one_kernel(turned, {"4k*m*n", "4k*m*n"}, 4 * n, x);
  // A product of matrices as Accelerate writes it: both replicated, multiplied, summed.
  const auto product = [](Mat<float> a, Mat<float> b) {
    const auto [rows, inner] = a.shape();
    const auto columns = b.size(1);
    return fg::sum(
        fg::replicate(columns, a, fg::axis(1)) * fg::replicate(rows, fg::transpose(b), fg::axis(0)),
        fg::axis(-1));
  };
  const fg::Array<float, 2> m(std::vector<float>(10'000, 2.0f), {100, 100});
  structure::expect_structure(product, {}, 40'000, 256u << 10, m, m);
  on_every_engine(product, [](const auto& f) {
    const auto c =
        f(fg::Array<float, 2>({1, 2, 3, 4, 5, 6}, {2, 3}), fg::Array<float, 2>({1, 2, 3, 4, 5, 6}, {3, 2}));
    EXPECT_EQ(c.to_vector(), (std::vector<float>{22, 28, 49, 64}));
  });
}

}  // namespace
