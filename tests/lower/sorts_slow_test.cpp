// Sorts by rows, against the interpreter: sizes around those at which they become one row, several rows, and
// so many elements with the same highest bits that they are sorted by digits; keys spread in many ways; rows
// inside of other combinators. And by digits, as GPUs sort them.
#include <fmt/format.h>

#include <numeric>

#include "agree.h"
#include "schedule/rewrites/radix.h"
#include "soac/check.h"
#include "soac/count.h"

namespace fulgurite::testing_lower {
namespace {

// Within one row; a few rows; more than a task takes of rows of one size.
const std::vector<std::int64_t> sizes = {0,    1,    2,    3,     31,    32,    33,    1000,  4097,
                                         8191, 8192, 8193, 16384, 16385, 20011, 70001, 300007};

using Keys = std::vector<std::uint64_t>;

std::uint64_t any(std::mt19937_64& random) {
  return random();
}

// How keys are spread.
struct Spread {
  const char* name;
  std::uint64_t (*key)(std::mt19937_64&, std::uint64_t i, std::uint64_t n);
};
const Spread spreads[] = {
    {"any", [](auto& random, auto, auto) { return any(random); }},
    {"equal", [](auto&, auto, auto) { return std::uint64_t{42}; }},
    {"few", [](auto& random, auto, auto) { return any(random) % 100; }},
    {"small", [](auto& random, auto, auto) { return any(random) % 1000000; }},
    {"rising", [](auto&, auto i, auto) { return i; }},
    {"falling", [](auto&, auto i, auto n) { return n - i; }},
    {"the highest bit", [](auto& random, auto, auto) { return any(random) << 63; }},
    // So many of one value that they are no row.
    {"mostly one", [](auto& random, auto, auto) { return any(random) % 8 == 0 ? any(random) : 42; }},
    // Those with the same highest bits differ in their lowest ones: much work to insert.
    {"two clusters", [](auto& random, auto, auto) { return any(random) % 16 + (any(random) % 2 << 50); }},
    {"clusters", [](auto& random, auto, auto) { return any(random) % 4096 + (any(random) % 64 << 55); }},
    {"one far away",
     [](auto& random, auto i, auto) { return i == 0 ? ~std::uint64_t{0} : any(random) % 5000; }},
    // Fewer and fewer: 2^-k of all have k leading zeros.
    {"uneven", [](auto& random, auto, auto) { return any(random) >> (any(random) % 64); }},
    {"periodic", [](auto&, auto i, auto) { return i % 64 << 58; }},
};

template <class T>
void expect_sorted(const std::string& kind, const std::string& key) {
  const std::string text = fmt::format(R"(program "sorted" (x: {0}[n]) {{
      p: i64[n] = map (i < n) {{ i }}
      y: {0}[n], q: i64[n] = sort (x, p) by (a: {0}, b: i64) {{ {1} }}
      return y, q
    }})",
                                       kind, key);
  SCOPED_TRACE(kind + " by " + key);
  std::vector<std::vector<Value>> arguments;
  std::mt19937_64 random(7);
  // What stands in for a GPU takes minutes for as many large arrays.
  const bool is_cpu = strict().engine == Engine::cpu;
  for (const Spread& spread : spreads)
    for (std::int64_t n : sizes) {
      if (!is_cpu && n > 50000 && (&spread - spreads) % 4 != 0) continue;
      std::vector<T> x;
      for (std::int64_t i = 0; i < n; ++i)
        x.push_back(
            static_cast<T>(spread.key(random, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(n))));
      arguments.push_back({array_value(x)});
    }
  expect_agreement_for(text, arguments);
}

TEST(Sorts, OfEveryKey) {
  expect_sorted<std::uint8_t>("u8", "a");
  expect_sorted<std::uint16_t>("u16", "a");
  expect_sorted<std::uint32_t>("u32", "a");
  expect_sorted<std::uint64_t>("u64", "a");
  expect_sorted<std::uint64_t>("u64", "~a");
  expect_sorted<std::int32_t>("i32", "bitcast(u32, a) ^ 2147483648u32");
}

TEST(Sorts, ByABit) {
  expect_sorted<std::uint32_t>("u32", "u8(a % 3u32 == 0u32)");
  expect_sorted<std::uint32_t>("u32", "~u8(a % 3u32 == 0u32)");
}

