// What `explain` says of single programs: bytes of parts of arrays, copies, memory of launches, loops, and no
// ratios where there is nothing to compare with.
#include <fulgurite/fulgurite.h>

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

namespace {

template <class F>
std::string told(F f) {
  return fg::explanation(fg::compile(f, {.engine = fg::Engine::cpu}));
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_SILENT(text, part) EXPECT_EQ((text).find(part), std::string::npos) << (text)

TEST(Explanation, CountsThePartOfAnArrayThatIsRead) {
  const std::string stride = told([](Vec<float> x) { return x.slice(0, x.size(), 4) * 2.0f; });
  EXPECT_SAYS(stride, "moves 8((n + 3) / 4) bytes, the least possible\n");
  const std::string row =
      told([](Mat<float> m) { return fg::generate(m.size(1), [&](Exp<fg::i64> j) { return m(3, j); }); });
  EXPECT_SAYS(row, "reads 4m bytes, writes 4m\n");
  const std::string neighbours =
      told([](Vec<float> x) { return x.slice(2, x.size()) + x.slice(0, x.size() - 2); });
  EXPECT_SAYS(neighbours, "reads 4n bytes, writes 4n - 8\n");
}

TEST(Explanation, KnowsArraysThatAreInWindowsOnly) {
  const auto differences = [](Vec<float> x) {
    auto powers = fg::exp(x);
    return powers.slice(1, x.size()) - powers.slice(0, x.size() - 1);
  };
  const std::string by_blocks = fg::explanation(fg::compile(differences, {.engine = fg::Engine::emulator}));
  EXPECT_SAYS(by_blocks, " in 1 kernel, no intermediate array\n");
  EXPECT_SAYS(by_blocks, "blocks compute what they read around their points");
  EXPECT_SAYS(told(differences), " in 2 kernels, 1 intermediate array\n");
}

TEST(Explanation, FindsStatementsWhoseArraysGotSimplerShapes) {
  // That x and y have equal sizes is known only after y * y + 2 has been traced.
  const auto compiled = fg::compile(
      [](Vec<float> x, Vec<float> y) {
        auto sums = fg::scan(fg::plus, 0.0f, y * y + 2.0f);
        return std::tuple{fg::reverse(sums), fg::scan(fg::plus, 0.0f, x + sums)};
      },
      {.engine = fg::Engine::cpu});
  EXPECT_SAYS(fg::explanation(compiled), "fused in    elementwise '*'  explanation_test.cpp:");
  const std::string grey = "fill=\"#f0f1f3\"";
  EXPECT_SILENT(fg::explanation(compiled, fg::Explain::svg), grey);
}

TEST(Explanation, BoundsWhatElementsDecide) {
  const std::string gather = told([](Vec<float> table, Vec<int> at) { return fg::gather(table, at); });
  EXPECT_SAYS(gather, "reads at most 4m + 4min(n, m) bytes, writes 4m\n");
  const std::string filter = told([](Vec<int> x) { return fg::filter([](Exp<int> k) { return k > 0; }, x); });
  EXPECT_SAYS(filter, "reads 4n bytes, writes at most 4n + 16\n");
}

TEST(Explanation, CallsParametersWhatTheUserCallsThem) {
  const auto program = [](Vec<float> pixels, int k, Vec<int> places, Exp<float> scale) {
    return fg::with(pixels, 0, scale * static_cast<float>(k)) + fg::sum(fg::gather(pixels, places));
  };
  const std::string text = fg::explanation(
      fg::compile(program, {.engine = fg::Engine::cpu, .name = "brighter(pixels, k, places, scale)"}),
      fg::Explain::text, 3);
  EXPECT_SAYS(text, "brighter(pixels: f32[n], places: i32[m], scale: f32) -> f32[n]\n");
  EXPECT_SAYS(text, "  pixels into with, ");
  EXPECT_SAYS(text, "0 < n_pixels");
  EXPECT_SILENT(text, "n_a");
  const auto composite = [](Vec<std::pair<float, float>> readings, Exp<float> margin) {
    return fg::map([&](Exp<std::pair<float, float>> reading) { return reading.get<1>() + margin; }, readings);
  };
  const auto of_composite = [&](const char* name) {
    return fg::explanation(fg::compile(composite, {.engine = fg::Engine::cpu, .name = name}));
  };
  EXPECT_SAYS(of_composite("damp(reading.time.value, margin)"),
              "damp(reading.time: f32[n], reading.value: f32[n], margin: f32) -> f32[n]\n");
  EXPECT_SAYS(of_composite("damp(readings"),
              "damp(readings: f32[n], readings_1: f32[n], b: f32) -> f32[n]\n");
  EXPECT_SAYS(of_composite("damp"), "damp(a: f32[n], a_1: f32[n], b: f32) -> f32[n]\n");
}

TEST(Explanation, NamesCopiesAndTheirReasons) {
  const std::string argument = told([](Vec<float> x) { return fg::with(x, 0, 1.0f); });
  EXPECT_SAYS(argument, "copies      a into with, 4n bytes: an argument stays as the caller has it\n");
  EXPECT_SAYS(argument, "reads 4n bytes, writes 4n + 4\n");
  const std::string own = told([](Vec<float> x) { return fg::with(fg::scan(fg::plus, 0.0f, x), 0, 1.0f); });
  EXPECT_SAYS(own, "in place    scan becomes with");
  EXPECT_SAYS(own, "reads 0 bytes, writes 4\n");
  const std::string both = told([](Vec<float> x) {
    auto sums = fg::scan(fg::plus, 0.0f, x);
    return std::tuple{sums, fg::with(sums, 0, 1.0f)};
  });
  EXPECT_SAYS(both, "copies      scan into with, 4n bytes: it is a result itself\n");
}

TEST(Explanation, NamesMemoryOfLaunchesAndPasses) {
  const std::string rows = told([](Mat<float> m) {
    return fg::map(
        [](Vec<float> row) {
          auto powers = fg::exp(row - fg::max(row));
          return powers / fg::sum(powers);
        },
        fg::rows(m));
  });
  EXPECT_SAYS(rows, "private     scratch, ");
  EXPECT_SAYS(rows, "passes      goes through a 2 times\n");
  const std::string pairs = told([](Vec<float> x, Vec<float> y) {
    return fg::map([&](Exp<float> p) { return fg::sum(fg::abs(y - p)); }, x);
  });
  EXPECT_SAYS(pairs, "passes      goes through b n times\n");
  const std::string bins =
      told([](Vec<int> keys) { return fg::histogram(fg::plus, 0, 64, keys, fg::replicate(keys.size(), 1)); });
  EXPECT_SAYS(bins, "private     bins, ");
  const std::string again = told([](Vec<float> x, Vec<float> y) {
    return fg::map(
        [&](Exp<float> limit) {
          return fg::while_loop([&](Exp<float> sum) { return sum < limit; },
                                [&](Exp<float> sum) { return sum + fg::sum(y * sum); }, 1.0f);
        },
        x);
  });
  EXPECT_SAYS(again, "passes      goes through b as often as elements say\n");
}

// What the versions for large arrays do: tiles of a product, rows of a matrix that are folded along all
// columns.
TEST(Explanation, TellsOfReductionsAlongAxes) {
  const std::string product = told([](Mat<double> a, Mat<double> b) { return fg::matmul(a, b); });
  EXPECT_SAYS(product, "passes      goes through a 2048 times where every size is 2^20\n");
  EXPECT_SILENT(product, "goes through b m times");
  EXPECT_SILENT(product, "sequential loop");
  EXPECT_SILENT(told([](Mat<float> m) { return fg::sum(m, fg::axis(0)); }), "sequential loop");
  const std::string both = told([](Mat<float> a, Mat<float> b) {
    return fg::map(
        [&](Vec<float> row) {
          return fg::while_loop([](Exp<float> x) { return x < 100.0f; },
                                [&](Exp<float> x) { return x + fg::sum(row * x); }, 1.0f);
        },
        fg::rows(a * fg::sum(b)));
  });
  EXPECT_SAYS(both, "sum runs as a sequential loop");
}

TEST(Explanation, GivesAReasonForEachDecision) {
  const auto rows = [](Mat<float> m) {
    return fg::map([](Vec<float> row) { return fg::sum(row); }, fg::rows(m));
  };
  const std::string by_lanes = told(rows);
  EXPECT_SAYS(
      by_lanes,
      "  phase       main where not (65536 < m & n < 64 | max(m, 1) <= 16): n points are mapped; tasks of ");
  EXPECT_SAYS(by_lanes, "\n    inner 1: up to ");
  EXPECT_SAYS(by_lanes,
              "\n    tasks: about 4096 points of rows each: one row costs 48 additions, which is moderate "
              "(moderate_tile, moderate_work, cost_step, unknown_trips)\n");
  EXPECT_SAYS(by_lanes, "(few_rows, long_row_tiles)\n");
  const std::string by_blocks = fg::explanation(fg::compile(rows, {.engine = fg::Engine::emulator}));
  EXPECT_SAYS(by_blocks,
              "  phase       short rows where not (32 <= m): rows by tiles by (n + 255) / 256 tasks\n");
  EXPECT_SAYS(by_blocks, "where rows are few (column_part, filling_blocks)\n");
  const std::string sort = told([](Vec<int> x) { return fg::sort(x); });
  EXPECT_SAYS(sort, "    order: digits of the keys, then insertion (sort_least_digit_bits, ");
}

TEST(Explanation, NamesEveryLoop) {
  const auto line = [](int number) { return "explanation_test.cpp:" + std::to_string(number); };
  const int before_loop = __LINE__;
  const std::string loop = told([](Vec<float> x) {
    return fg::map(
        [](Exp<float> a) { return fg::iterate(9, [&](Exp<float> y) { return 0.5f * (y + a / y); }, a); }, x);
  });
  EXPECT_SAYS(loop, line(before_loop + 3) + ": iterate runs as a sequential loop");
  const std::string alone = told([](Exp<float> a) {
    return fg::while_loop([](Exp<float> y) { return y < 9.0f; }, [](Exp<float> y) { return y * 2.0f; }, a);
  });
  EXPECT_SAYS(alone, "while_loop runs as a sequential loop");
  EXPECT_SAYS(alone, "phase       main: scalars: one task\n");
  const std::string sorts = told(
      [](Mat<float> m) { return fg::map([](Vec<float> row) { return fg::sort(row)[0]; }, fg::rows(m)); });
  EXPECT_SAYS(sorts, "sort runs as a sequential loop");
  const int before_again = __LINE__;
  const std::string again = told([](Vec<float> x) {
    return fg::iterate(9, [](Vec<float> v) { return fg::scan(fg::plus, 0.0f, v); }, x);
  });
  EXPECT_SAYS(again, "in each iteration of iterate at " + line(before_again + 2));
}

TEST(Explanation, SaysWhatLimitsAKernel) {
  const std::string map = told([](Vec<float> x, Vec<float> y) { return 2.0f * x + y; });
  EXPECT_SAYS(map, "  limit       memory: 2n operations, 0.167 for each byte\n");
  const std::string roots = told([](Vec<float> x) { return fg::exp(fg::sqrt(x) / (x + 1.0f)); });
  EXPECT_SAYS(roots, "  limit       arithmetic: 37n operations, 4.62 for each byte\n");
  // A row's mean is computed once a row; each product is one operation, and its sum another.
  const std::string rows = told(
      [](Mat<float> m) { return fg::map([](Vec<float> row) { return row - fg::mean(row); }, fg::rows(m)); });
  EXPECT_SAYS(rows, " operations, 0.");
  const std::string product = told([](Mat<float> a, Mat<float> b) { return fg::matmul(a, b); });
  EXPECT_SAYS(product, "  limit       arithmetic: 2k*m*n operations\n");
  const std::string moved = told([](Mat<float> m) { return fg::transpose(m); });
  EXPECT_SAYS(moved, "  limit       memory: 0 operations, 0 for each byte\n");
  const std::string steps = told([](Vec<float> x) {
    return fg::map(
        [](Exp<float> a) {
          return fg::while_loop([](Exp<float> y) { return y < 9.0f; }, [](Exp<float> y) { return y * 2.0f; },
                                a);
        },
        x);
  });
  EXPECT_SAYS(steps, "  limit       elements: they say how much is computed\n");
}

TEST(Explanation, SaysLeastPossibleWhereNothingMovesTwice) {
  const char* const least = ", the least possible";
  EXPECT_SAYS(told([](Vec<float> x) { return fg::sum(x * x); }), least);
  EXPECT_SILENT(told([](Vec<float> x) { return fg::with(x, 0, fg::mean(x)); }), least);
  EXPECT_SILENT(told([](Vec<float> t, Vec<int> at) { return fg::gather(t, at); }), least);
  EXPECT_SILENT(told([](Mat<float> a, Mat<float> b) { return fg::matmul(a, b); }), least);
  EXPECT_SILENT(told([](Vec<float> x) { return fg::iterate(9, [](Vec<float> v) { return v * 2.0f; }, x); }),
                least);
}

TEST(Explanation, TellsWhatCallsWithShortAxesRun) {
  const auto f = [](Mat<float> points) {
    return fg::map([](Vec<float> p) { return p / fg::sqrt(fg::sum(p * p)); }, fg::rows(points));
  };
  const auto compiled = fg::compile(f, {.engine = fg::Engine::cpu});
  EXPECT_SAYS(fg::explanation(compiled),
              "\nshort axes: a call where n or m is at most 8, and an array has 1024 elements or more, runs");
  const std::string of_points = fg::explanation(compiled, {"100000x3"});
  EXPECT_SAYS(of_points, "f32[n, 3]) -> f32[n, 3]\n");
  EXPECT_SAYS(of_points, "  explanation_test.cpp:");
  EXPECT_SILENT(of_points, "short axes");
  const std::string of_long_rows = fg::explanation(compiled, {"100000x9"});
  EXPECT_SAYS(of_long_rows, "f32[n, m]) -> f32[n, m]\n");
  EXPECT_SILENT(of_long_rows, "short axes");
  EXPECT_SAYS(fg::explanation(compiled, fg::Explain::json), "\"longest\": 8");
  EXPECT_SAYS(fg::explanation(compiled, {"100000x3"}, fg::Explain::json), "f32[n, 3]");
  EXPECT_THROW(fg::explanation(compiled, {"100000"}), fg::FormatError);
  EXPECT_THROW(fg::explanation(compiled, {"100000x3", "2"}), fg::FormatError);
  EXPECT_SILENT(fg::explanation(fg::compile(f, {.engine = fg::Engine::cpu, .policy = "short_axis=0"})),
                "short axes");
  EXPECT_SILENT(told([](Vec<float> x) { return x + 1.f; }), "short axes");
}

TEST(Explanation, HasNoRatioToNothing) {
  const std::string made = told([](Exp<fg::i64> n) { return fg::sum(fg::iota(n)); });
  EXPECT_SAYS(made, "moves 0 bytes; what is needed once: 0\n");
  // One element is needed, and an array is made in memory on the way.
  const std::string last = told(
      [](Vec<float> x) { return x[0] * fg::scan(fg::plus, 0.0f, fg::iota<float>(x.size()))[x.size() - 1]; });
  EXPECT_SAYS(last, "; what is needed once: 4\n");
  for (const std::string& text : {made, last}) {
    EXPECT_SILENT(text, "times that");
    EXPECT_SILENT(text, "inf");
    EXPECT_SILENT(text, "nan");
  }
}

}  // namespace
