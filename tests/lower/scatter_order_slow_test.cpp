// The last of several values for one place stays, whatever tasks, lanes and threads do: on few points and on
// many, of one component and of several, beside whatever else the points make, and at every level of a
// program.
#include "agree.h"

namespace fulgurite {
namespace {

using soac::array_value;
using soac::scalar_value;
using soac::Value;
using testing_lower::expect_agreement_for;
using testing_lower::numbers;

/// Around one task, tiles, and what one task stores of its own.
const std::vector<std::int64_t> sizes = {0, 1, 10, 1000, 65'536, 65'537, 1'048'577};

/// Places of different kinds, some of them outside of n.
template <class T>
std::vector<std::vector<T>> places(std::int64_t n, std::int64_t size) {
  std::vector<std::vector<T>> all(5, std::vector<T>(static_cast<std::size_t>(n)));
  std::minstd_rand random(7);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    all[0][i] =
        static_cast<T>(random() % static_cast<std::uint64_t>(size + 3)) - static_cast<T>(1);  // everywhere
    all[1][i] = static_cast<T>(2);                                                            // equal
    all[2][i] = static_cast<T>(at / 3 * size / std::max<std::int64_t>(n, 1));                 // sorted
    all[3][i] = static_cast<T>(random() % 5);
    all[4][i] =
        static_cast<T>(random() % 100 == 0 ? static_cast<std::int64_t>(random()) % (size + 1) : size + 7);
  }
  return all;
}

template <class T>
void expect_last(const std::string& text, const std::vector<std::int64_t>& of = sizes) {
  // The emulator takes long for many points, and the interpreter for very many.
  constexpr std::int64_t many = 3000, very_many = 100'000;
  const bool is_emulated = testing_lower::strict().engine == Engine::emulator;
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n : of) {
    if (is_emulated && n > many) continue;
    for (std::int64_t size : {std::int64_t{3}, std::int64_t{1000}, n}) {
      const std::vector<std::vector<T>> all = places<T>(n, size);
      for (std::size_t kind = 0; kind < all.size(); ++kind)
        if (n <= very_many || (size == n && kind % 3 == 0))
          arguments.push_back({array_value(numbers<std::int32_t>(size, 100)), array_value(all[kind])});
    }
  }
  expect_agreement_for(text, arguments);
}

