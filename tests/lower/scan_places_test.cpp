// Scans whose values are the places of reads: where all lanes have one value they read one element.
#include "agree.h"
#include "kernel/print.h"

namespace fulgurite::testing_lower {
namespace {

/// Begins a run with each number that K divides: numbers of elements, and what is read at a run's first one.
constexpr const char* starts = R"(program "starts" (x: i32[n]) {
  total: i32, kept: i64, offsets: i64[2], part: i32[kept], y: i32[n], z: i64[n] = redomap (i < n) {
    first: i64 = scan MODE (select(x[i] % Ki32 == 0i32, i, 0)) max comm neutral 0
    let read = x[first]
    let beside = x[i - first]
    return read, select(beside < 500i32, 0, 1), beside, read - beside, i - first
  } reduce add comm neutral 0i32 partition 1 of 1
  return total, kept, offsets, part, y, z
})";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string of_runs(const std::string& mode, const std::string& length) {
  return replaced(replaced(starts, "MODE", mode), "K", length);
}

TEST(ScanPlaces, RunsOfAllLengths) {
  for (const char* mode : {"", "exclusive"})
    for (const char* length : {"1", "3", "40", "900"}) {
      SCOPED_TRACE(std::string(mode) + " runs of about " + length);
      expect_agreement_on<std::int32_t>(of_runs(mode, length));
    }
}

TEST(ScanPlaces, DescendingPlacesOfOtherKinds) {
  for (const char* kind : {"i16", "u32", "u64"})
    expect_agreement_on<std::int32_t>(replaced(R"(program "ends" (x: i32[n]) {
      y: i32[n] = map (i < n) {
        least: KIND = scan (KIND(x[i])) min comm neutral 1000KIND
        return x[min(i64(least), n - 1)] + x[i]
      }
      return y
    })",
                                               "KIND", kind),
                                      not_empty());
}

/// After another scan, and read by what a branch, a loop and a scatter do.
TEST(ScanPlaces, StatementsOfAllKinds) {
  for (const char* length : {"3", "200"})
    expect_agreement_on<std::int32_t>(replaced(R"(program "all" (x: i32[n]) {
      z: i32[n], y: i32[n] = redomap (i < n) {
        sum: i32 = scan (x[i]) add comm neutral 0i32
        first: i64 = scan (select(x[i] % Ki32 == 0i32, i, 0)) max comm neutral 0
        a: i32 = if sum % 3i32 == 0i32 { x[first] } else { sum }
        b: i32, l: i64 = loop (a, 0) while (c: i32, k: i64) { k < 3 } do (c_1: i32, k_1: i64) {
          return c_1 * 3i32 + x[max(first - k_1, 0)], k_1 + 1
        }
        return i, b, a + sum
      } scatter unordered (n) (j: i64) { 0i32 }
      return y, z
    })",
                                               "K", length),
                                      not_empty());
}

/// A few elements of each point, which are stored without an array in between.
TEST(ScanPlaces, RowsOfFewElements) {
  expect_agreement_on<std::int32_t>(R"(program "rows" (x: i32[n]) {
    y: i32[n, 3], z: i32[n] = map (i < n) {
      first: i64 = scan (select(x[i] % 40i32 == 0i32, i, 0)) max comm neutral 0
      few: i32[3] = map (k < 3) { x[first] + i32(k) }
      return few, x[first] - x[i]
    }
    return y, z
  })");
}

TEST(ScanPlaces, PlacesOutsideFail) {
  expect_checked_pointers<std::int32_t>(R"(program "outside" (x: i32[n], y: i32[m]) {
    z: i32[n] = map (i < n) {
      place: i64 = scan (i64(x[i])) max comm neutral 0
      check 0 <= place & place < m site 1 (place, m)
      return y[place] + x[i]
    }
    return z
  }
  sites { 1 index @"test.cpp":5 "index {0} at {at} is outside {range}" })");
}

/// One of the two ways has no gather of what lies beside each other.
TEST(ScanPlaces, OneElementForAllLanes) {
  const auto code = [](const std::string& text) {
    const pipeline::Report report =
        pipeline::compile(soac::parse(text, "test.soac"), {.engine = Engine::cpu});
    std::string all;
    for (const kernel::Kernel& k : report.lowered.kernels) all += kernel::print(k);
    return all;
  };
  const std::string read_once = "first == last";
  EXPECT_NE(code(of_runs("", "40")).find(read_once), std::string::npos);
  const std::string beside =
      replaced(replaced(of_runs("", "40"), "x[first]", "i32(first)"), "i - first", "i");
  EXPECT_EQ(code(beside).find(read_once), std::string::npos) << "no place depends on the scan";
}

}  // namespace
}  // namespace fulgurite::testing_lower
