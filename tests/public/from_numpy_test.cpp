// The code of docs/from_numpy.md, run.
#include <fulgurite/fulgurite.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

Vec<float> standardised(Vec<float> x) {
  auto mean = fg::mean(x);
  auto deviation = fg::sqrt(fg::mean((x - mean) * (x - mean)));
  return (x - mean) / deviation;
}

// clang-format off
Mat<float> centred(Mat<float> m) {                    // m - m.mean(axis=0)
  auto means = fg::mean(m, fg::axis(0));
  return m - fg::replicate(m.size(0), means, fg::axis(0));
}
Mat<float> table(Vec<float> x, Vec<float> y) {        // x[:, None] * y[None, :]
  return fg::outer(x, y);
}
Mat<float> weighted(Mat<float> m, Vec<float> w) {     // m * w[None, :]
  return fg::map([&](Vec<float> row) { return row * w; }, fg::rows(m));
}

Vec<float> row_norms(Mat<float> m) {
  return fg::map([](Vec<float> row) { return fg::norm(row); }, fg::rows(m));
}
Exp<float> root(Exp<float> x) {
  return fg::iterate(20, [&](Exp<float> y) { return 0.5f * (y + x / y); }, 1.0f);
}
Exp<float> mean_of_positive(Vec<float> x) {
  auto chosen = fg::filter([](Exp<float> v) { return v > 0.0f; }, x);
  return fg::cond(chosen.size() > 0, [&] { return fg::mean(chosen); }, [&] { return Exp<float>(0.0f); });
}

Vec<float> differences(Vec<float> x) { return x.slice(1, x.size()) - x.slice(0, x.size() - 1); }   // np.diff(x)
Vec<float> with_first_zero(Vec<float> x) { return fg::with(x, 0, 0.0f); }                          // x.at[0].set(0)
Vec<float> last_three(Vec<float> x) { return fg::drop(x, x.size() - 3); }                          // x[-3:]
// clang-format on

const std::vector<float> ramp{1, 2, 3, 6};

TEST(FromNumpy, OneArrayForOneResult) {
  const fg::Array<float> result = fg::run(standardised, ramp);
  EXPECT_NEAR(result[0], -2 / std::sqrt(3.5), 1e-5);
  EXPECT_NEAR(result[3], 3 / std::sqrt(3.5), 1e-5);
  EXPECT_NE(fg::explanation(fg::compile(standardised)).find("no intermediate array"), std::string::npos);
}

TEST(FromNumpy, Shapes) {
  const float m[2][2] = {{1, 2}, {3, 6}};
  EXPECT_EQ(fg::run(centred, m).to_vector(), (std::vector<float>{-1, -2, 1, 2}));
  EXPECT_EQ(fg::run(table, std::vector<float>{1, 2}, std::vector<float>{3, 4}).to_vector(),
            (std::vector<float>{3, 4, 6, 8}));
  EXPECT_EQ(fg::run(weighted, m, std::vector<float>{1, 10}).to_vector(), (std::vector<float>{1, 20, 3, 60}));
  EXPECT_THROW(fg::run(weighted, m, ramp), fg::ShapeError);
}

TEST(FromNumpy, RowsLoopsAndSizesOfData) {
  const float m[2][2] = {{3, 4}, {6, 8}};
  EXPECT_EQ(fg::run(row_norms, m).to_vector(), (std::vector<float>{5, 10}));
  EXPECT_FLOAT_EQ(fg::run(root, 2.0f), std::sqrt(2.0f));
  EXPECT_EQ(fg::run(mean_of_positive, std::vector<float>{-1, 2, 4}), 3);
  EXPECT_EQ(fg::run(mean_of_positive, std::vector<float>{-1}), 0);
}

TEST(FromNumpy, SlicesAndUpdates) {
  EXPECT_EQ(fg::run(differences, ramp).to_vector(), (std::vector<float>{1, 1, 3}));
  EXPECT_EQ(fg::run(with_first_zero, ramp).to_vector(), (std::vector<float>{0, 2, 3, 6}));
  EXPECT_EQ(fg::run(last_three, ramp).to_vector(), (std::vector<float>{2, 3, 6}));
}

}  // namespace
