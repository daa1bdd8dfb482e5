// The code of docs/host.md, run.
#include <fulgurite/fulgurite.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "../runtime/temporary_directory.h"

namespace {

namespace fg = fulgurite;
using fg::Mat, fg::Vec;

// clang-format off
fg::Array<float> doubled(const std::vector<float>& x, const float* m, std::int64_t rows, std::int64_t columns) {
  auto sums = fg::compile([](Vec<float> v, Mat<float> n) { return fg::sum(n, fg::axis(0)) + 2.0f * v; });
  return sums(x, fg::view(m, {rows, columns}));
}
// clang-format on

double mean_of_rows(const fg::Array<float, 2>& m) {
  auto f = fg::compile([](Mat<float> x) { return fg::mean(x, fg::axis(1)); });
  double sum = 0;
  for (float mean : f(m)) sum += static_cast<double>(mean);
  return sum / static_cast<double>(m.size(0));
}

std::uint64_t bytes_for_a_second_call(const std::vector<float>& x) {
  auto f = fg::compile([](Vec<float> v) { return fg::sum(v * v); });
  f(x);
  const std::uint64_t before = fg::stats().bytes_copied;
  f(x);
  return fg::stats().bytes_copied - before;  // of the result: the argument is read where it is
}

std::vector<float> sums_by_threads(const std::vector<std::vector<float>>& parts) {
  auto f = fg::compile([](Vec<float> v) { return fg::sum(v); });
  std::vector<float> sums(parts.size());
  std::vector<std::jthread> threads;
  for (std::size_t k = 0; k < parts.size(); ++k) threads.emplace_back([&, k] { sums[k] = f(parts[k]); });
  threads.clear();  // waits
  return sums;
}

std::string complaint(const std::vector<float>& x, const std::vector<float>& y) {
  auto f = fg::compile([](Vec<float> a, Vec<float> b) { return a + b; });
  try {
    f(x, y);
  } catch (const fg::ShapeError& error) {
    return error.message();
  }
  return "";
}

std::vector<std::string> messages_of(const std::function<void()>& work) {
  std::vector<std::string> messages;
  std::mutex mutex;
  const fg::Log before = fg::log_to([&](std::string_view message) {
    const std::lock_guard lock(mutex);
    messages.emplace_back(message);
  });
  work();
  fg::log_to(before);
  return messages;
}

void compute_with_profile(const std::vector<float>& x, const std::string& file) {
  auto f = fg::compile([](Vec<float> v) { return fg::sum(v * v); });
  const fg::Profile profile = fg::profile(file);  // written at the end of the block
  f(x);
}

TEST(HostPage, MessagesAndProfiles) {
  EXPECT_TRUE(messages_of([] {}).empty());
  const fulgurite::runtime::test::TemporaryDirectory directory;
  const std::filesystem::path file = directory.path() / "trace.json";
  compute_with_profile({1, 2, 3}, file.string());
  EXPECT_GT(std::filesystem::file_size(file), 100u);
}

TEST(HostPage, ArgumentsAndResults) {
  const float m[] = {1, 2, 3, 4};
  EXPECT_EQ(doubled({1, 1}, m, 2, 2).to_vector(), (std::vector<float>{6, 8}));
  EXPECT_EQ(mean_of_rows(fg::Array<float, 2>({1, 2, 3, 4}, {2, 2})), 2.5);
}

TEST(HostPage, MemoryAndThreads) {
  const std::vector<float> many(10000, 1.0f);
  if (fg::default_engine() == fg::Engine::cpu) {
    EXPECT_LE(bytes_for_a_second_call(many), sizeof(float));
  }
  EXPECT_EQ(sums_by_threads({{1, 2}, {3}, {}}), (std::vector<float>{3, 3, 0}));
}

TEST(HostPage, Exceptions) {
  EXPECT_EQ(complaint({1}, {2}), "");
  EXPECT_NE(complaint({1}, {1, 2}).find("equal shapes"), std::string::npos);
}

}  // namespace
