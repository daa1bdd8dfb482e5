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

TEST(Ascending, FirstOfTheGreatest) {
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

// Indices beside elements of every width, which lanes keep in 32 bits where that is enough; and where no
// point is better than the neutral element, whose index is none in the tile.
TEST(Ascending, IndicesBesideElementsOfEveryWidth) {
  for (const std::string kind : {"u8", "i16", "i32", "f32", "i64", "f64"})
    for (const std::string most : {"0", "77"}) {
      SCOPED_TRACE(kind + ", at least " + most);
      const std::string literal = kind == "f32"   ? most + ".0f"
                                  : kind == "f64" ? most + ".0"
                                  : kind == "i64" ? most
                                                  : most + kind;
      std::string text = R"(program "argmax" (x: u32[n]) {
        v: KIND, at: i64 = redomap (i < n) { KIND(x[i] % 50u32), i } reduce (a: KIND, i1: i64, b: KIND, i2: i64) {
          select((a < b) | ((a == b) & (i2 < i1)), b, a), select((a < b) | ((a == b) & (i2 < i1)), i2, i1)
        } comm neutral MOST, 9223372036854775807
        w: KIND, to: i64 = redomap (i < n) { KIND(x[n - 1 - i] % 50u32), i } reduce (a: KIND, i1: i64, b: KIND, i2: i64) {
          select((a < b) | ((a == b) & (i1 < i2)), b, a), select((a < b) | ((a == b) & (i1 < i2)), i2, i1)
        } comm neutral MOST, -1
        return v, at, w, to
      })";
      auto replace = [&](const std::string& what, const std::string& with) {
        for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
          text.replace(at, what.size(), with);
      };
      replace("KIND", kind), replace("MOST", literal);
      std::vector<std::vector<Value>> arguments;
      for (std::int64_t n : {0, 1, 2, 63, 64, 65, 129, 1000, 16384, 16385, 16500, 70001})
        for (int below : {1, 3, 30000}) arguments.push_back({array_value(numbers<std::uint32_t>(n, below))});
      expect_agreement_for(text, arguments);
    }
}

// An operator that asks more of an index than which is the lower one.
TEST(Ascending, OtherQuestionsAboutIndices) {
  expect_agreement_on_ties(R"(program "even" (x: i32[n]) {
    v: i32, at: i64 = redomap (i < n) { x[i] & 3i32, i } reduce (a: i32, i1: i64, b: i32, i2: i64) {
      select((a < b) | ((a == b) & ((i2 % 2 < i1 % 2) | ((i2 % 2 == i1 % 2) & (i2 < i1)))), b, a), select((a < b) | ((a == b) & ((i2 % 2 < i1 % 2) | ((i2 % 2 == i1 % 2) & (i2 < i1)))), i2, i1)
    } comm neutral -2147483648i32, 9223372036854775807
    return v, at
  })");
}

// Operators without a neutral element, over arrays that are not empty and whose elements are at least 1.
void expect_agreement_without_neutral(const std::string& text) {
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n :
       {1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 128, 129, 1000, 4096, 4097, 16385, 40000})
    for (int below : {1, 3, 30000}) {
      std::vector<std::int32_t> x = numbers<std::int32_t>(n, below);
      for (std::int32_t& element : x) ++element;
      arguments.push_back({array_value(x), scalar_value<std::int64_t>(1)});
      arguments.push_back({array_value(x), scalar_value<std::int64_t>(3)});
      arguments.push_back({array_value(x), scalar_value<std::int64_t>(70)});
    }
  expect_agreement_for(text, arguments);
}

TEST(WithoutNeutral, BothExtremes) {
  const std::string b_is_larger = "((a < b) | ((a == b) & (i2 < i1)))";
  const std::string d_is_smaller = "((d < c) | ((c == d) & (j2 < j1)))";
  expect_agreement_without_neutral(R"(program "extremes" (x: i32[n], rows: i64) {
    v: i32, at: i32, w: i32, to: i32 = redomap (i < n) { x[i], i32(i), x[i], i32(i) } reduce (a: i32, i1: i32, c: i32, j1: i32, b: i32, i2: i32, d: i32, j2: i32) {
      select()" + b_is_larger + ", b, a), select(" +
                                   b_is_larger + ", i2, i1), select(" + d_is_smaller + ", d, c), select(" +
                                   d_is_smaller + R"(, j2, j1)
    } comm
    return v, at, w, to
  })");
}

TEST(WithoutNeutral, FailsOfNothingThatIsNotThere) {
  expect_agreement_without_neutral(R"(program "divides" (x: i32[n], rows: i64) {
    v: i32 = redomap (i < n) { x[i] } reduce (a: i32, b: i32) { max(a, b) + ((a /@1 b) * 0i32 + (b /@1 a) * 0i32) } comm
    w: i32 = redomap (i < n) { x[n - 1 - i] } reduce (a: i32, b: i32) { a + 0i32 * (1i32 /@1 b) } comm
    f: f32 = redomap (i < n) { f32(x[i]) } reduce (a: f32, b: f32) { max(a, b) } comm
    return v, w, f
  }
  sites {
    1 arithmetic @"test.soac":1 "division by zero"
  })");
}

TEST(WithoutNeutral, OperatorsOfStatements) {
  expect_agreement_without_neutral(R"(program "branches" (x: i32[n], rows: i64) {
    v: i32, c: i32 = redomap (i < n) { x[i], 1i32 } reduce (a: i32, c: i32, b: i32, d: i32) {
      most: i32 = if a < b { b } else { a }
      return most, c + d
    } comm
    return v, c
  })");
}

// Rows, too, of which each begins with a first point.
TEST(WithoutNeutral, OfRowsAndPlaces) {
  expect_agreement_without_neutral(R"(program "rows" (x: i32[n], rows: i64) {
    v: i32, at: i64 = redomap (r < rows, i < n) { x[n - 1 - i] ^ i32(r), i } reduce (a: i32, i1: i64, b: i32, i2: i64) {
      select((a < b) | ((a == b) & (i2 < i1)), b, a), select((a < b) | ((a == b) & (i2 < i1)), i2, i1)
    } comm
    y: i32[rows] = redomap (r < rows) {
      m: i32, p: i64 = redomap (i < n) { x[i] ^ i32(r), i } reduce (a: i32, i1: i64, b: i32, i2: i64) {
        select((a < b) | ((a == b) & (i2 < i1)), b, a), select((a < b) | ((a == b) & (i2 < i1)), i2, i1)
      } comm
      return m + i32(p)
    }
    return v, at, y
  })");
}

}  // namespace
}  // namespace fulgurite::testing_lower
