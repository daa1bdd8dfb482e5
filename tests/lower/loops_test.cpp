// Loops inside points, which lanes leave at different times, on the cpu engine.
#include "agree.h"

namespace fulgurite::testing_lower {
namespace {

TEST(Checks, AreNotMadeWhereTheyAreOff) {
  const soac::Program program = soac::parse(R"(program "checked" (x: i32[n], k: i64) {
    check k == n site 1 (k, n)
    s: i32 = redomap (i < n) { x[i] } reduce add comm neutral 0i32
    return s
  }
  sites { 1 shape "{0} is not {1}" })",
                                            "test.soac");
  const std::vector<Value> arguments{array_value<std::int32_t>({1, 2, 3}), scalar_value(std::int64_t{4})};
  Options options = strict();
  EXPECT_THROW(testing_pipeline::run(program, arguments, options), ShapeError);
  options.checks = Checks::off;
  EXPECT_TRUE(soac::same(testing_pipeline::run(program, arguments, options).at(0), scalar_value(6)));
}

void expect_agreement_on(const std::string& text, int below = 100) {
  for (std::int64_t n : {0, 1, 15, 64, 65, 1000, 5000}) {
    SCOPED_TRACE(n);
    expect_agreement(text, {array_value(numbers<std::int32_t>(n, below))});
  }
}

/// What is read after the loop, and what is not.
TEST(Loops, CountTheirIterations) {
  expect_agreement_on(R"(program "collatz" (x: i32[n]) {
    y: i32[n], z: i64[n] = map (i < n) {
      v: i32, k: i64 = loop (x[i] + 1i32, 0) while (a: i32, b: i64) { a != 1i32 & b < 60 } do (a_1: i32, b_1: i64) {
        select(a_1 % 2i32 == 0i32, a_1 / 2i32, 3i32 * a_1 + 1i32), b_1 + 1
      }
      w: i32, l: i64 = loop (x[i] + 1i32, 0) while (a_2: i32, b_2: i64) { a_2 != 1i32 & b_2 < 60 } do (a_3: i32, b_3: i64) {
        select(a_3 % 2i32 == 0i32, a_3 / 2i32, 3i32 * a_3 + 1i32), b_3 + 1
      }
      return v, k + l
    }
    return y, z
  })");
}

TEST(Loops, CountersOfOtherKindsAndStarts) {
  expect_agreement_on(R"(program "counters" (x: i32[n]) {
    y: f32[n], z: i32[n], w: u8[n] = map (i < n) {
      a: f32, b: i32, c: u8, d: f64 = loop (1.0f, x[i], 250u8, 0.0) while (p: f32, q: i32, r: u8, s: f64) { p < 1000.0f & q < 150i32 & s < 90.0 } do (p_1: f32, q_1: i32, r_1: u8, s_1: f64) {
        p_1 * 2.0f, q_1 + 7i32, r_1 + 1u8, s_1 + f64(x[i])
      }
      return a, b, c
    }
    return y, z, w
  })");
}

/// A lane that has left goes on to places that are not there, and to zero.
TEST(Loops, LanesThatHaveLeftDoNotFail) {
  const std::string text = R"(program "ends" (x: i32[n], t: i32[m]) {
    y: i32[n], z: i32[n] = map (i < n) {
      p: i64, s: i32 = loop (0, 0i32) while (a: i64, b: i32) { a < m } do (a_1: i64, b_1: i32) {
        a_1 + i64(x[i] % 5i32) + 1, b_1 + t[a_1]@1
      }
      v: i32, q: i32 = loop (x[i], 0i32) while (c: i32, d: i32) { 0i32 < c } do (c_1: i32, d_1: i32) {
        c_1 - 1i32, d_1 + 1000i32 /@2 c_1
      }
      return s, q
    }
    return y, z
  }
  sites {
    1 index @"test.soac":4 "outside"
    2 arithmetic @"test.soac":7 "division by zero"
  })";
  for (std::int64_t n : {1, 17, 64, 1000})
    expect_agreement(text,
                     {array_value(numbers<std::int32_t>(n, 50)), array_value(numbers<std::int32_t>(13, 50))});
}

TEST(Loops, BranchesAndLoopsInThem) {
  expect_agreement_on(R"(program "nested" (x: i32[n]) {
    y: i32[n], z: i32[n] = map (i < n) {
      a: i32, b: i32, c: i32 = loop (x[i], 0i32, 0i32) while (p: i32, q: i32, r: i32) { 0i32 < p } do (p_1: i32, q_1: i32, r_1: i32) {
        l: i32, k: i32 = loop (p_1, 0i32) while (u: i32, v: i32) { 3i32 < u & v < 9i32 } do (u_1: i32, v_1: i32) { u_1 / 2i32, v_1 + 1i32 }
        e: i32, f: i32 = if p_1 % 3i32 == 0i32 {
          g: i32 = loop (l) times i64(p_1 % 4i32) do (h: i64, w: i32) { w + i32(h) + k }
          return g, q_1
        } else {
          return r_1 - l, q_1 + 1i32
        }
        return p_1 - l - 1i32, f + k, e
      }
      return b, c
    }
    return y, z
  })");
}

}  // namespace
}  // namespace fulgurite::testing_lower
