// Which reductions of ragged rows are a scan of all elements where a row is long.
#include "schedule/rewrites/ragged_scan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "soac/check.h"
#include "soac/parse.h"
#include "soac/print.h"

namespace fulgurite::schedule {
namespace {

std::string scanned(const std::string& text) {
  const soac::Program program = scan_long_rows(soac::parse(text, "test.soac"), {.ragged_long = 100});
  soac::check(program, "scan_long_rows");
  return soac::print(program, {.locations = false});
}

TEST(RaggedScan, WhereARowIsLong) {
  EXPECT_EQ(scanned(R"(program(offsets: i64[m], x: f32[n]) {
    y: f32[m - 1] = map (i < m - 1) {
      size: i64 = let offsets[i + 1] - offsets[i]
      s: f32 = redomap (j < size) { fma_sum(x[offsets[i] + j], x[offsets[i] + j]) } reduce add comm neutral 0f
      return s + f32(i)
    }
    return y
  })"),
            R"(program (offsets: i64[m], x: f32[n]) {
  longest: i64, shortest: i64 = redomap (i < m - 1) {
    let t = offsets[i + 1] - offsets[i]
    return t, t
  } reduce max comm neutral 0 reduce min comm neutral 9223372036854775807
  y: f32[m - 1] = if longest <= 100 | shortest < 0 {
    y_1: f32[m - 1] = map (i_1 < m - 1) {
      s: f32 = redomap (j < offsets[i_1 + 1] - offsets[i_1]) {
        let t_1 = x[offsets[i_1] + j]
        return fma_sum(t_1, t_1)
      } reduce add comm neutral 0f
      return s + f32(i_1)
    }
    return y_1
  } else {
    begin: i64 = let offsets[0]
    n_1: i64 = let offsets[m - 1] - begin
    begins: i32[n_1] = redomap (i_2 < m - 1) {
      return select(0 < offsets[i_2 + 1] - offsets[i_2], offsets[i_2] - begin, -1), 1i32
    } scatter unordered (n_1) (e: i64) { 0i32 }
    scanned: f32[n_1] = map (e_1 < n_1) {
      let t_2 = x[begin + e_1]
      so_far: i32, so_far_1: f32 = scan (begins[e_1], t_2 * t_2) (begins_1: i32, left: f32, begins_2: i32, right: f32) {
        return begins_1 | begins_2, select(begins_2 == 0i32, left + right, right)
      } neutral 0i32, 0f
      return so_far_1
    }
    y_2: f32[m - 1] = map (i_3 < m - 1) {
      let t_3 = offsets[i_3 + 1]
      total: f32 = if 0 < t_3 - offsets[i_3] { scanned[t_3 - begin - 1] } else { 0f }
      return total + f32(i_3)
    }
    return y_2
  }
  return y
}
)");
}

// The reductions first, then what points make of them.
TEST(RaggedScan, WhatIsMoreThanAMapComesAfterwards) {
  EXPECT_EQ(scanned(R"(program(offsets: i64[m], x: i32[n], places: i64[l], k: i64) {
    y: i32[n] = loop (x) times k do (step: i64, z: i32[n]) {
      z_1: i32[n] = redomap (i < m - 1) {
        s: i32 = redomap (j < offsets[i + 1] - offsets[i]) { z[offsets[i] + j] } reduce add comm neutral 0i32
        return places[i], s
      } scatter (n) (p: i64) { z[p] }
      return z_1
    }
    return y
  })"),
            R"(program (offsets: i64[m], x: i32[n], places: i64[l], k: i64) {
  y: i32[n] = loop (x) times k do (step_: i64, z: i32[n]) {
    partials: i32[m - 1] = map (i < m - 1) {
      s: i32 = redomap (j < offsets[i + 1] - offsets[i]) { z[offsets[i] + j] } reduce add comm neutral 0i32
      return s
    }
    z_1: i32[n] = redomap (i_1 < m - 1) { places[i_1], partials[i_1] } scatter (n) (p: i64) { z[p] }
    return z_1
  }
  return y
}
)");
}

TEST(RaggedScan, ScansAreApartFromRows) {
  EXPECT_EQ(scanned(R"(program(sizes: i64[n]) {
    y: i64[n] = map (i < n) {
      size: i64 = scan (sizes[i]) max comm neutral 0
      s: i64 = redomap (j < size) { j * j } reduce add comm neutral 0
      return s
    }
    return y
  })"),
            R"(program (sizes: i64[n]) {
  size: i64[n] = map (i < n) {
    size_1: i64 = scan (sizes[i]) max comm neutral 0
    return size_1
  }
  y: i64[n] = map (i_1 < n) {
    s: i64 = redomap (j < size[i_1]) { j * j } reduce add comm neutral 0
    return s
  }
  return y
}
)");
}

TEST(RaggedScan, ScansStayWithRowsOfOneLength) {
  const std::string text = R"(program (sizes: i64[n], k: i64) {
  y: i64[n] = map (i < n) {
    size: i64 = scan (sizes[i]) max comm neutral 0
    s: i64 = redomap (j < k) { j * size } reduce add comm neutral 0
    return s
  }
  return y
}
)";
  EXPECT_EQ(scanned(text), text);
}

// What fails says which row it was, and rows of some other array are of no use.
TEST(RaggedScan, NotOfOthers) {
  for (const char* element : {"x[k[offsets[i] + j]]@1", "x[offsets[i] + 2 * j]"}) {
    const std::string text = fmt::format(R"(program (offsets: i64[m], x: i32[n], k: i64[n_1]) {{
  y: i32[m - 1] = map (i < m - 1) {{
    s: i32 = redomap (j < offsets[i + 1] - offsets[i]) {{ {} }} reduce add comm neutral 0i32
    return s
  }}
  return y
}}
sites {{
  1 index @"test.soac":1 "there is no such element"
}}
)",
                                         element);
    EXPECT_EQ(scanned(text), soac::print(soac::parse(text, "test.soac"), {.locations = false})) << element;
  }
}

}  // namespace
}  // namespace fulgurite::schedule
