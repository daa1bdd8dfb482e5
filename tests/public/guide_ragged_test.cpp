// The code of docs/guide/ragged.md, run, on every engine.
#include "guide_ragged_programs.h"

#include <cmath>

#include "engines.h"

namespace {

using namespace guide::ragged;

using Ints = std::vector<int>;
using Rows = std::vector<Ints>;
using fg::RaggedArray;

TEST(GuideRagged, Made) {
  on_every_engine(neighbours, [](const auto& f) {
    EXPECT_EQ(f(std::vector<fg::i64>{0, 2, 2, 3}, Ints{7, 8, 9}).to_vectors(), (Rows{{7, 8}, {}, {9}}));
    EXPECT_THROW(f(std::vector<fg::i64>{0, 2}, Ints{7, 8, 9}), fg::ShapeError);
  });
  on_every_engine(by_remainder, [](const auto& f) {
    EXPECT_EQ(f(Ints{5, 3, 8, 6}).to_vectors(), (Rows{{3, 6}, {}, {5, 8}}));
  });
  on_every_engine(words, [](const auto& f) {
    const std::string text = "  to be  or not ";
    std::vector<std::string> found;
    for (const auto& word : f(std::vector<fg::u8>(text.begin(), text.end())).to_vectors())
      found.emplace_back(word.begin(), word.end());
    EXPECT_EQ(found, (std::vector<std::string>{"to", "be", "or", "not"}));
    EXPECT_EQ(f(std::vector<fg::u8>{}).size(), 0);
  });
}

TEST(GuideRagged, Rows) {
  on_every_engine(pagerank, [](const auto& f) {
    const Rows sources{{1, 2}, {0}, {1}};
    const Ints n_targets{1, 2, 1};
    std::vector<double> rank(3, 1.0 / 3);
    for (int step = 0; step < 20; ++step) {
      std::vector<double> next;
      for (const Ints& from : sources) {
        next.push_back(0.05);
        for (int page : from)
          next.back() +=
              0.85 * rank[static_cast<std::size_t>(page)] / n_targets[static_cast<std::size_t>(page)];
      }
      rank = next;
    }
    const auto result = f(RaggedArray<int>(sources), n_targets);
    for (int page = 0; page < 3; ++page)
      EXPECT_NEAR(result[page], rank[static_cast<std::size_t>(page)], 1e-6);
  });
  on_every_engine(cumulative_shares, [](const auto& f) {
    EXPECT_EQ(f(RaggedArray<float>(std::vector<std::vector<float>>{{1, 2, 1}, {}, {3}})).to_vectors(),
              (std::vector<std::vector<float>>{{0.25f, 0.75f, 1}, {}, {1}}));
  });
  on_every_engine(best_three, [](const auto& f) {
    EXPECT_EQ(f(RaggedArray<float>(std::vector<std::vector<float>>{{}, {1, 4, 2, 3}, {5, 6}})).to_vector(),
              (std::vector<float>{0, 0, 0, 4, 3, 2, 6, 5, 0}));
  });
  on_every_engine(checksums, [](const auto& f) {
    EXPECT_EQ(f(RaggedArray<int>(Rows{{}, {1, 2}})).to_vector(), (Ints{7, (7 * 31 + 1) * 31 + 2}));
  });
}

TEST(GuideRagged, ArraysOfRows) {
  on_every_engine(medians, [](const auto& f) {
    EXPECT_EQ(f(RaggedArray<float>(std::vector<std::vector<float>>{{3, 1, 2}, {}, {5}, {4, 8}})).to_vector(),
              (std::vector<float>{2, 0, 5, 8}));
  });
  on_every_engine(friends_of_friends, [](const auto& f) {
    EXPECT_EQ(f(RaggedArray<int>(Rows{{1, 2}, {0, 2}, {0, 1, 3}, {2}, {}})).to_vector(),
              (std::vector<fg::i64>{4, 4, 3, 3, 0}));
  });
  on_every_engine(last_of_each_circle, [](const auto& f) {
    const Rows circles{{1, 2, 3, 4, 5, 6, 7}, {}, {9}, {1, 2}};
    EXPECT_EQ(f(RaggedArray<int>(circles), 3).to_vector(), (Ints{4, 0, 9, 2}));
  });
}

TEST(GuideRagged, Expansion) {
  on_every_engine(decoded, [](const auto& f) {
    EXPECT_EQ(f(Ints{2, 0, 3}, Ints{7, 8, 9}).to_vector(), (Ints{7, 7, 9, 9, 9}));
  });
  on_every_engine(drawn, [](const auto& f) {
    const auto picture = f(std::vector<Line>{{0, 0, 3, 3}, {4, 1, 2, 1}, {1, 3, 1, 3}}, 4, 5);
    std::string text;
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 5; ++x) text += picture(y, x) ? '#' : '.';
    EXPECT_EQ(text,
              "#...."
              ".####"
              "..#.."
              ".#.#.");
  });
  on_every_engine(harmonic_numbers, [](const auto& f) {
    const auto result = f(Ints{0, 1, 4, 3000});
    EXPECT_EQ(result[0], 0.0f);
    EXPECT_EQ(result[1], 1.0f);
    EXPECT_NEAR(result[2], 25.0 / 12, 1e-6);
    EXPECT_NEAR(result[3], std::log(3000.0) + 0.5772157 + 1.0 / 6000, 1e-4);
  });
}

TEST(GuideRagged, BreadthFirstSearch) {
  on_every_engine(distances, [](const auto& f) {
    EXPECT_EQ(f(RaggedArray<int>(Rows{{1, 2}, {3}, {3, 0}, {}, {0}}), 0).to_vector(), (Ints{0, 1, 1, 2, -1}));
  });
}

TEST(GuideRagged, FunctionsThatMakeRows) {
  on_every_engine(common_friends, [](const auto& f) {
    const Rows friends{{1, 2, 3}, {0, 2}, {1, 0}, {0}, {}};
    EXPECT_EQ(f(RaggedArray<int>(friends)).to_vectors(), (Rows{{2}, {2}, {0}, {}, {}}));
  });
  on_every_engine(collatz, [](const auto& f) {
    const auto ways = f(std::vector<fg::i64>{1, 6, 27, 2});
    EXPECT_EQ(ways.to_vectors()[1], (std::vector<fg::i64>{6, 3, 10, 5, 16, 8, 4, 2, 1}));
    EXPECT_EQ(ways.row(0).size(), 1u);
    EXPECT_EQ(ways.row(2).size(), 112u);
    EXPECT_EQ(ways.row(3).size(), 2u);
  });
}

}  // namespace
