// How many blocks walk a space: as many as the device runs at once where the results are the same however
// many there are, a fixed number where they are not.
#include "agree.h"
#include "base/match.h"
#include "engines/emulator_device.h"
#include "plan/traverse.h"

namespace fulgurite::testing_lower {
namespace {

constexpr const char* whole_numbers = R"(program "count" (x: i32[n]) {
  s: i32, y: bool = redomap (i < n) { x[i] * x[i], 990i32 < x[i] }
    reduce add comm neutral 0i32 reduce bit_or comm neutral false
  return s, y
})";
constexpr const char* floats = R"(program "sum" (x: f32[n]) {
  s: f32 = redomap (i < n) { x[i] } reduce add comm neutral 0f
  return s
})";
constexpr const char* bins = R"(program "histogram" (x: i32[n]) {
  y: i32[50] = redomap (i < n) { i64(x[i] % 50i32), 1i32 } scatter (50) (j: i64) { i32(j) } combine add comm neutral 0i32
  return y
})";
// An operator that no operation of memory is.
constexpr const char* composed = R"(program "composed" (x: i32[n]) {
  y: i32[26], z: i32[26] = redomap (i < n) {
    let p = i64(x[i] % 26i32)
    return p, x[i] * 2i32 + 1i32, i32(i)
  } scatter (26) (j: i64) { 3i32, i32(j) } combine (a: i32, b: i32, c: i32, d: i32) { a * c, b * c + d }
  return y, z
})";
constexpr const char* classes = R"(program "classes" (x: i32[n]) {
  m: i64, o: i64[4], y: i32[m], z: i64[m] = redomap (i < n) { i64(x[i]) % 4, x[i], i } partition 3 of 2
  return m, o, y, z
})";
constexpr const char* sorted = R"(program "sorted" (x: i32[n]) {
  p: i64[n] = map (i < n) { i }
  y: i32[n], q: i64[n] = sort (x, p) by (a: i32, b: i64) { u32(a) }
  return y, q
})";
constexpr const char* in_order = R"(program "last" (x: i32[n]) {
  s: i32, t: i32 = redomap (i < n) { x[i], x[i] - 500i32 }
    reduce (a: i32, b: i32) { select(b < 900i32, b, a) } neutral 900i32
    reduce add comm neutral 0i32
  return s, t
})";
// Each thread has an array of its own.
constexpr const char* own_arrays = R"(program "deviation" (x: f32[n, m]) {
  y: f32[n] = map (i < n) {
    r: f32[m] = map (j < m) { x[i, j] * 2f }
    s: f32 = redomap (k < m) { r[k] } reduce add comm neutral 0f
    d: f32[m] = map (l < m) { r[l] - s + r[m - 1 - l] }
    t: f32 = redomap (p < m) { d[p] * d[m - 1 - p] } reduce add comm neutral 0f
    return t
  }
  return y
})";

// The numbers of threads of the blocks whose number the plan asks for.
std::vector<int> asked(const std::string& program, bool tells_occupancy = true) {
  runtime::Description device = EmulatorDevice::shared().describe();
  device.tells_occupancy = tells_occupancy;
  const pipeline::Report report =
      pipeline::compile(soac::parse(program, "test.soac"), {.engine = Engine::emulator}, device);
  std::vector<int> threads;
  plan::for_each_step(report.lowered.plan.steps, [&](const plan::Action& action) {
    if (const auto* resident = base::as<plan::Resident>(action)) threads.push_back(resident->threads);
  });
  return threads;
}

TEST(Resident, BlocksAreAsManyWhereResultsDoNotDependOnThem) {
  EXPECT_EQ(asked(whole_numbers), std::vector{256});
  EXPECT_EQ(asked(bins), std::vector{256});
  EXPECT_EQ(asked(own_arrays), std::vector{64});
  EXPECT_EQ(asked(floats), std::vector<int>()) << "the sum would depend on the device";
  EXPECT_EQ(asked(whole_numbers, false), std::vector<int>()) << "the device does not tell";
}

// The emulator runs six blocks at once, so that each takes more than it has to.
TEST(Resident, FewBlocksWalkManyPoints) {
  const Options emulator{.engine = Engine::emulator, .precision = Precision::strict};
  const Value x = array_value({30001}, numbers<std::int32_t>(30001, 1000));
  expect_agreement_for(whole_numbers, {{x}}, emulator);
  for (const char* program : {bins, composed, classes, sorted, in_order})
    expect_agreement_for(program, {{x}}, emulator);
  expect_agreement_for(own_arrays, {{array_value({1501, 5}, numbers<float>(1501 * 5, 100))}}, emulator);
}

}  // namespace
}  // namespace fulgurite::testing_lower
