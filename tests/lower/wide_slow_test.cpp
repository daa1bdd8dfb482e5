// What threads do with neighbouring points, at all numbers of points that are left: on the emulator and on
// OpenCL, of elements of all sizes.
#include "../runtime/pocl.h"
#include "agree.h"

namespace fulgurite::testing_lower {
namespace {

/// The program's arguments for a number of points.
using Arguments = std::function<std::vector<Value>(std::int64_t n)>;

void expect_agreement_at_all_sizes(const std::string& text, const Arguments& arguments) {
  runtime::test::prepare_pocl();
  std::vector<std::vector<Value>> all;
  for (std::int64_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65, 1023, 1024, 1025, 100003})
    all.push_back(arguments(n));
  for (const Engine engine : {Engine::emulator, Engine::opencl}) {
    SCOPED_TRACE(engine == Engine::opencl ? "opencl" : "emulator");
    Options options = strict();
    options.engine = engine;
    expect_agreement_for(text, all, options);
  }
}

template <class T>
Arguments of_one(int below) {
  return [=](std::int64_t n) { return std::vector<Value>{array_value(numbers<T>(n, below))}; };
}

template <class T>
void expect_map_and_sums(const std::string& kind, const std::string& one, int below) {
  expect_agreement_at_all_sizes(
      "program \"of_" + kind + "\" (x: " + kind + "[n]) {\n" + "s: " + kind + ", m: " + kind + ", y: " +
          kind + "[n] = redomap (i < n) { x[i], x[i], x[i] * x[i] + " + one + " } reduce add comm neutral " +
          one + " - " + one + " reduce max comm neutral " + one + " - " + one + "\nreturn s, m, y }",
      of_one<T>(below));
}

TEST(Wide, ElementsOfAllSizes) {
  expect_map_and_sums<std::int8_t>("i8", "1i8", 100);
  expect_map_and_sums<std::uint16_t>("u16", "1u16", 40000);
  expect_map_and_sums<std::int32_t>("i32", "1i32", 1000);
  expect_map_and_sums<float>("f32", "1f", 8);  // sums below 2^24: exact in any order
  expect_map_and_sums<double>("f64", "1.", 1000);
}

TEST(Wide, Booleans) {
  expect_agreement_at_all_sizes(R"(program "truths" (x: i8[n]) {
    c: bool[n] = map (i < n) { x[i] < 50i8 }
    a: bool, k: i64, y: bool[n] = redomap (j < n) { c[j] | x[j] == 99i8, i64(c[j]), !c[j] } reduce (p: bool, q: bool) { p & q } comm neutral true reduce add comm neutral 0
    return c, a, k, y
  })",
                                of_one<std::int8_t>(100));
}

/// A structure of arrays whose elements differ in size: the widest says how many.
TEST(Wide, Tuples) {
  expect_agreement_at_all_sizes(R"(program "tuples" (x: i32[n], c: i8[n_c], d: f64[n_d]) {
    s: f64, t: i64, y: f64[n], z: i8[n], w: i64[n] = redomap (i < n) { d[i], i64(x[i]) * i, d[i] * f64(x[i]), c[i] + 1i8, i } reduce add comm neutral 0. reduce add comm neutral 0
    return s, t, y, z, w
  })",
                                [](std::int64_t n) {
                                  return std::vector<Value>{array_value(numbers<std::int32_t>(n, 1000, 1)),
                                                            array_value(numbers<std::int8_t>(n, 100, 2)),
                                                            array_value(numbers<double>(n, 1000, 3))};
                                });
}

/// One slice begins where an access of 16 bytes can, and one does not.
TEST(Wide, SlicesWithOffsets) {
  expect_agreement_at_all_sizes(R"(program "slices" (x: f32[n], m: i64) {
    s: f32, y: f32[m] = redomap (i < m) { x[i + 1], x[i + 1] * 2f } reduce add comm neutral 0f
    z: f32[m] = map (j < m) { x[j + 4] + y[j] }
    u: f32[m] = map (k < m) { x[k + 5] * z[m - 1 - k] }
    return s, y, z, u
  })",
                                [](std::int64_t m) {
                                  return std::vector<Value>{array_value(numbers<float>(m + 5, 8)),
                                                            scalar_value(m)};
                                });
}

TEST(Wide, Bins) {
  expect_agreement_at_all_sizes(R"(program "bins" (x: i32[n]) {
    h: i32[100], y: i32[n] = redomap (i < n) { i64(x[i]), x[i] * 3i32, x[i] + i32(i) } scatter (100) (b: i64) { i32(b) } combine add comm neutral 0i32
    return h, y
  })",
                                of_one<std::int32_t>(120));
}

}  // namespace
}  // namespace fulgurite::testing_lower
