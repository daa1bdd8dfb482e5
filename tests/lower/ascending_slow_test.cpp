// Reductions that keep the index of a point.
#include "agree.h"

namespace fulgurite::testing_lower {
namespace {

// Many equal elements, all of them equal, and all of them what the neutral element has.
void expect_agreement_on_ties(const std::string& text) {
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n : {0, 1, 2, 63, 64, 65, 128, 1000, 16384, 16385, 40000}) {
    for (int below : {1, 3, 30000}) arguments.push_back({array_value(numbers<std::int32_t>(n, below))});
    arguments.push_back({array_value(
        std::vector<std::int32_t>(static_cast<std::size_t>(n), std::numeric_limits<std::int32_t>::min()))});
  }
  expect_agreement_for(text, arguments);
}

TEST(Ascending, FirstOfTheLargest) {
  for (const std::string kind : {"i32", "i64", "u32", "u64", "i16"}) {
    SCOPED_TRACE(kind);
    const std::string most = kind == "i32"   ? "2147483647i32"
                             : kind == "i64" ? "9223372036854775807"
                             : kind == "u32" ? "4294967295u32"
                             : kind == "u64" ? "18446744073709551615u64"
                                             : "32767i16";
    std::string text = R"(program "argmax" (x: i32[n]) {
      v: i32, at: KIND = redomap (i < n) { x[i], INDEX } reduce (a: i32, i1: KIND, b: i32, i2: KIND) {
        select((a < b) | ((a == b) & (i2 < i1)), b, a), select((a < b) | ((a == b) & (i2 < i1)), i2, i1)
      } comm neutral -2147483648i32, MOST
      return v, at
    })";
    auto replace = [&](const std::string& what, const std::string& with) {
      for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    };
    replace("KIND", kind), replace("MOST", most), replace("INDEX", kind == "i64" ? "i" : kind + "(i)");
    if (kind == "i16") replace("i16(i)", "i16(i % 100)");  // which does not ascend
    expect_agreement_on_ties(text);
  }
}

TEST(Ascending, LastOfTheSmallestByOtherQuestions) {
  expect_agreement_on_ties(R"(program "last" (x: i32[n]) {
    v: i32, at: i32, c: i32 = redomap (i < n) { x[i], i32(i), 1i32 } reduce (a: i32, i1: i32, c: i32, b: i32, i2: i32, d: i32) {
      select((b < a) | ((a == b) & (i1 <= i2)), b, a), select((b < a) | ((a == b) & (i1 <= i2)), i2, i1), c + d
    } comm neutral 2147483647i32, -1i32, 0i32
    return v, at, c
  })");
}

TEST(Ascending, Floats) {
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n : {0, 1, 64, 65, 5000, 40000})
    arguments.push_back({array_value(numbers<float>(n, 50))});
  expect_agreement_for(R"(program "argmax" (x: f32[n]) {
    v: f32, at: i64 = redomap (i < n) { x[i], i } reduce (a: f32, i1: i64, b: f32, i2: i64) {
      select((a < b) | ((a == b) & (i2 < i1)), b, a), select((a < b) | ((a == b) & (i2 < i1)), i2, i1)
    } comm neutral -1.0f, 9223372036854775807
    return v, at
  })",
                       arguments);
}

}  // namespace
}  // namespace fulgurite::testing_lower