TEST(Sorts, KeysAreOfAllComponents) {
  const std::string text = R"(program "both" (x: u16[n], y: u32[n1]) {
    a: u16[n], b: u32[n] = sort (x, y) by (p: u16, q: u32) { u64(p) * 4294967296u64 + u64(q) }
    return a, b
  })";
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n : sizes)
    arguments.push_back(
        {array_value(numbers<std::uint16_t>(n, 50)), array_value(numbers<std::uint32_t>(n, 1 << 30, 2))});
  expect_agreement_for(text, arguments);
}

// The arrays that a sort reads are there afterwards, and it comes again in a loop and in a branch.
TEST(Sorts, InControlFlow) {
  const std::string text = R"(program "again" (x: u32[n], k: i64) {
    y: u32[n] = loop (x) times k do (i: i64, z: u32[n]) {
      u: u32[n] = sort (z) by (a: u32) { (a ^ u32(i)) * 2654435769u32 }
      v: u32[n] = map (j < n) { u[n - 1 - j] + z[j] }
      return v
    }
    w: u32[n] = if k < 2 {
      s: u32[n] = sort (y) by (a: u32) { a }
      return s
    } else { x }
    return y, w, x
  })";
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n : {0, 1, 1000, 8193, 50000})
    for (std::int64_t k : {0, 1, 3})
      arguments.push_back({array_value(numbers<std::uint32_t>(n, 1 << 30)), scalar_value(k)});
  expect_agreement_for(text, arguments);
}

constexpr const char* nested = R"(program "nested" (x: u16[n, m]) {
  y: u16[n, m], last: u16[n] = map (i < n) {
    row: u16[m] = map (j < m) { x[i, j] }
    s: u16[m] = sort (row) by (a: u16) { a }
    return s, select(0 < m, s[max(m - 1, 0)]@1, 0u16)
  }
  return y, last
}
sites { 1 index "outside" })";

std::vector<Value> matrix(std::int64_t n, std::int64_t m) {
  return {array_value<std::uint16_t>({n, m}, numbers<std::uint16_t>(n * m, 65536))};
}

TEST(Sorts, OfRowsOfAMatrix) {
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t m : {1, 2, 3, 15, 16, 17, 33, 100, 1000, 5000}) arguments.push_back(matrix(17, m));
  arguments.push_back(matrix(700, 9));
  expect_agreement_for(nested, arguments);
}

// Rows of any lengths up to that of the matrix, of clustered keys, stably, in a loop and in a branch.
TEST(Sorts, InsideOfMaps) {
  const std::string text = R"(program "inside" (x: u64[n, m], k: i64[n1]) {
    check n <= n1 site 1 ()
    firsts: u64[n], places: i64[n] = map (i < n) {
      c: i64 = if k[i] < 0 { 0 } else { min(k[i], m) }
      row: u64[c], place: i64[c] = map (j < c) { x[i, j], j }
      up: u64[c], from: i64[c] = sort (row, place) by (a: u64, p: i64) { a >> 60u64 }
      twice: u64[c] = loop (up) times 2 do (t: i64, z: u64[c]) {
        s: u64[c] = sort (z) by (a: u64) { a * 2654435769u64 + u64(t) }
        return s
      }
      last: u64[c] = if c % 2 == 0 {
        s: u64[c] = sort (twice) by (a: u64) { ~a }
        return s
      } else { twice }
      sum: u64, at: i64 = redomap (j < c) { last[j] * u64(j + 1), from[j] * j } reduce add comm neutral 0u64 reduce add comm neutral 0
      return sum, at
    }
    return firsts, places
  }
  sites { 1 shape "too few lengths" })";
  std::vector<std::vector<Value>> arguments;
  std::mt19937_64 random(3);
  for (std::int64_t m : {0, 1, 20, 500})
    for (const Spread& spread : spreads) {
      std::vector<std::uint64_t> x;
      for (std::int64_t i = 0; i < 40 * m; ++i)
        x.push_back(spread.key(random, static_cast<std::uint64_t>(i), 100));
      arguments.push_back({array_value({40, m}, x), array_value(numbers<std::int64_t>(40, 600))});
    }
  expect_agreement_for(text, arguments);
}

// Segments of up to `most` elements, some of them empty.
std::vector<std::int64_t> some_offsets(std::int64_t n, std::int64_t most) {
  std::vector<std::int64_t> offsets{0};
  std::mt19937_64 random(static_cast<std::uint64_t>(n + most));
  while (offsets.back() < n) {
    const auto length = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
    offsets.push_back(std::min(n, offsets.back() + length));
  }
  return offsets;
}

