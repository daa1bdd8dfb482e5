// Reductions of the elements around each point, against sequential loops: at extents around those of vectors
// and chains, of each kind of operator.
#include "lines.h"
#include "operators.h"
#include "policies.h"

#include <cmath>
#include <limits>

namespace {

using lines::Shape;
using Index = Exp<fg::i64>;

const char* const policies[] = {"", "window_least_columns=1 window_vectors=1 fold_chain=3 moderate_tile=64",
                                "window_vectors=2 window_most_points=20"};
constexpr std::int64_t all_points[] = {1, 7, 8, 9, 31, 32, 33, 64, 65, 131, 1031};
constexpr std::int64_t all_weights[] = {0, 1, 2, 3, 5, 16, 17, 33, 257};

// x[first], x[first + 1] ... combined.
template <class T>
std::vector<T> of_windows(std::int64_t n, std::int64_t width, T first, auto op) {
  std::vector<T> results;
  for (std::int64_t i = 0; i < n; ++i) {
    T so_far = first;
    for (std::int64_t l = 0; l < width; ++l)
      so_far = op(so_far, static_cast<std::size_t>(i + l), static_cast<std::size_t>(l));
    results.push_back(so_far);
  }
  return results;
}

TEST(Windows, OfOneAxisProperty) {
  const auto program = [](Vec<float> x, Vec<double> y, Vec<int> z, Vec<float> w, Vec<double> v) {
    const auto k = w.size(), n = x.size() - k + 1;
    const auto sums = fg::generate(
        n, [&](Index i) { return fg::sum(fg::generate(k, [&](Index l) { return x[i + l] * w[l]; })); });
    const auto wide = fg::generate(
        n, [&](Index i) { return 2. * fg::sum(fg::generate(k, [&](Index l) { return y[i + l] * v[l]; })); });
    const auto most = fg::generate(n, [&](Index i) {
      return fg::reduce([](Exp<int> a, Exp<int> b) { return fg::max(a, b); }, -1000000,
                        fg::generate(k, [&](Index l) { return z[i + l] % 1000 - fg::cast<int>(l); }));
    });
    const auto last = fg::generate(n, [&](Index i) {
      return fg::reduce([](Exp<int> a, Exp<int> b) { return fg::select(b % 2 != 0, b, a); }, 0,
                        fg::generate(k, [&](Index l) { return z[i + l]; }));
    });
    const auto both = fg::generate(n, [&](Index i) {
      const auto sum = fg::sum(fg::generate(k, [&](Index l) { return z[i + l]; }));
      const auto product = fg::product(fg::generate(k, [&](Index l) { return z[i + l] | 1; }));
      return sum ^ product;
    });
    return std::tuple{sums, wide, most, last, both};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t n : all_points)
      for (const std::int64_t k : all_weights) {
        SCOPED_TRACE(std::to_string(n) + " points, " + std::to_string(k) + " weights");
        const std::int64_t size = n + k - 1;
        const auto x = values<float>(size), w = values<float>(k);
        const auto y = values<double>(size), v = values<double>(k);
        auto z = values<int>(size);
        const auto [sums, wide, most, last, both] = f(x, y, z, w, v);
        EXPECT_EQ(sums.to_vector(),
                  of_windows(n, k, 0.f, [&](float sum, auto i, auto l) { return sum + x[i] * w[l]; }));
        auto doubles = of_windows(n, k, 0., [&](double sum, auto i, auto l) { return sum + y[i] * v[l]; });
        for (double& sum : doubles) sum *= 2;
        EXPECT_EQ(wide.to_vector(), doubles);
        EXPECT_EQ(most.to_vector(), of_windows(n, k, -1000000, [&](int so_far, auto i, auto l) {
                    return std::max(so_far, z[i] % 1000 - static_cast<int>(l));
                  }));
        EXPECT_EQ(last.to_vector(), of_windows(n, k, 0, [&](int so_far, auto i, auto) {
                    return z[i] % 2 != 0 ? z[i] : so_far;
                  }));
        const auto added = of_windows(
            n, k, 0u, [&](unsigned sum, auto i, auto) { return sum + static_cast<unsigned>(z[i]); });
        const auto multiplied = of_windows(n, k, 1u, [&](unsigned so_far, auto i, auto) {
          return so_far * static_cast<unsigned>(z[i] | 1);
        });
        std::vector<int> expected;
        for (std::size_t i = 0; i < added.size(); ++i)
          expected.push_back(static_cast<int>(added[i] ^ multiplied[i]));
        EXPECT_EQ(both.to_vector(), expected);
      }
  });
}

