// Sums and products wrap around in their own kind before they become something wider, whatever C computes
// with the literals in them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "../soac/values.h"
#include "agree.h"

namespace fulgurite::lower {
namespace {

using soac::array_value, soac::scalar_value;

std::string results_of(std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < n; ++k) names.push_back(fmt::format("y{}", k));
  return fmt::format("{}", fmt::join(names, ", "));
}

template <class T>
void expect_wrapping(const std::string& kind) {
  using Limits = std::numeric_limits<T>;
  std::vector<std::string> names, values;
  for (const T constant : {Limits::lowest(), Limits::max(), static_cast<T>(-1), static_cast<T>(3)})
    for (const char* op : {"+", "-", "*"})
      for (const char* wider : {"i64(x[i]", "i64(c", "f32(d"}) {
        const std::string of_kind(wider, 3);
        names.push_back(fmt::format("y{}: {}[n]", names.size(), of_kind));
        values.push_back(fmt::format("{} {} {}{})", wider, op, +constant, kind));
      }
  const std::string text =
      fmt::format("program(c: {0}, d: {0}, x: {0}[n]) {{ {1} = map (i < n) {{ {2} }} return {3} }}", kind,
                  fmt::join(names, ", "), fmt::join(values, ", "), results_of(names.size()));
  const std::vector<T> xs{Limits::lowest(), Limits::max(), T(0), T(1), static_cast<T>(-1), T(2), T(100)};
  std::vector<std::vector<soac::Value>> arguments;
  for (const T c : xs) arguments.push_back({scalar_value(c), scalar_value(c), array_value(xs)});
  testing_lower::expect_agreement_for(text, arguments);
}

TEST(Widened, SumsOfI8) {
  expect_wrapping<std::int8_t>("i8");
}
TEST(Widened, SumsOfU8) {
  expect_wrapping<std::uint8_t>("u8");
}
TEST(Widened, SumsOfI16) {
  expect_wrapping<std::int16_t>("i16");
}
TEST(Widened, SumsOfU16) {
  expect_wrapping<std::uint16_t>("u16");
}
TEST(Widened, SumsOfI32) {
  expect_wrapping<std::int32_t>("i32");
}
TEST(Widened, SumsOfU32) {
  expect_wrapping<std::uint32_t>("u32");
}

}  // namespace
}  // namespace fulgurite::lower
