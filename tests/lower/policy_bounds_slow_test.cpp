// Every tuning number at both ends of its bounds, with two others: results stay those of the interpreter, on
// the cpu engine by the numbers of lanes, on the emulator, which refuses races, by those of blocks.
#include <bit>
#include <set>

#include <fmt/format.h>

#include "agree.h"
#include "plan/text.h"
#include "schedule/policy.h"

namespace fulgurite::testing_lower {
namespace {

using schedule::Form, schedule::Number;

const char* const programs[] = {
    // Maps: cheap, expensive, with stores of several sizes.
    R"(program "maps" (x: i32[n], y: i32[m], z: i32[k, l]) {
      a: i32[n], b: u8[n] = map (i < n) { x[i] * 3i32 + 1i32, u8(x[i]) }
      c: i32[n] = map (i < n) {
        s: i32 = loop (x[i]) times 7 do (t: i64, u: i32) { u * 5i32 + 1i32 }
        return s
      }
      return a, b, c
    })",
    // Reductions, one of which does not commute, and the least element with its place.
    R"(program "reductions" (x: i32[n], y: i32[m], z: i32[k, l]) {
      s: i32, p: i32, q: i32 = redomap (i < n) { x[i], x[i] % 5i32 + 1i32, x[i] } reduce add comm neutral 0i32
        reduce (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32
      v: i32, at: i64 = redomap (i < n) { x[i], i } reduce (a: i32, i1: i64, b: i32, i2: i64) {
        select((a < b) | ((a == b) & (i1 < i2)), a, b), select((a < b) | ((a == b) & (i1 < i2)), i1, i2)
      } comm neutral 2147483647i32, 9223372036854775807
      return s, p, q, v, at
    })",
    // Scans: cheap, and of an expensive operator.
    R"(program "scans" (x: i32[n], y: i32[m], z: i32[k, l]) {
      a: i32[n] = map (i < n) { s: i32 = scan (x[i]) add comm neutral 0i32 return s }
      b: i32[n] = map (i < n) {
        p: i32, q: i32 = scan (x[i] % 5i32 + 1i32, x[i] % 11i32) (a1: i32, b1: i32, a2: i32, b2: i32) { (a1 * a2) % 11i32, (b1 * a2 + b2) % 11i32 } neutral 1i32, 0i32
        return p - q
      }
      return a, b
    })",
    // Histograms: of one operation of memory, and of an operator of two components.
    R"(program "histograms" (x: i32[n], y: i32[m], z: i32[k, l]) {
      a: i32[50] = redomap (i < n) { i64(x[i]) % 53, 1i32 } scatter (50) (j: i64) { 0i32 } combine add comm neutral 0i32
      b: i32[3000] = redomap (i < n) { i64(x[i]) * 7 % 3001, x[i] } scatter (3000) (j: i64) { 5i32 } combine max comm neutral 0i32
      c: i32[20], d: i32[20] = redomap (i < n) { i64(x[i]) % 20, x[i] % 3i32 + 1i32, x[i] } scatter (20) (j: i64) { 1i32, 0i32 }
        combine (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32
      return a, b, c, d
    })",
    // Partitions of one class, of some, of many.
    R"(program "partitions" (x: i32[n], y: i32[m], z: i32[k, l]) {
      m1: i64, o1: i64[2], a: i32[m1] = redomap (i < n) { select(x[i] < 300i32, 0, 1), x[i] } partition 1 of 1
      m2: i64, o2: i64[5], b: i32[m2] = redomap (i < n) { i64(x[i]) % 5, x[i] } partition 4 of 1
      m3: i64, o3: i64[101], c: i32[m3] = redomap (i < n) { i64(x[i]) % 103, x[i] } partition 100 of 1
      return o1, a, o2, b, o3, c
    })",
    // The last of equal places stays.
    R"(program "stores" (x: i32[n], y: i32[m], z: i32[k, l]) {
      a: i32[777] = redomap (i < n) { i64(x[i]) * 31 % 800, i32(i) } scatter (777) (j: i64) { -1i32 }
      return a
    })",
    R"(program "sorts" (x: i32[n], y: i32[m], z: i32[k, l]) {
      a: i32[n], at: i32[n] = map (i < n) { x[i] * 7919i32 % 4001i32, i32(i) }
      b: i32[n], places: i32[n] = sort (a, at) by (key: i32, place: i32) { u32(key) }
      c: i32[k, l] = map (i < k) {
        row: i32[l] = map (j < l) { z[i, j] }
        sorted: i32[l] = sort (row) by (key: i32) { u32(key) }
        return sorted
      }
      return b, places, c
    })",
    // Rows: long and short ones, of one length and of any, read along memory and across.
    R"(program "rows" (x: i32[n], y: i32[m], z: i32[k, l]) {
      a: i32[k] = map (i < k) { s: i32 = redomap (j < l) { z[i, j] } reduce add comm neutral 0i32 return s * 2i32 }
      b: i32[l] = map (j < l) { s: i32 = redomap (i < k) { z[i, j] } reduce max comm neutral 0i32 return s }
      c: i32[3] = map (i < 3) { s: i32 = redomap (j < n / 3) { x[i * (n / 3) + j] } reduce add comm neutral 0i32 return s }
      d: i32[m - 1] = map (i < m - 1) {
        let t = i64(y[i])
        s: i32 = redomap (j < i64(y[i + 1]) - t) { z[0, i64(x[t + j]) % l] } reduce add comm neutral 0i32
        return s
      }
      return a, b, c, d
    })",
    // Neighbours in one axis and in two, and a transposed matrix.
    R"(program "neighbours" (x: i32[n], y: i32[m], z: i32[k, l]) {
      a: i32[n - 2] = map (i < n - 2) { x[i] + x[i + 1] * 2i32 + x[i + 2] }
      b: i32[k - 2, l - 2] = map (i < k - 2, j < l - 2) { z[i, j + 1] + z[i + 1, j] + z[i + 1, j + 2] + z[i + 2, j + 1] }
      c: i32[l, k] = map (i < l, j < k) { z[j, i] }
      d: i32[2 * n] = map (i < 2 * n) {
        e: i32 = if i < n { x[i] } else { x[i - n] + 1i32 }
        return e
      }
      return a, b, c, d
    })",
    // Sums of floats, which are small integers: of products whose operands points share, of windows, of
    // columns.
    R"(program "chains" (x: i32[n], y: i32[m], z: i32[k, l]) {
      a: f32[k, k] = map (i < k, j < k) {
        s: f32 = redomap (q < l) { f32(z[i, q] % 5i32) * f32(z[j, q] % 7i32) } reduce add comm neutral 0f
        return s
      }
      b: f32[n - 40] = map (i < n - 40) { s: f32 = redomap (q < 41) { f32(x[i + q]) } reduce add comm neutral 0f return s }
      c: f32[l] = map (j < l) { s: f32 = redomap (i < k) { f32(z[i, j]) } reduce add comm neutral 0f return s }
      return a, b, c
    })",
    // Arrays made for each point.
    R"(program "kept" (x: i32[n], y: i32[m], z: i32[k, l]) {
      a: i32[k] = map (i < k) {
        row: i32[l] = map (j < l) { t: i32 = scan (z[i, j]) add comm neutral 0i32 return t }
        s: i32 = redomap (j < l) { row[j] * row[l - 1 - j] } reduce add comm neutral 0i32
        return s
      }
      return a
    })"};