TEST(Windows, OfTwoAxesProperty) {
  const auto program = [](Mat<float> x, Mat<float> w) {
    const auto h = w.size(0), k = w.size(1);
    const auto inside = fg::generate({x.size(0) - h + 1, x.size(1) - k + 1}, [&](Index i, Index j) {
      return fg::sum(fg::generate({h, k}, [&](Index a, Index b) { return x(i + a, j + b) * w(a, b); }));
    });
    const auto same = fg::generate({x.size(0), x.size(1)}, [&](Index i, Index j) {
      return fg::sum(fg::generate({h, k}, [&](Index a, Index b) {
        const auto p = i + a - h / 2, q = j + b - k / 2;
        return fg::cond(
            0 <= p && p < x.size(0) && 0 <= q && q < x.size(1), [&] { return x(p, q) * w(a, b); },
            [] { return Exp<float>(0.f); });
      }));
    });
    return std::tuple{inside, same};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const auto& [rows, columns] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 40}, {20, 33}, {9, 131}, {33, 7}})
      for (const auto& [h, k] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                 {3, 3},
                                 {7, 7},
                                 {1, 20},
                                 {17, 2},
                                 {2, 17},
                                 {20, 3},
                                 {17, 17},
                                 {3, 40}}) {
        const std::int64_t height = rows + h - 1, width = columns + k - 1;
        SCOPED_TRACE(::testing::PrintToString(Shape<2>{height, width}) +
                     ::testing::PrintToString(Shape<2>{h, k}));
        const auto x = values<float>(height * width), w = values<float>(h * k);
        const auto sum = [&](std::int64_t top, std::int64_t left) {
          float total = 0;
          for (std::int64_t a = 0; a < h; ++a)
            for (std::int64_t b = 0; b < k; ++b) {
              const std::int64_t p = top + a, q = left + b;
              if (0 <= p && p < height && 0 <= q && q < width)
                total += x[static_cast<std::size_t>(p * width + q)] * w[static_cast<std::size_t>(a * k + b)];
            }
          return total;
        };
        std::vector<float> inside, same;
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t j = 0; j < columns; ++j) inside.push_back(sum(i, j));
        for (std::int64_t i = 0; i < height; ++i)
          for (std::int64_t j = 0; j < width; ++j) same.push_back(sum(i - h / 2, j - k / 2));
        const auto [ours_inside, ours_same] =
            f(fg::Array<float, 2>(x, {height, width}), fg::Array<float, 2>(w, {h, k}));
        EXPECT_EQ(ours_inside.to_vector(), inside);
        EXPECT_EQ(ours_same.to_vector(), same);
      }
  });
}

// Neighbouring points, whose windows are a constant number of elements apart.
template <int stride>
void windows_apart() {
  const auto program = [](Vec<int> x, Vec<int> w, Mat<float> m, Mat<float> v) {
    const auto sums = fg::generate((x.size() - w.size()) / stride + 1, [&](Index i) {
      return fg::sum(fg::generate(w.size(), [&](Index l) { return x[i * stride + l] * w[l]; }));
    });
    const auto pools = fg::generate(
        {(m.size(0) - v.size(0)) / stride + 1, (m.size(1) - v.size(1)) / stride + 1}, [&](Index i, Index j) {
          return fg::max(fg::generate({v.size(0), v.size(1)}, [&](Index a, Index b) {
            return m(i * stride + a, j * stride + b) * v(a, b);
          }));
        });
    return std::tuple{sums, pools};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t n : all_points)
      for (const std::int64_t k : {1, 2, 3, 5, 16, 33}) {
        SCOPED_TRACE(::testing::PrintToString(std::tuple(n, k, stride)));
        const std::int64_t size = (n - 1) * stride + k, rows = (3 - 1) * stride + 2;
        const auto x = values<int>(size), w = values<int>(k);
        const auto m = values<float>(rows * size), v = values<float>(2 * k);
        const auto [sums, pools] =
            f(x, w, fg::Array<float, 2>(m, {rows, size}), fg::Array<float, 2>(v, {2, k}));
        std::vector<int> added;
        std::vector<float> largest;
        const auto at = [&](std::int64_t i) { return static_cast<std::size_t>(i); };
        for (std::int64_t i = 0; i < n; ++i) {
          unsigned sum = 0;
          for (std::int64_t l = 0; l < k; ++l)
            sum += static_cast<unsigned>(x[at(i * stride + l)]) * static_cast<unsigned>(w[at(l)]);
          added.push_back(static_cast<int>(sum));
        }
        for (std::int64_t i = 0; i < 3; ++i)
          for (std::int64_t j = 0; j < n; ++j) {
            float most = -std::numeric_limits<float>::infinity();
            for (std::int64_t a = 0; a < 2; ++a)
              for (std::int64_t b = 0; b < k; ++b)
                most = std::max(most, m[at((i * stride + a) * size + j * stride + b)] * v[at(a * k + b)]);
            largest.push_back(most);
          }
        EXPECT_EQ(sums.to_vector(), added);
        EXPECT_EQ(pools.to_vector(), largest);
      }
  });
}

