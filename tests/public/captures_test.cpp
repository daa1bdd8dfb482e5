// What compiled functions know of the C++ values that they captured: those at the time when they were traced.
// Under Options::check_captures a call says that they have changed since.
#include "engines.h"

#include <memory>

namespace {

const fg::Options checked{.engine = fg::Engine::interpreter, .check_captures = true};

TEST(Captures, AreReadWhenTheFunctionIsTraced) {
  int k = 2;
  const auto by_reference = [&k](Vec<int> x) { return x * k; };
  const auto by_value = [k](Vec<int> x) { return x * k; };
  const auto f = fg::compile(by_reference), g = fg::compile(by_value);
  k = 3;
  EXPECT_EQ(f(std::vector<int>{1, 2})[1], 4);
  EXPECT_EQ(g(std::vector<int>{1, 2})[1], 4);
  EXPECT_EQ(fg::compile(by_reference)(std::vector<int>{1, 2})[1], 6) << "compiled again";

  // With a C++ parameter, for each new value of it.
  const auto h = fg::compile([&k](Vec<int> x, int n) { return x * k + n; });
  k = 5;
  EXPECT_EQ(h(std::vector<int>{1}, 0)[0], 5) << "the first call traces";
  k = 7;
  EXPECT_EQ(h(std::vector<int>{1}, 0)[0], 5);
  EXPECT_EQ(h(std::vector<int>{1}, 1)[0], 8) << "and the first one with another value";
}

std::string said_by(const auto& call) {
  return message_of<fg::TraceError>(call);
}

TEST(Captures, AChangeIsFound) {
  int k = 2;
  const auto f = fg::compile([&k](Vec<int> x) { return x * k; }, checked);
  EXPECT_EQ(f(std::vector<int>{1})[0], 2);
  EXPECT_EQ(f(std::vector<int>{1})[0], 2);
  k = 3;
  const std::string text = said_by([&] { f(std::vector<int>{1}); });
  EXPECT_NE(text.find("captures_test.cpp:"), std::string::npos) << text;
  EXPECT_NE(text.find("'program', traced again, is another program than the one that was compiled"),
            std::string::npos)
      << text;
  k = 2;
  EXPECT_EQ(f(std::vector<int>{1})[0], 2) << "as it was";

  // Before the first call.
  const auto g = fg::compile([&k](Vec<int> x) { return x + k; }, checked);
  k = 4;
  said_by([&] { g(std::vector<int>{1}); });

  // Where it decides what the function does.
  bool doubles = true;
  const auto h = fg::compile([&](Vec<float> x) { return doubles ? x + x : x; }, checked);
  EXPECT_EQ(h(std::vector<float>{1})[0], 2);
  doubles = false;
  said_by([&] { h(std::vector<float>{1}); });
}

TEST(Captures, AChangeIsFoundBehindPointersAndInsideAndBesideCParameters) {
  const auto k = std::make_shared<int>(2);
  const auto f = fg::compile([k](Vec<int> x) { return x * *k; }, checked);
  *k = 3;
  said_by([&] { f(std::vector<int>{1}); });

  const auto counts = fg::compile([n = 0](Vec<int> x) mutable { return x + ++n; }, checked);
  said_by([&] { counts(std::vector<int>{1}); });

  static int global;
  global = 1;
  const auto g = fg::compile([](Vec<int> x) { return x + global; }, checked);
  EXPECT_EQ(g(std::vector<int>{1})[0], 2);
  global = 2;
  said_by([&] { g(std::vector<int>{1}); });

  int scale = 1;
  const auto h = fg::compile([&scale](Vec<int> x, int n) { return x * scale + n; }, checked);
  EXPECT_EQ(h(std::vector<int>{1}, 1)[0], 2);
  scale = 10;
  EXPECT_EQ(h(std::vector<int>{1}, 2)[0], 12) << "a value that is new is traced with what is there";
  EXPECT_EQ(h(std::vector<int>{1}, 2)[0], 12);
  said_by([&] { h(std::vector<int>{1}, 1); });
}

TEST(Captures, ArraysAreComparedByTheirElements) {
  std::vector<float> weights{1, 2};
  const auto f =
      fg::compile([&weights](Vec<float> x) { return x * fg::constant(fg::Array<float>(weights)); }, checked);
  EXPECT_EQ(f(std::vector<float>{3, 4})[1], 8);
  EXPECT_EQ(f(std::vector<float>{3, 4})[1], 8);
  weights[1] = 5;
  said_by([&] { f(std::vector<float>{3, 4}); });
  weights = {1, 2, 3};
  said_by([&] { f(std::vector<float>{3, 4}); });
}

TEST(Captures, AreWarnedOfByRequest) {
  int k = 2;
  testing::internal::CaptureStderr();
  fg::compile([&k](Vec<int> x) { return x * k; }, checked);
  fg::compile([](Vec<int> x) { return x * 2; }, checked);
  fg::run([&k] { return fg::iota(k); });
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("captures_test.cpp:"), std::string::npos) << text;
  EXPECT_NE(text.find("'program' has captured C++ values (8 bytes)"), std::string::npos) << text;
  EXPECT_EQ(text.find("has captured"), text.rfind("has captured")) << "one of them has";

  setenv("FULGURITE_DEBUG", "captures", 1);
  testing::internal::CaptureStderr();
  fg::run([&k] { return fg::iota(k); });
  const auto f = fg::compile([&k](Vec<int> x) { return x * k; });
  text = testing::internal::GetCapturedStderr();
  unsetenv("FULGURITE_DEBUG");
  EXPECT_EQ(text.find("has captured"), text.rfind("has captured")) << "run() uses what it captured at once";
  k = 3;
  said_by([&] { f(std::vector<int>{1}); });
  const auto g = fg::compile([&k](Vec<int> x) { return x * k; });
  k = 4;
  EXPECT_EQ(g(std::vector<int>{1})[0], 3) << "not asked for";
}

}  // namespace
