// Scans, scatters and partitions on the cpu engine.
#include "agree.h"
#include "lower/lower.h"

namespace fulgurite::testing_lower {
namespace {

void expect_agreement_on_integers(const std::string& text, int below = 1000) {
  for (std::int64_t n : sizes) {
    SCOPED_TRACE(n);
    expect_agreement(text, {array_value(numbers<std::int32_t>(n, below))});
  }
}

TEST(Scan, Inclusive) {
  expect_agreement_on_integers(R"(program "sums" (x: i32[n]) {
    y: i32[n] = map (i < n) {
      s: i32 = scan (x[i]) add comm neutral 0i32
      return s
    }
    return y
  })");
}

TEST(Scan, ExclusiveWithTotal) {
  expect_agreement_on_integers(R"(program "places" (x: i32[n]) {
    total: i32, y: i32[n] = redomap (i < n) {
      s: i32 = scan exclusive (x[i] % 7i32) add comm neutral 0i32 initial 5i32
      return x[i] % 7i32, s
    } reduce add comm neutral 0i32 initial 5i32
    return total, y
  })");
}

TEST(Scan, SeveralAndWhatComesBehind) {
  expect_agreement_on_integers(R"(program "several" (x: i32[n]) {
    big: i32, y: i32[n], z: i32[n] = redomap (i < n) {
      s: i32 = scan (x[i] % 7i32) add comm neutral 0i32
      m: i32 = scan exclusive (x[n - 1 - i]) max comm neutral -2147483648i32
      return s - m, s + 1i32, m
    } reduce max comm neutral -2147483648i32
    return big, y, z
  })");
}

/// Composition of x -> a * x + b does not commute.
TEST(Scan, OfFunctions) {
  expect_agreement_on_integers(R"(program "functions" (x: i32[n]) {
    y: i32[n], z: i32[n] = map (i < n) {
      a: i32, b: i32 = scan (x[i] * 2i32 + 1i32, x[i]) (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32
      return a, b
    }
    return y, z
  })");
}

TEST(Scan, WithoutNeutralElement) {
  expect_agreement_on_integers(R"(program "first" (x: i32[n]) {
    y: i32[n], z: i32[n] = map (i < n) {
      a: i32 = scan (x[i]) (p: i32, q: i32) { p * q + 1i32 - 1i32 }
      b: i32 = scan exclusive (x[i]) min comm initial 77i32
      return a, b
    }
    return y, z
  })");
}

TEST(Scan, OverTheWholeOfARank2Space) {
  for (std::int64_t n : {0, 1, 3, 200})
    for (std::int64_t m : {0, 1, 5, 333}) {
      SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(m));
      expect_agreement(R"(program "rank2" (x: i32[n, m]) {
        t: i32, z: i32[m, n], y: i32[n, m] = redomap (i < n, j < m) {
          s: i32 = scan (x[i, j]) add comm neutral 0i32
          return x[i, j] + i32(j), j, i, s, s
        } reduce max comm neutral 0i32 scatter (m, n) (k: i64, l: i64) { i32(k) } 
        return t, y, z
      })",
                       {array_value({n, m}, numbers<std::int32_t>(n * m, 100))});
    }
}

TEST(Scatter, Permutes) {
  expect_agreement_on_integers(R"(program "reverse" (x: i32[n]) {
    y: i32[n] = redomap (i < n) { n - 1 - i, x[i] * 2i32 } scatter (n) (j: i64) { 0i32 }
    return y
  })");
}

TEST(Scatter, LeavesWhatNobodyStoresAndDropsWhatIsOutside) {
  expect_agreement_on_integers(R"(program "sparse" (x: i32[n]) {
    y: i32[n], w: f32[n] = redomap (i < n) { 2 * i - 3, x[i], f32(i) } scatter (n) (j: i64) { x[j], 0.5f }
    s: i32, v: i32[7, 3], q: i32[n] = redomap (i_1 < n) { y[i_1], i_1 - 2, i_1 % 4, x[i_1 * 0], x[i_1] + 1i32 } reduce add comm neutral 0i32 scatter (7, 3) (a: i64, b: i64) { i32(a * b) }
    return y, w, s, q
  })");
}

TEST(Histogram, Counts) {
  expect_agreement_on_integers(R"(program "counts" (x: i32[n]) {
    y: i32[10] = redomap (i < n) { i64(x[i] % 13i32) - 1, 1i32 } scatter (10) (j: i64) { i32(j) } combine add comm neutral 0i32
    return y
  })");
}

TEST(Histogram, LongerThanItsInput) {
  expect_agreement_on_integers(R"(program "large" (x: i32[n]) {
    y: i32[70000] = redomap (i < n) { i64(x[i]) * 70, i32(i) } scatter (70000) (j: i64) { 1i32 } combine add comm neutral 0i32
    return y
  })");
}