// Windows that end inside, at the end of, and outside of what they read.
TEST(Windows, Outside) {
  const auto program = [](Vec<int> x, Index n, Index k, Index first) {
    return fg::generate(
        n, [=](Index i) { return fg::sum(fg::generate(k, [=](Index l) { return x[2 * i + first + l]; })); });
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    const auto x = values<int>(200);
    const auto sums = [&](std::int64_t n, std::int64_t k, std::int64_t first) {
      std::vector<int> all;
      for (std::int64_t i = 0; i < n; ++i) {
        unsigned sum = 0;
        for (std::int64_t l = 0; l < k; ++l)
          sum += static_cast<unsigned>(x.at(static_cast<std::size_t>(2 * i + first + l)));
        all.push_back(static_cast<int>(sum));
      }
      return all;
    };
    EXPECT_EQ(f(x, 98, 5, 1).to_vector(), sums(98, 5, 1));  // reads the last element
    EXPECT_EQ(f(x, 98, 0, -7).to_vector(), sums(98, 0, -7));
    EXPECT_EQ(f(x, 0, 1000, -7).to_vector(), sums(0, 0, 0));
    const auto message = [&](std::int64_t n, std::int64_t k, std::int64_t first) -> std::string {
      try {
        f(x, n, k, first);
      } catch (const fg::IndexError& error) {
        return error.what();
      }
      return "nothing failed";
    };
    for (const auto& [text, part] : {std::pair{message(98, 6, 1), "index 200 "},
                                     {message(98, 5, -1), "index -1 "},
                                     {message(99, 5, 1), "position 98 "},
                                     {message(1, 1, std::int64_t{1} << 62), "index 46"}})
      EXPECT_NE(text.find(part), text.npos) << text;
  });
}

TEST(Windows, ApartProperty) {
  windows_apart<2>();
  windows_apart<3>();
  windows_apart<4>();
  windows_apart<5>();
}

TEST(Windows, OfThreeAxesProperty) {
  const auto program = [](fg::Acc<float, 3> x, fg::Acc<float, 3> w) {
    const auto d = w.size(0), h = w.size(1), k = w.size(2);
    return fg::generate(
        {x.size(0) - d + 1, x.size(1) - h + 1, x.size(2) - k + 1}, [&](Index i, Index j, Index l) {
          return fg::sum(fg::generate(
              {d, h, k}, [&](Index a, Index b, Index c) { return x(i + a, j + b, l + c) * w(a, b, c); }));
        });
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const Shape<3>& points : {Shape<3>{1, 1, 1}, {2, 3, 40}, {1, 2, 129}})
      for (const Shape<3>& windows :
           {Shape<3>{2, 2, 2}, {1, 2, 20}, {2, 17, 3}, {17, 2, 2}, {3, 1, 40}, {1, 2, 300}, {300, 2, 1}}) {
        SCOPED_TRACE(::testing::PrintToString(points) + ::testing::PrintToString(windows));
        Shape<3> shape;
        for (std::size_t axis = 0; axis < 3; ++axis) shape[axis] = points[axis] + windows[axis] - 1;
        const auto x = values<float>(shape[0] * shape[1] * shape[2]);
        const auto w = values<float>(windows[0] * windows[1] * windows[2]);
        const auto at = [](const std::vector<float>& of, const Shape<3>& extents, std::int64_t i,
                           std::int64_t j, std::int64_t l) {
          return of[static_cast<std::size_t>((i * extents[1] + j) * extents[2] + l)];
        };
        std::vector<float> sums;
        for (std::int64_t i = 0; i < points[0]; ++i)
          for (std::int64_t j = 0; j < points[1]; ++j)
            for (std::int64_t l = 0; l < points[2]; ++l) {
              sums.push_back(0);
              for (std::int64_t a = 0; a < windows[0]; ++a)
                for (std::int64_t b = 0; b < windows[1]; ++b)
                  for (std::int64_t c = 0; c < windows[2]; ++c)
                    sums.back() += at(x, shape, i + a, j + b, l + c) * at(w, windows, a, b, c);
            }
        EXPECT_EQ(f(fg::Array<float, 3>(x, shape), fg::Array<float, 3>(w, windows)).to_vector(), sums);
      }
  });
}

