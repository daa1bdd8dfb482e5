// Operators and functions of Exp, against C++'s own.
#include "engines.h"
#include "every_type.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

template <class T>
class Integers : public testing::Test {};
TYPED_TEST_SUITE(Integers, IntegerTypes);

template <class T>
std::vector<T> interesting() {
  using L = std::numeric_limits<T>;
  return {T(0), T(1), T(2), T(7), T(100), L::max(), L::min(), T(-1), T(-3), T(L::max() / 2)};
}

TYPED_TEST(Integers, OperatorsWrap) {
  using T = TypeParam;
  using U = std::make_unsigned_t<T>;
  const auto f = [](Vec<T> a, Vec<T> b) {
    return std::tuple{a + b, a - b, a * b,         a & b,         a | b,    a ^ b,
                      -a,    ~a,    fg::min(a, b), fg::max(a, b), a + T(3), T(3) - a};
  };
  on_every_engine(f, [](const auto& g) {
    std::vector<T> a, b;
    for (T x : interesting<T>())
      for (T y : interesting<T>()) a.push_back(x), b.push_back(y);
    const auto [sum, difference, product, both, either, one, negated, complement, least, greatest, more,
                less] = g(a, b);
    for (std::size_t k = 0; k < a.size(); ++k) {
      const auto i = static_cast<std::int64_t>(k);
      const std::uint64_t x = static_cast<std::uint64_t>(a[k]), y = static_cast<std::uint64_t>(b[k]);
      const auto as = [](std::uint64_t bits) { return static_cast<T>(static_cast<U>(bits)); };
      EXPECT_EQ(sum[i], as(x + y));
      EXPECT_EQ(difference[i], as(x - y));
      EXPECT_EQ(product[i], as(x * y));
      EXPECT_EQ(both[i], as(x & y));
      EXPECT_EQ(either[i], as(x | y));
      EXPECT_EQ(one[i], as(x ^ y));
      EXPECT_EQ(negated[i], as(0 - x));
      EXPECT_EQ(complement[i], as(~x));
      EXPECT_EQ(least[i], std::min(a[k], b[k]));
      EXPECT_EQ(greatest[i], std::max(a[k], b[k]));
      EXPECT_EQ(more[i], as(x + 3));
      EXPECT_EQ(less[i], as(3 - x));
    }
  });
}

TYPED_TEST(Integers, DivisionShiftsComparisonsBits) {
  using T = TypeParam;
  using U = std::make_unsigned_t<T>;
  const auto f = [](Vec<T> a, Vec<T> b) {
    return std::tuple{
        a / b,  a % b,           a << b,     a >> b,     a == b,     a != b,   a<b, a <= b, a> b,
        a >= b, fg::popcount(a), fg::clz(a), fg::ctz(a), fg::abs(a), a / T(3), fg::ceil_div(a, b)};
  };
  on_every_engine(f, [](const auto& g) {
    std::vector<T> a, b;
    for (T x : interesting<T>())
      for (T y : interesting<T>())
        if (y != 0) a.push_back(x), b.push_back(y);
    const auto [quotient, remainder, left, right, eq, ne, lt, le, gt, ge, ones, leading, trailing, magnitude,
                third, up] = g(a, b);
    constexpr int width = std::numeric_limits<U>::digits;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const auto i = static_cast<std::int64_t>(k);
      const T x = a[k], y = b[k];
      const bool overflows = std::is_signed_v<T> && x == std::numeric_limits<T>::min() && y == T(-1);
      EXPECT_EQ(quotient[i], overflows ? x : T(x / y));
      EXPECT_EQ(remainder[i], overflows ? T(0) : T(x % y));
      const int count = static_cast<int>(static_cast<U>(y) % width);
      EXPECT_EQ(left[i], T(static_cast<U>(static_cast<std::uint64_t>(x) << count)));
      EXPECT_EQ(right[i], T(x >> count));
      EXPECT_EQ(eq[i], x == y);
      EXPECT_EQ(ne[i], x != y);
      EXPECT_EQ(lt[i], x < y);
      EXPECT_EQ(le[i], x <= y);
      EXPECT_EQ(gt[i], x > y);
      EXPECT_EQ(ge[i], x >= y);
      EXPECT_EQ(ones[i], T(std::popcount(static_cast<U>(x))));
      EXPECT_EQ(leading[i], T(std::countl_zero(static_cast<U>(x))));
      EXPECT_EQ(trailing[i], T(std::countr_zero(static_cast<U>(x))));
      if constexpr (std::is_signed_v<T>) {
        EXPECT_EQ(magnitude[i], x < 0 ? T(U(0) - static_cast<U>(x)) : x);
      } else {
        EXPECT_EQ(magnitude[i], x);
      }
      EXPECT_EQ(third[i], T(x / T(3)));
      bool is_above = !overflows && x % y != 0;
      if constexpr (std::is_signed_v<T>) is_above = is_above && (x < 0) == (y < 0);
      EXPECT_EQ(up[i], overflows ? x : T(x / y + is_above));
    }
  });
}

