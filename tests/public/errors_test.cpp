// What goes wrong, and what the user reads: the kind of error, the user's line, what to do.
#include "engines.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>

namespace {

constexpr unsigned saxpy_line = __LINE__ + 2;
Vec<float> saxpy(Exp<float> alpha, Vec<float> x, Vec<float> y) {
  return alpha * x + y;
}

constexpr unsigned pick_line = __LINE__ + 2;
Vec<int> pick(Vec<int> x, Vec<int> indices) {
  return fg::map([&](Exp<int> i) { return x[i]; }, indices);
}

TEST(Errors, ShapesOfAnElementwiseOperation) {
  on_every_engine(saxpy, [](const auto& f) {
    const std::string text =
        message_of<fg::ShapeError>([&] { f(1.0f, std::vector<float>(1000), std::vector<float>(999)); });
    EXPECT_EQ(text, "errors_test.cpp:" + std::to_string(saxpy_line) +
                        ": fulgurite::ShapeError: elementwise '+' needs equal shapes: left is f32[1000] "
                        "(argument 2), right is "
                        "f32[999] (argument 3)");
    EXPECT_EQ(f(1.0f, std::vector<float>{1}, std::vector<float>{2})[0], 3.0f) << "nothing is lost";
  });
}

TEST(Errors, ShapesOfMapAndZip) {
  on_every_engine(
      [](Vec<int> a, Vec<float> b) { return fg::map([](Exp<int> x, Exp<float>) { return x; }, a, b); },
      [](const auto& f) {
        const std::string text =
            message_of<fg::ShapeError>([&] { f(std::vector<int>(2), std::vector<float>(3)); });
        EXPECT_NE(
            text.find(
                "map needs equal shapes: array 1 is i32[2] (argument 1), array 2 is f32[3] (argument 2)"),
            std::string::npos)
            << text;
      });
  on_every_engine([](Mat<int> a, Mat<int> b) { return fg::unzip(fg::zip(a, b)); },
                  [](const auto& f) {
                    const fg::Array<int, 2> a({1, 2, 3, 4, 5, 6}, {2, 3}), b({1, 2, 3, 4, 5, 6}, {3, 2});
                    const std::string text = message_of<fg::ShapeError>([&] { f(a, b); });
                    EXPECT_NE(text.find("zip needs equal shapes: array 1 is i32[2, 3] (argument 1), array 2 "
                                        "is i32[3, 2] (argument 2)"),
                              std::string::npos)
                        << text;
                  });
}

TEST(Errors, ShapesKnownWhileTracing) {
  const auto f = [] { return fg::iota(3) + fg::iota(4); };
  const std::string text = message_of<fg::ShapeError>([&] { fg::compile(f); });
  EXPECT_NE(text.find("left is i64[3], right is i64[4]"), std::string::npos) << text;
}

TEST(Errors, Slices) {
  on_every_engine(
      [](Vec<int> x, Exp<int> a, Exp<int> b, Exp<int> stride) { return x.slice(a, b, stride); },
      [](const auto& f) {
        const std::vector<int> x{0, 1, 2, 3, 4};
        EXPECT_EQ(vector_of(f(x, 1, 5, 2)), (std::vector<int>{1, 3}));
        EXPECT_EQ(vector_of(f(x, 4, -1, -2)), (std::vector<int>{4, 2, 0}));
        EXPECT_EQ(vector_of(f(x, 2, 2, 1)), std::vector<int>());
        EXPECT_NE(
            message_of<fg::ShapeError>([&] { f(x, 1, 6, 1); }).find("slice(1, 6, 1) of an array of 5 needs"),
            std::string::npos);
        EXPECT_THROW(f(x, 3, 2, 1), fg::ShapeError);
        EXPECT_THROW(f(x, -1, 2, 1), fg::ShapeError);
        EXPECT_THROW(f(x, 5, 0, -1), fg::ShapeError);
        EXPECT_NE(message_of<fg::ShapeError>([&] { f(x, 0, 2, 0); }).find("a stride that is not 0"),
                  std::string::npos);
      });
  EXPECT_THROW(fg::compile([](Vec<int> x) { return x.slice(0, 2, 0); }), fg::ShapeError);
  EXPECT_THROW(fg::compile([](Vec<int> x) { return x.slice(3, 2); }), fg::ShapeError);
}

TEST(Errors, Sizes) {
  on_every_engine([](Exp<fg::i64> n) { return fg::iota(n); },
                  [](const auto& f) {
                    EXPECT_EQ(f(3).size(), 3);
                    EXPECT_EQ(f(0).size(), 0);
                    EXPECT_NE(message_of<fg::ShapeError>([&] {
                                f(-1);
                              }).find("iota: a size is from 0 to 2^47 elements, not -1"),
                              std::string::npos);
                    EXPECT_THROW(f(fg::i64(1) << 60), fg::ShapeError);
                  });
  on_every_engine([](Exp<fg::i64> r, Exp<fg::i64> c) { return fg::replicate({r, c}, 1); },
                  [](const auto& f) {
                    EXPECT_EQ(f(2, 3).size(), 6);
                    EXPECT_THROW(f(-2, -3), fg::ShapeError);
                    EXPECT_THROW(f(fg::i64(1) << 40, fg::i64(1) << 40), fg::ShapeError);
                  });
  on_every_engine([](Vec<int> x, Exp<int> r, Exp<int> c) { return fg::reshape(x, {r, c}); },
                  [](const auto& f) {
                    const std::vector<int> x(6);
                    EXPECT_EQ(f(x, 2, 3).size(0), 2);
                    EXPECT_THROW(f(x, 2, 2), fg::ShapeError);
                    EXPECT_THROW(f(x, -2, -3), fg::ShapeError);
                  });
  on_every_engine([](Vec<int> x, Exp<int> n) { return std::tuple{fg::take(x, n), fg::drop(x, n)}; },
                  [](const auto& f) {
                    EXPECT_EQ(std::get<1>(f(std::vector<int>(3), 1)).size(), 2);
                    EXPECT_THROW(f(std::vector<int>(3), 4), fg::ShapeError);
                    EXPECT_THROW(f(std::vector<int>(3), -1), fg::ShapeError);
                  });
  EXPECT_THROW(fg::compile([](Mat<int> m) { return m.size(2); }), fg::ShapeError);
}

TEST(Errors, NothingToReduce) {
  on_every_engine(
      [](Vec<int> x) { return fg::reduce(fg::plus, x); },
      [](const auto& f) {
        EXPECT_EQ(f(std::vector<int>{1, 2}), 3);
        EXPECT_NE(message_of<fg::ShapeError>([&] { f(std::vector<int>()); }).find("give a neutral element"),
                  std::string::npos);
      });
  on_every_engine([](Vec<int> x) { return fg::argmax(x); },
                  [](const auto& f) { EXPECT_THROW(f(std::vector<int>()), fg::ShapeError); });
}

TEST(Errors, IndexOutOfRange) {
  on_every_engine(pick, [](const auto& f) {
    const std::vector<int> x{5, 6, 7};
    EXPECT_EQ(vector_of(f(x, std::vector<int>{2, 0, 1, 1})), (std::vector<int>{7, 5, 6, 6}));
    const std::string text = message_of<fg::IndexError>([&] { f(x, std::vector<int>{0, 1, 3, -1}); });
    EXPECT_EQ(text, "errors_test.cpp:" + std::to_string(pick_line) +
                        ": fulgurite::IndexError: index 3 at position 2 is outside 0..2");
  });
  on_every_engine([](Mat<int> m, Exp<int> i, Exp<int> j) { return m(i, j); },
                  [](const auto& f) {
                    const fg::Array<int, 2> m({1, 2, 3, 4, 5, 6}, {2, 3});
                    EXPECT_EQ(f(m, 1, 2), 6);
                    EXPECT_THROW(f(m, 1, 3), fg::IndexError);
                    EXPECT_THROW(f(m, -1, 0), fg::IndexError);
                  });
}

TEST(Errors, DivisionByZero) {
  on_every_engine([](Vec<int> a, Vec<int> b) { return a / b; },
                  [](const auto& f) {
                    EXPECT_EQ(vector_of(f(std::vector<int>{7, -7}, std::vector<int>{2, 2})),
                              (std::vector<int>{3, -3}));
                    EXPECT_THROW(f(std::vector<int>{7, 1}, std::vector<int>{2, 0}), fg::ArithmeticError);
                  });
  on_every_engine([](Exp<int> a, Exp<int> b) { return a % b; },
                  [](const auto& f) {
                    EXPECT_EQ(f(-7, 2), -1);
                    EXPECT_THROW(f(1, 0), fg::ArithmeticError);
                  });
}

TEST(Errors, UseOfAValueWhereItIsNotInScope) {
  const auto escapes = [](Vec<int> x) {
    std::optional<Exp<int>> kept;
    fg::map(
        [&](Exp<int> e) {
          kept = e + 1;
          return e;
        },
        x);
    return *kept * 2;
  };
  const std::string text = message_of<fg::TraceError>([&] { fg::compile(escapes); });
  EXPECT_NE(text.find("made in the function given to map at errors_test.cpp:"), std::string::npos) << text;
  EXPECT_NE(text.find("return it from that function"), std::string::npos) << text;

  std::optional<Exp<int>> old;
  fg::compile([&](Exp<int> x) {
    old = x;
    return x;
  });
  EXPECT_NE(message_of<fg::TraceError>([&] {
              fg::compile([&](Exp<int> x) { return x + *old; });
            }).find("another trace"),
            std::string::npos);
  EXPECT_NE(message_of<fg::TraceError>([&] { *old + 1; }).find("fg::compile"), std::string::npos);
}

TEST(Errors, ValuesThatATypeDoesNotRepresent) {
  EXPECT_NE(message_of<fg::TraceError>([] {
              fg::compile([](Exp<float> x) { return x * 0.1; });
            }).find("f32 does not represent 0.1"),
            std::string::npos);
  EXPECT_THROW(fg::compile([](Exp<fg::i8> x) { return x + 128; }), fg::TraceError);
  EXPECT_THROW(fg::compile([](Exp<fg::u32> x) { return x + -1; }), fg::TraceError);
  EXPECT_THROW(fg::compile([](Exp<float> x) { return x + 16777217; }), fg::TraceError);
  EXPECT_NO_THROW(fg::compile([](Exp<float> x) { return x * 2.0 + 16777216 - 0.25; },
                              {.engine = fg::Engine::interpreter}));
}

struct UsersError : std::runtime_error {
  UsersError() : std::runtime_error("mine") {}
};

TEST(Errors, UsersExceptionsPassThrough) {
  const auto throws = [](Vec<int> x, int at) {
    return fg::map(
        [&](Exp<int> e) {
          if (at == 1) throw UsersError();
          return fg::cond(
              e > 0,
              [&] {
                if (at == 2) throw UsersError();
                return e;
              },
              0);
        },
        x);
  };
  on_every_engine(throws, [](const auto& f) {
    const std::vector<int> x{1, -1};
    EXPECT_THROW(f(x, 1), UsersError);
    EXPECT_THROW(f(x, 2), UsersError);
    EXPECT_EQ(vector_of(f(x, 3)), (std::vector<int>{1, 0})) << "nothing is lost";
  });
}

TEST(Errors, RowsOfDifferentSizes) {
  const auto irregular = [](Vec<int> x) { return fg::map([](Exp<int> n) { return fg::iota(n); }, x); };
  EXPECT_NE(
      message_of<fg::ShapeError>([&] { fg::compile(irregular); }).find("returns arrays of different sizes"),
      std::string::npos);
}

TEST(Errors, EnginesThatAreNotThere) {
  if (!has_cuda()) {
    EXPECT_THROW(fg::compile(saxpy, {.engine = fg::Engine::cuda}), fg::DeviceError);
  }
  const char* const given = std::getenv("FULGURITE_ENGINE");
  const std::optional<std::string> before =
      given == nullptr ? std::nullopt : std::optional<std::string>(given);
  setenv("FULGURITE_ENGINE", "abacus", 1);
  EXPECT_NE(message_of<fg::DeviceError>([] {
              fg::compile(saxpy);
            }).find("cpu, interpreter, opencl, cuda, emulator or mpi"),
            std::string::npos);
  setenv("FULGURITE_ENGINE", "interpreter", 1);
  EXPECT_EQ(fg::default_engine(), fg::Engine::interpreter);
  unsetenv("FULGURITE_ENGINE");
  EXPECT_EQ(fg::default_engine(), fg::Engine::cpu);
  if (before) setenv("FULGURITE_ENGINE", before->c_str(), 1);
}

TEST(Errors, OptionsThatTheEnvironmentSets) {
  EXPECT_FALSE(fg::captures_are_checked());
  setenv("FULGURITE_DEBUG", "captures", 1);
  EXPECT_TRUE(fg::captures_are_checked());
  unsetenv("FULGURITE_DEBUG");
  EXPECT_EQ(fg::default_policy(), "");
  setenv("FULGURITE_POLICY", "cheap_tile=8192", 1);
  EXPECT_EQ(fg::default_policy(), "cheap_tile=8192");
  EXPECT_EQ(fg::Options().policy, "cheap_tile=8192");
  unsetenv("FULGURITE_POLICY");
}

// 2^46 elements of 8 bytes are a size, and more than any memory.
TEST(Errors, ArraysThatFitIntoNoMemory) {
  constexpr fg::i64 huge = fg::i64(1) << 46;
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE("engine " + name);
    const unsigned before = __LINE__;
    const auto f = fg::compile([](Exp<fg::i64> n) { return fg::iota(n); }, {.engine = engine});
    const auto g =
        fg::compile([](Exp<fg::i64> n) { return fg::sum(fg::sort(fg::iota(n))); }, {.engine = engine});
    const unsigned behind = __LINE__;
    for (const auto& call :
         {std::function<void()>([&] { f(huge); }), std::function<void()>([&] { g(huge); })}) {
      try {
        call();
        ADD_FAILURE() << "no error";
      } catch (const fg::OutOfMemory& error) {
        EXPECT_NE(error.message().find(std::to_string(huge * 8) + " bytes"), std::string::npos)
            << error.what();
        EXPECT_NE(error.file().find("errors_test.cpp"), std::string::npos) << error.what();
        EXPECT_TRUE(before < error.line() && error.line() < behind) << error.what();
      }
    }
    EXPECT_EQ(f(3).size(), 3) << "nothing is lost";
  }
  EXPECT_THROW(fg::detail::allocate_elements(std::size_t{1} << 62, 8), fg::OutOfMemory)
      << "a product that overflows";
  EXPECT_THROW(fg::detail::allocate_elements(SIZE_MAX / 8 + 2, 8), fg::OutOfMemory);
  EXPECT_THROW(fg::detail::allocate_elements(SIZE_MAX, 1), fg::OutOfMemory);
}

