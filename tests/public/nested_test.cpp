// Array operations inside the functions given to map and loops; the programs that show what the language is
// for.
#include "engines.h"

#include <array>
#include <cmath>
#include <limits>

using fg::i64;

// As a user writes them, who need not mind that a lambda's parameter has the name of a result.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
Exp<float> dot(Vec<float> x, Vec<float> y) {
  return fg::sum(x * y);
}
Vec<float> row_norms(Mat<float> m) {
  return fg::map([](Vec<float> row) { return fg::sqrt(fg::sum(row * row)); }, fg::rows(m));
}
Vec<float> column_means(Mat<float> m) {
  return fg::sum(m, fg::axis(0)) / fg::cast<float>(m.size(0));
}
Mat<float> matmul(Mat<float> a, Mat<float> b) {
  return fg::map(
      [&](Vec<float> row) {
        return fg::map([&](Vec<float> column) { return dot(row, column); }, fg::rows(fg::transpose(b)));
      },
      fg::rows(a));
}
Exp<int> escape_time(Exp<float> re, Exp<float> im) {
  auto [zr, zi, k] = fg::while_loop(
      [](Exp<float> zr, Exp<float> zi, Exp<int> k) { return zr * zr + zi * zi <= 4.0f && k < 255; },
      [&](Exp<float> zr, Exp<float> zi, Exp<int> k) {
        return std::tuple{zr * zr - zi * zi + re, 2.0f * zr * zi + im, k + 1};
      },
      0.0f, 0.0f, 0);
  return k;
}
Mat<float> solve(Mat<float> u, Mat<float> rhs, Exp<float> tolerance) {
  auto five_point = [](auto u, auto f) {
    return 0.25f * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - f(0, 0));
  };
  auto [result, change] = fg::while_loop([&](Mat<float>, Exp<float> change) { return change > tolerance; },
                                         [&](Mat<float> u, Exp<float>) {
                                           auto next = fg::stencil(five_point, fg::boundary::clamp, u, rhs);
                                           return std::tuple{next, fg::max(fg::abs(next - u))};
                                         },
                                         u, std::numeric_limits<float>::infinity());
  return result;
}
#pragma GCC diagnostic pop

namespace {

using Floats = std::vector<float>;

Floats numbers(i64 n, int modulus = 17) {
  Floats values;
  for (i64 i = 0; i < n; ++i)
    values.push_back(static_cast<float>((i * 37 + 5) % modulus) - static_cast<float>(modulus / 2));
  return values;
}

TEST(Nested, RowsAndColumns) {
  on_every_engine(row_norms, [](const auto& f) {
    const Floats m = numbers(40 * 33);
    const auto norms = f(fg::view(m.data(), {40, 33}));
    for (i64 i = 0; i < 40; ++i) {
      float total = 0;
      for (i64 j = 0; j < 33; ++j)
        total += m[static_cast<std::size_t>(i * 33 + j)] * m[static_cast<std::size_t>(i * 33 + j)];
      EXPECT_EQ(norms[i], std::sqrt(total));
    }
  });
  on_every_engine(column_means, [](const auto& f) {
    const Floats m = numbers(32 * 7);
    const auto means = f(fg::view(m.data(), {32, 7}));
    for (i64 j = 0; j < 7; ++j) {
      float total = 0;
      for (i64 i = 0; i < 32; ++i) total += m[static_cast<std::size_t>(i * 7 + j)];
      EXPECT_EQ(means[j], total / 32.0f);
    }
  });
}

TEST(Nested, MatrixProduct) {
  on_every_engine(matmul, [](const auto& f) {
    const Floats a = numbers(19 * 40), b = numbers(40 * 23, 13);
    const auto c = f(fg::view(a.data(), {19, 40}), fg::view(b.data(), {40, 23}));
    for (i64 i = 0; i < 19; ++i)
      for (i64 j = 0; j < 23; ++j) {
        float total = 0;
        for (i64 k = 0; k < 40; ++k)
          total += a[static_cast<std::size_t>(i * 40 + k)] * b[static_cast<std::size_t>(k * 23 + j)];
        ASSERT_EQ(c(i, j), total);
      }
  });
}

TEST(Nested, EscapeTimes) {
  const auto f = [](Vec<float> re, Vec<float> im) { return fg::map(escape_time, re, im); };
  on_every_engine(f, [](const auto& g) {
    Floats re, im;
    for (int i = 0; i < 300; ++i)
      re.push_back(-2.0f + 0.01f * static_cast<float>(i)), im.push_back(0.003f * static_cast<float>(i));
    const auto times = g(re, im);
    int differences = 0;  // contraction moves a few points
    for (std::size_t i = 0; i < re.size(); ++i) {
      float zr = 0, zi = 0;
      int k = 0;
      for (; zr * zr + zi * zi <= 4.0f && k < 255; ++k) {
        const float next = zr * zr - zi * zi + re[i];
        zi = 2.0f * zr * zi + im[i];
        zr = next;
      }
      differences += times[static_cast<i64>(i)] != k;
    }
    EXPECT_LE(differences, 6);
  });
}

TEST(Nested, SolveByIteratedStencils) {
  on_every_engine(solve, [](const auto& f) {
    // The sizes are multiples of 3, so that the source has mean 0.
    for (const auto& [r, c] : std::vector<std::array<i64, 2>>{{3, 1}, {9, 12}, {20, 33}}) {
      Floats u = numbers(r * c, 5), rhs = numbers(r * c, 3);
      const auto result = f(fg::view(u.data(), {r, c}), fg::view(rhs.data(), {r, c}), 0.05f);
      for (float change = std::numeric_limits<float>::infinity(); change > 0.05f;) {
        Floats next;
        change = 0;
        for (i64 i = 0; i < r; ++i)
          for (i64 j = 0; j < c; ++j) {
            const auto at = [&, rows = r, columns = c](i64 k, i64 l) {
              k = std::min(std::max<i64>(k, 0), rows - 1), l = std::min(std::max<i64>(l, 0), columns - 1);
              return u[static_cast<std::size_t>(k * columns + l)];
            };
            next.push_back(0.25f * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) -
                                    rhs[static_cast<std::size_t>(i * c + j)]));
            change = std::max(change, std::abs(next.back() - at(i, j)));
          }
        u = next;
      }
      ASSERT_EQ(result.size(), r * c);
      for (i64 i = 0; i < r * c; ++i)
        ASSERT_NEAR(result.to_vector()[static_cast<std::size_t>(i)], u[static_cast<std::size_t>(i)], 1e-4f);
    }
  });
}