/// Functions x -> a * x + b, composed; without a neutral element.
TEST(Histogram, OperatorThatDoesNotCommute) {
  expect_agreement_on_integers(R"(program "composed" (x: i32[n]) {
    most: i32, y: i32[4, 5], z: i32[4, 5] = redomap (i < n) {
      let p = i64(x[i] % 21i32)
      return x[i], p / 5, p % 5, x[i] * 2i32 + 1i32, i32(i)
    } reduce max comm neutral -1i32 scatter (4, 5) (j: i64, k: i64) { 3i32, i32(j * k) } combine (a: i32, b: i32, c: i32, d: i32) { a * c, b * c + d }
    return y, z, most
  })");
}

TEST(Filter, KeepsAndCounts) {
  expect_agreement_on_integers(R"(program "filter" (x: i32[n]) {
    m: i64, o: i64[2], y: i32[m], p: i64[m] = redomap (i < n) { i64(x[i] % 2i32), x[i], i } partition 1 of 2
    s: i32 = redomap (i_1 < m) { y[i_1] } reduce add comm neutral 0i32
    z: i32[m] = map (i_2 < m) { y[m - 1 - i_2] }
    return m, o, y, p, s, z
  })");
}

TEST(Partition, IntoThree) {
  expect_agreement_on_integers(R"(program "three" (x: i32[n]) {
    m: i64, o: i64[4], y: i32[m] = redomap (i < n) { i64(x[i] % 5i32) - 1, x[i] } partition 3 of 1
    return m, o, y
  })");
}

TEST(Partition, IntoAsManyAsARunTimeValueSays) {
  for (std::int64_t n : {0, 1, 100, 40000})
    for (std::int64_t k : {1, 2, 9, 1000})
      expect_agreement(R"(program "many" (x: i32[n], k: i64) {
        m: i64, o: i64[k + 1], y: i32[m] = redomap (i < n) { i64(x[i]) % (k + 1), x[i] } partition k of 1
        return m, o, y
      })",
                       {array_value(numbers<std::int32_t>(n, 3000)), scalar_value(k)});
}

/// Where a running sum passes a multiple of 100.
TEST(Partition, ByARunningValue) {
  expect_agreement_on_integers(R"(program "marks" (x: i32[n]) {
    m: i64, o: i64[2], y: i32[m], m1: i64, o1: i64[3], y1: i64[m1], r: i32[n] = redomap (i < n) {
      s: i32 = scan (x[i] % 10i32) add comm neutral 0i32
      let c = i64((s / 100i32 + 10000i32) - ((s - x[i] % 10i32) / 100i32 + 10000i32))
      return 1 - c, s, i64(x[i] % 3i32), i, s
    } partition 1 of 1 partition 2 of 1
    return m, o, y, m1, o1, y1, r
  })");
}

TEST(Everything, AtOnce) {
  expect_agreement_on_integers(R"(program "outputs" (x: i32[n]) {
  total: i32, back: i32[n], counts: i64[3], n_even: i64, starts: i64[2], even: i32[n_even], n_all: i64, ends: i64[3], sorted: i32[n_all], place: i64[n_all], running: i32[n], before: i32[n] = redomap (i < n) {
    upto: i32 = scan (x[i]) add comm neutral 0i32
    less: i32 = scan exclusive (x[i]) add comm neutral 0i32 initial 100i32
    let t = i64(x[i] % 2i32)
    return x[i], n - 1 - i, x[i], i64(x[i] % 3i32), 1, t, x[i], t, x[i], i, upto, less
  } reduce add comm neutral 0i32 scatter (n) (j: i64) { i32(j) } scatter (3) (j_1: i64) { 10 } combine add comm neutral 0 partition 1 of 1 partition 2 of 2
  return total, back, counts, even, starts, sorted, place, ends, running, before
})");
}

// The last value of equal places stays, which needs no care where there is one point.
TEST(Scatter, OfOnePointNeedsNoOrder) {
  const auto is_ordered = [](const std::string& n) {
    const soac::Program program = soac::parse("program p(x: i32[m], k: i64) { y: i32[m] = redomap (i < " + n +
                                              ") { k, 1i32 } scatter (m) (j: i64) { x[j] } return y }");
    const lower::Lowered lowered = lower::lower(program, {});
    return std::ranges::any_of(lowered.notes, [](const lower::LaunchNote& note) {
      return note.launch && std::ranges::any_of(note.launch->phases, [](const schedule::Phase& phase) {
               return phase.name == "store";
             });
    });
  };
  EXPECT_FALSE(is_ordered("1"));
  EXPECT_TRUE(is_ordered("2"));
}

}  // namespace
}  // namespace fulgurite::testing_lower
