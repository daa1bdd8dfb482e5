// Rows that a map sorts, by networks of comparisons.
#include "schedule/rewrites/networks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "../soac/values.h"
#include "soac/check.h"
#include "soac/parse.h"
#include "soac/print.h"

namespace fulgurite::schedule {
namespace {

/// The program with networks for vectors of 64 bytes, which suit rows of at most `bytes`.
soac::Program with_networks(const std::string& text, std::int64_t bytes = 1 << 20) {
  soac::Program program = sort_by_networks(soac::parse(text, "test.soac"), 64, {.network_bytes = bytes});
  soac::check(program, "sort_by_networks");
  return program;
}

std::string sorting(const std::string& kind, const std::string& key) {
  return "program (x: " + kind + "[h, n]) {\n  y: " + kind + "[h, n] = map (i < h) {\n    row: " + kind +
         "[n] = map (j < n) { x[i, j] }\n    s: " + kind + "[n] = sort (row) by (e: " + kind + ") { " + key +
         " }\n    return s\n  }\n  return y\n}";
}
const std::string of_ints = sorting("i32", "bitcast(u32, e) ^ 2147483648u32");

// A network that sorts all sequences of 0 and 1 sorts everything (Knuth, volume 3, theorem 5.3.4Z).
TEST(Networks, SortAllSequencesOfZeroAndOne) {
  const soac::Program program = with_networks(of_ints);
  for (std::int64_t n = 1; n <= 11; ++n) {
    const std::int64_t h = std::max<std::int64_t>(std::int64_t{1} << n, 32);
    std::vector<int> x;
    for (std::int64_t i = 0; i < h; ++i)
      for (std::int64_t j = 0; j < n; ++j) x.push_back((i >> j) & 1);
    const std::vector<soac::Value> arguments{soac::array_value<int>({h, n}, x)};
    const auto sorted = soac::elements_of<int>(soac::interpret(program, arguments)[0]);
    for (std::int64_t i = 0; i < h; ++i) {
      std::sort(x.begin() + i * n, x.begin() + (i + 1) * n);
      ASSERT_TRUE(std::equal(x.begin() + i * n, x.begin() + (i + 1) * n, sorted.begin() + i * n)) << n;
    }
  }
}

// Keys of each width that do not tell the elements: by numbers with places in them, and by two arrays.
TEST(Networks, AreStable) {
  std::mt19937 random(3);
  const std::int64_t h = 33;
  for (const char* key : {"u8(e & 3)", "u16(e & 3)", "u32(e & 3)", "u64(e & 3)"}) {
    const std::string text = sorting("i64", key);
    const soac::Program program = with_networks(text), original = soac::parse(text, "test.soac");
    for (std::int64_t n : {0, 1, 2, 15, 36}) {
      std::vector<std::int64_t> x(static_cast<std::size_t>(h * n));
      for (std::int64_t& e : x) e = static_cast<std::int64_t>(random() % 1000);
      const std::vector<soac::Value> arguments{soac::array_value<std::int64_t>({h, n}, x)};
      EXPECT_TRUE(soac::same(soac::interpret(program, arguments)[0], soac::interpret(original, arguments)[0]))
          << key << ", rows of " << n;
    }
  }
}

std::string printed(const soac::Program& program) {
  return soac::print(program, {.locations = false});
}
bool has_network(const std::string& text, std::int64_t bytes = 1 << 20) {
  return printed(with_networks(text, bytes)).find("loop") != std::string::npos;
}

TEST(Networks, OfShortRowsThatLanesKeep) {
  const std::string text = printed(with_networks(of_ints, 3072));
  EXPECT_NE(text.find("if n <= 768 & (n * 64 <= 262144 & 32 <= h) {"), text.npos) << text;
  EXPECT_EQ(text.find("sort ("), text.rfind("sort (")) << text;
  // A key and its place take eight bytes, or twelve; floats are told by their keys, but for NaNs.
  const std::string magnitudes = sorting("f32", "bitcast(u32, select(e < 0f, -e, e))");
  EXPECT_NE(printed(with_networks(magnitudes, 3072)).find("if n <= 384 &"), text.npos);
  const std::string floats =
      sorting("f32",
              "let t = bitcast(u32, e) return select(isnan(e), 4294967295u32, select(t < 2147483648u32, t | "
              "2147483648u32, ~t))");
  EXPECT_NE(printed(with_networks(floats, 3072)).find("if n <= 768 &"), text.npos);
  EXPECT_NE(printed(with_networks(sorting("i64", "u64(e & 3)"), 3072)).find("if n <= 256 &"), text.npos);
}

TEST(Networks, NotOfRowsOfDifferentSizes) {
  EXPECT_FALSE(has_network(R"(program (x: i32[h, n]) {
    y: i64[h] = map (i < h) {
      t: i64 = let i % 7
      row: i32[t] = map (j < t) { x[i, j] }
      s: i32[t] = sort (row) by (e: i32) { bitcast(u32, e) }
      k: i64 = redomap (j < t) { i64(s[j]) * j } reduce add comm neutral 0
      return k
    }
    return y
  })"));
}

// A filter, and a sum of as many terms as data say, are no work for lanes: the sort is a statement before.
TEST(Networks, StandBeforeWhatLanesDoNotDo) {
  const std::string text = printed(with_networks(R"(program (x: i32[h, n]) {
    y: i64[h] = map (i < h) {
      row: i32[n] = map (j < n) { x[i, j] }
      s: i32[n] = sort (row) by (e: i32) { bitcast(u32, e) ^ 2147483648u32 }
      m: i64, offsets: i64[2], kept: i32[m] = redomap (j < n) { select(s[j] % 2i32 == 0i32, 0, 1), s[j] } partition 1 of 1
      return m
    }
    return y
  })"));
  const std::size_t rows = text.find("rows: i32[h, n] = map (i < h) {"), after = text.find("rows[");
  ASSERT_NE(rows, text.npos) << text;
  ASSERT_NE(after, text.npos) << text;
  EXPECT_NE(text.find("partition", after), text.npos) << text;
}

}  // namespace
}  // namespace fulgurite::schedule
