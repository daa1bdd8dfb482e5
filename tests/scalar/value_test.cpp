// The values of scalar operations, against wider arithmetic and against the rows of docs/semantics.md.
#include "scalar/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fulgurite::scalar {
namespace {

template <class T>
constexpr Kind kind_of = std::is_same_v<T, bool>            ? Kind::boolean
                         : std::is_same_v<T, std::int8_t>   ? Kind::i8
                         : std::is_same_v<T, std::int16_t>  ? Kind::i16
                         : std::is_same_v<T, std::int32_t>  ? Kind::i32
                         : std::is_same_v<T, std::int64_t>  ? Kind::i64
                         : std::is_same_v<T, std::uint8_t>  ? Kind::u8
                         : std::is_same_v<T, std::uint16_t> ? Kind::u16
                         : std::is_same_v<T, std::uint32_t> ? Kind::u32
                         : std::is_same_v<T, std::uint64_t> ? Kind::u64
                         : std::is_same_v<T, float>         ? Kind::f32
                                                            : Kind::f64;

template <class R, class T>
R op(Op o, T a, T b = T(), T c = T()) {
  return from_bits<R>(evaluate(o, kind_of<T>, kind_of<R>, to_bits(a), to_bits(b), to_bits(c)));
}
template <class To, class From>
To cast(From x) {
  return op<To>(Op::cast, x);
}

template <class T>
void all_pairs_of_bytes() {
  for (int x = std::numeric_limits<T>::min(); x <= std::numeric_limits<T>::max(); ++x)
    for (int y = std::numeric_limits<T>::min(); y <= std::numeric_limits<T>::max(); ++y) {
      const T a = static_cast<T>(x), b = static_cast<T>(y);
      ASSERT_EQ((op<T>(Op::add, a, b)), static_cast<T>(x + y));
      ASSERT_EQ((op<T>(Op::sub, a, b)), static_cast<T>(x - y));
      ASSERT_EQ((op<T>(Op::mul, a, b)), static_cast<T>(x * y));
      if (y != 0) {
        ASSERT_EQ((op<T>(Op::div, a, b)), static_cast<T>(x / y));
        ASSERT_EQ((op<T>(Op::rem, a, b)), static_cast<T>(x % y));
        ASSERT_EQ((op<T>(Op::ceil_div, a, b)), static_cast<T>(static_cast<int>(std::ceil(double(x) / y))));
      }
      ASSERT_EQ((op<T>(Op::shl, a, b)), static_cast<T>(x << (y & 7)));
      ASSERT_EQ((op<T>(Op::shr, a, b)), static_cast<T>(x >> (y & 7)));
      ASSERT_EQ((op<T>(Op::bit_and, a, b)), static_cast<T>(x & y));
      ASSERT_EQ((op<T>(Op::bit_or, a, b)), static_cast<T>(x | y));
      ASSERT_EQ((op<T>(Op::bit_xor, a, b)), static_cast<T>(x ^ y));
      ASSERT_EQ((op<T>(Op::min, a, b)), std::min(a, b));
      ASSERT_EQ((op<T>(Op::max, a, b)), std::max(a, b));
      ASSERT_EQ((op<bool>(Op::lt, a, b)), x < y);
      ASSERT_EQ((op<bool>(Op::le, a, b)), x <= y);
      ASSERT_EQ((op<bool>(Op::eq, a, b)), x == y);
      ASSERT_EQ((op<bool>(Op::ne, a, b)), x != y);
    }
}

TEST(Value, AllPairsOfSignedBytes) {
  all_pairs_of_bytes<std::int8_t>();
}
TEST(Value, AllPairsOfUnsignedBytes) {
  all_pairs_of_bytes<std::uint8_t>();
}

TEST(Value, IntegersWrap) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ((op<std::int64_t>(Op::abs, least)), least);
  EXPECT_EQ((op<std::int64_t>(Op::neg, least)), least);
  EXPECT_EQ((op<std::int64_t>(Op::div, least, std::int64_t{-1})), least);
  EXPECT_EQ((op<std::int64_t>(Op::rem, least, std::int64_t{-1})), 0);
  EXPECT_EQ((op<std::int64_t>(Op::ceil_div, least, std::int64_t{-1})), least);
  EXPECT_EQ((op<std::uint16_t>(Op::mul, std::uint16_t{65535}, std::uint16_t{65535})), 1);
  EXPECT_EQ((op<std::int32_t>(Op::div, 5, 0)), 0) << "the caller has raised the error";
}

TEST(Value, Bits) {
  EXPECT_EQ((op<std::int8_t>(Op::clz, std::int8_t{0})), 8);
  EXPECT_EQ((op<std::int8_t>(Op::clz, std::int8_t{-1})), 0);
  EXPECT_EQ((op<std::int64_t>(Op::ctz, std::int64_t{0})), 64);
  EXPECT_EQ((op<std::int16_t>(Op::popcount, std::int16_t{-1})), 16);
  EXPECT_EQ((op<std::int32_t>(Op::shl, 1, 33)), 2);
  EXPECT_EQ((op<std::int8_t>(Op::shl, std::int8_t{1}, std::int8_t{-1})), -128);
}

