// Programs emitted for OpenCL, compiled as an application would compile them, and called on PoCL beside the
// library.
#include <dlfcn.h>
#include <fulgurite/emit.h>
#include <fulgurite/fulgurite.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "../runtime/pocl.h"

namespace {

namespace fg = fulgurite;
namespace fs = std::filesystem;
using fg::Exp, fg::Mat, fg::Vec;
using std::int64_t;

enum Status { ok, shape, index_error, arithmetic, memory, capacity, argument, device_error };

// As in fulgurite_c.h and fulgurite_opencl.h.
struct Error {
  int status, line;
  const char* file;
  char text[512];
};
struct Call {
  Error* error = nullptr;
  void* (*allocate)(void*, std::size_t) = nullptr;
  void (*release)(void*, void*) = nullptr;
  void* memory = nullptr;
};

// What is emitted, compiled to a library that is loaded, and built for the first device.
class Emitted {
 public:
  explicit Emitted(const std::vector<fg::EmittedProgram>& programs) {
    fulgurite::runtime::test::prepare_pocl();
    setenv("POCL_WORK_GROUP_METHOD", "loops", 0);
    std::string name = (fs::temp_directory_path() / "fulgurite_emit_XXXXXX").string();
    folder_ = mkdtemp(name.data());
    fg::emit(programs, fg::Target::opencl, folder_);
    const fs::path of_tests = fs::path(FULGURITE_TEST_DATA) / "opencl_headers";
    std::string sources = (of_tests / "driver.c").string();
    const std::string flags = " -std=c11 -O1 -fPIC -Wall -Wextra -Werror -I" + folder_.string() +
                              " -isystem " + of_tests.string() + " ";
    for (const auto& file : fs::directory_iterator(folder_)) {
      const std::string path = file.path().string();
      if (file.path().extension() == ".cl")
        run("clang-19 -x cl -cl-std=CL1.2 -fsyntax-only -Werror -Xclang -finclude-default-header " + path);
      if (file.path().extension() != ".c") continue;
      run("gcc" + flags + "-fsyntax-only " + path);
      sources += " " + path;
    }
    const fs::path library = folder_ / "all.so";
    run("clang-19" + flags + "-shared " + sources + " -lm -l:libOpenCL.so.1 -o " + library.string());
    library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << dlerror();
    EXPECT_NE(function<int()>("drive_open")(), 0);
    for (const fg::EmittedProgram& program : programs) {
      const std::string& name_of_it = program.program().name;
      Error error{};
      built_[name_of_it] = function<void*(void*, void*, Error*)>((name_of_it + "_create").c_str())(
          function<void*()>("drive_context")(), function<void*()>("drive_device")(), &error);
      EXPECT_NE(built_[name_of_it], nullptr) << error.text;
    }
  }
  ~Emitted() {
    for (const auto& [name, built] : built_) function<void(void*)>((name + "_destroy").c_str())(built);
    function<void()>("drive_close")();
    dlclose(library_);
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
  void* queue(bool is_ordered = true) const { return function<void*(int)>("drive_queue")(is_ordered); }

  template <class... Arguments>
  int operator()(const char* name, Arguments... arguments) const {
    return function<int(void*, void*, Arguments...)>(name)(built_.at(name), queue(), arguments...);
  }
  void* object(const char* name) const { return built_.at(name); }

 private:
  static void run(const std::string& command) { EXPECT_EQ(std::system(command.c_str()), 0) << command; }

  fs::path folder_;
  void* library_ = nullptr;
  std::map<std::string, void*> built_;
};

// A cl_mem with elements.
template <class T>
class Buffer {
 public:
  Buffer(const Emitted& of, const std::vector<T>& elements)
      : of_(of),
        n_(elements.size()),
        memory_(
            of.function<void*(const void*, std::size_t)>("drive_buffer")(elements.data(), n_ * sizeof(T))) {}
  ~Buffer() { of_.function<void(void*)>("drive_release")(memory_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* get() const { return memory_; }
  int64_t size() const { return static_cast<int64_t>(n_); }
  std::vector<T> read(int64_t n) const {
    std::vector<T> elements(static_cast<std::size_t>(n));
    EXPECT_TRUE(of_.function<int(void*, void*, std::size_t)>("drive_read")(memory_, elements.data(),
                                                                           elements.size() * sizeof(T)));
    return elements;
  }

 private:
  const Emitted& of_;
  std::size_t n_;
  void* memory_;
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

constexpr std::size_t sizes[] = {0, 1, 17, 100'000};
constexpr const Call* no_call = nullptr;

Vec<float> saxpy(Exp<float> alpha, Vec<float> x, Vec<float> y) {
  return alpha * x + y;
}
Exp<int> spread(Vec<int> xs) {
  return fg::max(xs) - fg::min(xs) + fg::sum(xs);
}
Vec<int> positives(Vec<int> xs) {
  return fg::filter([](Exp<int> x) { return x > 0; }, xs);
}
Vec<int> sorted(Vec<int> xs) {
  return fg::sort(xs);
}
// Sizes change in each iteration.
Vec<int> sieve(Vec<int> xs) {
  return fg::while_loop([](Vec<int> v) { return fg::cast<int>(v.size()) > 10; },
                        [](Vec<int> v) {
                          auto less = v - 1;
                          return fg::filter([](Exp<int> x) { return (x & 3) != 0; }, less);
                        },
                        xs);
}
// The device makes the condition.
std::tuple<Vec<float>, Exp<int>> halved(Vec<float> x) {
  auto [result, largest, n] =
      fg::while_loop([](Vec<float>, Exp<float> change, Exp<int>) { return change > 0.01f; },
                     [](Vec<float> v, Exp<float>, Exp<int> k) {
                       auto next = v * 0.5f;
                       return std::tuple{next, fg::max(fg::abs(v - next)), k + 1};
                     },
                     x, 1.0f, 0);
  return {result, n};
}
Vec<int> counts(Vec<int> bins, Exp<int> k) {
  return fg::histogram(fg::plus, 0, k, bins, fg::replicate(bins.size(), 1));
}
Vec<int> at(Vec<int> xs, Vec<int> places) {
  return fg::map([&](Exp<int> i) { return xs[fg::cast<fg::i64>(i)]; }, places);
}
Vec<float> spmv(Vec<fg::i64> row_starts, Vec<int> columns, Vec<float> values, Vec<float> x) {
  return fg::segmented_reduce(fg::plus, 0.0f, fg::offsets(row_starts), values * fg::gather(x, columns));
}
Mat<float> squared(Mat<float> m) {
  return fg::matmul(m, m);
}
struct Segment {
  int best;
  float weight;
  bool valid;
};
Vec<Segment> turned(Vec<Segment> s, Exp<bool> all, Exp<fg::i8> more) {
  return fg::map(
      [&](Exp<Segment> x) {
        return fg::make<Segment>(x.get<0>() + fg::cast<int>(more), -x.get<1>(), !x.get<2>() || all);
      },
      s);
}

using Ints = fg::Array<int, 1>;

TEST(EmitOpenCl, LargeArraysOfOneProgramAreWhatTheLibraryComputes) {
  const Emitted emitted({{"saxpy", saxpy, {"alpha", "x", "y"}},
                         {"spread", spread, {"xs"}},
                         {"positives", positives, {"xs"}},
                         {"sorted", sorted, {"xs"}},
                         {"sieve", sieve, {"xs"}},
                         {"counts", counts, {"bins", "k"}}});
  for (const std::size_t n : sizes) {
    SCOPED_TRACE(n);
    const std::vector<float> x = floats(n), y(n, 0.25f);
    const std::vector<int> xs = integers(n);
    const Buffer<float> on_x(emitted, x), on_y(emitted, y), to(emitted, x);
    const Buffer<int> on_xs(emitted, xs), ints(emitted, xs), bins(emitted, std::vector<int>(50, 7));
    int64_t extent = -1;
    ASSERT_EQ(emitted("saxpy", 2.0f, on_x.get(), on_x.size(), on_y.get(), on_y.size(), to.get(), to.size(),
                      &extent, no_call),
              ok);
    EXPECT_EQ(to.read(extent), elements(fg::run(saxpy, 2.0f, x, y)));
    if (n > 0) {
      int result = 0;
      ASSERT_EQ(emitted("spread", on_xs.get(), on_xs.size(), &result, no_call), ok);
      EXPECT_EQ(result, fg::run(spread, xs));
    }
    ASSERT_EQ(emitted("positives", on_xs.get(), on_xs.size(), ints.get(), ints.size(), &extent, no_call), ok);
    EXPECT_EQ(ints.read(extent), elements(fg::run(positives, xs)));
    ASSERT_EQ(emitted("sorted", on_xs.get(), on_xs.size(), ints.get(), ints.size(), &extent, no_call), ok);
    EXPECT_EQ(ints.read(extent), elements(fg::run(sorted, xs)));
    ASSERT_EQ(emitted("sieve", on_xs.get(), on_xs.size(), ints.get(), ints.size(), &extent, no_call), ok);
    EXPECT_EQ(ints.read(extent), elements(fg::run(sieve, xs)));
    ASSERT_EQ(emitted("counts", on_xs.get(), on_xs.size(), 50, bins.get(), bins.size(), &extent, no_call),
              ok);
    EXPECT_EQ(bins.read(extent), elements(fg::run(counts, xs, 50)));
    EXPECT_EQ(on_xs.read(on_xs.size()), xs) << "arguments stay";
  }
}

TEST(EmitOpenCl, LargeMatricesLoopsComponentsAndCapturedArraysAreWhatTheLibraryComputes) {
  const Ints table{std::vector<int>{5, -3, 1000, 7}};
  const auto looked_up = [table](Vec<int> places) {
    auto entries = fg::constant(table);
    return fg::map([&](Exp<int> i) { return entries[fg::cast<fg::i64>(i & 3)]; }, places);
  };
  const Emitted emitted({{"halved", halved, {"x"}, {"smaller", "n"}},
                         {"spmv", spmv, {"row_starts", "columns", "entries", "x"}},
                         {"squared", squared, {"m"}},
                         {"turned",
                          turned,
                          {fg::EmittedName("s", {"best", "weight", "valid"}), "all", "more"},
                          {fg::EmittedName("t", {"best", "weight", "valid"})}},
                         {"looked_up", looked_up, {"places"}}});
  int64_t extent = -1, extents[2] = {-1, -1};
  for (const std::size_t n : sizes) {
    SCOPED_TRACE(n);
    const std::vector<float> x = floats(n);
    const std::vector<int> xs = integers(n);
    const Buffer<float> on_x(emitted, x), to(emitted, x);
    const Buffer<int> on_xs(emitted, xs), ints(emitted, xs);
    if (n > 0) {
      int rounds = 0;
      ASSERT_EQ(emitted("halved", on_x.get(), on_x.size(), to.get(), to.size(), &extent, &rounds, no_call),
                ok);
      const auto [half, n_rounds] = fg::run(halved, x);
      EXPECT_EQ(to.read(extent), elements(half));
      EXPECT_EQ(rounds, n_rounds);
    }
    ASSERT_EQ(emitted("looked_up", on_xs.get(), on_xs.size(), ints.get(), ints.size(), &extent, no_call), ok);
    EXPECT_EQ(ints.read(extent), elements(fg::run(looked_up, xs)));

    std::vector<fg::u8> valid(n);
    std::vector<Segment> segments(n);
    for (std::size_t i = 0; i < n; ++i) {
      valid[i] = i % 3 == 0;
      segments[i] = {xs[i], x[i], i % 3 == 0};
    }
    const Buffer<fg::u8> on_valid(emitted, valid), valid_to(emitted, valid);
    for (const bool all : {false, true}) {
      ASSERT_EQ(emitted("turned", on_xs.get(), on_x.get(), on_valid.get(), on_xs.size(), all, fg::i8(-3),
                        ints.get(), to.get(), valid_to.get(), to.size(), &extent, no_call),
                ok);
      ASSERT_EQ(extent, to.size());
      const std::vector<int> best = ints.read(extent);
      const std::vector<float> weight = to.read(extent);
      const std::vector<fg::u8> is_valid = valid_to.read(extent);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(best[i], xs[i] - 3) << i;
        ASSERT_EQ(weight[i], -x[i]) << i;
        ASSERT_EQ(is_valid[i], i % 3 != 0 || all) << i;
      }
    }
  }
  // Small whole numbers: sums are exact in any order.
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{17}, std::size_t{130}}) {
    SCOPED_TRACE(n);
    std::vector<float> m(n * n);
    for (std::size_t i = 0; i < m.size(); ++i) m[i] = static_cast<float>(i % 7) - 3;
    const Buffer<float> on_m(emitted, m), to(emitted, m);
    const auto rows = static_cast<int64_t>(n);
    ASSERT_EQ(emitted("squared", on_m.get(), rows, rows, to.get(), to.size(), extents, no_call), ok);
    EXPECT_EQ(extents[0], rows);
    EXPECT_EQ(extents[1], rows);
    EXPECT_EQ(to.read(to.size()), fg::run(squared, fg::view(m.data(), {rows, rows})).to_vector());
  }
  for (const std::size_t rows : sizes) {
    SCOPED_TRACE(rows);
    std::vector<fg::i64> starts(rows);
    std::vector<int> columns;
    std::vector<float> entries;
    for (std::size_t r = 0; r < rows; ++r) {
      starts[r] = static_cast<fg::i64>(columns.size());
      for (std::size_t k = 0; k < r % 4; ++k) {
        columns.push_back(static_cast<int>((r * 7 + k * 13) % rows));
        entries.push_back(static_cast<float>(k + 1));
      }
    }
    starts.push_back(static_cast<fg::i64>(columns.size()));
    std::vector<float> x(rows);
    for (std::size_t i = 0; i < rows; ++i) x[i] = static_cast<float>(i % 9);
    const Buffer<fg::i64> on_starts(emitted, starts);
    const Buffer<int> on_columns(emitted, columns);
    const Buffer<float> on_entries(emitted, entries), on_x(emitted, x), to(emitted, x);
    ASSERT_EQ(emitted("spmv", on_starts.get(), on_starts.size(), on_columns.get(), on_columns.size(),
                      on_entries.get(), on_entries.size(), on_x.get(), on_x.size(), to.get(), to.size(),
                      &extent, no_call),
              ok);
    EXPECT_EQ(to.read(extent), elements(fg::run(spmv, starts, columns, entries, x)));
  }
}

TEST(EmitOpenCl, FailuresHaveTheUsersLine) {
  const Emitted emitted({{"saxpy", saxpy, {"alpha", "x", "y"}},
                         {"at", at, {"xs", "places"}},
                         {"positives", positives, {"xs"}}});
  Error error{};
  Call with_error;
  with_error.error = &error;
  const Call* const call = &with_error;
  int64_t extent = 0;
  const Buffer<float> x(emitted, floats(4)), y(emitted, floats(3)), to(emitted, floats(4));
  EXPECT_EQ(emitted("saxpy", 2.0f, x.get(), x.size(), y.get(), y.size(), to.get(), to.size(), &extent, call),
            shape);
  EXPECT_NE(std::string(error.file).find("emit_opencl_slow_test.cpp"), std::string::npos);
  EXPECT_GT(error.line, 0);
  EXPECT_NE(std::string(error.text).find("f32[3]"), std::string::npos) << error.text;

  const std::vector<int> xs = integers(10), wrong{0, 9, 12, 3, 99}, right{0, 9, 3};
  const Buffer<int> on_xs(emitted, xs), on_wrong(emitted, wrong), on_right(emitted, right), ints(emitted, xs);
  for (int k = 0; k < 40; ++k) {  // more often than there are records
    EXPECT_EQ(emitted("at", on_xs.get(), on_xs.size(), on_wrong.get(), on_wrong.size(), ints.get(),
                      ints.size(), &extent, call),
              index_error);
    EXPECT_EQ(emitted("at", on_xs.get(), on_xs.size(), on_right.get(), on_right.size(), ints.get(),
                      ints.size(), &extent, no_call),
              ok);
  }
  EXPECT_EQ(ints.read(extent), elements(fg::run(at, xs, right)));
  try {
    (void)fg::run(at, xs, wrong);
    FAIL();
  } catch (const fg::IndexError& e) {
    EXPECT_EQ(e.message(), error.text);
    EXPECT_EQ(static_cast<int>(e.line()), error.line);
  }

  EXPECT_EQ(emitted("positives", on_xs.get(), on_xs.size(), ints.get(), int64_t{1}, &extent, call), capacity);
  EXPECT_EQ(extent, static_cast<int64_t>(fg::run(positives, xs).size()));
  EXPECT_NE(std::string(error.text).find("there is memory for 1"), std::string::npos) << error.text;
}

TEST(EmitOpenCl, ArgumentsThatCannotBeAreRefused) {
  const Emitted emitted({{"positives", positives, {"xs"}}});
  Error error{};
  Call with_error;
  with_error.error = &error;
  const Call* const call = &with_error;
  const Buffer<int> xs(emitted, integers(10)), to(emitted, integers(10));
  int64_t extent = 0;
  EXPECT_EQ(emitted("positives", xs.get(), int64_t{-1}, to.get(), to.size(), &extent, call), argument);
  EXPECT_EQ(emitted("positives", xs.get(), int64_t{11}, to.get(), to.size(), &extent, call), argument);
  EXPECT_NE(std::string(error.text).find("40 bytes is given for an array of 44"), std::string::npos)
      << error.text;
  EXPECT_EQ(emitted("positives", xs.get(), xs.size(), to.get(), int64_t{11}, &extent, call), argument);
  void* const nothing = nullptr;
  EXPECT_EQ(emitted("positives", nothing, xs.size(), to.get(), to.size(), &extent, call), argument);
  const auto positives_on =
      emitted.function<int(void*, void*, void*, int64_t, void*, int64_t, int64_t*, const Call*)>("positives");
  if (void* const unordered = emitted.queue(false)) {
    EXPECT_EQ(positives_on(emitted.object("positives"), unordered, xs.get(), xs.size(), to.get(), to.size(),
                           &extent, call),
              argument);
    EXPECT_NE(std::string(error.text).find("in any order"), std::string::npos) << error.text;
  }
}

TEST(EmitOpenCl, IntermediateArraysTakeTheCallersMemory) {
  const Emitted emitted({{"sieve", sieve, {"xs"}}});
  const std::vector<int> xs = integers(10'000);
  const Buffer<int> on_xs(emitted, xs), to(emitted, xs);
  struct Memory {
    void* (*make)(const void*, std::size_t);
    void (*release)(void*);
    int n_made = 0, n_released = 0;
    std::vector<char> zeros = std::vector<char>(1 << 20);
  } of_caller{emitted.function<void*(const void*, std::size_t)>("drive_buffer"),
              emitted.function<void(void*)>("drive_release")};
  Call call;
  call.memory = &of_caller;
  call.allocate = [](void* m, std::size_t bytes) {
    auto& from = *static_cast<Memory*>(m);
    ++from.n_made;
    return bytes <= from.zeros.size() ? from.make(from.zeros.data(), bytes) : nullptr;
  };
  call.release = [](void* m, void* buffer) {
    ++static_cast<Memory*>(m)->n_released;
    static_cast<Memory*>(m)->release(buffer);
  };
  const Call* const with_memory = &call;
  int64_t extent = 0;
  ASSERT_EQ(emitted("sieve", on_xs.get(), on_xs.size(), to.get(), to.size(), &extent, with_memory), ok);
  EXPECT_EQ(to.read(extent), elements(fg::run(sieve, xs)));
  EXPECT_GT(of_caller.n_made, 0);
  EXPECT_EQ(of_caller.n_made, of_caller.n_released);

  Error error{};
  call.error = &error;
  call.allocate = [](void*, std::size_t) -> void* { return nullptr; };
  EXPECT_EQ(emitted("sieve", on_xs.get(), on_xs.size(), to.get(), to.size(), &extent, with_memory), memory);
}

}  // namespace
