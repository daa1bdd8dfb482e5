// Points that ask for the number of their segment, on segments of all lengths: long ones are walked one after
// the other, short ones are scanned.
#include "agree.h"

namespace fulgurite::testing_lower {
namespace {

using Offsets = std::vector<std::int64_t>;

/// Begins with what says where segments begin, as item_of_each() does.
std::string of_segments(const std::string& statements, const std::string& results) {
  return R"(program "segments" (offsets: i64[m], x: i32[n]) {
    begun: i64[n] = redomap (s < m - 1) { select(offsets[s] < offsets[s + 1], offsets[s], -1), s } scatter unordered (n) (j: i64) { 0 }
    )" + statements +
         "\n return " + results + R"(
  }
  sites { 1 index @"test.cpp":7 "index {0} at {at} is outside {range}" })";
}
constexpr const char* item =
    "item: i64 = scan (begun[i]) max comm neutral -9223372036854775808 segments offsets\n";

std::vector<Value> with_offsets(const Offsets& offsets) {
  return {array_value(offsets), array_value(numbers<std::int32_t>(offsets.back(), 1000))};
}

/// Segments of one length, of random ones, one long one among empty ones, none, and ends inside of tasks.
std::vector<std::vector<Value>> segments_of_all_lengths() {
  std::vector<std::vector<Value>> all;
  const auto add = [&](const std::vector<std::int64_t>& lengths) {
    Offsets offsets{0};
    for (std::int64_t length : lengths) offsets.push_back(offsets.back() + length);
    all.push_back(with_offsets(offsets));
  };
  for (std::int64_t length : {0, 1, 7, 8, 9, 16, 33, 700}) add(std::vector<std::int64_t>(100, length));
  add({}), add({40000}), add({0, 0, 50000, 0}), add({16384, 16384, 3, 0, 16381});
  std::vector<std::int64_t> some, few = numbers<std::int64_t>(3000, 40), sparse(5000, 0);
  for (std::int64_t length : numbers<std::int64_t>(2000, 30)) some.push_back(length < 15 ? 0 : length * 2);
  for (std::size_t i = 0; i < sparse.size(); i += 50) sparse[i] = 900;
  add(some), add(few), add(sparse);
  return all;
}

TEST(SegmentsInTurn, MapsFiltersScattersAndFolds) {
  expect_agreement_for(
      of_segments(
          R"(least: i64, r: i32[n], k: i64, o: i64[2], kept: i32[k], y: i64[n] = redomap (i < n) { )" +
              std::string(item) + R"(
      let first = offsets[item]
      let a = x[first] + x[i]
      return item * 3 - i, n - 1 - i, a, select(a % 3i32 == 0i32, 0, 1), a, item + i - first
    } reduce min comm neutral 100 scatter unordered (n) (j: i64) { 0i32 } partition 1 of 1)",
          "least, r, k, kept, y"),
      segments_of_all_lengths());
}

TEST(SegmentsInTurn, BranchesAndElementsOfOtherSegments) {
  expect_agreement_for(of_segments(R"(y: i32[n], z: i64[n] = map (i < n) { )" + std::string(item) + R"(
      let next = min(item + 1, m - 2)
      a: i32 = if item % 2 == 0 { x[offsets[item]] } else { x[i] }
      b: i64 = if i == offsets[item] { offsets[next] } else { item }
      return a * 2i32, b + offsets[next]
    })",
                                   "y, z"),
                       segments_of_all_lengths());
}

// Quotients of the number of the point become axes elsewhere.
TEST(SegmentsInTurn, QuotientsOfTheNumberOfThePoint) {
  expect_agreement_for(of_segments("y: i32[n] = map (i < n) { " + std::string(item) +
                                       "return x[offsets[item]] + x[i / (m + 10)] * i32(i % (m + 10)) }",
                                   "y"),
                       segments_of_all_lengths());
}

// The lowest element that fails tells, where the segment fails as a whole and where one of its points does.
TEST(SegmentsInTurn, FailAtTheElementThatFails) {
  const std::string of_segment = R"(
      let t = i64(x[offsets[item]]) % 100
      check 0 <= t & t < min(FAIL, n) site 1 (t, n)
      return x[t] + x[i])";
  const std::string of_point = R"(
      let j = i - offsets[item]
      check 0 <= j & j < FAIL site 1 (j, n)
      return x[offsets[item] + j])";
  const std::string of_read = R"(
      return x[min(i64(x[i]) * FAIL, n)]@1)";
  for (const std::string& body : {of_segment, of_point, of_read})
    for (const std::string bound : {"99", "37", "1"}) {
      std::string text = of_segments("y: i32[n] = map (i < n) { " + std::string(item) + body + " }", "y");
      text.replace(text.find("FAIL"), 4, bound);
      const soac::Program program = soac::parse(text, "test.soac");
      const plan::Loaded loaded = pipeline::load(program, strict());
      for (const std::vector<Value>& args : segments_of_all_lengths()) {
        const auto message = [&](const auto& run) -> std::string {
          try {
            run();
          } catch (const Error& error) {
            return error.what();
          }
          return "nothing fails";
        };
        EXPECT_EQ(message([&] { testing_pipeline::run_loaded(loaded, program, args); }),
                  message([&] { soac::interpret(program, args); }))
            << text << args[0].shape[0] << " offsets";
      }
    }
}

}  // namespace
}  // namespace fulgurite::testing_lower
