// Stencils of one to three axes under every boundary, against plain loops.
#include "engines.h"
#include "every_type.h"

#include <array>
#include <functional>

namespace {

using fg::i64;
using Floats = std::vector<float>;

// The index that a boundary finds, or nothing where the value is not of the array.
enum class Rule { clamp, wrap, mirror, outside };
i64 found(Rule rule, i64 i, i64 n) {
  switch (rule) {
    case Rule::clamp: return i < 0 ? 0 : i >= n ? n - 1 : i;
    case Rule::wrap: return (i % n + n) % n;
    case Rule::mirror:
      while (i < 0 || i >= n) {
        if (n == 1) return 0;
        i = i < 0 ? -i : 2 * (n - 1) - i;
      }
      return i;
    case Rule::outside: break;
  }
  return i;
}
constexpr float beyond(i64 i, i64 j) {
  return static_cast<float>(100 * i + j);
}

struct Field {
  std::array<i64, 2> shape;
  Floats values;
  float at(Rule rule, i64 i, i64 j, bool constant) const {
    i = found(rule, i, shape[0]), j = found(rule, j, shape[1]);
    if (i < 0 || i >= shape[0] || j < 0 || j >= shape[1]) return constant ? 7.5f : beyond(i, j);
    return values[static_cast<std::size_t>(i * shape[1] + j)];
  }
};
Field field(i64 r, i64 c) {
  Field f{{r, c}, {}};
  for (i64 i = 0; i < r * c; ++i) f.values.push_back(static_cast<float>((i * 31 + 7) % 64));
  return f;
}

const std::array<std::array<i64, 2>, 11> shapes = {
    {{0, 0}, {0, 5}, {5, 0}, {1, 1}, {1, 7}, {7, 1}, {2, 2}, {3, 17}, {16, 65}, {33, 64}, {100, 103}}};

template <class Boundary>
void check_plane(const Boundary& boundary, Rule rule, bool constant) {
  const auto f = [](auto u) {
    return 4.0f * u(0, 0) + u(-1, 0) + 2.0f * u(1, 0) - u(0, -2) + 8.0f * u(0, 3) - u(-2, 1);
  };
  on_every_engine([&](Mat<float> u) { return fg::stencil(f, boundary, u); },
                  [&](const auto& g) {
                    for (const auto& [r, c] : shapes) {
                      const Field u = field(r, c);
                      Floats expected;
                      for (i64 i = 0; i < r; ++i)
                        for (i64 j = 0; j < c; ++j) {
                          const auto at = [&](i64 di, i64 dj) {
                            return u.at(rule, i + di, j + dj, constant);
                          };
                          expected.push_back(f([&](i64 di, i64 dj) { return at(di, dj); }));
                        }
                      const auto result = g(fg::view(u.values.data(), {r, c}));
                      EXPECT_EQ(result.size(0), r);
                      EXPECT_EQ(result.size(1), c);
                      ASSERT_EQ(vector_of(result), expected) << r << " x " << c;
                    }
                  });
}

TEST(Stencil, PlaneClamped) {
  check_plane(fg::boundary::clamp, Rule::clamp, false);
}
TEST(Stencil, PlaneWrapped) {
  check_plane(fg::boundary::wrap, Rule::wrap, false);
}
TEST(Stencil, PlaneMirrored) {
  check_plane(fg::boundary::mirror, Rule::mirror, false);
}
TEST(Stencil, PlaneInAConstant) {
  check_plane(fg::boundary::constant(7.5f), Rule::outside, true);
}
TEST(Stencil, PlaneInAFunction) {
  check_plane(fg::boundary::function([](Exp<i64> i, Exp<i64> j) { return fg::cast<float>(100 * i + j); }),
              Rule::outside, false);
}

template <class T, class Boundary>
void check_line(const Boundary& boundary, Rule rule) {
  const auto f = [](auto u) { return u(-2) + u(0) + u(9) - u(1); };
  on_every_engine([&](Vec<T> u) { return fg::stencil(f, boundary, u); },
                  [&](const auto& g) {
                    for (i64 n : {0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 1023, 1024, 1025, 100003}) {
                      std::vector<T> u, expected;
                      for (i64 i = 0; i < n; ++i) u.push_back(static_cast<T>((i * 31 + 7) % 30));
                      const auto at = [&](i64 i) {
                        i = found(rule, i, n);
                        return i < 0 || i >= n ? T(3) : u[static_cast<std::size_t>(i)];
                      };
                      for (i64 i = 0; i < n; ++i)
                        expected.push_back(static_cast<T>(f([&](i64 d) { return at(i + d); })));
                      ASSERT_EQ(vector_of(g(u)), expected) << n;
                    }
                  });
}
template <class T>
void check_lines() {
  check_line<T>(fg::boundary::clamp, Rule::clamp);
  check_line<T>(fg::boundary::wrap, Rule::wrap);
  check_line<T>(fg::boundary::mirror, Rule::mirror);
  check_line<T>(fg::boundary::constant(T(3)), Rule::outside);
}
TEST(Stencil, LinesOfEverySize) {
  check_lines<fg::i8>();
  check_lines<fg::u16>();
  check_lines<fg::i32>();
  check_lines<fg::f32>();
  check_lines<fg::f64>();
}

TEST(Stencil, Volume) {
  const auto f = [](auto u) { return u(0, 0, 0) * 2 + u(-1, 0, 0) - u(0, 2, 0) + u(1, -1, 1) * 3; };
  const auto check = [&](const auto& boundary, Rule rule) {
    on_every_engine([&](fg::Acc<int, 3> u) { return fg::stencil(f, boundary, u); },
                    [&](const auto& g) {
                      for (const auto& [a, b, c] : std::vector<std::array<i64, 3>>{
                               {0, 2, 2}, {1, 1, 1}, {2, 1, 3}, {5, 6, 7}, {9, 4, 33}}) {
                        std::vector<int> u, expected;
                        for (i64 i = 0; i < a * b * c; ++i) u.push_back(static_cast<int>((i * 31 + 7) % 64));
                        for (i64 i = 0; i < a; ++i)
                          for (i64 j = 0; j < b; ++j)
                            for (i64 k = 0; k < c; ++k)
                              expected.push_back(f([&](i64 di, i64 dj, i64 dk) {
                                const i64 x = found(rule, i + di, a), y = found(rule, j + dj, b),
                                          z = found(rule, k + dk, c);
                                if (x < 0 || x >= a || y < 0 || y >= b || z < 0 || z >= c) return -1;
                                return u[static_cast<std::size_t>((x * b + y) * c + z)];
                              }));
                        ASSERT_EQ(g(fg::view(u.data(), {a, b, c})).to_vector(), expected);
                      }
                    });
  };
  check(fg::boundary::clamp, Rule::clamp);
  check(fg::boundary::wrap, Rule::wrap);
  check(fg::boundary::mirror, Rule::mirror);
  check(fg::boundary::constant(-1), Rule::outside);
}

TEST(Stencil, SeveralArraysCompositesAndTuples) {
  using Pair = std::tuple<float, int>;
  const auto f = [](Vec<Pair> u, Vec<float> v) {
    auto step = [](auto p, auto w) {
      auto [x, k] = p(-1);
      return std::tuple{x + w(1), fg::get<1>(p(1)) - k};
    };
    return fg::unzip(fg::stencil(step, fg::boundary::constant(Pair{0.5f, 9}, 2), u, v));
  };
  on_every_engine(f, [](const auto& g) {
    for (int n : {0, 1, 2, 40}) {
      std::vector<Pair> u;
      Floats v;
      for (int i = 0; i < n; ++i)
        u.emplace_back(0.25f * static_cast<float>(i), i * i), v.push_back(static_cast<float>(i));
      const auto [a, b] = g(u, v);
      ASSERT_EQ(a.size(), n);
      for (int i = 0; i < n; ++i) {
        const auto at = [&](int k) {
          return k < 0 || k >= n ? Pair{0.5f, 9} : u[static_cast<std::size_t>(k)];
        };
        EXPECT_EQ(a[i], std::get<0>(at(i - 1)) + (i + 1 >= n ? 2.0f : v[static_cast<std::size_t>(i + 1)]));
        EXPECT_EQ(b[i], std::get<1>(at(i + 1)) - std::get<1>(at(i - 1)));
      }
    }
  });
}

TEST(Stencil, FunctionsOfTheBoundaryForEachArray) {
  const auto f = [](Vec<float> u, Vec<int> v, Exp<float> left) {
    auto outside_u = [&](Exp<i64> i) { return left + fg::cast<float>(i); };
    auto outside_v = [](Exp<i64> i) { return fg::cast<int>(-i); };
    return fg::stencil([](auto a, auto b) { return a(-3) + fg::cast<float>(b(2)); },
                       fg::boundary::function(outside_u, outside_v), u, v);
  };
  on_every_engine(f, [](const auto& g) {
    const Floats u{1, 2, 3, 4, 5};
    EXPECT_EQ(vector_of(g(u, std::vector<int>{10, 20, 30, 40, 50}, 0.5f)),
              (Floats{30 - 2.5f, 40 - 1.5f, 50 - 0.5f, 1 - 5, 2 - 6}));
  });
}

TEST(Stencil, OfAComputedArrayInsideALoop) {
  const auto f = [](Vec<float> u, Exp<int> n) {
    return fg::iterate(
        n,
        [](Vec<float> v) {
          return fg::stencil([](auto w) { return w(-1) + w(1); }, fg::boundary::wrap, v * 0.5f);
        },
        u);
  };
  on_every_engine(f, [](const auto& g) {
    Floats u{1, 0, 0, 0, 0, 8, 0};
    Floats expected = u;
    for (int k = 0; k < 5; ++k) {
      const Floats old = expected;
      for (std::size_t i = 0; i < old.size(); ++i)
        expected[i] = 0.5f * old[(i + 6) % 7] + 0.5f * old[(i + 1) % 7];
    }
    EXPECT_EQ(vector_of(g(u, 5)), expected);
  });
}

TEST(Stencil, ShapesMustAgree) {
  const auto f = [](Mat<float> u, Mat<float> v) {
    return fg::stencil([](auto a, auto b) { return a(0, 0) + b(1, 0); }, fg::boundary::clamp, u, v);
  };
  on_every_engine(f, [](const auto& g) {
    const Floats m(12);
    const auto what =
        message_of<fg::ShapeError>([&] { (void)g(fg::view(m.data(), {3, 4}), fg::view(m.data(), {4, 3})); });
    EXPECT_NE(what.find("stencil_slow_test.cpp:"), std::string::npos) << what;
    EXPECT_NE(
        what.find("stencil needs equal shapes: array 1 is f32[3, 4] (argument 1), array 2 is f32[4, 3]"),
        std::string::npos)
        << what;
  });
}

}  // namespace