template <class T>
class Floats : public testing::Test {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Floats, FloatTypes);

TYPED_TEST(Floats, ExactOperations) {
  using T = TypeParam;
  const auto f = [](Vec<T> a, Vec<T> b) {
    return std::tuple{a + b,
                      a - b,
                      a * b,
                      a / b,
                      -a,
                      fg::abs(a),
                      fg::sqrt(fg::abs(a)),
                      fg::floor(a),
                      fg::ceil(a),
                      fg::trunc(a),
                      fg::round(a),
                      fg::rint(a),
                      fg::copysign(a, b),
                      fg::min(a, b),
                      fg::max(a, b),
                      fg::fmod(a, b),
                      fg::fma(a, b, T(1))};
  };
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE(name);
    const auto g = fg::compile(f, {.engine = engine, .precision = fg::Precision::strict});
    const std::vector<T> values{T(0),
                                T(-0.0),
                                T(1),
                                T(-1.5),
                                T(2.5),
                                T(1e10),
                                T(-3.75),
                                T(0.1),
                                std::numeric_limits<T>::infinity(),
                                std::numeric_limits<T>::denorm_min(),
                                std::numeric_limits<T>::max()};
    std::vector<T> a, b;
    for (T x : values)
      for (T y : values) a.push_back(x), b.push_back(y);
    const auto [sum, difference, product, quotient, negated, magnitude, root, down, up, whole, nearest, even,
                signs, least, greatest, rest, fused] = g(a, b);
    for (std::size_t k = 0; k < a.size(); ++k) {
      const auto i = static_cast<std::int64_t>(k);
      const T x = a[k], y = b[k];
      const auto same = [](T got, T expected) {
        EXPECT_TRUE((std::isnan(got) && std::isnan(expected)) ||
                    (got == expected && std::signbit(got) == std::signbit(expected)))
            << got << " instead of " << expected;
      };
      SCOPED_TRACE(testing::Message() << x << " and " << y);
      same(sum[i], x + y);
      same(difference[i], x - y);
      same(product[i], x * y);
      same(quotient[i], x / y);
      same(negated[i], -x);
      same(magnitude[i], std::fabs(x));
      same(root[i], std::sqrt(std::fabs(x)));
      same(down[i], std::floor(x));
      same(up[i], std::ceil(x));
      same(whole[i], std::trunc(x));
      same(nearest[i], std::round(x));
      same(even[i], std::rint(x));
      same(signs[i], std::copysign(x, y));
      EXPECT_EQ(least[i], std::fmin(x, y));
      EXPECT_EQ(greatest[i], std::fmax(x, y));
      same(rest[i], std::fmod(x, y));
      same(fused[i], std::fma(x, y, T(1)));
    }
  }
}

