// What tracing records: structure of the traced programs, names, shapes, checks; and that every traced
// program is well formed.
#include <fulgurite/fulgurite.h>

#include <gtest/gtest.h>

#include "soac/check.h"
#include "soac/count.h"
#include "soac/print.h"
#include "trace/operators.h"
#include "trace/traced.h"

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

namespace {

template <class F>
fg::soac::Program traced(F f) {
  fg::soac::Program program = fg::detail::trace("p", fg::detail::make_traceable(std::move(f)), nullptr, false,
                                                fg::detail::Here::current())
                                  ->program();
  fg::soac::check(program, "trace");
  return program;
}

template <class F>
std::string text(F f) {
  return fg::soac::print(traced(std::move(f)), {.locations = false});
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Whether the only reduction of the program is marked as commutative.
bool is_commutative(const fg::soac::Program& program) {
  for (const fg::soac::Stm& stm : program.body)
    if (const auto* soac = std::get_if<fg::soac::Soac>(&stm.op); soac && !soac->reductions.empty())
      return soac->reductions[0].commutative;
  ADD_FAILURE() << "no reduction";
  return false;
}

TEST(Traced, Saxpy) {
  const auto program = traced([](Exp<float> alpha, Vec<float> x, Vec<float> y) { return alpha * x + y; });
  const fg::soac::Counts counts = fg::soac::count(program);
  EXPECT_EQ(counts.map, 2);
  EXPECT_EQ(counts.check, 1);
  EXPECT_EQ(program.params.size(), 3u);
  EXPECT_EQ(program.results.size(), 1u);
  ASSERT_EQ(program.sites.size(), 1u);
  EXPECT_EQ(program.sites[0].error, fg::soac::SiteInfo::Error::shape);
  EXPECT_TRUE(has(program.sites[0].where.file, "program_test.cpp"));
}

constexpr unsigned line = __LINE__ + 2;
Exp<float> sum_of_slice(Vec<float> x) {
  return fg::sum(fg::map(fg::exp, x.slice(1, 3)));
}

TEST(Traced, EveryStatementSaysWhereAndWhat) {
  const auto program = traced(sum_of_slice);
  std::vector<std::string> origins;
  for (const fg::soac::Stm& stm : program.body) {
    EXPECT_EQ(stm.where.line, line);
    if (!stm.origin.empty()) origins.push_back(stm.origin);
  }
  EXPECT_EQ(origins, (std::vector<std::string>{"slice", "map", "sum"}));
}

TEST(Traced, TwoTracesOfOneFunctionAreEqual) {
  const auto f = [](Mat<float> m, Vec<int> k) {
    return std::tuple{fg::map([](Vec<float> row) { return fg::sum(row * 2); }, fg::rows(m)),
                      fg::map([](Exp<int> n) { return fg::cond(n > 0, [&] { return 7 / n; }, 0); }, k)};
  };
  EXPECT_EQ(fg::soac::canonical(traced(f)), fg::soac::canonical(traced(f)));
}

TEST(Traced, CommonSubexpressionsAreOneNode) {
  const std::string program =
      text([](Exp<float> x, Exp<float> y) { return fg::exp(x + y) * fg::exp(y + x); });
  EXPECT_EQ(program.find("exp("), program.rfind("exp(")) << program;
}

TEST(Traced, ChecksAreMadeOnceAndNotWhereShapesAreKnown) {
  EXPECT_EQ(fg::soac::count(traced([](Vec<int> x, Vec<int> y) { return (x + y) * (x - y) + x; })).check, 1);
  EXPECT_EQ(
      fg::soac::count(traced([](Vec<int> x) { return x + fg::reverse(x) + fg::iota<int>(x.size()); })).check,
      1)
      << "iota's size";
  EXPECT_EQ(fg::soac::count(traced([](Vec<int> x) {
              return x.slice(1, x.size()) - x.slice(0, x.size() - 1);
            })).check,
            2)
      << "the slices";
  EXPECT_EQ(fg::soac::count(traced([](Mat<int> m) { return fg::flatten(m); })).check, 0);
}

TEST(Traced, SlicesOfKnownSizesNeedNoCheck) {
  EXPECT_EQ(
      fg::soac::count(traced([] { return fg::iota(10).slice(2, 5) + fg::iota(10).slice(9, 0, -3); })).check,
      0);
}

TEST(Traced, KnownOperatorsAreCommutative) {
  using Pair = std::tuple<int, float>;
  EXPECT_TRUE(is_commutative(traced([](Vec<int> x) { return fg::reduce(fg::plus, 0, x); })));
  EXPECT_TRUE(is_commutative(
      traced([](Vec<int> x) { return fg::reduce([](Exp<int> a, Exp<int> b) { return b + a; }, 0, x); })));
  EXPECT_TRUE(is_commutative(traced([](Vec<int> x) { return fg::reduce(fg::bit_xor, 0, x); })));
  EXPECT_TRUE(is_commutative(traced([](Vec<Pair> x) {
    return fg::reduce(
        [](Exp<Pair> a, Exp<Pair> b) {
          return std::tuple{a.get<0>() * b.get<0>(), fg::max(b.get<1>(), a.get<1>())};
        },
        Pair{1, 0.0f}, x);
  })));
  EXPECT_FALSE(is_commutative(
      traced([](Vec<int> x) { return fg::reduce([](Exp<int> a, Exp<int>) { return a; }, x); })));
  EXPECT_FALSE(is_commutative(
      traced([](Vec<int> x) { return fg::reduce([](Exp<int> a, Exp<int> b) { return a * b + b; }, 0, x); })));
  EXPECT_FALSE(is_commutative(traced([](Vec<Pair> x) {
    return fg::reduce(
        [](Exp<Pair> a, Exp<Pair> b) { return std::tuple{a.get<0>() + b.get<0>(), a.get<1>()}; },
        Pair{0, 0.0f}, x);
  })));
  EXPECT_FALSE(is_commutative(traced([](Vec<int> x) { return fg::reduce(fg::minus, 0, x); })));
  EXPECT_TRUE(is_commutative(traced([](Vec<int> x) { return fg::reduce_comm(fg::minus, 0, x); })))
      << "the user says so";
}

TEST(Traced, DivisionHasASiteUnlessTheDivisorIsKnown) {
  EXPECT_TRUE(traced([](Exp<int> x) { return x / 3 + x % 7; }).sites.empty());
  EXPECT_TRUE(traced([](Exp<float> x, Exp<float> y) { return x / y; }).sites.empty());
  const auto program = traced([](Exp<int> x, Exp<int> y) { return x / y; });
  ASSERT_EQ(program.sites.size(), 1u);
  EXPECT_EQ(program.sites[0].error, fg::soac::SiteInfo::Error::arithmetic);
}

TEST(Traced, LogicIsPlainUnlessItsRightOperandCanFail) {
  EXPECT_EQ(fg::soac::count(traced([](Exp<int> x, Exp<int> y) { return x > 0 && y > 0; })).branch, 0);
  EXPECT_EQ(fg::soac::count(traced([](Exp<int> x, Exp<int> y) { return x > 0 && y / x > 0; })).branch, 1);
}

TEST(Traced, ControlFlow) {
  const std::string loop = text([](Exp<int> n) {
    return fg::while_loop([&](Exp<int> x) { return x < n; }, [](Exp<int> x) { return x * 2; }, 1);
  });
  EXPECT_TRUE(has(loop, "loop (1i32) while")) << loop;
  EXPECT_TRUE(
      has(text([](Exp<int> n) { return fg::iterate(n, [](Exp<int> x) { return x * 2; }, 1); }), "times"));
  EXPECT_TRUE(
      has(text([](Exp<bool> c, Exp<float> x) { return fg::cond(c, [&] { return fg::exp(x); }, 0); }), "if "));
}

TEST(Traced, ParametersOfCompositesAreOneForEachLeaf) {
  struct Particle {
    std::array<float, 3> position;
    int charge;
  };
  const auto program = traced([](Vec<Particle> p, Exp<Particle> q) { return std::tuple{p, q}; });
  EXPECT_EQ(program.params.size(), 8u);
  EXPECT_EQ(program.results.size(), 8u);
}

TEST(Traced, NestedTracesAreSeparate) {
  const auto inner = traced([](Exp<int> x) {
    const auto other = traced([](Exp<int> y) { return y * 2; });
    EXPECT_EQ(other.params.size(), 1u);
    return x + 1;
  });
  EXPECT_EQ(inner.results.size(), 1u);
}

TEST(Traced, LongProgramsDoNotRecurse) {
  const auto program = traced([](Exp<float> x) {
    Exp<float> y = x;
    for (int i = 0; i < 20000; ++i) y = fg::sin(y) + x;
    return y;
  });
  EXPECT_EQ(program.results.size(), 1u);
}

}  // namespace
