// Programs emitted as C, compiled as an application would compile them, and called beside the library.
#include <dlfcn.h>
#include <fulgurite/emit.h>
#include <fulgurite/fulgurite.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

namespace fg = fulgurite;
namespace fs = std::filesystem;
using fg::Exp, fg::Mat, fg::Vec;

enum Status { ok, shape, index_error, arithmetic, memory, capacity, argument };

// As in fulgurite_c.h.
struct Error {
  int status, line;
  const char* file;
  char text[512];
};
struct Call {
  Error* error = nullptr;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
  void* (*allocate)(void*, std::size_t) = nullptr;
  void (*release)(void*, void*) = nullptr;
  void* memory = nullptr;
  void (*parallel_for)(void*, std::int64_t, void (*)(void*, std::int64_t, std::int64_t), void*) = nullptr;
  void* pool = nullptr;
  int n_threads = 0;
};

// What is emitted, compiled to a library that is loaded.
class Emitted {
 public:
  explicit Emitted(const std::vector<fg::EmittedProgram>& programs,
                   const std::string& compiler = "gcc -std=c11", const fg::EmitOptions& options = {}) {
    std::string name = (fs::temp_directory_path() / "fulgurite_emit_XXXXXX").string();
    folder_ = mkdtemp(name.data());
    fg::emit(programs, fg::Target::c, folder_, options);
    std::string objects;
    for (const auto& file : fs::directory_iterator(folder_)) {
      if (file.path().extension() != ".c") continue;
      const std::string object = file.path().string() + ".o";
      run(compiler + " -O1 -fPIC -Wall -Wextra -Werror -c " + file.path().string() + " -o " + object);
      objects += " " + object;
    }
    run("gcc -shared" + objects + " -lm -o " + (folder_ / "all.so").string());
    library_ = dlopen((folder_ / "all.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << dlerror();
  }
  ~Emitted() {
    if (library_ != nullptr) dlclose(library_);
    fs::remove_all(folder_);
  }
  Emitted(const Emitted&) = delete;
  Emitted& operator=(const Emitted&) = delete;

  template <class F>
  F* function(const char* name) const {
    void* const found = dlsym(library_, name);
    EXPECT_NE(found, nullptr) << name;
    return reinterpret_cast<F*>(found);
  }

 private:
  static void run(const std::string& command) { EXPECT_EQ(std::system(command.c_str()), 0) << command; }

  fs::path folder_;
  void* library_ = nullptr;
};

std::vector<float> floats(std::size_t n) {
  std::vector<float> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<float>(i * 37 % 101) / 16 - 2;
  return all;
}
std::vector<int> integers(std::size_t n) {
  std::vector<int> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<int>(i * 2654435761u % 1009) - 400;
  return all;
}
template <class T>
std::vector<T> elements(const fg::Array<T, 1>& array) {
  return {array.begin(), array.end()};
}

constexpr std::size_t sizes[] = {0, 1, 17, 1000, 100'000};

Vec<float> saxpy(Exp<float> alpha, Vec<float> x, Vec<float> y) {
  return alpha * x + y;
}
Exp<float> rmse(Vec<float> x, Vec<float> y) {
  auto d = x - y;
  return fg::sqrt(fg::sum(d * d) / fg::cast<float>(x.size()));
}
Vec<int> positives(Vec<int> xs) {
  return fg::filter([](Exp<int> x) { return x > 0; }, xs);
}
Vec<int> at(Vec<int> xs, Vec<int> places) {
  return fg::map([&](Exp<int> i) { return xs[fg::cast<fg::i64>(i)]; }, places);
}
Vec<float> halved(Vec<float> x) {
  return fg::while_loop([](Vec<float> v) { return fg::sum(v * v) > 1.0f; },
                        [](Vec<float> v) { return v * 0.5f; }, x);
}

// (tests/pipeline/emitted_c_slow_test.cpp has more programs, which need not have the same bits.)
void has_the_bits_of_the_library(const std::string& compiler) {
  const Emitted emitted(
      {{"saxpy", saxpy, {"alpha", "x", "y"}}, {"rmse", rmse, {"measured", "predicted"}}, {"halved", halved}},
      compiler);
  const auto c_saxpy = emitted.function<int(float, const float*, std::int64_t, const float*, std::int64_t,
                                            float*, std::int64_t, std::int64_t*, const Call*)>("saxpy");
  const auto c_rmse =
      emitted.function<int(const float*, std::int64_t, const float*, std::int64_t, float*, const Call*)>(
          "rmse");
  const auto c_halved =
      emitted.function<int(const float*, std::int64_t, float*, std::int64_t, std::int64_t*, const Call*)>(
          "halved");
  for (const std::size_t n : sizes) {
    SCOPED_TRACE(n);
    const auto size = static_cast<std::int64_t>(n);
    const std::vector<float> x = floats(n), y(n, 0.25f);
    std::vector<float> to(n);
    std::int64_t extent = -1;
    ASSERT_EQ(c_saxpy(2, x.data(), size, y.data(), size, to.data(), size, &extent, nullptr), ok);
    EXPECT_EQ(extent, size);
    EXPECT_EQ(to, elements(fg::run(saxpy, 2.0f, x, y)));
    float error = 0;
    ASSERT_EQ(c_rmse(x.data(), size, y.data(), size, &error, nullptr), ok);
    if (n > 0) {
      EXPECT_EQ(error, fg::run(rmse, x, y));
    }
    ASSERT_EQ(c_halved(x.data(), size, to.data(), size, &extent, nullptr), ok);
    EXPECT_EQ(to, elements(fg::run(halved, x)));
  }
}

TEST(EmitC, HasTheBitsOfTheLibraryByGcc) {
  has_the_bits_of_the_library("gcc -std=c11");
}
// Contraction by the compiler's own will would change the bits of sums.
TEST(EmitC, HasTheBitsOfTheLibraryByClang) {
  has_the_bits_of_the_library("clang-19 -std=gnu17 -ffp-contract=fast");
}

// For any processor, as compilers take long for vectors.
Emitted of_any_level(const std::vector<fg::EmittedProgram>& programs) {
  fg::EmitOptions options;
  options.levels = {"generic"};
  return Emitted(programs, "gcc -std=c11", options);
}

TEST(EmitC, FailuresHaveTheUsersLine) {
  const Emitted emitted = of_any_level({{"saxpy", saxpy, {"alpha", "x", "y"}},
                                        {"at", at, {"xs", "places"}},
                                        {"positives", positives, {"xs"}}});
  Error error{};
  Call call;
  call.error = &error;
  std::int64_t extent = 0;
  float to[4];
  const std::vector<float> x(4), y(3);
  EXPECT_EQ((emitted.function<int(float, const float*, std::int64_t, const float*, std::int64_t, float*,
                                  std::int64_t, std::int64_t*, const Call*)>("saxpy")(
                2, x.data(), 4, y.data(), 3, to, 4, &extent, &call)),
            shape);
  EXPECT_NE(std::string(error.file).find("emit_c_slow_test.cpp"), std::string::npos);
  EXPECT_GT(error.line, 0);
  EXPECT_NE(std::string(error.text).find("f32[4]"), std::string::npos) << error.text;
  EXPECT_NE(std::string(error.text).find("f32[3]"), std::string::npos) << error.text;

  const auto c_positives =
      emitted.function<int(const int*, std::int64_t, int*, std::int64_t, std::int64_t*, const Call*)>(
          "positives");
  EXPECT_EQ(c_positives(nullptr, -1, nullptr, 0, &extent, &call), argument);
  EXPECT_EQ(error.status, argument);
  EXPECT_STREQ(error.text, "an extent is negative, or larger than any memory");
  EXPECT_EQ(c_positives(nullptr, -1, nullptr, 0, &extent, nullptr), argument);

  const std::vector<int> xs = integers(10), places{0, 9, 12, 3, 99};
  int ints[10];
  EXPECT_EQ((emitted.function<int(const int*, std::int64_t, const int*, std::int64_t, int*, std::int64_t,
                                  std::int64_t*, const Call*)>("at")(xs.data(), 10, places.data(), 5, ints,
                                                                     10, &extent, &call)),
            index_error);
  try {
    (void)fg::run(at, xs, places);
    FAIL();
  } catch (const fg::IndexError& e) {
    EXPECT_EQ(e.message(), error.text);
    EXPECT_EQ(static_cast<int>(e.line()), error.line);
  }

  EXPECT_EQ(c_positives(xs.data(), 10, ints, 1, &extent, &call), capacity);
  EXPECT_EQ(extent, static_cast<std::int64_t>(fg::run(positives, xs).size()));
  EXPECT_NE(std::string(error.text).find("there is memory for 1"), std::string::npos) << error.text;
}

TEST(EmitC, AWorkspaceIsAllTheMemoryThatACallTakes) {
  const Emitted emitted = of_any_level({{"halved", halved, {"x"}}, {"positives", positives, {"xs"}}});
  const std::size_t n = 100'000;
  const auto size = static_cast<std::int64_t>(n);
  const std::vector<float> x = floats(n);
  const std::int64_t bytes = emitted.function<std::int64_t(std::int64_t)>("halved_workspace")(size);
  ASSERT_GT(bytes, 0);
  std::vector<unsigned char> workspace(static_cast<std::size_t>(bytes) + 64);
  Call call;
  call.workspace = workspace.data();
  call.workspace_bytes = workspace.size();
  int n_allocations = 0;
  call.memory = &n_allocations;
  call.allocate = [](void* counter, std::size_t wanted) {
    ++*static_cast<int*>(counter);
    return std::aligned_alloc(64, wanted);
  };
  call.release = [](void*, void* block) { std::free(block); };
  std::vector<float> to(n);
  std::int64_t extent = 0;
  EXPECT_EQ(
      (emitted.function<int(const float*, std::int64_t, float*, std::int64_t, std::int64_t*, const Call*)>(
          "halved")(x.data(), size, to.data(), size, &extent, &call)),
      ok);
  EXPECT_EQ(n_allocations, 0);
  EXPECT_EQ(to, elements(fg::run(halved, x)));
  EXPECT_EQ(emitted.function<std::int64_t(std::int64_t)>("positives_result_capacity")(size), size);
}

TEST(EmitC, NamesAreIdentifiersOfAllLanguages) {
  for (const char* name : {"while", "kernel", "two words", "a;b", "fg_x", "", "x\"y", "INT", "local"})
    EXPECT_THROW((void)fg::emitted({{"saxpy", saxpy, {"alpha", name, "y"}}}, fg::Target::c), fg::TraceError)
        << name;
  EXPECT_THROW((void)fg::emitted({{"saxpy", saxpy, {"alpha", "x", "x"}}}, fg::Target::c), fg::TraceError);
  EXPECT_THROW((void)fg::emitted({{"saxpy", saxpy, {"alpha", "x", "x_size"}}}, fg::Target::c),
               fg::TraceError);
  EXPECT_THROW((void)fg::emitted({{"saxpy", saxpy, {"alpha", "x"}}}, fg::Target::c), fg::TraceError);
  EXPECT_THROW((void)fg::emitted({{"two words", saxpy}}, fg::Target::c), fg::TraceError);
  EXPECT_THROW((void)fg::emitted({{"../saxpy", saxpy}}, fg::Target::c), fg::TraceError);
}

TEST(EmitC, FunctionsHaveNamesOfTheirOwn) {
  for (const char* other :
       {"halved", "halved_workspace", "halved_result_capacity", "halved_v4", "halved_generic"})
    EXPECT_THROW((void)fg::emitted({{"halved", halved}, {other, saxpy}}, fg::Target::c), fg::TraceError)
        << other;
  EXPECT_THROW((void)fg::emitted({{"fulgurite_c", saxpy}}, fg::Target::c), fg::TraceError);
  fg::EmitOptions options;
  options.levels = {"generic"};
  EXPECT_EQ(fg::emitted({{"halved", halved}, {"halved_x", saxpy}}, fg::Target::c, options).size(), 7u);
}

}  // namespace
