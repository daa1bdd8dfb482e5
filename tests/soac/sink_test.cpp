// Which statements move into the branch that alone needs them, and which stay.
#include "soac/sink.h"

#include <gtest/gtest.h>

#include <string>

#include "soac/check.h"
#include "soac/parse.h"
#include "soac/print.h"

namespace fulgurite::soac {
namespace {

std::string sunk(const std::string& statements) {
  Program program = parse("program \"p\" (x: i64[n], z: i64) {\n" + statements +
                          "}\nsites {\n  1 arithmetic \"division by zero\"\n  2 index \"index {0}\"\n}\n");
  sink(program);
  check(program, "sink");
  return print(program);
}

// Where the text stands in the program, before or after another one.
void expect_order(const std::string& program, const char* first, const char* second) {
  const std::size_t a = program.find(first), b = program.find(second);
  EXPECT_NE(a, std::string::npos) << program;
  EXPECT_NE(b, std::string::npos) << program;
  EXPECT_LT(a, b) << program;
}

constexpr const char* quotients = "  q: i64[n] = map (i < n) { x[i] /@1 z }\n";

TEST(Sink, WhatMayFailAndWhatDependsOnIt) {
  const std::string program =
      sunk(std::string(quotients) + R"(  s: i64 = redomap (i < n) { q[i] } reduce add comm neutral 0
  r: i64 = if 0 < z {
    return s + 1
  } else {
    return z
  }
  return r
)");
  expect_order(program, "if", "x[i] /@1 z");
  expect_order(program, "x[i] /@1 z", "reduce add");
  expect_order(program, "reduce add", "else");
}

TEST(Sink, IntoTheInnermostBranch) {
  const std::string program = sunk(std::string(quotients) + R"(  r: i64 = if 0 < z {
    t: i64 = if z < n {
      return q[z]@2
    } else {
      return z
    }
    return t
  } else {
    return z
  }
  return r
)");
  expect_order(program, "z < n", "x[i] /@1 z");
}

TEST(Sink, WhatCannotFailStays) {
  const std::string program = sunk(R"(  q: i64[n] = map (i < n) { x[i] * z }
  r: i64 = if 0 < z {
    s: i64 = redomap (i < n) { q[i] } reduce add comm neutral 0
    return s
  } else {
    return z
  }
  return r
)");
  expect_order(program, "x[i] * z", "if");
}

TEST(Sink, WhatIsNeededElsewhereStays) {
  const std::string use = "    s: i64 = redomap (i < n) { q[i] } reduce add comm neutral 0\n    return s\n";
  const std::string other = "    t: i64 = redomap (i < n) { q[i] } reduce max comm neutral 0\n    return t\n";
  const std::string zero = "    return z\n";
  const auto branches = [&](const std::string& yes, const std::string& no) {
    return quotients + ("  r: i64 = if 0 < z {\n" + yes + "  } else {\n" + no + "  }\n");
  };
  expect_order(sunk(branches(use, other) + "  return r\n"), "x[i] /@1 z", "if");
  expect_order(sunk(branches(use, zero) + "  return r, q\n"), "x[i] /@1 z", "if");
  expect_order(sunk(branches(use, zero) + "  return r\n"), "if", "x[i] /@1 z");
  expect_order(sunk(branches(zero, use) + "  return r\n"), "else", "x[i] /@1 z");
}

// Nothing that stays mentions a name that has moved: what nothing needs goes.
TEST(Sink, WhatNothingNeedsGoes) {
  const std::string program =
      sunk(std::string(quotients) + R"(  unused: i64 = redomap (i < n) { q[i] } reduce max comm neutral 0
  r: i64 = if 0 < z {
    s: i64 = redomap (i < n) { q[i] } reduce add comm neutral 0
    return s
  } else {
    return z
  }
  return r
)");
  expect_order(program, "if", "x[i] /@1 z");
  EXPECT_EQ(program.find("unused"), std::string::npos) << program;
}

TEST(Sink, LoopsThatMayNotEnd) {
  const std::string program = sunk(R"(  w: i64 = loop (z) while (a: i64) { a < n } do (b: i64) { b * 2 }
  r: i64 = if 0 < z {
    return w
  } else {
    return 0
  }
  return r
)");
  expect_order(program, "if", "while");
}

}  // namespace
}  // namespace fulgurite::soac