TEST(Nested, SoftmaxOfEachRow) {
  const auto softmax = [](Vec<double> row) {
    auto powers = fg::exp(row - fg::max(row));
    return powers / fg::sum(powers);
  };
  on_every_engine([&](Mat<double> m) { return fg::map(softmax, fg::rows(m)); },
                  [](const auto& f) {
                    std::vector<double> m;
                    for (float x : numbers(13 * 21)) m.push_back(static_cast<double>(x));
                    const auto result = f(fg::view(m.data(), {13, 21}));
                    for (i64 i = 0; i < 13; ++i) {
                      double total = 0;
                      for (i64 j = 0; j < 21; ++j) total += std::exp(m[static_cast<std::size_t>(i * 21 + j)]);
                      for (i64 j = 0; j < 21; ++j)
                        ASSERT_NEAR(result(i, j), std::exp(m[static_cast<std::size_t>(i * 21 + j)]) / total,
                                    1e-12);
                    }
                  });
}

TEST(Nested, BodiesThatAttractEachOther) {
  using Point = std::array<double, 3>;
  const auto accelerations = [](Vec<Point> bodies, Vec<double> masses) {
    const auto pull = [](Exp<Point> p, Exp<Point> q, Exp<double> mass) {
      auto [px, py, pz] = p;
      auto [qx, qy, qz] = q;
      auto dx = qx - px, dy = qy - py, dz = qz - pz;
      auto squared = dx * dx + dy * dy + dz * dz + 0.01;
      auto strength = mass / (squared * fg::sqrt(squared));
      return fg::make<Point>(dx * strength, dy * strength, dz * strength);
    };
    const auto add = [](Exp<Point> a, Exp<Point> b) {
      auto [ax, ay, az] = a;
      auto [bx, by, bz] = b;
      return fg::make<Point>(ax + bx, ay + by, az + bz);
    };
    return fg::map(
        [&](Exp<Point> p) {
          return fg::reduce(
              add, Point{},
              fg::map([&](Exp<Point> q, Exp<double> mass) { return pull(p, q, mass); }, bodies, masses));
        },
        bodies);
  };
  on_every_engine(accelerations, [](const auto& f) {
    std::vector<Point> bodies;
    std::vector<double> masses;
    const Floats random = numbers(4 * 50, 97);
    for (std::size_t i = 0; i < 50; ++i) {
      bodies.push_back({random[4 * i], random[4 * i + 1], random[4 * i + 2]});
      masses.push_back(1.0 + std::abs(random[4 * i + 3]));
    }
    const auto result = f(bodies, masses).to_vector();
    for (std::size_t i = 0; i < 50; ++i) {
      Point total{};
      for (std::size_t j = 0; j < 50; ++j) {
        Point d;
        double squared = 0.01;
        for (std::size_t k = 0; k < 3; ++k) d[k] = bodies[j][k] - bodies[i][k], squared += d[k] * d[k];
        for (std::size_t k = 0; k < 3; ++k) total[k] += d[k] * masses[j] / (squared * std::sqrt(squared));
      }
      for (std::size_t k = 0; k < 3; ++k) ASSERT_NEAR(result[i][k], total[k], 1e-9);
    }
  });
}

