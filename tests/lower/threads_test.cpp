// Small programs as blocks of threads, on the emulator, which refuses races and reads of what nothing wrote.
#include <limits>

#include "agree.h"

namespace fulgurite::testing_lower {
namespace {

void expect_agreement_of_threads(const std::string& text, const std::vector<std::vector<Value>>& arguments) {
  Options options;
  options.engine = Engine::emulator;
  options.precision = Precision::strict;
  expect_agreement_for(text, arguments, options);
}

void expect_agreement_of_threads_on(const std::string& text, const std::vector<std::int64_t>& of) {
  std::vector<std::vector<Value>> arguments;
  for (const std::int64_t n : of) arguments.push_back({array_value(numbers<std::int32_t>(n, 1000))});
  expect_agreement_of_threads(text, arguments);
}

// The threads of a strip take points that lie apart.
TEST(Threads, FoldWindowsInOrder) {
  expect_agreement_of_threads_on(R"(program "windows" (x: i32[n]) {
    a: i32, b: i32, y: i32[n - 2] = redomap (i < n - 2) {
      return x[i] * 2i32 + x[i + 1], x[i + 2], x[i] + x[i + 1] * x[i + 2]
    } reduce (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32
    return a, b, y
  })",
                                 {3, 34, 258, 1026, 1027, 3000});
}

// An atomic operation joins a bin and a value; this operator looks at a scalar besides.
TEST(Threads, HistogramsWithAnOperandFromOutside) {
  const std::vector<std::int32_t> values = numbers<std::int32_t>(700, 1000);
  for (const std::string result : {"min(b, c)", "min(c, b)"})
    expect_agreement_of_threads(
        "program \"bins\" (x: i32[n], c: i32) {\n    y: i32[16] = redomap (i < n) { "
        "i64(x[i] % 16i32), x[i] } scatter (16) (l: i64) { i32(l) } combine (a: i32, b: "
        "i32) { " +
            result + " }\n    return y\n  }",
        {{array_value(values), scalar_value(500)}});
}

// Bins in shared memory begin with an identity of the operator, whatever values there are.
template <class T>
void expect_extreme_bins(const std::string& kind) {
  SCOPED_TRACE(kind);
  using Limits = std::numeric_limits<T>;
  for (const std::string op : {"min", "max", "bit_and", "bit_or", "bit_xor"}) {
    const T least = Limits::lowest(), most = Limits::max();
    std::vector<std::vector<Value>> arguments;
    for (const T value : {least, most, static_cast<T>(most - 1), static_cast<T>(least + 1)})
      for (const T initial : {least, most})
        arguments.push_back({array_value(std::vector<T>(70, value)), scalar_value(initial)});
    expect_agreement_of_threads(
        "program \"bins\" (x: " + kind + "[n], c: " + kind + ") {\n    y: " + kind +
            "[4] = redomap (i < n) { i % 3, x[i] } scatter (4) (l: i64) { c } combine " + op +
            " comm\n    return y\n  }",
        arguments);
  }
}
TEST(Threads, BinsOfExtremeValues) {
  expect_extreme_bins<std::int32_t>("i32");
  expect_extreme_bins<std::uint32_t>("u32");
  expect_extreme_bins<std::int64_t>("i64");
  expect_extreme_bins<std::uint64_t>("u64");
}

// A scalar that one branch takes from the device and the other one from the host: who reads it is a kernel,
// and so the host waits for the results only.
TEST(Threads, BranchesWithScalarsOfTheDevice) {
  const std::string made = R"({
      b: i32[n] = map (i < n) { x[i] + s }
      t: i32 = redomap (i < n) { x[i] } reduce max comm neutral 0i32
      return b, t
    })";
  const std::string known = R"({
      d: i32[n] = map (i < n) { x[i] * 2i32 }
      return d, 7i32
    })";
  const Value values = array_value(numbers<std::int32_t>(300, 1000));
  for (const std::string& branches : {made + " else " + known, known + " else " + made})
    for (const int condition : {1, 5}) {
      const Stats before = stats();
      expect_agreement_of_threads(R"(program "branches" (x: i32[n], c: i32) {
    s: i32 = redomap (i < n) { x[i] } reduce add comm neutral 0i32
    a: i32[n], k: i32 = if c < 3i32 )" +
                                      branches + R"(
    y: i32[n] = map (i < n) { a[i] + k }
    return y
  })",
                                  {{values, scalar_value(condition)}});
      EXPECT_EQ(stats().waits - before.waits, 1u) << branches;
    }
}

// Rows of any lengths are reduced, and so are all of them together.
TEST(Threads, RaggedRowsBelowAReduction) {
  std::vector<std::int32_t> starts{0};
  for (int i = 0; i < 400; ++i) starts.push_back(starts.back() + i * 5 % 17);
  expect_agreement_of_threads(R"(program "rows" (a: i32[n], c: i32[m]) {
    s: i32, y: i32[n - 1] = redomap (i < n - 1) {
      let t = i64(a[i])
      r: i32 = redomap (j < i64(a[i + 1]) - t) { c[t + j] } reduce add comm neutral 0i32
      return r * 3i32, r
    } reduce add comm neutral 0i32
    return s, y
  })",
                              {{array_value(starts), array_value(numbers<std::int32_t>(starts.back(), 9))}});
}

}  // namespace
}  // namespace fulgurite::testing_lower
