// The static run time: the programs of a bundle give what the library's give; whatever a bundle or a call is,
// it ends with a status.
#include <fulgurite/bundle.h>
#include <fulgurite_runtime.h>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <thread>

#include "../public/bundled_programs.h"
#include "../runtime/temporary_directory.h"

namespace {

using namespace bundled_programs;
using Ints = std::vector<int>;

template <class T>
constexpr fg_kind kind_of() {
  return static_cast<fg_kind>(fg::detail::kind_of<T>());
}
template <class T>
fg_value array(std::vector<T>& elements) {
  fg_value value{kind_of<T>(), 1, {static_cast<std::int64_t>(elements.size())}, elements.data(), 0};
  return value;
}
template <class T>
fg_value scalar(T& value) {
  return {kind_of<T>(), 0, {}, &value, 0};
}
template <class T>
std::vector<T> elements_of(const fg_value& value) {
  const auto* data = static_cast<const T*>(value.data);
  return {data, data + value.extents[0]};
}

const std::string lowest_level = fg::BundleOptions{}.cpu_levels.front();

// The programs, written once; the file as bytes that are aligned.
const std::vector<std::uint64_t>& bundle_words() {
  static const std::vector<std::uint64_t> words = [] {
    const fulgurite::runtime::test::TemporaryDirectory folder;
    const std::string path = (folder.path() / "programs.fgb").string();
    const fg::Array<int> weights{10, 20, 30};
    fg::bundle({{"rmse", rmse},
                {"evens", evens},
                {"counts", counts},
                {"sorted", sorted},
                {"halved", halved},
                {"total", total},
                {"picked", picked},
                {"quotient", quotient},
                {"weighted", [weights](Vec<int> x) { return x * fg::constant(weights); }}},
               path, {.cpu_levels = {lowest_level}, .opencl = false});
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::uint64_t> aligned((bytes.size() + 7) / 8 + 1);
    aligned.back() = bytes.size();
    std::memcpy(aligned.data(), bytes.data(), bytes.size());
    return aligned;
  }();
  return words;
}

class Standalone : public testing::Test {
 protected:
  Standalone() {
    const auto& words = bundle_words();
    EXPECT_EQ(fg_bundle_open_memory(words.data(), words.back(), &bundle_, &error_), FG_RUNTIME_OK)
        << error_.message;
  }
  ~Standalone() override {
    for (fg_value& result : results_) fg_value_free(&result);
    fg_bundle_close(bundle_);
  }
  const fg_program* find(const char* name) {
    const fg_program* program = nullptr;
    EXPECT_EQ(fg_bundle_find(bundle_, name, &program, &error_), FG_RUNTIME_OK) << error_.message;
    return program;
  }
  // The results, which live as long as the test.
  fg_runtime_status call(const char* name, std::vector<fg_value> arguments) {
    const fg_program* program = find(name);
    for (fg_value& result : results_) fg_value_free(&result);
    results_.assign(fg_program_n_results(program), fg_value{});
    return fg_program_call(program, arguments.data(), arguments.size(), results_.data(), results_.size(),
                           &error_);
  }

