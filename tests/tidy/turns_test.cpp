// Statements of twice as many threads as the others.
#include "tidy/turns.h"

#include <gtest/gtest.h>

#include "applied.h"
#include "kernel/parse.h"
#include "kernel/print.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;

std::string threads(const std::string& n, const std::string& statement) {
  return "par block t < " + n + " {\n" + statement + "\n}\n";
}
std::string of_task(const std::string& body) {
  Kernel made = parse("kernel k(in x: i32[], out y: i32[])\npar grid task < 1 {\n" + body + "}\n");
  return print(applied({&take_turns}, std::move(made)));
}
int count(const std::string& text, std::string_view part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

const std::string column = threads("32", "store y[t] = 1i32"),
                  copy = threads("64", "load v: i32 = x[t]\nstore y[t] = v");

TEST(Turns, ACopyOfTwiceAsManyIsTakenInTurns) {
  const std::string text = of_task(column + column + copy);
  EXPECT_EQ(count(text, "< 32 {"), 3) << text;
  EXPECT_EQ(count(text, "< 64 {"), 0) << text;
  EXPECT_EQ(count(text, "load "), 2);
  EXPECT_NE(text.find("[t_2 + 32]"), text.npos) << text;
}

TEST(Turns, ACopyInFrontIsTakenInTurnsToo) {
  EXPECT_EQ(count(of_task(copy + column + column), "< 32 {"), 3);
}

TEST(Turns, InLoopsOfTheTask) {
  const std::string text = of_task(column + "for k in 0 : 3 step 1 {\n" + column + copy + "}\n");
  EXPECT_EQ(count(text, "< 64 {"), 0) << text;
}

TEST(Turns, AsManyTurnsAsAThreadStoresElements) {
  const std::string four = threads(
      "32", "store y[t] = 1i32\nstore y[t + 32] = 1i32\nstore y[t + 64] = 1i32\nstore y[t + 96] = 1i32");
  const std::string wide = threads("128", "load v: i32 = x[t]\nstore y[t] = v");
  const std::string text = of_task(four + four + wide);
  EXPECT_EQ(count(text, "< 32 {"), 3) << text;
  EXPECT_EQ(count(text, "load "), 4);
  EXPECT_EQ(count(of_task(four + column + wide), "< 128 {"), 1);
}

TEST(Turns, TheLastTurnMayHaveFewerThreads) {
  const std::string text = of_task(column + column + threads("63", "load v: i32 = x[t]\nstore y[t] = v"));
  EXPECT_EQ(count(text, "< 32 {"), 3) << text;
  EXPECT_EQ(count(text, "< 31 {"), 1) << text;
}

TEST(Turns, OfAStatedNumberOfThreads) {
  const auto of = [](const std::string& body, std::int64_t n) {
    Kernel made = parse("kernel k(in x: i32[], out y: i32[])\npar grid task < 1 {\n" + body + "}\n");
    return print(applied({&take_turns}, std::move(made), {.threads = n}));
  };
  const std::string even = of(copy + column, 16);
  EXPECT_EQ(count(even, "< 16 {"), 2) << even;
  EXPECT_EQ(count(even, "load "), 4);
  EXPECT_EQ(count(even, "1i32"), 2);
  const std::string uneven = of(copy, 24);  // 24, 24 and 16
  EXPECT_EQ(count(uneven, "< 24 {"), 1) << uneven;
  EXPECT_EQ(count(uneven, "< 16 {"), 1) << uneven;
  EXPECT_EQ(count(uneven, "load "), 3);
  EXPECT_EQ(count(of(column, 64), "< 32 {"), 1);
  EXPECT_EQ(count(of(copy, 4), "< 64 {"), 1);  // 16 turns are a loop's
}

TEST(Turns, OthersStayAsTheyAre) {
  const std::string branch = threads("64", "if t < 50 {\nstore y[t] = 2i32\n}");
  const std::string twice = threads("64", "load v: i32 = x[t]\nlet w = v + v\nstore y[t] = w");
  const std::string four_times = threads("128", "store y[t] = 3i32");
  for (const std::string& body : {column + copy,                 // as many of both
                                  twice + column + column,       // a reduction
                                  column + column + four_times,  // more than a thread stores in a column
                                  column + column + branch}) {
    const Kernel before = parse("kernel k(in x: i32[], out y: i32[])\npar grid task < 1 {\n" + body + "}\n");
    EXPECT_EQ(of_task(body), print(before));
  }
}

}  // namespace
}  // namespace fulgurite::tidy
