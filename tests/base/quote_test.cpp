#include "base/quote.h"

#include <gtest/gtest.h>

namespace fulgurite::base {
namespace {

TEST(Quote, ValuesPositionsAndRanges) {
  const std::int64_t values[] = {-1, 3, 7};
  EXPECT_EQ(quote("index {0} at position {at} is outside {range}", values, 5),
            "index -1 at position 5 is outside 0..2");
  EXPECT_EQ(quote("{2}{1}{0u}", values, 0), "7318446744073709551615");
  EXPECT_EQ(quote("{0?} {1?} {2u}", values, 0), "18446744073709551615 (or -1 if it is signed) 3 7");
  EXPECT_EQ(quote("{3} {} {x} {range", values, 0), "{3} {} {x} {range") << "nothing that is meant";
  EXPECT_EQ(quote("{{0}}", values, 0), "{-1}");
  const std::int64_t of_nothing[] = {4, 0};
  EXPECT_EQ(quote("{0} is outside {range}", of_nothing, 0), "4 is outside an empty array");
  EXPECT_EQ(quote("{0} of {1} at {2}{3}", of_nothing, 6), "4 of 0 at 6{3}");
  EXPECT_EQ(quote("{0} {range} {at}", {}, 9), "{0} {range} 9");
}

}  // namespace
}  // namespace fulgurite::base
