// Branches and loops whose state is arrays, and updates in place.
#include <fulgurite/stats.h>

#include "agree.h"

namespace fulgurite::testing_lower {
namespace {

TEST(State, SwapsAndShrinks) {
  for (std::int64_t n : {0, 1, 5, 1000}) {
    SCOPED_TRACE(n);
    expect_agreement(
        R"(program "swap" (x: i32[n], z: i32[n_1]) {
      y: i32[n] = map (i_1 < n) { z[i_1] }
      a: i32[n], b: i32[n], c: i32 = loop (x, y, 0i32) times 5 do (k: i64, p: i32[n], q: i32[n], s: i32) {
        r: i32[n] = map (i < n) { p[i] + i32(k) }
        return q, r, s + 1i32
      }
      return a, b, c
    })",
        {array_value(numbers<std::int32_t>(n, 100)), array_value(numbers<std::int32_t>(n, 100, 7))});
    expect_agreement(R"(program "halve" (x: i32[n]) {
      m: i64, a: i32[m] = loop (n, x) while (l: i64, v: i32[l]) { 10 < l } do (l_1: i64, v_1: i32[l_1]) {
        w: i32[l_1 / 2] = map (i < l_1 / 2) { v_1[2 * i] + v_1[2 * i + 1] }
        return l_1 / 2, w
      }
      s: i32 = redomap (i_2 < m) { a[i_2] } reduce add comm neutral 0i32
      return m, a, s
    })",
                     {array_value(numbers<std::int32_t>(n, 100))});
    expect_agreement(R"(program "filter until none is left" (x: i32[n]) {
      rounds: i64, m: i64, a: i32[m] = loop (0, n, x) while (r: i64, l: i64, v: i32[l]) { 0 < l } do (r_1: i64, l_1: i64, v_1: i32[l_1]) {
        k: i64, o: i64[2], w: i32[k] = redomap (i < l_1) { i64(v_1[i] % 2i32), v_1[i] / 2i32 } partition 1 of 1
        return r_1 + 1, k, w
      }
      return rounds, m, a
    })",
                     {array_value(numbers<std::int32_t>(n, 10000))});
  }
}

TEST(State, Branches) {
  for (std::int64_t n : {0, 1, 5, 1000})
    for (std::int64_t k : {0, 1}) {
      SCOPED_TRACE(n);
      expect_agreement(R"(program "choice" (x: i32[n], k: i64) {
        z: i32[n] = map (i < n) { x[i] * 3i32 }
        m: i64, a: i32[m], b: i32[n] = if k == 0 {
          y: i32[n + 1] = map (i_1 < n + 1) { i32(i_1) }
          return n + 1, y, x
        } else { n, z, z }
        s: i32 = redomap (i_2 < m) { a[i_2] } reduce add comm neutral 0i32
        return m, a, b, s
      })",
                       {array_value(numbers<std::int32_t>(n, 100)), scalar_value(k)});
    }
}

TEST(InPlace, UpdatesInALoopCopyOnce) {
  const std::string text = R"(program "fill" (x: i32[n], m: i64) {
    y: i32[n] = loop (x) times m do (k: i64, v: i32[n]) {
      w: i32[n] = redomap (i < 1) { k, i32(k) * 2i32 } scatter (n) (j: i64) { v[j] }
      return w
    }
    return y
  })";
  for (std::int64_t n : {1, 100, 20000}) {
    SCOPED_TRACE(n);
    expect_agreement(text, {array_value(numbers<std::int32_t>(n, 100)),
                            scalar_value<std::int64_t>(std::min<std::int64_t>(n, 50))});
  }
  const soac::Program program = soac::parse(text, "test.soac");
  const std::int64_t n = 1 << 20;
  const std::vector<Value> args = {array_value(numbers<std::int32_t>(n, 100)),
                                   scalar_value<std::int64_t>(100)};
  const auto before = stats();
  testing_pipeline::run(program, args, strict());
  const auto moved = stats().bytes_moved - before.bytes_moved;
  EXPECT_GE(moved, 8u * n);
  EXPECT_LE(moved, 9u * n);
}