TYPED_TEST(Floats, TranscendentalFunctions) {
  using T = TypeParam;
  const auto f = [](Vec<T> x, Vec<T> y) {
    return std::tuple{fg::exp(x),       fg::exp2(x),     fg::expm1(x), fg::log(y),      fg::log2(y),
                      fg::log10(y),     fg::log1p(y),    fg::sin(x),   fg::cos(x),      fg::tan(x),
                      fg::sinh(x),      fg::cosh(x),     fg::tanh(x),  fg::asinh(x),    fg::atan(x),
                      fg::cbrt(x),      fg::erf(x),      fg::erfc(x),  fg::pow(y, x),   fg::hypot(x, y),
                      fg::atan2(x, y),  fg::rsqrt(y),    fg::exp10(x), fg::asin(x / 8), fg::acos(x / 8),
                      fg::atanh(x / 8), fg::acosh(1 + y)};
  };
  on_every_engine(f, [](const auto& g) {
    std::vector<T> x, y;
    for (int i = 0; i < 80; ++i) x.push_back(T(-7.9) + T(0.2) * T(i)), y.push_back(T(0.05) + T(0.17) * T(i));
    const auto results = g(x, y);
    for (std::size_t k = 0; k < x.size(); ++k) {
      const T a = x[k], b = y[k];
      const T expected[] = {std::exp(a),      std::exp2(a),        std::expm1(a),      std::log(b),
                            std::log2(b),     std::log10(b),       std::log1p(b),      std::sin(a),
                            std::cos(a),      std::tan(a),         std::sinh(a),       std::cosh(a),
                            std::tanh(a),     std::asinh(a),       std::atan(a),       std::cbrt(a),
                            std::erf(a),      std::erfc(a),        std::pow(b, a),     std::hypot(a, b),
                            std::atan2(a, b), T(1) / std::sqrt(b), std::pow(T(10), a), std::asin(a / 8),
                            std::acos(a / 8), std::atanh(a / 8),   std::acosh(1 + b)};
      std::size_t which = 0;
      std::apply(
          [&](const auto&... result) {
            const auto compare = [&](T got) {
              const T bound = 64 * std::numeric_limits<T>::epsilon() *
                              std::max(std::fabs(expected[which]), std::numeric_limits<T>::min());
              EXPECT_NEAR(got, expected[which], bound) << "function " << which << " of " << a << " and " << b;
              ++which;
            };
            (compare(result[static_cast<std::int64_t>(k)]), ...);
          },
          results);
    }
  });
}

TEST(Scalars, NotANumber) {
  on_every_engine(
      [](Vec<float> x) {
        return std::tuple{fg::isnan(x), fg::isinf(x), fg::isfinite(x), fg::min(x, 1), fg::max(1, x)};
      },
      [](const auto& f) {
        const float inf = std::numeric_limits<float>::infinity(),
                    nan = std::numeric_limits<float>::quiet_NaN();
        const auto [is_nan, is_inf, is_finite, least, greatest] = f(std::vector<float>{1, nan, -inf});
        EXPECT_EQ(vector_of(is_nan), (std::vector<bool>{false, true, false}));
        EXPECT_EQ(vector_of(is_inf), (std::vector<bool>{false, false, true}));
        EXPECT_EQ(vector_of(is_finite), (std::vector<bool>{true, false, false}));
        EXPECT_EQ(vector_of(least), (std::vector<float>{1, 1, -inf}));
        EXPECT_EQ(vector_of(greatest), (std::vector<float>{1, 1, 1}));
      });
}

TEST(Scalars, Logic) {
  const auto f = [](Vec<bool> a, Vec<bool> b) {
    return std::tuple{a && b,
                      a || b,
                      !a,
                      a == b,
                      a != b,
                      a ^ b,
                      fg::logical_and(a, b),
                      fg::bit_or(a, b),
                      fg::select(a, 1, 2)};
  };
  on_every_engine(f, [](const auto& g) {
    const std::vector<bool> a{false, false, true, true}, b{false, true, false, true};
    const auto [both, either, neither, same, differ, one, and2, or2, number] = g(a, b);
    EXPECT_EQ(vector_of(both), (std::vector<bool>{false, false, false, true}));
    EXPECT_EQ(vector_of(either), (std::vector<bool>{false, true, true, true}));
    EXPECT_EQ(vector_of(neither), (std::vector<bool>{true, true, false, false}));
    EXPECT_EQ(vector_of(same), (std::vector<bool>{true, false, false, true}));
    EXPECT_EQ(vector_of(differ), (std::vector<bool>{false, true, true, false}));
    EXPECT_EQ(vector_of(one), (std::vector<bool>{false, true, true, false}));
    EXPECT_EQ(vector_of(and2), vector_of(both));
    EXPECT_EQ(vector_of(or2), vector_of(either));
    EXPECT_EQ(vector_of(number), (std::vector<int>{2, 2, 1, 1}));
  });
  on_every_engine(
      [](Exp<bool> a, Exp<int> x) {
        return (a && true) || (false || (x > 3 && !(x > 5))) || (true && x == 9);
      },
      [](const auto& g) {
        EXPECT_TRUE(g(true, 0));
        EXPECT_TRUE(g(false, 4));
        EXPECT_FALSE(g(false, 6));
        EXPECT_TRUE(g(false, 9));
      });
}