TEST(ScatterOrder, TheLastStays) {
  expect_last<std::int64_t>(
      "program(x: i32[m], p: i64[n]) { r: i32[m] = redomap (i < n) { p[i], i32(i) } scatter (m) (j: i64) { "
      "x[j] } return r }");
}
TEST(ScatterOrder, PlacesOfThirtyTwoBits) {
  expect_last<std::int32_t>(
      "program(x: i32[m], p: i32[n]) { r: i32[m] = redomap (i < n) { i64(p[i]), i32(i) } scatter (m) (j: "
      "i64) { x[j] } return r }");
}
TEST(ScatterOrder, ComputedPlacesAndValues) {
  expect_last<std::int32_t>(
      "program(x: i32[m], p: i32[n]) { r: f64[m] = redomap (i < n) { i64(p[i] ^ 1i32), f64(i) * 0.5 } "
      "scatter (m) (j: i64) { f64(x[j]) } return r }",
      {10, 70'000, 1'100'000});
}
TEST(ScatterOrder, Tuples) {
  expect_last<std::int64_t>(
      "program(x: i32[m], p: i64[n]) { r: i32[m], s: u8[m], b: bool[m] = redomap (i < n) { p[i], i32(i), "
      "u8(i), i % 3 == 0 } scatter (m) (j: i64) { x[j], 7u8, x[j] < 3i32 } return r, s, b }",
      {10, 65'537, 1'100'000});
}
TEST(ScatterOrder, BesideEverythingElse) {
  expect_last<std::int64_t>(
      "program(x: i32[m], p: i64[n]) { s: i32, r: i32[m], h: i32[5], t: i32[m], k: i64, o: i64[2], f: "
      "i32[k], "
      "y: i32[n] = redomap (i < n) { q: i64 = scan (p[i]) add comm neutral 0 return i32(p[i]), p[i], i32(i), "
      "p[i], i32(q), p[i] + 1, i32(q), select(p[i] < 4, 0, 1), i32(i), i32(q) } reduce add comm neutral "
      "0i32 scatter (m) (j: i64) { x[j] } scatter (5) (j: i64) { 1i32 } combine add comm neutral 0i32 "
      "scatter "
      "(m) (j: i64) { i32(j) } partition 1 of 1 return s, r, h, t, k, f, y }",
      {10, 70'000, 1'100'000});
}
TEST(ScatterOrder, AnotherReadsTheSamePoints) {
  expect_last<std::int64_t>(
      "program(x: i32[m], p: i64[n]) { r: i32[m] = redomap (i < n) { p[i], i32(i) } scatter (m) (j: i64) { "
      "x[j] } y: i64[n] = map (i < n) { p[i] * 3 } s: i64 = redomap (i < n) { p[i] } reduce add comm neutral "
      "0 return r, y, s }",
      {10, 70'000, 1'100'000});
}
TEST(ScatterOrder, IntoTheOldArraysMemory) {
  expect_last<std::int64_t>(
      "program(x: i32[m], p: i64[n]) { z: i32[m] = map (j < m) { x[j] + 1i32 } r: i32[m] = loop (z) times 3 "
      "do (t: i64, y: i32[m]) { u: i32[m] = redomap (i < n) { p[i] + t, i32(i + t) } scatter (m) (j: i64) { "
      "y[j] } return u } return r }",
      {10, 65'537, 1'100'000});
}
TEST(ScatterOrder, MatricesOfPointsAndPlaces) {
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n : {1, 7, 300, 2200}) arguments.push_back({scalar_value<std::int64_t>(n)});
  expect_agreement_for(
      "program(n: i64) { check 0 <= n site 1 () r: i32[9, 4] = redomap (i < n, j < 500) { (i * 7 + j) % 11 - "
      "1, (i + j * 3) % 5, i32(i * 500 + j) } scatter (9, 4) (a: i64, b: i64) { i32(a * b) } return r } "
      "sites "
      "{ 1 shape \"negative\" }",
      arguments);
}
/// Tuples whose points have places of their own need no order.
TEST(ScatterOrder, TuplesApart) {
  expect_last<std::int64_t>(
      "program(x: i32[m], p: i64[n]) { r: i32[n], s: u8[n] = redomap (i < n) { n - 1 - i, i32(p[i]), u8(i) "
      "} scatter unordered (n) (j: i64) { 0i32, 7u8 } return r, s }",
      {10, 65'537, 1'100'000});
}
TEST(ScatterOrder, InsideOfAMap) {
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n : {0, 1, 70, 3000})
    arguments.push_back({array_value(numbers<std::int64_t>(n, 6)), scalar_value<std::int64_t>(50)});
  expect_agreement_for(
      "program(p: i64[n], k: i64) { check 0 <= k site 1 () s: i32[n], m: i32[n, 4] = map (i < n) { r: i32[4] "
      "= "
      "redomap (j < k) { p[i] * j % 5, i32(j) } scatter (4) (a: i64) { -1i32 } return r[2], r } return s, m "
      "} "
      "sites { 1 shape \"negative\" }",
      arguments);
}
TEST(ScatterOrder, OfRows) {
  expect_last<std::int64_t>(
      "program(x: i32[m], p: i64[n]) { r: i32[m] = redomap (i < n) { s: i32 = redomap (j < 40) { i32(j * "
      "p[i]) } reduce add comm neutral 0i32 return p[i], s + i32(i) } scatter (m) (j: i64) { x[j] } return r "
      "}",
      {10, 5000});
}
TEST(ScatterOrder, OneOfManyRunsAsAny) {
  const std::string text =
      "program(x: f32[n], p: i64[m]) { r: f32[n] = redomap (i < m) { p[i], x[i] } scatter (n) (j: i64) { 0f "
      "} "
      "return r }";
  const soac::Program program = soac::parse(text, "test.soac");
  const plan::Loaded loaded = pipeline::load(program, testing_lower::strict());
  const std::int64_t n = testing_lower::strict().engine == Engine::emulator ? 3000 : 1'200'000;
  const std::vector<Value> args = {array_value(numbers<float>(n, 10'000)),
                                   array_value(numbers<std::int64_t>(n, 1000, 5))};
  const Value expected = soac::interpret(program, args)[0];
  for (int run = 0; run < 10; ++run)
    ASSERT_TRUE(soac::same(testing_pipeline::run_loaded(loaded, program, args)[0], expected)) << run;
}

}  // namespace
}  // namespace fulgurite
