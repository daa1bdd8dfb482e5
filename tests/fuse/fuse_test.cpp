// What the passes make of the programs in this folder, and what they say about it.
#include "fuse/fuse.h"

#include <algorithm>

#include "../simplify/pass_file.h"
#include "base/match.h"
#include "simplify/simplify.h"
#include "soac/linear.h"

namespace fulgurite {
namespace {

using soac::Event;

class FuseFile : public ::testing::TestWithParam<std::string> {};

TEST_P(FuseFile, Becomes) {
  const soac::Program program =
      testing::expect_pass_file(std::filesystem::path(FULGURITE_TEST_DATA) / (GetParam() + ".soac"),
                                {&simplify::simplify, &simplify::hoist, &fuse::fuse, &fuse::in_place,
                                 &fuse::merge, &fuse::across, &fuse::updates_together});
  EXPECT_EQ(fuse::check_fused(program), std::vector<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Files, FuseFile, ::testing::ValuesIn(testing::pass_files(FULGURITE_TEST_DATA)),
                         [](const auto& test) { return test.param; });

soac::Program file(const std::string& name) {
  return soac::parse(
      testing::read_pass_file(std::filesystem::path(FULGURITE_TEST_DATA) / (name + ".soac")).before, name);
}

const std::vector<const soac::Pass*> all{&simplify::simplify, &simplify::hoist, &fuse::fuse,
                                         &fuse::in_place,     &fuse::merge,     &simplify::simplify};

TEST(Gas, EachUnitIsOneArrayLess) {
  int most = 0;
  for (int gas = 0; gas < 100; ++gas) {
    soac::PassContext context;
    context.gas = gas;
    const soac::Program program = testing::run({&fuse::fuse}, file("rmse"), context);
    const int n = soac::count(program).soac;
    if (gas == 0) most = n;
    EXPECT_EQ(n, std::max(1, most - gas));
    if (n == 1) break;
  }
  EXPECT_EQ(most, 3);
}

TEST(Gas, InsideFunctionsArraysAreDelayedWithoutGas) {
  soac::PassContext context;
  context.gas = 0;
  const soac::Program program = testing::run(all, file("matrix_product"), context);
  EXPECT_EQ(soac::count(program).arrays, 1) << "the transposed matrix stays\n" << soac::print(program);
  EXPECT_EQ(soac::count(program).soac, 3);
}

TEST(Log, SaysOnceWhyAnArrayIsKept) {
  const soac::Program program = soac::parse(R"(program kept(x: f32[n], q: i64[m]) {
    a: f32[n] = map (i < n) { exp(x[i]) }
    b: f32[m] = map (i < m) { a[q[i]] }
    return b
  })");
  soac::PassContext once, twice;
  testing::run({&fuse::fuse}, program, once);
  testing::run({&fuse::fuse, &fuse::fuse}, program, twice);
  ASSERT_FALSE(once.log.empty());
  EXPECT_EQ(once.log[0].kind, Event::Kind::kept);
  EXPECT_EQ(twice.log.size(), once.log.size());
}

TEST(Log, TellsOfEveryStatement) {
  soac::PassContext context;
  const soac::Program program = testing::run(all, file("mean_and_deviation"), context);
  std::vector<std::string> lines;
  for (const Event& e : context.log) lines.push_back(soac::to_string(e));
  auto has = [&](const char* line) { return std::find(lines.begin(), lines.end(), line) != lines.end(); };
  EXPECT_TRUE(has("elementwise '-' fused into sum: computing an element costs 5, at most 8 is cheap"));
  EXPECT_TRUE(has("map merged into sum: it makes what the other reads, over the same space"));
  // Whatever is gone was fused, merged or removed.
  for (const soac::Stm& stm : file("mean_and_deviation").body) {
    if (stm.origin.empty()) continue;
    EXPECT_TRUE(std::any_of(context.log.begin(), context.log.end(),
                            [&](const Event& e) { return e.origin == stm.origin; }) ||
                std::any_of(program.body.begin(), program.body.end(),
                            [&](const soac::Stm& s) { return s.origin == stm.origin; }))
        << stm.origin;
  }
}

TEST(Log, NamesPlaces) {
  soac::PassContext context;
  testing::run({&fuse::fuse}, soac::parse(R"(
    program located(x: f32[n]) {
      a: f32[n] = map (i < n) { exp(x[i]) } @"user.cpp":7 "map"
      s: f32 = redomap (i < n) { a[i] } reduce add comm neutral 0f @"user.cpp":8 "sum"
      return s
    })"),
               context);
  ASSERT_EQ(context.log.size(), 1u);
  EXPECT_EQ(soac::to_string(context.log[0]),
            "map (user.cpp:7) fused into sum (user.cpp:8): its only reader needs each element once");
}

// A gather beside a scatter of the array: as one statement they would need a copy of it.
constexpr const char* two_passes = R"(
    program two_passes(x: f32[n], at: i64[m]) {
      s: f32[n] = map (i < n) {
        p: f32 = scan (x[i]) add comm neutral 0f
        return p
      }
      g: f32[m] = map (j < m) { s[at[j]] }
      r: f32[n] = redomap (j_1 < m) { at[j_1], 7f } scatter (n) (k: i64) { s[k] }
      return g, r
    })";

TEST(CheckFused, ComplainsOfCopiesThatMergingBrought) {
  const soac::Program apart = soac::parse(two_passes);
  EXPECT_EQ(fuse::check_fused(apart), std::vector<std::string>());
  const soac::Program together = soac::parse(R"(
    program one_pass(x: f32[n], at: i64[m]) {
      s: f32[n] = map (i < n) {
        p: f32 = scan (x[i]) add comm neutral 0f
        return p
      }
      r: f32[n], g: f32[m] = redomap (j < m) { at[j], 7f, s[at[j]] } scatter (n) (k: i64) { s[k] }
      return g, r
    })");
  const std::vector<std::string> complaints = fuse::check_fused(together);
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_NE(complaints[0].find("copies an array that it would update in place"), std::string::npos);
}

TEST(Merge, LeavesUpdatesInPlace) {
  soac::PassContext context;
  const soac::Program program = testing::run({&fuse::merge}, soac::parse(two_passes), context);
  EXPECT_EQ(soac::count(program).soac, 3) << soac::print(program);
  EXPECT_EQ(fuse::check_fused(program), std::vector<std::string>());
}

// One reads what the update makes, the other what it takes: one statement of both would want a copy.
TEST(Merge, LeavesReadsOnBothSidesOfAnUpdate) {
  const auto merged = [](const std::string& statements) {
    soac::PassContext context;
    const soac::Program program =
        testing::run({&fuse::merge},
                     soac::parse("program p(x: f32[n], at: i64[m]) {\n"
                                 "s: f32[n] = map (i < n) { p: f32 = scan (x[i]) add comm "
                                 "neutral 0f return p }\n" +
                                 statements + "return r, g, h }"),
                     context);
    EXPECT_EQ(fuse::check_fused(program), std::vector<std::string>()) << soac::print(program);
    return soac::count(program).soac;
  };
  const std::string update = "r: f32[n] = redomap (j < n) { i64(x[j]), 7f } scatter (n) (k: i64) { s[k] }\n",
                    before = "g: f32[m] = map (j < m) { s[at[j]] }\n",
                    behind = "h: f32[m] = map (j < m) { r[at[j]] }\n";
  EXPECT_EQ(merged(before + update + behind), 4);
  EXPECT_EQ(merged(update + before + behind), 4);
  EXPECT_EQ(merged(update + behind + before), 4);
}

// What is read there may be made by another point.
TEST(Merge, LeavesTransposedReads) {
  const auto merged = [](const std::string& read) {
    soac::PassContext context;
    const soac::Program program =
        testing::run({&fuse::merge},
                     soac::parse("program p(n: i64) {\n"
                                 "y: f32[n, n] = map (i < n, j < n) { s: f32 = redomap (q < n) { f32(i * q - "
                                 "j) } reduce add comm neutral 0f return s }\n"
                                 "z: f32[n, n] = map (k < n, l < n) { " +
                                 read + " * 2f }\nreturn y, z }"),
                     context);
    return soac::count(program).soac;
  };
  EXPECT_EQ(merged("y[k, l]"), 2) << "the sum in them counts";
  EXPECT_EQ(merged("y[l, k]"), 3);
  EXPECT_EQ(merged("y[k, k]"), 3);
}

bool first_is_linear(const char* text) {
  const soac::Program program = soac::parse(text);
  for (const soac::Stm& stm : program.body)
    if (const auto* soac = base::as<soac::Soac>(stm.op))
      return soac::is_linear(*soac, *program.arena, soac::EqualSizes(program));
  ADD_FAILURE() << "no Soac";
  return false;
}

TEST(Linear, ElementwiseOverMatricesOfOneShape) {
  EXPECT_TRUE(first_is_linear(R"(
    program p(a: f32[m, n], b: f32[k, l], s: f32) {
      check m == k & n == l site 1 ()
      c: f32[m, n] = map (i < m, j < n) { a[i, j] * s + b[i, j] }
      return c
    } sites { 1 shape "" })"));
}

TEST(Linear, NotWithoutTheChecks) {
  EXPECT_FALSE(first_is_linear(R"(
    program p(a: f32[m, n], b: f32[k, l]) {
      c: f32[m, n] = map (i < m, j < n) { a[i, j] + b[i, j] }
      return c
    })"));
}

TEST(Linear, NotSlicesTransposesOrIndices) {
  EXPECT_FALSE(
      first_is_linear("program p(a: f32[m, n]) { c: f32[n, m] = map (i < n, j < m) { a[j, i] } return c }"));
  EXPECT_FALSE(first_is_linear(
      "program p(a: f32[m, n]) { c: f32[m, n - 1] = map (i < m, j < n - 1) { a[i, j] } return c }"));
  EXPECT_FALSE(first_is_linear(
      "program p(a: f32[m, n]) { c: f32[m, n] = map (i < m, j < n) { a[i, j] + f32(j) } return c }"));
}

}  // namespace
}  // namespace fulgurite
