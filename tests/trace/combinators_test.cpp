// What tracing records of scans, segments, filters, scatters and updates: structure, what is known of
// operators, what is checked. Their results are the business of tests/public.
#include <fulgurite/fulgurite.h>

#include <gtest/gtest.h>

#include "soac/check.h"
#include "soac/count.h"
#include "soac/print.h"
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
template <class F>
fg::soac::Counts counts(F f) {
  return fg::soac::count(traced(std::move(f)));
}
void expect(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in\n" << text;
}

TEST(TracedScans, KnownOperatorsHaveNeutralElements) {
  const auto scanned = [](auto op) { return text([=](Vec<fg::u8> x) { return fg::scan(op, x); }); };
  expect(scanned(fg::plus), "scan (a[i]) add comm neutral 0u8");
  expect(scanned(fg::times), "mul comm neutral 1u8");
  expect(scanned(fg::min), "min comm neutral 255u8");
  expect(scanned(fg::max), "max comm neutral 0u8");
  expect(scanned(fg::bit_and), "bit_and comm neutral 255u8");
  expect(scanned(fg::bit_or), "bit_or comm neutral 0u8");
  expect(scanned(fg::bit_xor), "bit_xor comm neutral 0u8");
  // Floats: what keeps every bit.
  expect(text([](Vec<float> x) { return fg::scan(fg::plus, x); }), "add comm neutral -0f");
  expect(text([](Vec<double> x) { return fg::fold(fg::max, 1.0, x); }),
         "max comm neutral f64:nan initial 1.0");
  expect(text([](Vec<bool> x) { return fg::scan(fg::bit_and, x); }), "bit_and comm neutral true");
  using Pair = std::tuple<int, int>;
  expect(text([](Vec<int> x) {
           const auto both = [](Exp<Pair> a, Exp<Pair> b) {
             return std::tuple{a.get<0>() + b.get<0>(), fg::max(a.get<1>(), b.get<1>())};
           };
           return fg::unzip(fg::scan(both, fg::zip(x, x)));
         }),
         "comm neutral 0i32, -2147483648i32");
  const std::string unknown =
      text([](Vec<int> x) { return fg::scan([](Exp<int> a, Exp<int> b) { return a - b; }, x); });
  EXPECT_EQ(unknown.find("neutral"), std::string::npos) << unknown;
}

TEST(TracedScans, FromTheRightOperandsChangeSides) {
  const std::string right =
      text([](Vec<int> x) { return fg::scan_right([](Exp<int> a, Exp<int> b) { return a - b * 3; }, 0, x); });
  expect(right, "scan (a[n_a - i - 1]) (a_1: i32, b: i32) { b - a_1 * 3i32 } neutral 0i32");
  expect(right, "scan_right[n_a - i_1 - 1]");
}

TEST(TracedScans, OneSoacEach) {
  const auto with_total = counts([](Vec<int> x) { return fg::scan_with_total(fg::plus, 0, x); });
  EXPECT_EQ(with_total.soac, 1) << "prefixes and total come together";
  EXPECT_EQ(with_total.scan, 1);
  const auto rows = counts([](Mat<int> m) { return fg::scan(fg::plus, m); });
  EXPECT_EQ(rows.soac, 2) << "a scan inside a map";
  EXPECT_EQ(rows.scan, 1);
  EXPECT_EQ(counts([](Mat<int> m) { return fg::scan(fg::plus, m, fg::axis(0)); }).soac, 3) << "and its view";
  const auto segmented =
      counts([](Vec<int> x, Vec<bool> b) { return fg::segmented_scan(fg::plus, 0, fg::flags(b), x); });
  EXPECT_EQ(segmented.soac, 1);
  EXPECT_EQ(segmented.scan, 1);
  EXPECT_EQ(segmented.branch, 0) << "nothing that can fail is skipped";
}

TEST(TracedPartitions, OnePassForAllResults) {
  const auto filtered = counts([](Vec<int> x) { return fg::filter([](Exp<int> e) { return e > 0; }, x); });
  EXPECT_EQ(filtered.soac, 1);
  EXPECT_EQ(filtered.partition, 1);
  EXPECT_EQ(counts([](Vec<int> x) { return fg::partition([](Exp<int> e) { return e > 0; }, x); }).soac, 1);
  const std::string classes =
      text([](Vec<int> x, Exp<int> k) { return fg::partition(k, [](Exp<int> e) { return e; }, x); });
  expect(classes, "check");
  expect(classes, "partition i64(b) of 1");
}

TEST(TracedScatters, ContentsBefore) {
  expect(text([](Vec<int> to, Vec<int> at) { return fg::scatter(to, at, at); }),
         "scatter (n_a) (i_1: i64) { a[i_1] }");
  const std::string counted =
      text([](Vec<int> bins, Vec<float> x) { return fg::histogram(fg::plus, 0.0f, 7, bins, x); });
  expect(counted, "scatter (7)");
  expect(counted, "combine add comm neutral 0f");
  EXPECT_EQ(counts([](Vec<int> x) { return fg::with(x, 1, 5); }).scatter, 1);
}

TEST(TracedScatters, ChecksOfWhatIsKnown) {
  EXPECT_EQ(counts([] { return fg::with(fg::iota(3), 2, fg::i64(0)); }).check, 0);
  EXPECT_EQ(counts([](Vec<int> x) { return fg::scatter(x, x, x); }).check, 0) << "equal shapes";
  EXPECT_EQ(counts([](Vec<int> x) { return fg::filter([](Exp<int> e) { return e > 0; }, x) * 2; }).check, 0);
}

}  // namespace