// Many short ones, some long ones, all elements, by keys of every width; two sorts of the same segments, and
// one whose result others read as well.
TEST(Sorts, OfSegments) {
  for (const char* kind : {"u8", "u16", "u32", "u64"}) {
    const std::string text = fmt::format(R"(program "segments" (offsets: i64[m], x: u64[n]) {{
      p: i64[n] = map (i < n) {{ i }}
      y: u64[n], q: i64[n] = sort (x, p) segments offsets by (a: u64, b: i64) {{ {0}(bitcast(i64, a >> 3u64)) }}
      z: u64[n], r: i64[n] = sort (y, q) segments offsets by (a: u64, b: i64) {{ {0}(bitcast(i64, a % 8u64)) }}
      u: i64[n] = sort (r) segments offsets by (b: i64) {{ {0}(b * 11) }}
      return y, u
    }})",
                                         kind);
    SCOPED_TRACE(kind);
    std::vector<std::vector<Value>> arguments;
    std::mt19937_64 random(7);
    const bool is_cpu = strict().engine == Engine::cpu;
    for (const Spread& spread : spreads)
      for (const auto& [n, most] : std::vector<std::pair<std::int64_t, std::int64_t>>{
               {0, 1}, {1, 1}, {2, 2}, {1000, 3}, {1000, 100}, {5000, 5000}, {40001, 9000}, {200003, 20}}) {
        if (!is_cpu && n > 2000 && (&spread - spreads) % 4 != 0) continue;
        std::vector<std::uint64_t> x;
        for (std::int64_t i = 0; i < n; ++i)
          x.push_back(spread.key(random, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(n)));
        arguments.push_back({array_value(some_offsets(n, most)), array_value(x)});
      }
    expect_agreement_for(text, arguments);
  }
}

TEST(Sorts, OfSegmentsInside) {
  const std::string text = R"(program "inside" (offsets: i64[m], x: u16[n, k]) {
    y: u16[n, k] = map (i < n) {
      row: u16[k] = map (j < k) { x[i, j] }
      s: u16[k] = sort (row) segments offsets by (a: u16) { a }
      return s
    }
    return y
  })";
  std::vector<std::vector<Value>> arguments;
  for (const auto& [n, m] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 5}, {7, 0}, {9, 40}, {40, 700}}) {
    arguments.push_back(matrix(n, m));
    arguments.back().insert(arguments.back().begin(), array_value(some_offsets(m, 11)));
  }
  expect_agreement_for(text, arguments);
}

TEST(SortsByDigits, InsideOfSoacsOnly) {
  const soac::Program before = soac::parse(nested);
  const soac::Program after = schedule::sort_inside_by_digits(before);
  soac::check(after, "sort_inside_by_digits");
  EXPECT_EQ(soac::count(before).sort, 1);
  EXPECT_EQ(soac::count(after).sort, 0);
  EXPECT_EQ(soac::count(after).loop, 1);
  const std::vector<Value> args = matrix(5, 100);
  EXPECT_EQ(soac::interpret(after, args), soac::interpret(before, args));
  const soac::Program outside =
      soac::parse("program(x: u8[n]) { y: u8[n] = sort (x) by (a: u8) { a } return y }");
  EXPECT_EQ(soac::count(schedule::sort_inside_by_digits(outside)).sort, 1);
}

TEST(SortsByDigits, AreSorts) {
  for (const char* kind : {"u8", "u32", "u64"}) {
    soac::Program before =
        soac::parse(fmt::format("program(x: {0}[n]) {{ p: i64[n] = map (i < n) {{ i }} y: {0}[n], q: i64[n] "
                                "= sort (x, p) by (a: {0}, "
                                "b: i64) {{ a }} return y, q }}",
                                kind));
    soac::Program after = before;
    after.body[1] = schedule::by_digits(*after.arena, before.body[1]);
    soac::check(after, "by_digits");
    const std::string k = kind;
    const std::vector<Value> args = {k == "u8"    ? array_value(numbers<std::uint8_t>(777, 256))
                                     : k == "u32" ? array_value(numbers<std::uint32_t>(777, 1 << 30))
                                                  : array_value(numbers<std::uint64_t>(777, 1 << 30))};
    EXPECT_EQ(soac::interpret(after, args), soac::interpret(before, args)) << kind;
  }
}

}  // namespace
}  // namespace fulgurite::testing_lower
