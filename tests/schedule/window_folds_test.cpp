// Reductions of windows on lanes, as text.
#include "decided.h"

namespace fulgurite::testing_schedule {
namespace {

TEST(WindowFolds, AreTakenByVectorsOfPoints) {
  const Decided windows = decided_lanes(R"(program (x: f32[n, m], w: f32[h, k]) {
    y: f32[n - h + 1, m - k + 1] = map (i < n - h + 1, j < m - k + 1) {
      s: f32 = redomap (a < h, b < k) { x[i + a, j + b] * w[a, b] } reduce add comm neutral 0f
      return s * 2f
    }
    return y
  })");
  EXPECT_EQ(names_of_phases(windows), "main, partials, rows, windows, wide windows, short rows");
  const std::string text = phase(windows, "windows"), wide = phase(windows, "wide windows");
  for (const char* line :
       {"  cut 1 by 64 lane apart 16\n",
        "  inner 1 {\n    axis fold 0 1 extent h\n    axis fold 1 1 extent k\n",
        "    cut 0 by max(16 / max(k, 1), 1) sequence mask\n", "    combine reduction 0 sequence chain 16\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  // A part of a row is as long as a chain.
  EXPECT_EQ(text.find("cut 1 by 16 sequence"), std::string::npos) << text;
  EXPECT_NE(wide.find("    cut 1 by 16 sequence mask\n"), std::string::npos) << wide;
}

TEST(WindowFolds, EachAxisOfWideOnesHasChains) {
  const Decided windows = decided_lanes(R"(program (x: f32[l, n, m]) {
    y: f32[l - 1, n - 2, m - 39] = map (i < l - 1, j < n - 2, k < m - 39) {
      s: f32 = redomap (a < 2, b < 3, c < 40) { x[i + a, j + b, k + c] } reduce add comm neutral 0f
      return s
    }
    return y
  })");
  const std::string wide = phase(windows, "wide windows");
  EXPECT_NE(
      wide.find(
          "    cut 0 by 256 sequence mask\n    cut 0 by 16 sequence mask\n    cut 0 by 1 sequence mask\n"
          "    cut 1 by 16 sequence mask\n    cut 1 by 1 sequence mask\n"
          "    cut 2 by 256 sequence mask\n    cut 2 by 16 sequence mask\n"),
      std::string::npos)
      << wide;
}

TEST(WindowFolds, OfIntegersHaveNoChains) {
  const Decided windows = decided_lanes(R"(program (x: i32[n], k: i64) {
    y: i32[n - k + 1] = map (i < n - k + 1) {
      s: i32 = redomap (l < k) { x[i + l] } reduce max comm neutral 0i32
      return s
    }
    return y
  })");
  const std::string text = phase(windows, "windows");
  EXPECT_NE(text.find("  inner 1 {\n    axis fold 0 1 extent k\n  }\n"), std::string::npos) << text;
}

std::string phases_of_sums(const std::string& element) {
  return names_of_phases(decided_lanes(R"(program (x: f32[n, m]) {
      y: f32[n] = map (i < n) {
        s: f32 = redomap (l < m) { )" + element +
                                       R"( } reduce add comm neutral 0f
        return s
      }
      return y
    })"));
}

// Rows of a matrix, and products of two, are no windows; nor is what lies far apart for neighbours.
TEST(WindowFolds, AreNotRowsAndProducts) {
  for (const char* element : {"x[i, l]", "x[i, l] * x[l, i]", "x[i + l, l]", "x[0, l]", "x[0, 5 * i + l]",
                              "x[0, i * i + l]", "x[0, l - i]"})
    EXPECT_EQ(phases_of_sums(element).find("windows"), std::string::npos) << element;
}

TEST(WindowFolds, MayBeAFewElementsApart) {
  for (const char* element : {"x[0, 2 * i + l]", "x[0, i * 4 + l * 3]", "x[l, i * 3 + l]"})
    EXPECT_NE(phases_of_sums(element).find("windows"), std::string::npos) << element;
}

}  // namespace
}  // namespace fulgurite::testing_schedule