  fg_bundle* bundle_ = nullptr;
  fg_runtime_error error_{};
  std::vector<fg_value> results_;
};

TEST_F(Standalone, TellsWhatThereIs) {
  EXPECT_EQ(fg_bundle_n_programs(bundle_), 9u);
  EXPECT_STREQ(fg_bundle_name(bundle_, 1), "evens");
  EXPECT_EQ(fg_bundle_name(bundle_, 9), nullptr);
  const fg_program* halve = find("halved");
  EXPECT_EQ(fg_program_n_parameters(halve), 2u);
  EXPECT_EQ(fg_program_n_results(halve), 2u);
  EXPECT_EQ(fg_program_parameter(halve, 0).kind, FG_F64);
  EXPECT_EQ(fg_program_parameter(halve, 0).rank, 1);
  EXPECT_EQ(fg_program_result(halve, 1).kind, FG_I32);
  EXPECT_EQ(fg_program_result(halve, 2).rank, -1);
  EXPECT_EQ(fg_program_architecture(halve), lowest_level);
  EXPECT_EQ(fg_kind_size(FG_F64), 8u);
  EXPECT_STREQ(fg_runtime_version(), "0.1.0");
  const fg_program* none = halve;
  EXPECT_EQ(fg_bundle_find(bundle_, "blur", &none, &error_), FG_NO_PROGRAM);
  EXPECT_EQ(none, nullptr);
  EXPECT_STREQ(error_.message, "the bundle has no program 'blur'");
}

TEST_F(Standalone, RunsEveryProgram) {
  std::vector<float> a{1, 2, 3, 4}, b{1, 2, 3, 8};
  ASSERT_EQ(call("rmse", {array(a), array(b)}), FG_RUNTIME_OK) << error_.message;
  EXPECT_EQ(*static_cast<const float*>(results_[0].data), 2.0f);
  Ints numbers(10'000);
  std::iota(numbers.begin(), numbers.end(), 0);
  ASSERT_EQ(call("evens", {array(numbers)}), FG_RUNTIME_OK) << error_.message;
  ASSERT_EQ(results_[0].extents[0], 5000);
  EXPECT_EQ(elements_of<int>(results_[0])[4999], 9998);
  Ints few(640, 2);
  ASSERT_EQ(call("total", {array(few)}), FG_RUNTIME_OK) << error_.message;
  EXPECT_EQ(*static_cast<const int*>(results_[0].data), 1280);
  Ints keys{0, 2, 2, 1, 0, 2};
  std::int64_t bins = 3;
  ASSERT_EQ(call("counts", {array(keys), scalar(bins)}), FG_RUNTIME_OK) << error_.message;
  EXPECT_EQ(elements_of<int>(results_[0]), (Ints{2, 1, 3}));
  Ints mixed = numbers;
  for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] = numbers[i * 7919 % mixed.size()];
  ASSERT_EQ(call("sorted", {array(mixed)}), FG_RUNTIME_OK) << error_.message;
  EXPECT_EQ(elements_of<int>(results_[0]), numbers);
  std::vector<double> x{1.0, -4.0};
  double limit = 0.5;
  ASSERT_EQ(call("halved", {array(x), scalar(limit)}), FG_RUNTIME_OK) << error_.message;
  EXPECT_EQ(elements_of<double>(results_[0]), (std::vector<double>{0.125, -0.5}));
  EXPECT_EQ(*static_cast<const int*>(results_[1].data), 3);
  Ints three{1, 2, 3};
  ASSERT_EQ(call("weighted", {array(three)}), FG_RUNTIME_OK) << error_.message;
  EXPECT_EQ(elements_of<int>(results_[0]), (Ints{10, 40, 90}));
  Ints empty;
  ASSERT_EQ(call("sorted", {array(empty)}), FG_RUNTIME_OK) << error_.message;
  EXPECT_EQ(results_[0].extents[0], 0);
}

// Both run the same code: the same bits, whatever the number of threads.
TEST_F(Standalone, GivesTheLibrarysBits) {
  std::vector<float> a(100'003), b(a.size());
  std::minstd_rand random(1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<float>(random() % 10007) / 7;
    b[i] = static_cast<float>(random() % 10007) / 3;
  }
  ASSERT_EQ(setenv("FULGURITE_CPU", lowest_level.c_str(), 1), 0);
  const fulgurite::runtime::test::TemporaryDirectory folder;
  const std::string path = (folder.path() / "rmse.fgb").string();
  fg::bundle({{"rmse", rmse}}, path, {.cpu_levels = {lowest_level}, .opencl = false});
  const float expected = fg::open(path, {.engine = fg::Engine::cpu})
                             .get<float(fg::Array<float>, fg::Array<float>)>("rmse")(a, b);
  unsetenv("FULGURITE_CPU");
  ASSERT_EQ(call("rmse", {array(a), array(b)}), FG_RUNTIME_OK) << error_.message;
  EXPECT_EQ(*static_cast<const float*>(results_[0].data), expected);
}

TEST_F(Standalone, FailuresNameTheLineOfTheProgram) {
  Ints xs{1, 2, 3}, where{0, 3};
  EXPECT_EQ(call("picked", {array(xs), array(where)}), FG_INDEX_ERROR);
  EXPECT_NE(std::strstr(error_.file, "bundled_programs.h"), nullptr) << error_.file;
  EXPECT_GT(error_.line, 0u);
  EXPECT_NE(std::strstr(error_.message, "3"), nullptr) << error_.message;
  std::string library;
  try {
    fg::compile(picked, {.engine = fg::Engine::cpu})(xs, where);
  } catch (const fg::IndexError& error) {
    library = error.message();
    EXPECT_EQ(error.line(), error_.line);
  }
  EXPECT_EQ(error_.message, library);
  int seven = 7, zero = 0;
  EXPECT_EQ(call("quotient", {scalar(seven), scalar(zero)}), FG_ARITHMETIC_ERROR);
  EXPECT_EQ(results_[0].data, nullptr);
  std::vector<float> a{1, 2}, b{1};
  EXPECT_EQ(call("rmse", {array(a), array(b)}), FG_SHAPE_ERROR);
  EXPECT_NE(std::strstr(error_.message, "f32[2]"), nullptr) << error_.message;
}

TEST_F(Standalone, RefusesOtherArguments) {
  Ints xs{1, 2, 3};
  std::vector<float> floats{1};
  fg_value negative = array(xs), nowhere = array(xs), absurd = array(xs);
  negative.extents[0] = -1;
  nowhere.data = nullptr;
  absurd.extents[0] = INT64_MAX / 2;
  EXPECT_EQ(call("evens", {}), FG_ARGUMENT_ERROR);
  for (const fg_value& value : {negative, nowhere, absurd, array(floats), scalar(xs[0])})
    EXPECT_EQ(call("evens", {value}), FG_ARGUMENT_ERROR) << error_.message;
  EXPECT_EQ(fg_program_call(find("evens"), nullptr, 0, nullptr, 0, nullptr), FG_ARGUMENT_ERROR);
}

TEST_F(Standalone, ResultsGoWhereTheCallerWants) {
  Ints xs{1, 2, 3, 4}, room(8, -1);
  const fg_value argument = array(xs);
  fg_value result{};
  result.data = room.data();
  result.capacity = room.size() * sizeof(int);
  ASSERT_EQ(fg_program_call(find("evens"), &argument, 1, &result, 1, &error_), FG_RUNTIME_OK)
      << error_.message;
  EXPECT_EQ(result.data, room.data());
  EXPECT_EQ(result.extents[0], 2);
  EXPECT_EQ(room, (Ints{2, 4, -1, -1, -1, -1, -1, -1}));
  fg_value_free(&result);  // the caller's, and stays
  EXPECT_EQ(result.data, room.data());
  result.capacity = 4;
  ASSERT_EQ(fg_program_call(find("evens"), &argument, 1, &result, 1, &error_), FG_RUNTIME_OK)
      << error_.message;
  EXPECT_NE(result.data, room.data());
  EXPECT_EQ(elements_of<int>(result), (Ints{2, 4}));
  fg_value_free(&result);
  EXPECT_EQ(result.data, nullptr);
}

TEST_F(Standalone, ThreadsCallAtOnceAndChildrenCallToo) {
  const fg_program* sort = find("sorted");
  Ints numbers(50'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7919 % numbers.size());
  const auto sorts = [&] {
    const fg_value argument = array(numbers);
    fg_value result{};
    if (fg_program_call(sort, &argument, 1, &result, 1, nullptr) != FG_RUNTIME_OK) return false;
    const Ints given = elements_of<int>(result);
    fg_value_free(&result);
    return std::is_sorted(given.begin(), given.end()) && given.size() == numbers.size();
  };
  std::vector<std::thread> threads;
  std::atomic<int> n_right{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) n_right += sorts();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(n_right, 20);
  const pid_t child = fork();
  if (child == 0) _exit(sorts() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(Standalone, RunsOnTheCallersPool) {
  static int n_ranges = 0;
  fg_use_pool(
      [](void*, std::int64_t n_tasks, fg_run_range run, void* context) {
        for (std::int64_t task = n_tasks; task > 0; --task, ++n_ranges) run(context, task - 1, task);
      },
      nullptr, 4);
  std::vector<float> a(1'000'000, 3), b(a.size(), 1);
  const fg_runtime_status status = call("rmse", {array(a), array(b)});
  fg_use_pool(nullptr, nullptr, 0);
  ASSERT_EQ(status, FG_RUNTIME_OK) << error_.message;
  EXPECT_EQ(*static_cast<const float*>(results_[0].data), 2.0f);
  EXPECT_GT(n_ranges, 1);
}

// Opens the bytes and finds every program.
fg_runtime_status use(const std::vector<std::uint64_t>& words, std::size_t size, fg_runtime_error& error) {
  fg_bundle* bundle = nullptr;
  fg_runtime_status status = fg_bundle_open_memory(words.data(), size, &bundle, &error);
  if (status != FG_RUNTIME_OK) {
    EXPECT_EQ(bundle, nullptr);
    return status;
  }
  for (std::size_t i = 0; i < fg_bundle_n_programs(bundle); ++i) {
    const fg_program* program = nullptr;
    const fg_runtime_status found = fg_bundle_find(bundle, fg_bundle_name(bundle, i), &program, &error);
    EXPECT_EQ(found == FG_RUNTIME_OK, program != nullptr);
    if (found != FG_RUNTIME_OK) status = found;
  }
  fg_bundle_close(bundle);
  return status;
}

TEST(StandaloneDamage, IsNoticed) {
  const auto& whole = bundle_words();
  const std::size_t size = whole.back();
  fg_runtime_error error{};
  EXPECT_EQ(use(whole, size, error), FG_RUNTIME_OK) << error.message;
  for (std::size_t cut = 0; cut < size; cut += size / 50)
    EXPECT_EQ(use(whole, cut, error), FG_FORMAT_ERROR) << cut;
  std::minstd_rand random(1);
  for (int round = 0; round < 60; ++round) {
    auto changed = whole;
    const std::size_t at = random() % (size / 8);
    for (std::size_t i = at; i < std::min(at + 512, size / 8); ++i) changed[i] ^= random();
    const fg_runtime_status status = use(changed, size, error);
    // A changed byte of padding does no harm, so FG_RUNTIME_OK is right too.
    EXPECT_TRUE(status == FG_RUNTIME_OK || status == FG_FORMAT_ERROR) << error.message;
  }
  auto later = whole;
  later[1] = 7;
  EXPECT_EQ(use(later, size, error), FG_FORMAT_ERROR);
  EXPECT_NE(std::strstr(error.message,
                        "is a bundle of version 7.0 (of Fulgurite 0.1.0), and this run time, of "
                        "Fulgurite 0.1.0, reads bundles of version 1"),
            nullptr)
      << error.message;
}

TEST(StandaloneFile, ThatCannotBeRead) {
  fg_bundle* bundle = nullptr;
  fg_runtime_error error{};
  EXPECT_EQ(fg_bundle_open("/nowhere/programs.fgb", &bundle, &error), FG_FORMAT_ERROR);
  EXPECT_NE(std::strstr(error.message, "the bundle /nowhere/programs.fgb cannot be read"), nullptr);
  EXPECT_EQ(fg_bundle_open("/proc", &bundle, &error), FG_FORMAT_ERROR);
  EXPECT_EQ(fg_bundle_open("/dev/null", &bundle, nullptr), FG_FORMAT_ERROR);
  fg_bundle_close(nullptr);
}

}  // namespace