// A sum passes through few roundings however long the window is (float_sum_error).
TEST(Windows, SumsRoundLittle) {
  const auto f = fg::compile([](Vec<float> x, Vec<float> w) {
    return fg::generate(x.size() - w.size() + 1, [&](Index i) {
      return fg::sum(fg::generate(w.size(), [&](Index l) { return x[i + l] * w[l]; }));
    });
  });
  for (const std::int64_t k : {2, 15, 16, 17, 33, 255, 257, 1000, 4095, 4096, 4097, 5000, 66000}) {
    SCOPED_TRACE(k);
    std::vector<float> x(static_cast<std::size_t>(k + 99)), w(static_cast<std::size_t>(k), 1.f);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.f / static_cast<float>(i % 977 + 3);
    const std::vector<float> sums = f(x, w).to_vector();
    const double bound = 2 * std::log2(static_cast<double>(k)) * std::numeric_limits<float>::epsilon();
    const auto exact =
        of_windows(100, k, 0., [&](double sum, auto i, auto) { return sum + static_cast<double>(x[i]); });
    for (std::size_t i = 0; i < exact.size(); ++i) ASSERT_NEAR(sums[i], exact[i], bound * exact[i]) << i;
  }
}

// So does a sum over several axes, each of which has accumulators of its own.
TEST(Windows, SumsOverSeveralAxesRoundLittle) {
  const auto f = fg::compile([](fg::Acc<float, 3> x, Exp<fg::i64> d, Exp<fg::i64> h, Exp<fg::i64> k) {
    return fg::generate({1, 1, x.size(2) - k + 1}, [&](Index i, Index j, Index l) {
      return fg::sum(
          fg::generate({d, h, k}, [&](Index a, Index b, Index c) { return x(i + a, j + b, l + c); }));
    });
  });
  for (const Shape<3>& windows : {Shape<3>{2, 2, 17},
                                  {17, 17, 17},
                                  {1, 16, 33},
                                  {1, 255, 256},
                                  {4000, 2, 2},
                                  {1, 2, 4000},
                                  {17, 1, 1}}) {
    SCOPED_TRACE(::testing::PrintToString(windows));
    const Shape<3> shape{windows[0], windows[1], windows[2] + 99};
    const std::int64_t n = windows[0] * windows[1] * windows[2];
    std::vector<float> x(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.f / static_cast<float>(i % 977 + 3);
    const std::vector<float> sums =
        f(fg::Array<float, 3>(x, shape), windows[0], windows[1], windows[2]).to_vector();
    const double bound = 2 * std::log2(static_cast<double>(n)) * std::numeric_limits<float>::epsilon();
    for (std::int64_t l = 0; l < 100; ++l) {
      double exact = 0;
      for (std::int64_t row = 0; row < windows[0] * windows[1]; ++row)
        for (std::int64_t c = 0; c < windows[2]; ++c)
          exact += static_cast<double>(x[static_cast<std::size_t>(row * shape[2] + l + c)]);
      ASSERT_NEAR(sums[static_cast<std::size_t>(l)], exact, bound * exact) << l;
    }
  }
}

}  // namespace