struct Case {
  soac::Program program;
  std::vector<Value> arguments, expected;
};

Value matrix(std::int64_t rows, std::int64_t columns) {
  Value value = array_value(numbers<std::int32_t>(rows * columns, 50, 3));
  value.shape = {rows, columns};
  return value;
}

std::vector<Case> cases(std::int64_t n) {
  std::vector<std::int32_t> starts{0};
  for (int i = 0; starts.back() < n - 40; ++i) starts.push_back(starts.back() + i * 5 % 17);
  std::vector<Case> all;
  for (const char* text : programs) {
    Case made{soac::parse(text, "test.soac"), {}, {}};
    made.arguments = {array_value(numbers<std::int32_t>(n, 1000)), array_value(starts), matrix(n / 100, 90)};
    made.expected = soac::interpret(made.program, made.arguments);
    all.push_back(std::move(made));
  }
  return all;
}

/// Host programs with the text of their kernels. What another policy gave too is run once.
using Seen = std::set<std::string>;

void expect_agreement_by(const std::vector<Case>& all, Engine engine, const std::string& policy, Seen& seen) {
  SCOPED_TRACE(policy);
  for (const Case& c : all) {
    const plan::Loaded loaded =
        pipeline::load(c.program, {.engine = engine, .precision = Precision::strict, .policy = policy});
    if (!seen.insert(plan::print(loaded.plan, true)).second) continue;
    const std::vector<Value> got = testing_pipeline::run_loaded(loaded, c.program, c.arguments);
    ASSERT_EQ(got.size(), c.expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(soac::same(got[i], c.expected[i])) << "result " << i << " of " << c.program.name;
  }
}

template <class P>
std::string at_bound(const Number<P>& number, double bound) {
  auto value = static_cast<std::uint64_t>(bound);
  if (number.form == Form::power_of_two) value = std::bit_floor(value);
  return fmt::format("{}={}", number.name, value);
}

/// Five numbers at a time, which stand far apart: neighbours often decide about one thing.
template <class P>
void expect_agreement_at_bounds(Engine engine, std::int64_t n) {
  const std::vector<Case> all = cases(n);
  Seen seen;
  expect_agreement_by(all, engine, "", seen);
  const auto numbers = schedule::numbers<P>();
  const std::size_t apart = (numbers.size() + 4) / 5;
  for (std::size_t first = 0; first < apart; ++first)
    for (const auto bound : {&Number<P>::least, &Number<P>::most}) {
      std::string policy;
      for (std::size_t k = first; k < numbers.size(); k += apart)
        policy += at_bound(numbers[k], numbers[k].*bound) + " ";
      policy.pop_back();
      expect_agreement_by(all, engine, policy, seen);
    }
  EXPECT_GT(seen.size(), 2 * all.size());
}

TEST(PolicyBounds, LanesGiveTheInterpretersBits) {
  expect_agreement_at_bounds<schedule::LanesPolicy>(Engine::cpu, 20011);
}

TEST(PolicyBounds, BlocksGiveTheInterpretersBits) {
  expect_agreement_at_bounds<schedule::BlocksPolicy>(Engine::emulator, 1500);
}

}  // namespace
}  // namespace fulgurite::testing_lower
