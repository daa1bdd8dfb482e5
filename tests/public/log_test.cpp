// Where the library's own messages go.
#include "engines.h"

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace {

TEST(Log, MessagesGoWhereTheApplicationWants) {
  std::vector<std::string> messages;
  const fg::Log before = fg::log_to([&](std::string_view message) { messages.emplace_back(message); });
  testing::internal::CaptureStderr();
  setenv("FULGURITE_DUMP", "traced", 1);
  fg::run([] { return fg::sum(fg::iota(10)); });
  unsetenv("FULGURITE_DUMP");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  const fg::Log own = fg::log_to(before);
  EXPECT_TRUE(own) << "what was set before";
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_TRUE(messages[0].starts_with("---- traced\n")) << messages[0];
  EXPECT_NE(messages[0].back(), '\n');
}

TEST(Log, ThrowingIsSwallowed) {
  const fg::Log before = fg::log_to([](std::string_view) { throw 1; });
  setenv("FULGURITE_DUMP", "traced", 1);
  EXPECT_EQ(fg::run([] { return fg::sum(fg::iota(10)); }), 45);
  unsetenv("FULGURITE_DUMP");
  fg::log_to(before);
}

TEST(Log, DumpsArePrintedEachTimeAProgramIsCompiled) {
  int n_messages = 0;
  const fg::Log before = fg::log_to([&](std::string_view) { ++n_messages; });
  setenv("FULGURITE_DUMP", "traced", 1);
  const auto squares = [](Vec<int> x) { return fg::sum(x * x * x); };
  for (int k = 0; k < 2; ++k) EXPECT_EQ(fg::compile(squares)(std::vector<int>{1, 2}), 9);
  unsetenv("FULGURITE_DUMP");
  fg::log_to(before);
  EXPECT_EQ(n_messages, 2);
}

TEST(Log, SourcesForDebuggersHaveTheUsersLines) {
  std::vector<std::string> messages;
  const fg::Log before = fg::log_to([&](std::string_view message) { messages.emplace_back(message); });
  setenv("FULGURITE_DUMP", "source", 1);
  setenv("FULGURITE_DEBUG", "gdb", 1);
  const auto f = fg::compile([](Vec<int> x) { return fg::sum(x * 3); }, {.engine = fg::Engine::cpu});
  const std::string line = "#line " + std::to_string(__LINE__ - 1) + " \"";
  EXPECT_EQ(f(std::vector<int>{1, 2}), 9);
  unsetenv("FULGURITE_DEBUG");
  unsetenv("FULGURITE_DUMP");
  fg::log_to(before);
  ASSERT_FALSE(messages.empty());
  EXPECT_NE(messages[0].find(line), std::string::npos) << messages[0];
}

}  // namespace
