// The code of docs/guide/arranging.md, run.
#include "guide_arranging_programs.h"

#include "engines.h"

namespace {

using namespace guide::arranging;

using Floats = std::vector<float>;
using Ints = std::vector<int>;

TEST(GuideArranging, JoiningAndRotating) {
  EXPECT_EQ(vector_of(fg::run(closed, Floats{1, 2, 3})), (Floats{1, 2, 3, 1}));
  const Floats m{1, 2, 3, 4};
  EXPECT_EQ(vector_of(fg::run(with_margins, fg::view(m.data(), {2, 2}))), (Floats{0, 1, 2, 0, 0, 3, 4, 0}));
  EXPECT_EQ(vector_of(fg::run(circular_difference, Floats{1, 4, 9})), (Floats{3, 5, -8}));
}

TEST(GuideArranging, Stencils) {
  const Ints blinker{0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
  const Ints turned{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(vector_of(fg::run(life, fg::view(blinker.data(), {5, 5}))), turned);
  EXPECT_EQ(vector_of(fg::run(flow, Floats{1, 3, 2}, Floats{1, -1, 2})), (Floats{1, 1, -2}));
  EXPECT_EQ(vector_of(fg::run(second_difference, Floats{0, 2, 4, 6}, 2.0f)), (Floats{0, 0, 0, 0}));
}

TEST(GuideArranging, Sorting) {
  EXPECT_EQ(fg::run(median, Floats{5, 1, 3}), 3.0f);
  const auto [players, scores] = fg::run(by_score, Floats{1, 3, 2}, Ints{10, 20, 30});
  EXPECT_EQ(vector_of(players), (Ints{20, 30, 10}));
  EXPECT_EQ(vector_of(scores), (Floats{3, 2, 1}));
  EXPECT_EQ(vector_of(fg::run(ranks, Ints{30, 10, 20})), (std::vector<fg::i64>{2, 0, 1}));
  EXPECT_EQ(vector_of(fg::run(podium, Floats{2, 7, 1, 7, 3})), (std::vector<fg::i64>{1, 3, 4}));
}

TEST(GuideArranging, SortingAlongAxes) {
  const float m[3][2] = {{3, 1}, {0, 5}, {1, 2}};
  EXPECT_EQ(vector_of(fg::run(medians, m)), (Floats{1, 2}));
  EXPECT_EQ(vector_of(fg::run(longest_first, m)), (Floats{0, 5, 3, 1, 1, 2}));
}

}  // namespace