TEST(Errors, RealArrays) {
  EXPECT_THROW((fg::Array<int, 2>({1, 2, 3}, {2, 2})), fg::ShapeError);
  EXPECT_THROW((fg::Array<int, 2>({1, 2, 3}, {-1, -3})), fg::ShapeError);
  const int numbers[] = {1, 2};
  EXPECT_THROW(fg::view(numbers, {-1}), fg::ShapeError);
  EXPECT_THROW(fg::Array<int>({1, 2}).at(2), fg::IndexError);
}

// Operators that C++ gives no place for a line take that of what was traced before them.
TEST(Errors, EveryOperatorHasALine) {
  std::optional<Vec<bool>> mask;
  std::optional<Exp<int>> number;
  fg::compile([&](Vec<float> x, Exp<int> n) {
    mask = x > 0.0f;
    number = n;
    return *mask;
  });
  const auto line_of = [&](const auto& wrong) -> unsigned {
    try {
      fg::compile(wrong);
    } catch (const fg::TraceError& error) {
      EXPECT_NE(error.file().find("errors_test.cpp"), std::string::npos) << error.what();
      return error.line();
    }
    ADD_FAILURE() << "no error";
    return 0;
  };
  EXPECT_NE(line_of([&](Vec<float> x) { return fg::select(!*mask, x, x); }), 0U);
  EXPECT_NE(line_of([&](Vec<float> x) { return fg::select(*mask && true, x, x); }), 0U);
  EXPECT_NE(line_of([&](Vec<float> x) { return fg::select(false || *mask, x, x); }), 0U);
  EXPECT_NE(line_of([&](Exp<int>) { return -*number; }), 0U);
  const auto later = [&](Vec<float> x) {
    const auto y = x + 1.0f;
    return fg::select(!*mask, x, y);
  };
  EXPECT_EQ(line_of(later), __LINE__ - 3U);
}

}  // namespace
