// The text form: what is printed is read back as the same program; shared parts keep text short; bad text
// gives FormatError.
#include <fulgurite/error.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "random_program.h"
#include "soac/check.h"
#include "soac/parse.h"
#include "soac/print.h"

namespace fulgurite::soac {
namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Text, FilesAreAsPrinted) {
  int n_files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(FULGURITE_TEST_DATA)) {
    if (entry.path().extension() != ".soac") continue;
    SCOPED_TRACE(entry.path());
    ++n_files;
    const std::string text = contents(entry.path());
    EXPECT_EQ(print(parse(text, entry.path().filename())), text);
  }
  EXPECT_GE(n_files, 5);
}

TEST(Text, PropertyRandomProgramsRoundTrip) {
  const bool held = rc::check("parse(print(p)) prints, computes and digests the same", [] {
    RandomProgram random(*rc::gen::arbitrary<std::uint64_t>());
    const Program program = random.make(5);
    check(program, "the generator");
    const std::string text = print(program);
    const Program again = parse(text, "random.soac");
    RC_ASSERT(print(again) == text);
    RC_ASSERT(canonical(again) == canonical(program));
    for (int sample = 0; sample < 3; ++sample) {
      const std::vector<Value> args = random.arguments();
      RC_ASSERT(same(outcome(program, args), outcome(again, args)));
    }
  });
  EXPECT_TRUE(held);
}

TEST(Text, SharedPartsAreNamedOnce) {
  Program p;
  p.arena = std::make_shared<Arena>();
  Arena& a = *p.arena;
  Expr e = a.fresh({Kind::f32, 0, 1}, "x");
  p.params = {e.var()};
  for (int i = 0; i < 100; ++i) e = e * e;  // 2^100 if written out
  p.results = {e};
  const std::string text = print(p);
  EXPECT_LT(text.size(), 5000u);
  EXPECT_EQ(print(parse(text)), text);
}

TEST(Text, TenThousandTerms) {
  Program p;
  p.arena = std::make_shared<Arena>();
  Arena& a = *p.arena;
  const Expr x = a.fresh({Kind::f32, 0, 1}, "x");
  p.params = {x.var()};
  Expr left = x, right = x;
  for (int i = 0; i < 10000; ++i) {
    const Expr c = a.constant(Kind::f32, scalar::to_bits(static_cast<float>(i)));
    left = left + c;
    right = c - right;
  }
  p.results = {left, right};
  check(p, "the test");
  const std::string text = print(p);
  const Program again = parse(text);
  EXPECT_EQ(print(again), text);
  const std::vector<Value> args = {scalar_value<float>(1)};
  EXPECT_EQ(interpret(again, args), interpret(p, args));
}

TEST(Text, PartsAreNamedWhereAllUsesSeeThem) {
  const std::string text =
      "program \"p\" (x: f32[n], k: f32) {\n"
      "  let t = exp(k)\n"
      "  r: f32[n] = map (i < n) {\n"
      "    let t_1 = sin(x[i])\n"
      "    return t_1 * t_1 + t\n"
      "  }\n"
      "  q: f32[n] = map (i_1 < n) {\n"
      "    let t_2 = sin(x[i_1] * 2f)\n"
      "    s: f32 = if x[i_1] < 0f { t_2 } else { t_2 + 1f }\n"
      "    return s + t\n"
      "  }\n"
      "  return r, q\n"
      "}\n";
  EXPECT_EQ(print(parse(text)), text);
}

// A map that was one inside another.
TEST(Text, OuterAxes) {
  const std::string text =
      "program \"p\" (x: i32[n, m]) {\n"
      "  y: i32[n, m] = map (i < n, j < m) { x[i, j] + 1i32 } outer 1\n"
      "  s: i32, z: i32[n, m, 3] = redomap (i_1 < n, j_1 < m, k < 3) { x[i_1, j_1], y[i_1, j_1] } reduce add "
      "comm neutral 0i32 outer 2\n"
      "  return y, s, z\n"
      "}\n";
  const Program p = parse(text);
  EXPECT_EQ(print(p), text);
  EXPECT_EQ(std::get<Soac>(p.body[0].op).outer_axes, 1u);
  EXPECT_EQ(std::get<Soac>(p.body[1].op).outer_axes, 2u);
  EXPECT_NE(canonical(p), canonical(parse(std::string(text).erase(text.find(" outer 1"), 8))));
}

// Rows of a map that stand across its points.
TEST(Text, AxesBehindResults) {
  const std::string text =
      "program \"p\" (x: i32[n, m]) {\n"
      "  y: i32[n, m] = map (j < m) {\n"
      "    row: i32[n] = map (i < n) { x[i, j] + 1i32 }\n"
      "    return row\n"
      "  } behind 1\n"
      "  return y\n"
      "}\n";
  const Program p = parse(text);
  EXPECT_EQ(print(p), text);
  EXPECT_EQ(std::get<Soac>(p.body[0].op).axes_behind, 1u);
  EXPECT_NE(canonical(p), canonical(parse(std::string(text).erase(text.find(" behind 1"), 9))));
}

