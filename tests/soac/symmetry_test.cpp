// Maps whose matrices are symmetric.
#include "soac/symmetry.h"

#include <gtest/gtest.h>

#include "soac/parse.h"

namespace fulgurite::soac {
namespace {

bool of_points(const std::string& points, const std::string& shape = "n, n",
               const std::string& bounds = "i < n, j < n") {
  const soac::Program program =
      soac::parse("program \"p\" (x: f32[n, k], y: f32[k1, n1], w: f32[n2], m: i64) {\n  c: f32[" + shape +
                      "] = map (" + bounds + ") {\n" + points +
                      "\n  }\n  return c\n}\nsites {\n  1 index \"out\"\n  2 index \"out\"\n}\n",
                  "symmetry");
  return is_symmetric(*program.arena, std::get<Soac>(program.body[0].op));
}
std::string sum_of(const std::string& term) {
  return "s: f32 = redomap (l < k) { " + term + " } reduce add comm neutral 0f\n return ";
}

TEST(Symmetry, Products) {
  EXPECT_TRUE(of_points(sum_of("x[i, l] * x[j, l]") + "s"));
  EXPECT_TRUE(of_points(sum_of("y[l, i] * y[l, j]") + "s * 2f + w[i] * w[j]"));
  EXPECT_TRUE(of_points(sum_of("(x[i, l] - w[i]) * (x[j, l] - w[j])") + "s"));
  EXPECT_TRUE(of_points(sum_of("x[i, l]@1 * x[j, l]@1") + "s"));
  EXPECT_TRUE(
      of_points("s: f32 = redomap (l < k) { x[i, l] + x[j, l] } reduce min comm neutral f32:inf\n return s"));
}

TEST(Symmetry, Differences) {
  EXPECT_TRUE(of_points(sum_of("(x[i, l] - x[j, l]) * (x[i, l] - x[j, l])") + "s"));
  EXPECT_TRUE(of_points(sum_of("abs(x[i, l] - x[j, l])") + "s"));
  EXPECT_TRUE(of_points(sum_of("exp(-abs(x[j, l] - x[i, l]))") + "s"));
  EXPECT_FALSE(of_points(sum_of("x[i, l] - x[j, l]") + "s"));
  EXPECT_FALSE(of_points(sum_of("(x[i, l] - x[j, l]) * (x[i, l] + w[j])") + "s"));
}

TEST(Symmetry, Others) {
  EXPECT_FALSE(of_points(sum_of("x[i, l] * y[l, j]") + "s")) << "of two arrays";
  EXPECT_FALSE(of_points(sum_of("x[i, l] * x[j, l]") + "s + w[i]")) << "what is made of the sum";
  EXPECT_FALSE(of_points(sum_of("x[i, l]@1 * x[j, l]@2") + "s")) << "another check fails";
  EXPECT_FALSE(of_points(sum_of("x[i, l] * x[j, l]") + "s", "n, m", "i < n, j < m")) << "another extent";
  EXPECT_FALSE(
      of_points("s: f32 = redomap (l < k) { x[i, l] * x[j, l] } reduce add comm neutral w[i]\n return s"))
      << "what the sum begins with";
  EXPECT_FALSE(
      of_points("s: f32 = redomap (l < i) { x[i, l] * x[j, l] } reduce add comm neutral 0f\n return s"))
      << "how many terms";
}

}  // namespace
}  // namespace fulgurite::soac
