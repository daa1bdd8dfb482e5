// Arrays and combinators inside functions that run for each element.

#include "agree.h"

namespace fulgurite::testing_lower {
namespace {

void expect_agreement_on_matrices(const std::string& text) {
  for (std::int64_t n : {0, 1, 3, 70, 700})
    for (std::int64_t m : {1, 2, 17, 100}) {
      SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(m));
      expect_agreement(text, {array_value({n, m}, numbers<std::int32_t>(n * m, 1000))});
    }
}

TEST(Nested, ArraysThatStayInside) {
  expect_agreement_on_matrices(R"(program "deviation" (x: i32[n, m]) {
    y: i32[n], z: i32[n, m] = map (i < n) {
      r: i32[m] = map (j < m) { x[i, j] * 2i32 + 1i32 }
      s: i32 = redomap (k < m) { r[k] } reduce add comm neutral 0i32
      d: i32[m] = map (l < m) { r[l] * i32(m) - s + r[m - 1 - l] }
      t: i32 = redomap (p < m) { d[p] * d[p] } reduce add comm neutral 0i32
      return t + r[0], d
    }
    return y, z
  })");
}

TEST(Nested, ScansOfRows) {
  expect_agreement_on_matrices(R"(program "rows" (x: i32[n, m]) {
    y: i32[n, m], t: i32[n] = map (i < n) {
      total: i32, r: i32[m] = redomap (j < m) {
        s: i32 = scan exclusive (x[i, j]) add comm neutral 0i32 initial 3i32
        f: i32 = scan (x[i, j]) (a: i32, b: i32) { b }
        return x[i, j], s + f
      } reduce add comm neutral 0i32 initial 3i32
      return r, total
    }
    best: i32[n] = map (i_1 < n) {
      b: i32 = redomap (j_1 < m) {
        s_1: i32 = scan (x[i_1, j_1] - 500i32) add comm neutral 0i32
        return s_1
      } reduce max comm neutral -2147483648i32
      return b
    }
    return y, t, best
  })");
}

TEST(Nested, ScatterAndHistogramOfRows) {
  expect_agreement_on_matrices(R"(program "rows" (x: i32[n, m]) {
    y: i32[n, m], h: i32[n, 7], w: i32[n] = map (i < n) {
      r: i32[m], c: i32[7] = redomap (j < m) { m - 1 - j * 2, x[i, j], i64(x[i, j] % 7i32), 1i32 } scatter (m) (k: i64) { x[i, k] + 1i32 } scatter (7) (l: i64) { i32(l) } combine add comm neutral 0i32
      s: i32 = redomap (p < 7) { c[p] * c[p] } reduce add comm neutral 0i32
      return r, c, s
    }
    return y, h, w
  })");
}

// What a condition says of sizes holds in the branch that is taken, and its negation in the other one.
TEST(Nested, SizesThatAConditionBounds) {
  const std::string sorted = R"({
        s: i64 = let max(min(x[i], m), 0)
        a: i64[s] = map (j < s) { (j * 7 + x[i]) % 11 }
        b: i64[s] = sort (a) by (v: i64) { u64(v) }
        t: i64 = redomap (k < s) { b[k] * (k + 1) } reduce add comm neutral 0
        return t
      })";
  for (const std::string& branches : {"{ 7 } else " + sorted, sorted + " else { 7 }"})
    for (const std::string condition : {"x[i] < 5", "5 <= x[i]"})
      expect_agreement(
          "program \"sizes\" (x: i64[n], m: i64) {\n    y: i64[n] = map (i < n) {\n      r: i64 = if " +
              condition + " " + branches + "\n      return r\n    }\n    return y\n  }",
          {array_value(numbers<std::int64_t>(300, 40)), scalar_value(std::int64_t{30})});
}

// A fold in the order of the points walks the same body twice: the nests inside stand in both walks.
TEST(Nested, InPointsThatAreFoldedFirst) {
  expect_agreement(R"(program "twice" (x: i64[m], e: i64) {
    total: i64, scanned: i64[m] = redomap (i < m) {
      n: i64 = let max(x[i] % 6, 0)
      a: i64[n] = map (k < n) {
        p: i64 = scan (e | k) add comm neutral 0
        return p
      }
      sum: i64 = redomap (k_1 < n) { a[k_1] } reduce add comm neutral 0
      before: i64 = scan exclusive (sum) (l: i64, r: i64) { select(r != 0, r, l) } neutral 0
      return sum, before
    } reduce (l_1: i64, r_1: i64) { select(r_1 != 0, r_1, l_1) } neutral 0
    return total, scanned
  })",
                   {array_value(numbers<std::int64_t>(300, 40)), scalar_value(std::int64_t{5})});
}

TEST(Nested, PartitionsOfRows) {
  expect_agreement_on_matrices(R"(program "rows" (x: i32[n, m]) {
    y: i32[n], z: i64[n], u: i32[n], o: i64[n, 4] = map (i < n) {
      k: i64, o_1: i64[2], e: i32[k] = redomap (j < m) { i64(x[i, j] % 2i32), x[i, j] } partition 1 of 1
      q: i32[k] = map (p < k) { e[k - 1 - p] * i32(p + 1) }
      s: i32 = redomap (p_1 < k) { q[p_1] } reduce add comm neutral 0i32
      k2: i64, o_2: i64[4], e2: i32[k2] = redomap (j_1 < m) {
        r: i32 = scan (x[i, j_1]) add comm neutral 0i32
        return i64(r % 4i32), r
      } partition 3 of 1
      s2: i32 = redomap (p_2 < k2) { e2[p_2] * i32(p_2 + 1) } reduce add comm neutral 0i32
      return s, k, s2, o_2
    }
    return y, z, u, o
  })");
}