TEST(Nested, SlicesOfHigherRank) {
  const auto f = [](fg::Acc<int, 3> x) {
    const auto total = [](Mat<int> m) { return fg::sum(m); };
    return std::tuple{fg::map(total, fg::slices(x)), fg::map(total, fg::slices(x, fg::axis(1))),
                      fg::map(total, fg::slices(x, fg::axis(-1))),
                      fg::map([](Mat<int> m) { return fg::transpose(m) * 2; }, fg::slices(x))};
  };
  on_every_engine(f, [](const auto& g) {
    std::vector<int> x;
    for (int i = 0; i < 3 * 4 * 5; ++i) x.push_back(i * i % 19);
    std::vector<int> a(3), b(4), c(5);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 4; ++j)
        for (std::size_t k = 0; k < 5; ++k) {
          const int v = x[(i * 4 + j) * 5 + k];
          a[i] += v, b[j] += v, c[k] += v;
        }
    const auto [ra, rb, rc, turned] = g(fg::view(x.data(), {3, 4, 5}));
    EXPECT_EQ(vector_of(ra), a);
    EXPECT_EQ(vector_of(rb), b);
    EXPECT_EQ(vector_of(rc), c);
    EXPECT_EQ(turned.size(1), 5);
    for (i64 i = 0; i < 3; ++i)
      for (i64 j = 0; j < 4; ++j)
        for (i64 k = 0; k < 5; ++k)
          EXPECT_EQ(turned(i, k, j), 2 * x[static_cast<std::size_t>((i * 4 + j) * 5 + k)]);
  });
  const auto what = message_of<fg::ShapeError>([&] {
    (void)fg::compile([](Mat<int> m) {
      return fg::map([](Vec<int> v) { return fg::sum(v); }, fg::slices(m, fg::axis(2)));
    });
  });
  EXPECT_NE(what.find("slices: no axis 2 in an array of 2 axes"), std::string::npos) << what;
  EXPECT_NE(what.find("nested_test.cpp:"), std::string::npos) << what;
}

TEST(Nested, ScansOfRowsAndIterationsInside) {
  const auto f = [](Mat<int> m, Exp<int> n) {
    return fg::map(
        [&](Vec<int> row) {
          auto [sums, steps] = fg::iterate(
              n, [](Vec<int> v, Exp<int> k) { return std::tuple{fg::scan(fg::plus, v), k + fg::sum(v)}; },
              row, 0);
          return std::tuple{sums, steps};
        },
        fg::rows(m));
  };
  on_every_engine(f, [](const auto& g) {
    const int r = 6, c = 9;
    std::vector<int> m;
    for (int i = 0; i < r * c; ++i) m.push_back(i % 5 - 1);
    std::vector<int> expected = m, steps(6);
    for (int i = 0; i < r; ++i)
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < c; ++j) {
          int& x = expected[static_cast<std::size_t>(i * c + j)];
          steps[static_cast<std::size_t>(i)] += x;
          if (j > 0) x += expected[static_cast<std::size_t>(i * c + j - 1)];
        }
    const auto [sums, totals] = g(fg::view(m.data(), {r, c}), 3);
    EXPECT_EQ(vector_of(sums), expected);
    EXPECT_EQ(vector_of(totals), steps);
  });
}

TEST(Nested, FilterUntilNothingIsLeft) {
  // The length of the longest Collatz sequence that starts below n: a loop over the ones still under way.
  const auto longest = [](Exp<i64> n) {
    auto [left, steps] = fg::while_loop(
        [](Vec<i64> v, Exp<int>) { return v.size() > 0; },
        [](Vec<i64> v, Exp<int> k) {
          auto next = fg::map([](Exp<i64> x) { return fg::select(x % 2 == 0, x / 2, 3 * x + 1); }, v);
          return std::tuple{fg::filter([](Exp<i64> x) { return x != 1; }, next), k + 1};
        },
        fg::iota(n) + 2, 0);
    return steps;
  };
  on_every_engine(longest, [](const auto& f) {
    for (i64 n : {0, 1, 2, 25, 1000}) {
      int expected = 0;
      for (i64 start = 2; start < n + 2; ++start) {
        int steps = 0;
        for (i64 x = start; x != 1; ++steps) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
        expected = std::max(expected, steps);
      }
      EXPECT_EQ(f(n), expected) << n;
    }
  });
}

}  // namespace
