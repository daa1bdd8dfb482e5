// Expressions as text: what is printed is read back as the same expression; bad text gives FormatError.
#include <fulgurite/error.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "random_expr.h"
#include "scalar/parse.h"
#include "scalar/print.h"

namespace fulgurite::scalar {
namespace {

class TextTest : public testing::Test {
 protected:
  Arena a;
  Expr n = a.fresh({}, "n"), i = a.fresh({}, "i");
  Expr x = a.fresh({Kind::f32, 0, 1}, "x"), p = a.fresh({Kind::boolean, 0, 1}, "p");
  Expr xs = a.fresh_array(Kind::f32, {n}, "xs"), ys = a.fresh_array(Kind::f32, {n, n}, "ys");
  Expr v = a.fresh({Kind::f32, 0, 16}, "v");

  Expr read(std::string_view text) {
    Lexer lexer(text, "test");
    const Expr e = parse(lexer, a, [&](std::string_view name) -> Expr {
      for (Expr known : {n, i, x, p, xs, ys, v})
        if (a.info(known.var()).name == name) return known;
      return {};
    });
    if (lexer.peek().kind != Token::Kind::end) lexer.fail("expected the end");
    return e;
  }
  std::string write(Expr e) {
    std::string text;
    print(text, e, [&](Expr node) {
      return node.is_name() ? std::string_view(a.info(node.var()).name) : std::string_view();
    });
    return text;
  }
};

TEST_F(TextTest, RoundTrips) {
  for (const char* text : {"n + i",
                           "n - 1",
                           "n - i - 1",
                           "n - (i - 1)",
                           "(n + i) * 2",
                           "n * 2 + i",
                           "n / 2 % 3",
                           "n /@3 i",
                           "n %@4 (i + 1)",
                           "ceil_div(n, i)@3 + ceil_div(n, 2)",
                           "-x",
                           "--x",
                           "-n",
                           "!p",
                           "~n",
                           "p & n < i | x == 0f",
                           "(p | p) & p",
                           "(n & i) == 0",
                           "n << 2 >> i",
                           "n << (2 >> i)",
                           "xs[i]",
                           "xs[n - 1 - i]@2",
                           "ys[i, n / 2]",
                           "exp(x) * 2f",
                           "select(p, x, 1f)",
                           "min(n, i)",
                           "fma(x, x, x)",
                           "f32(n)",
                           "i8(x)",
                           "bool(x)",
                           "bitcast(u32, x)",
                           "-3",
                           "9223372036854775807",
                           "-9223372036854775808",
                           "3i32",
                           "-128i8",
                           "255u8",
                           "18446744073709551615u64",
                           "0.5",
                           "0.0",
                           "-0.0",
                           "-0f",
                           "1e+20f",
                           "1e-45f",
                           "1e+300",
                           "f32:inf",
                           "f64:-inf",
                           "f32:nan",
                           "f32:0x7fc00001",
                           "true",
                           "splat(x, 16) + v",
                           "any(v < splat(x, 16))",
                           "lane(i64, 16)",
                           "atan2(x, x)",
                           "(n < i) == (i < n)",
                           "x - -1f",
                           "n - -9223372036854775808"}) {
    SCOPED_TRACE(text);
    const Expr e = read(text);
    const std::string again = write(e);
    EXPECT_EQ(read(again), e) << again;
    if (std::string_view(text) != "n - -9223372036854775808") {
      EXPECT_EQ(again, text);
    }
  }
}

TEST_F(TextTest, OtherSpellings) {
  EXPECT_EQ(read("x > 1f"), read("1f < x"));
  EXPECT_EQ(read("x >= 1f"), read("1f <= x"));
  EXPECT_EQ(read("n - 3"), read("n + -3"));
  EXPECT_NE(read("n - (3)"), read("n + -3")) << "as it stands";
}

TEST_F(TextTest, PropertyRandomExpressionsRoundTrip) {
  const bool held = rc::check("parse(print(e)) == e", [] {
    Arena arena;
    test::RandomExprs random(arena, *rc::gen::arbitrary<std::uint64_t>());
    for (int k = 0; k < 60; ++k) random.grow(true);
    Names names(arena);
    std::unordered_map<std::string_view, Expr> named;
    for (Expr e : random.vars) named[names(e.var())] = e;
    for (const test::Pair& pair : random.pool)
      for (Expr e : {pair.exact, pair.folded}) {
        std::string text;
        print(text, e, [&](Expr node) { return node.is_name() ? names(node.var()) : std::string_view(); });
        if (text.size() > 2000) continue;
        Lexer lexer(text);
        const Expr again = parse(lexer, arena, [&](std::string_view name) { return named.at(name); });
        RC_ASSERT(again == e);
      }
  });
  EXPECT_TRUE(held);
}

TEST_F(TextTest, BadTextIsRefused) {
  for (const char* text : {"",
                           "n +",
                           "n + x",
                           "xs + xs",
                           "xs[i, i]",
                           "xs[x]",
                           "exp(n)",
                           "exp(x, x)",
                           "unknown",
                           "unknown(x)",
                           "(n",
                           "256u8",
                           "1e999f",
                           "3i7",
                           "f32(x)",
                           "bitcast(i64, x)",
                           "n < i < n < p",
                           "f32:5",
                           "i64:inf",
                           "splat(x, 1)",
                           "lane(f32, 4)",
                           "all(p)",
                           "n $ i",
                           "select(n, x, x)",
                           "1.2.3",
                           "-",
                           "\"",
                           "ys[i]",
                           "bitcast(bool, x)",
                           "i64:-"}) {
    SCOPED_TRACE(text);
    EXPECT_THROW(read(text), FormatError);
  }
}

TEST_F(TextTest, DeepTextIsRefusedNotACrash) {
  EXPECT_THROW(read(std::string(100000, '(') + "n"), FormatError);
  EXPECT_THROW(read(std::string(100000, '-') + "n"), FormatError);
}

TEST_F(TextTest, ErrorsNameTheLine) {
  try {
    read("n +\n\n  oops");
    FAIL();
  } catch (const FormatError& e) {
    EXPECT_EQ(e.line(), 3u);
    EXPECT_EQ(e.file(), "test");
  }
}

TEST_F(TextTest, QuotedTextsRoundTrip) {
  const std::string nasty = "a \"b\" \\ \n \x01 {0} \xc3\xa9";
  const std::string text = scalar::quoted(nasty);
  Lexer lexer(text);
  EXPECT_EQ(lexer.text(), nasty);
}

TEST_F(TextTest, NamesAreUniqueWords) {
  Names names(a);
  const Expr one = a.fresh({}, "t"), two = a.fresh({}, "t"), three = a.fresh({}, "t_1"),
             four = a.fresh({}, "exp"), five = a.fresh({}, "3 <"), six = a.fresh({}, "return");
  std::unordered_set<std::string> seen;
  for (Expr e : {one, two, three, four, five, six})
    EXPECT_TRUE(seen.insert(std::string(names(e.var()))).second) << names(e.var());
  EXPECT_EQ(names(one.var()), "t");
  EXPECT_EQ(names(four.var()), "exp_");
  EXPECT_EQ(names(five.var()), "x3__");
  EXPECT_EQ(names(six.var()), "return_");
}

TEST_F(TextTest, DescribeIsBounded) {
  Expr e = x;
  for (int k = 0; k < 100; ++k) e = e + e;
  EXPECT_LT(describe(a, e).size(), 400u);
}

}  // namespace
}  // namespace fulgurite::scalar