TEST(Text, NamesThatTheGrammarUsesAsWords) {
  for (const char* word : {"scatter", "partition", "combine", "outer", "behind", "memory"}) {
    SCOPED_TRACE(word);
    Program p = parse("program p (x: i32[n]) { y: i32[n] = map (i < n) { x[i] + 1i32 } return y }");
    Arena& a = *p.arena;
    const Expr named = a.fresh_array(Kind::i32, {a.info(p.params[0]).shape[0]}, word);
    p.body.push_back(p.body[0]);
    p.body[1].names[0] = named.var();
    std::get<Soac>(p.body[1].op).body.params[0] = a.fresh({Kind::i64}, "i").var();
    std::get<Soac>(p.body[1].op).body.results[0] = a.constant(Kind::i32, 1);
    p.results.push_back(named);
    check(p, "the test");
    const std::string text = print(p);
    EXPECT_EQ(print(parse(text)), text);
  }
}

TEST(Text, CanonicalForgetsNamesAndPlaces) {
  const std::string body = " { s: f32 = redomap (i < n) { x[i] } reduce add comm neutral 0f return s }";
  const Program one = parse("program one (x: f32[n])" + body);
  const Program two = parse(
      "program two (ys: f32[width]) { let unused = 3 total: f32 = redomap (k < width) { ys[k] } reduce (a: "
      "f32, b: f32) { a + b } comm neutral 0f "
      "@\"two.cpp\":7 \"sum\" return total } sites { 1 index \"never used\" }");
  EXPECT_EQ(canonical(one), canonical(two));
  EXPECT_NE(canonical(one), canonical(parse("program one (x: f64[n]) { s: f64 = redomap (i < n) { x[i] } "
                                            "reduce add comm neutral 0.0 return s }")));
  EXPECT_NE(
      canonical(one),
      canonical(parse(
          "program one (x: f32[n]) { s: f32 = redomap (i < n) { x[i] } reduce add neutral 0f return s }")));
}

TEST(Text, BadTextIsRefused) {
  const std::string sites = " sites { 1 index \"i\" }";
  for (const std::string& text : std::vector<std::string>{
           std::string(),
           std::string("program"),
           std::string("program p() {"),
           std::string("program p() { return } x"),
           std::string("program p(x: f32[n], y: f32[n]) { return x }"),  // an extent is bound by one argument
           std::string("program p(x: f32[3.5]) { return x }"),
           std::string("program p(x: f16) { return x }"),
           std::string("program p(x: f32) { return y }"),
           std::string("program p(x: f32) { let x return x }"),
           std::string("program p(x: f32[n]) { return x[0]@1 }"),  // no such site
           std::string("program p(x: f32[n]) { r: f32[n] = map (i < n) { return x } return r }"),  // rank
           std::string("program p(x: f32[n]) { r: i32[n] = map (i < n) { x[i] } return r }"),      // kind
           std::string("program p(x: f32[n]) { r: f32[n] = map (i < x) { x[i] } return r }"),
           std::string(
               "program p(x: f32[n]) { r: f32 = redomap (i < n) { x[i] } reduce exp neutral 0f return r }"),
           std::string("program p(x: f32[n]) { r: f32 = redomap (i < n) { x[i] } reduce nonsense neutral 0f "
                       "return r }"),
           std::string(
               "program p(x: f32[n]) { r: f32 = redomap (i < n) { } reduce add neutral 0f return r }"),
           std::string(
               "program p(x: f32[n]) { r: f32 = redomap (i < n) { x[i] } reduce add neutral 0 return r }"),
           std::string("program p(x: f32) { r: f32 = if x { x } else { x } return r }"),
           std::string("program p(x: f32) { r: f32 = loop (x) times 3 do (s: f32) { s } return r }"),
           std::string(
               "program p(x: f32) { r: f32 = loop (x) while (s: f32) { s } do (s: f32) { s } return r }"),
           std::string("program p(k: i64) { check k == 0 site 2 () return k }") + sites,
           std::string("program p(k: i64) { check k site 1 () return k }") + sites,
           std::string("program p(k: i64) { return k } sites { 2 index \"i\" }"),
           std::string("program p(k: i64) { return k } sites { 1 oops \"i\" }"),
           std::string("program p(k: i64) { map (i < k) { i } return k }"),
           std::string("program p(i8: i64) { return i8 }")}) {
    SCOPED_TRACE(text);
    EXPECT_THROW(parse(text, "bad.soac"), FormatError);
  }
  std::string deep = "program p(k: i64) { ";
  for (int i = 0; i < 5000; ++i) deep += "a: i64 = if k == 0 { ";
  EXPECT_THROW(parse(deep), FormatError);
  std::string wide = "program p(k: i64) { return k";
  for (int i = 0; i < 5000; ++i) wide += " + k";
  EXPECT_NO_THROW(parse(wide + " }"));
}

/// No prefix and no mutilation of a text does worse than FormatError.
TEST(Text, PropertyDamagedTextNeverCrashes) {
  const std::string text =
      contents(FULGURITE_TEST_DATA "/rmse.soac") + contents(FULGURITE_TEST_DATA "/loops.soac");
  const bool held = rc::check("damage is noticed or harmless", [&] {
    std::string damaged = contents(FULGURITE_TEST_DATA "/loops.soac");
    const int n_edits = *rc::gen::inRange(1, 4);
    for (int i = 0; i < n_edits; ++i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, damaged.size());
      const auto length = *rc::gen::inRange<std::size_t>(0, 12);
      const auto from = *rc::gen::inRange<std::size_t>(0, text.size());
      damaged.replace(at, length, text.substr(from, length));
    }
    try {
      parse(damaged);
    } catch (const FormatError&) {
    }
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace fulgurite::soac
