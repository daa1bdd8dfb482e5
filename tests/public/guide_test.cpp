// The code of docs/guide.md, run.
#include "guide_programs.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <regex>
#include <sstream>

#include "engines.h"

namespace {

using namespace guide;

const std::vector<float> ramp{0, 1, 2, 3, 4, 5};

TEST(Guide, Elementwise) {
  auto f = fg::compile(saxpy);
  fg::Array<float> r = f(2.0f, ramp, std::vector<float>(6, 1));
  EXPECT_EQ(r.to_vector(), (std::vector<float>{1, 3, 5, 7, 9, 11}));
  EXPECT_NEAR(fg::run(decay, ramp)[0], 1, 1e-6);
}

TEST(Guide, Map) {
  EXPECT_EQ(fg::run(blend, ramp, std::vector<float>(6, 10), std::vector<float>{0, 1, 0, 1, 0, 1}).to_vector(),
            (std::vector<float>{0, 10, 2, 10, 4, 10}));
}

TEST(Guide, Generators) {
  EXPECT_EQ(fg::run(sampled, fg::i64{4}).to_vector(), (std::vector<float>{0, 0.25f, 0.5f, 0.75f}));
  EXPECT_EQ(fg::run([](Exp<fg::i64> n) { return fg::sum(fg::iota(n)); }, fg::i64{101}), 5050);
  EXPECT_EQ(fg::run([](Exp<fg::i64> n) { return fg::replicate(n, 7); }, fg::i64{2}).to_vector(),
            (std::vector<int>{7, 7}));
}

TEST(Guide, Reductions) {
  auto [mean, deviation] = fg::run(mean_and_deviation, ramp);
  EXPECT_FLOAT_EQ(mean, 2.5f);
  EXPECT_NEAR(deviation, std::sqrt(35.0 / 12.0), 1e-6);
  EXPECT_EQ(fg::run(last_non_zero, std::vector<int>{3, 0, 8, 0, 0}), 8);
  EXPECT_EQ(fg::run(from_hundred, std::vector<int>{1, 2, 3}), 106);
}

TEST(Guide, RowsAndAxes) {
  const auto m = fg::view(ramp.data(), {2, 3});
  EXPECT_NEAR(fg::run(row_norms, m)[1], std::sqrt(50.0), 1e-5);
  EXPECT_EQ(fg::run(column_means, m).to_vector(), (std::vector<float>{1.5f, 2.5f, 3.5f}));
  const float mixed[2][3] = {{1, -4, 4}, {-2, 2, 0}};
  EXPECT_EQ(fg::run(farthest_from_zero, mixed).to_vector(), (std::vector<float>{-4, -2}));
  EXPECT_THROW(fg::run(farthest_from_zero, fg::view(ramp.data(), {2, 0})), fg::ShapeError);
  const int flows[2][2] = {{1, 2}, {3, 4}};
  EXPECT_EQ(fg::run(closing_balances, flows, 10).to_vector(), (std::vector<int>{14, 16}));
}

TEST(Guide, IndexTransforms) {
  EXPECT_EQ(fg::run(forward_difference, ramp).to_vector(), (std::vector<float>{1, 1, 1, 1, 1}));
  EXPECT_EQ(fg::run(corners, fg::view(ramp.data(), {2, 3})).to_vector(), (std::vector<float>{0, 2}));
  EXPECT_TRUE(fg::run(is_palindrome, std::vector<int>{1, 2, 1}));
  const std::vector<fg::u8> pixels{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(fg::run(planes, fg::view(pixels.data(), {1, 2, 3})).to_vector(),
            (std::vector<fg::u8>{1, 4, 2, 5, 3, 6}));
  const float a[2][2] = {{0, 0}, {3, 4}}, b[1][2] = {{0, 4}};
  EXPECT_EQ(fg::run(squared_distances, a, b).to_vector(), (std::vector<float>{16, 9}));
}

TEST(Guide, Structs) {
  EXPECT_EQ(fg::run(maximum_segment_sum, std::vector<int>{-2, 1, -3, 4, -1, 2, 1, -5, 4}), 6);
}

TEST(Guide, BranchesAndLoops) {
  EXPECT_EQ(fg::run(safe_ratio, 3.0f, 0.0f), 3.0f);
  EXPECT_EQ(fg::run(escape_time, 2.0f, 2.0f), 1);
  EXPECT_FLOAT_EQ(fg::run(newton_root, 2.0f), std::sqrt(2.0f));
}

TEST(Guide, Indices) {
  EXPECT_EQ(fg::run(look_up, ramp, std::vector<int>{5, 0}).to_vector(), (std::vector<float>{5, 0}));
  EXPECT_THROW(fg::run(look_up, ramp, std::vector<int>{6}), fg::IndexError);
}

TEST(Guide, Constants) {
  EXPECT_EQ(fg::run(powers, ramp, 3)[2], 8.0f);
}

// Without what differs between machines, and where lines are.
std::vector<std::string> lines_of_explanation(std::istream& text) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    line = std::regex_replace(line, std::regex("[a-z_]+\\.h:[0-9]+"), "guide.h");
    const bool differs = line.starts_with("  phase ") || std::regex_search(line, std::regex("^    [a-z]"));
    if (!line.empty() && !differs) lines.push_back(line);
  }
  return lines;
}

TEST(Guide, ShowsWhatExplainTells) {
  std::ifstream page(FULGURITE_TEST_DATA "/../../docs/guide.md");
  const std::vector<std::string> shown = lines_of_explanation(page);
  std::istringstream told(fg::explanation(fg::compile(mean_in_front, {.engine = fg::Engine::cpu})));
  auto next = shown.begin();
  for (const std::string& line : lines_of_explanation(told)) {
    next = std::find(next, shown.end(), line);
    ASSERT_NE(next, shown.end()) << "docs/guide.md does not show: " << line;
  }
  EXPECT_EQ(fg::run(mean_in_front, ramp).to_vector(), (std::vector<float>{2.5f, 1, 2, 3, 4, 5}));
}

}  // namespace