// x[k] += 1, and every element of a slice doubled: each point reads only what it stores to.
TEST(InPlace, UpdatesOfWhatTheyReadCopyOnce) {
  const std::string text = R"(program "count" (x: i32[n], m: i64) {
    y: i32[n] = loop (x) times m do (k: i64, v: i32[n]) {
      w: i32[n] = redomap (i < 1) { k, v[k] + 1i32 } scatter (n) (j: i64) { v[j] }
      u: i32[n] = redomap (i_1 < 10) { i_1 + k, w[i_1 + k] * 2i32 } scatter (n) (j_1: i64) { w[j_1] }
      return u
    }
    return y
  })";
  for (std::int64_t n : {60, 100, 20000}) {
    SCOPED_TRACE(n);
    expect_agreement(text, {array_value(numbers<std::int32_t>(n, 100)), scalar_value<std::int64_t>(50)});
  }
  const soac::Program program = soac::parse(text, "test.soac");
  const std::int64_t n = 1 << 20;
  const std::vector<Value> args = {array_value(numbers<std::int32_t>(n, 100)),
                                   scalar_value<std::int64_t>(100)};
  const auto before = stats();
  testing_pipeline::run(program, args, strict());
  EXPECT_LE(stats().bytes_moved - before.bytes_moved, 10u * n);
}

// Places that several points may store to: all of them read the old element.
TEST(InPlace, NotWhereOnePointStoresToWhatAnotherReads) {
  for (std::int64_t n : {3, 100, 20000}) {
    SCOPED_TRACE(n);
    expect_agreement(R"(program "all to one" (x: i32[n]) {
      v: i32[n] = map (i < n) { x[i] + 1i32 }
      w: i32[n] = redomap (i_1 < n) { i_1 / n, v[i_1 / n] + 1i32 } scatter (n) (j: i64) { v[j] }
      u: i32[n] = redomap (i_2 < n) { i_2 / 3, w[i_2 / 3] * 2i32 } scatter (n) (j_1: i64) { w[j_1] }
      return u
    })",
                     {array_value(numbers<std::int32_t>(n, 100))});
  }
}

TEST(InPlace, NotWhereTheOldArrayIsReadAgain) {
  for (std::int64_t n : {1, 2, 100, 20000}) {
    SCOPED_TRACE(n);
    expect_agreement(R"(program "both" (x: i32[n]) {
      v: i32[n] = map (i < n) { x[i] + 1i32 }
      w: i32[n] = redomap (i_1 < 1) { 0, 7i32 } scatter (n) (j: i64) { v[j] }
      u: i32[n] = redomap (i_2 < n) { n - 1 - i_2, w[i_2] } scatter (n) (j_1: i64) { w[j_1] }
      t: i32[n], t2: i32[n] = redomap (i_3 < 1) { 0, u[n - 1] + 1i32, 5i32 } scatter (n) (j_2: i64) { u[j_2], u[j_2] }
      return w, v, t, t2
    })",
                     {array_value(numbers<std::int32_t>(n, 100))});
    expect_agreement(R"(program "kept by a loop's other state" (x: i32[n]) {
      a: i32[n], b: i32[n] = loop (x, x) times 4 do (k: i64, p: i32[n], q: i32[n]) {
        w: i32[n] = redomap (i < 1) { k % n, i32(k) + 100i32 } scatter (n) (j: i64) { p[j] }
        return w, p
      }
      return a, b
    })",
                     {array_value(numbers<std::int32_t>(n, 100))});
  }
}

TEST(State, ResultsThatAreOneArray) {
  expect_agreement(R"(program "twice" (x: i32[n]) {
    y: i32[n] = map (i < n) { x[i] + 1i32 }
    a: i32[n], b: i32[n] = if 0 < n { y, y } else { x, y }
    return a, b, y, x, y
  })",
                   {array_value(numbers<std::int32_t>(100, 100))});
}

}  // namespace
}  // namespace fulgurite::testing_lower