TEST(Scalars, LogicSparesItsRightOperand) {
  on_every_engine([](Vec<int> x, Exp<fg::i64> i) { return i >= 0 && i < x.size() && x[i] > 3; },
                  [](const auto& f) {
                    const std::vector<int> x{1, 5};
                    EXPECT_TRUE(f(x, 1));
                    EXPECT_FALSE(f(x, 0));
                    EXPECT_FALSE(f(x, 2));
                    EXPECT_FALSE(f(x, -1));
                  });
  on_every_engine([](Exp<int> a, Exp<int> b) { return b == 0 || a / b > 2; },
                  [](const auto& f) {
                    EXPECT_TRUE(f(1, 0));
                    EXPECT_FALSE(f(1, 1));
                    EXPECT_TRUE(f(9, 3));
                  });
}

TEST(Scalars, Conversions) {
  const auto f = [](Vec<float> x, Vec<int> n) {
    return std::tuple{fg::cast<int>(x),     fg::cast<fg::u8>(x),     fg::cast<double>(x),
                      fg::cast<bool>(x),    fg::cast<fg::i8>(n),     fg::cast<float>(n),
                      fg::cast<fg::u64>(n), fg::bitcast<fg::u32>(x), fg::bitcast<float>(n)};
  };
  on_every_engine(f, [](const auto& g) {
    const std::vector<float> x{1.9f, -1.9f, 1e20f, std::numeric_limits<float>::quiet_NaN(), 300.0f};
    const std::vector<int> n{1, -1, 300, 1 << 24, std::bit_cast<int>(1.5f)};
    const auto [i, b, d, t, small, real, big, bits, back] = g(x, n);
    EXPECT_EQ(vector_of(i), (std::vector<int>{1, -1, std::numeric_limits<int>::max(), 0, 300}));
    EXPECT_EQ(vector_of(b), (std::vector<fg::u8>{1, 0, 255, 0, 255}));
    EXPECT_EQ(d[0], double(1.9f));
    EXPECT_EQ(vector_of(t), (std::vector<bool>{true, true, true, true, true}));
    EXPECT_EQ(vector_of(small), (std::vector<fg::i8>{1, -1, 44, 0, 0}));
    EXPECT_EQ(real[3], 16777216.0f);
    EXPECT_EQ(big[1], ~fg::u64(0));
    EXPECT_EQ(bits[0], std::bit_cast<fg::u32>(1.9f));
    EXPECT_EQ(back[4], 1.5f);
  });
}

// A literal that int does not hold is unsigned in C, or the difference would not wrap.
TEST(Scalars, DifferencesOfUnsignedWrap) {
  const auto f = [](Exp<fg::u32> x) { return x - fg::u32(1) < fg::u32(7); };
  on_every_engine(f, [](const auto& g) {
    EXPECT_FALSE(g(0));
    EXPECT_TRUE(g(3));
    EXPECT_FALSE(g(8));
  });
}

TEST(Scalars, CompoundAssignmentAndClamp) {
  const auto f = [](Exp<float> x) {
    Exp<float> y;
    y += x;
    y *= 3;
    y -= 1;
    y /= 2.0f;
    return std::tuple{y, fg::clamp(y, -1.0f, 1.0f), fg::sign(x), +x};
  };
  on_every_engine(f, [](const auto& g) { EXPECT_EQ(g(3.0f), (std::tuple{4.0f, 1.0f, 1.0f, 3.0f})); });
}

TEST(Scalars, ConstantsOnly) {
  on_every_engine([] { return std::tuple{Exp<int>(3) * 2, 5, 1.5f, true}; },
                  [](const auto& f) { EXPECT_EQ(f(), (std::tuple{6, 5, 1.5f, true})); });
  EXPECT_EQ(fg::run([](Exp<fg::u8> x) { return x + 255; }, fg::u8(2)), 1);
}

}  // namespace