TEST(Nested, LoopsAndBranchesOverArrays) {
  expect_agreement_on_matrices(R"(program "steps" (x: i32[n, m]) {
    y: i32[n, m], z: i32[n] = map (i < n) {
      r: i32[m] = map (j < m) { x[i, j] }
      a: i32[m], b: i32[m], c: i32 = loop (r, r, 0i32) times 5 do (k: i64, p: i32[m], q: i32[m], s: i32) {
        t: i32[m] = map (j_1 < m) { p[j_1] + q[m - 1 - j_1] + i32(k) }
        return q, t, s + t[0]
      }
      d: i32[m] = if c % 2i32 == 0i32 { a } else {
        e: i32[m] = map (j_2 < m) { b[j_2] - a[j_2] }
        return e
      }
      f: i32[m], g: i32 = loop (d, 0i32) while (v: i32[m], l: i32) { l < 3i32 & v[0] % 3i32 != 1i32 } do (v_1: i32[m], l_1: i32) {
        w: i32[m] = redomap (j_3 < 1) { 0, v_1[0] + 1i32 } scatter (m) (h: i64) { v_1[h] }
        return w, l_1 + 1i32
      }
      sum: i32 = redomap (j_4 < m) { f[j_4] } reduce add comm neutral 0i32
      return f, sum + g
    }
    return y, z
  })");
}

/// The size depends on the element, but is known to be at most n.
TEST(Nested, Triangles) {
  for (std::int64_t n : {0, 1, 2, 100, 400})
    expect_agreement(R"(program "triangle" (x: i32[n]) {
      y: i32[n] = map (i < n) {
        r: i32[i + 1] = map (j < i + 1) { x[j] * i32(j) }
        s: i32 = redomap (k < i + 1) { r[i - k] - r[k] + r[k] % 7i32 } reduce add comm neutral 0i32
        return s
      }
      return y
    })",
                     {array_value(numbers<std::int32_t>(n, 100))});
}

TEST(Nested, InFoldsScansAndPartitions) {
  expect_agreement_on_matrices(R"(program "outer" (x: i32[n, m]) {
    t: i32, k: i64, o: i64[2], e: i32[k], y: i32[n] = redomap (i < n) {
      r: i32[m] = map (j < m) { x[i, j] * 2i32 + 1i32 }
      s: i32 = redomap (l < m) { r[m - 1 - l] * r[l] } reduce add comm neutral 0i32
      u: i32 = scan (s) add comm neutral 0i32
      return s, i64(u % 2i32), s, u
    } reduce add comm neutral 0i32 partition 1 of 1
    f: i32 = redomap (i_1 < n) {
      r_1: i32[m] = map (j_1 < m) { x[i_1, j_1] - 3i32 }
      s_1: i32 = redomap (l_1 < m) { r_1[m - 1 - l_1] * r_1[l_1] } reduce add comm neutral 0i32
      return s_1
    } reduce (a: i32, b: i32) {
      q: i32[3] = map (c < 3) { a + i32(c) }
      return q[0] * 0i32 + b
    } neutral 0i32
    return t, k, o, e, y, f
  })");
}

TEST(Nested, RowsOfOtherArrays) {
  expect_agreement_on_matrices(R"(program "copies" (x: i32[n, m]) {
    z: i32[m] = map (j < m) { i32(j) * 3i32 }
    y: i32[n, m], w: i32[n, m], v: i32[n, m] = map (i < n) {
      r: i32[m] = map (j_1 < m) { x[i, j_1] + z[j_1] }
      return z, r, r
    }
    return y, w, v
  })");
}

/// Tasks share a row where rows are few and long.
#ifdef FULGURITE_SANITIZED  // the interpreter takes its time
constexpr std::int64_t most_elements = 300000;
#else
constexpr std::int64_t most_elements = 5000000;
#endif
TEST(Nested, FewLongRows) {
  for (std::int64_t n : {1, 3, 63, 65})
    for (std::int64_t m : {1, 65536, 65537, 200001}) {
      if (n * m > most_elements) continue;
      SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(m));
      expect_agreement(R"(program "rows" (x: i32[n, m]) {
        y: i32[n], z: i32[n], w: i64[n] = map (i < n) {
          s: i32, t: i32, f: i32, g: i32, at: i64 = redomap (j < m) { x[i, j], x[i, j] - 500i32, 2i32 * x[i, j] + 1i32, i32(i), j } reduce add comm neutral 0i32 initial 100i32 reduce max comm reduce (a1: i32, b1: i32, a2: i32, b2: i32) { a1 * a2, b1 * a2 + b2 } neutral 1i32, 0i32 reduce (a: i64, b: i64) { b } initial -1
          return s + 1i32 + i32(i), t + f - g, at
        }
        return y, z, w
      })",
                       {array_value({n, m}, numbers<std::int32_t>(n * m, 1000))});
    }
}

// Nothing bounds a size that is read.
TEST(Nested, SizesThatAreRead) {
  expect_agreement(R"(program "irregular" (x: i32[n]) {
    y: i32[n] = map (i < n) {
      m: i64 = let i64(x[i])
      r: i32[m] = map (j < m) {
        s: i32 = scan (i32(j)) add comm neutral 0i32
        return s
      }
      return r[0] + r[m - 1]
    }
    return y
  })",
                   {array_value(std::vector<std::int32_t>{1, 2, 3})});
}

}  // namespace
}  // namespace fulgurite::testing_lower