TEST(Value, ProductsOfPartsWrap) {
  const auto halves = [](std::int32_t high, std::int32_t low) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(high) << 16 | (low & 0xffff));
  };
  EXPECT_EQ((op<std::int32_t>(Op::add_half_products, halves(-3, 5), halves(7, -2), 100)), 69);
  const std::int32_t least = halves(-32768, -32768);
  EXPECT_EQ((op<std::int32_t>(Op::add_half_products, least, least, 0)),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ((op<std::int32_t>(Op::add_half_products, least, least, -1)),
            std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(
      (op<std::int32_t>(Op::add_quarter_products, std::int32_t(0xff010203), std::int32_t(0x80ff0203), 10)),
      10 + 255 * -128 + 1 * -1 + 2 * 2 + 3 * 3);
  EXPECT_EQ(
      (op<std::uint8_t>(Op::add_half_products, std::uint8_t{0x8f}, std::uint8_t{0x71}, std::uint8_t{0})),
      static_cast<std::uint8_t>(-8 * 7 - 1));
}

TEST(Value, FloatsToIntegersSaturate) {
  EXPECT_EQ(cast<std::int8_t>(200.f), 127);
  EXPECT_EQ(cast<std::int8_t>(-200.f), -128);
  EXPECT_EQ(cast<std::int8_t>(-128.9f), -128);
  EXPECT_EQ(cast<std::uint8_t>(-3.f), 0);
  EXPECT_EQ(cast<std::uint8_t>(-0.9f), 0);
  EXPECT_EQ(cast<std::uint8_t>(255.9f), 255);
  EXPECT_EQ(cast<std::int64_t>(1e30), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(cast<std::uint64_t>(1e30f), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(cast<std::int32_t>(0x1p31f), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(cast<std::int32_t>(-0x1p31f), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(cast<std::int32_t>(std::nanf("")), 0);
  EXPECT_EQ(cast<std::int32_t>(-INFINITY), std::numeric_limits<std::int32_t>::min());
}

TEST(Value, OtherConversions) {
  EXPECT_EQ(cast<std::int8_t>(200), -56);
  EXPECT_EQ(cast<std::uint8_t>(std::int64_t{-1}), 255);
  EXPECT_EQ(cast<std::uint64_t>(std::int8_t{-1}), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(cast<float>(std::int32_t{16777217}), 16777216.f);
  EXPECT_EQ(cast<float>(1e300), INFINITY);
  EXPECT_TRUE(cast<bool>(std::nan("")));
  EXPECT_TRUE(cast<bool>(256));
  EXPECT_FALSE(cast<bool>(-0.0));
  EXPECT_EQ(cast<float>(true), 1.f);
}

TEST(Value, FloatRules) {
  const float nan = std::nanf("");
  EXPECT_EQ((op<float>(Op::min, nan, 1.f)), 1.f);
  EXPECT_EQ((op<float>(Op::min, 1.f, nan)), 1.f);
  EXPECT_EQ((op<float>(Op::max, nan, 1.f)), 1.f);
  EXPECT_TRUE(std::isnan(op<float>(Op::max, nan, nan)));
  EXPECT_FALSE((op<bool>(Op::le, nan, nan)));
  EXPECT_TRUE((op<bool>(Op::ne, nan, nan)));
  EXPECT_TRUE(std::signbit(op<float>(Op::sign, -0.f)));
  EXPECT_TRUE(std::isnan(op<float>(Op::sign, nan)));
  EXPECT_EQ((op<float>(Op::round, 2.5f)), 3.f);
  EXPECT_EQ((op<float>(Op::rint, 2.5f)), 2.f);
  EXPECT_EQ((op<float>(Op::rem, -7.f, 2.f)), -1.f);
  EXPECT_TRUE(std::isnan(op<float>(Op::rem, 1.f, 0.f)));
  EXPECT_EQ((op<float>(Op::mul, 1e-30f, 1e-10f)), 1e-30f * 1e-10f) << "denormal";
  EXPECT_NE((op<float>(Op::mul, 1e-30f, 1e-10f)), 0.f);
  const float third = 1.f / 3;
  EXPECT_EQ((op<float>(Op::fma, third, 3.f, -1.f)), std::fma(third, 3.f, -1.f));
  EXPECT_EQ((op<float>(Op::exp, 1.f)), static_cast<float>(std::exp(1.0)));
}

TEST(Value, BitcastsKeepBits) {
  EXPECT_EQ((op<std::uint32_t>(Op::bitcast, 1.f)), 0x3f800000u);
  EXPECT_EQ((op<float>(Op::bitcast, std::int32_t{-0x40800000})), -1.f);
  EXPECT_EQ((op<std::int8_t>(Op::bitcast, std::uint8_t{255})), -1);
}

TEST(Value, Extremes) {
  EXPECT_EQ(from_bits<float>(lowest(Kind::f32)), -INFINITY);
  EXPECT_EQ(from_bits<std::int16_t>(highest(Kind::i16)), 32767);
  EXPECT_EQ(from_bits<double>(one(Kind::f64)), 1.0);
  EXPECT_EQ(lowest(Kind::u32), 0u);
  EXPECT_EQ(highest(Kind::boolean), 1u);
}

}  // namespace
}  // namespace fulgurite::scalar
