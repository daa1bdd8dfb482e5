// Formulas in sizes, layout of graphs, scalars as text.
#include "tool/formula.h"

#include <fulgurite/error.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tool/layout.h"
#include "tool/literal.h"

namespace fulgurite::tool {
namespace {

using scalar::Kind;

TEST(Formula, IsAPolynomial) {
  const Formula n = Formula::variable("n"), m = Formula::variable("m");
  EXPECT_EQ(Formula().text(), "0");
  EXPECT_EQ((Formula(4) * n + Formula(4) * n).text(), "8n");
  EXPECT_EQ((n * m * Formula(4) + n + Formula(3)).text(), "4m*n + n + 3");
  EXPECT_EQ((n - n).text(), "0");
  EXPECT_EQ((Formula(0) - n - Formula(2)).text(), "-n - 2");
  EXPECT_EQ((n + m) * (n - m), n * n - m * m);
  EXPECT_EQ((Formula(2) * n * m + Formula(1)).at(10), 201);
}

TEST(SizeNames, NamesExtentsOfParameters) {
  soac::Program program;
  program.arena = std::make_shared<scalar::Arena>();
  scalar::Arena& arena = *program.arena;
  const auto n_a = arena.fresh({}, "n_a"), n_b = arena.fresh({}, "n_b"), n_c = arena.fresh({}, "n_c");
  const auto a = arena.fresh_array(Kind::f32, {n_a}, "a"), b = arena.fresh_array(Kind::f32, {n_b}, "b");
  const auto c = arena.fresh_array(Kind::f64, {n_b, n_c}, "c");
  program.params = {a.var(), b.var(), c.var()};
  program.body.push_back({{}, soac::Check{equal(n_a, n_b), 0, {}}, {}, ""});
  SizeNames sizes(program);
  EXPECT_EQ(sizes.type(a.var()), "f32[n]");
  EXPECT_EQ(sizes.type(b.var()), "f32[n]");
  EXPECT_EQ(sizes.type(c.var()), "f64[n, m]");
  EXPECT_EQ(sizes.bytes(c.var()).text(), "8m*n");
  EXPECT_EQ((sizes.bytes(a.var()) + sizes.bytes(b.var())).text(), "8n");
  EXPECT_EQ(sizes.formula(n_a - 1).text(), "n - 1");
  EXPECT_EQ(sizes.formula(max(n_a, n_c) * 4).text(), "4max(n, m)");
  // No call, though a bracket stands at the end.
  const scalar::Expr shifted = 1 << min(n_a, 9);
  EXPECT_EQ(sizes.formula(shifted * 8).text(), "8(1 << min(n, 9))");
}

TEST(SizeNames, AreThoseOfEqualNamesOnly) {
  soac::Program program;
  program.arena = std::make_shared<scalar::Arena>();
  scalar::Arena& arena = *program.arena;
  // A sum stands on the left of what is younger.
  const scalar::Expr n_a = arena.fresh({}, "n_a"), sum = n_a + 1, n_b = arena.fresh({}, "n_b");
  const auto a = arena.fresh_array(Kind::f32, {n_a}, "a"), b = arena.fresh_array(Kind::f32, {n_b}, "b");
  program.params = {a.var(), b.var()};
  for (const scalar::Expr condition :
       std::initializer_list<scalar::Expr>{equal(n_a, 4), equal(sum, n_b), equal(n_b, n_a * n_a), n_a <= n_b})
    program.body.push_back({{}, soac::Check{condition, 0, {}}, {}, ""});
  SizeNames sizes(program);
  EXPECT_EQ(sizes.type(a.var()), "f32[n]");
  EXPECT_EQ(sizes.type(b.var()), "f32[m]");
}

TEST(Literal, ReadsEveryKind) {
  EXPECT_EQ(parse_literal(Kind::boolean, "true"), 1u);
  EXPECT_EQ(parse_literal(Kind::i8, "-128"), scalar::to_bits<std::int8_t>(-128));
  EXPECT_EQ(parse_literal(Kind::i64, "-9223372036854775808"), scalar::to_bits(INT64_MIN));
  EXPECT_EQ(parse_literal(Kind::u64, "0xffffffffffffffff"), UINT64_MAX);
  EXPECT_EQ(parse_literal(Kind::f32, "0.1"), scalar::to_bits(0.1f));
  EXPECT_EQ(parse_literal(Kind::f64, "-inf"), scalar::to_bits(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(parse_literal(Kind::f32, "1e-60"), scalar::to_bits(0.0f));
  EXPECT_EQ(parse_literal(Kind::f64, "1e-400"), scalar::to_bits(0.0));
  for (const char* text : {"", "-", "+", "0x", "1 ", " 1", "1x", "--1", "1.0", "nan"})
    EXPECT_THROW(parse_literal(Kind::i32, text), FormatError) << text;
  for (const char* text : {"", "-", "one", "1.0f", "1e", "0x"})
    EXPECT_THROW(parse_literal(Kind::f32, text), FormatError) << text;
  for (const char* text : {"1e39", "-1e400"})
    EXPECT_THROW(parse_literal(Kind::f32, text), FormatError) << text;
  EXPECT_THROW(parse_literal(Kind::i8, "128"), FormatError);
  EXPECT_THROW(parse_literal(Kind::u64, "18446744073709551616"), FormatError);
  EXPECT_EQ(print_literal(Kind::i8, scalar::to_bits<std::int8_t>(-5)), "-5");
  EXPECT_EQ(print_literal(Kind::boolean, 1), "true");
}

RC_GTEST_PROP(LiteralProperty, PrintedValuesReadBack, ()) {
  const auto kind = static_cast<Kind>(*rc::gen::inRange(0, scalar::n_kinds));
  std::uint64_t bits = *rc::gen::arbitrary<std::uint64_t>();
  bits = load(kind, &bits);
  if (kind == Kind::boolean) bits &= 1;
  if (kind == Kind::f32) RC_PRE(std::isfinite(scalar::from_bits<float>(bits)));
  if (kind == Kind::f64) RC_PRE(std::isfinite(scalar::from_bits<double>(bits)));
  RC_ASSERT(parse_literal(kind, print_literal(kind, bits)) == bits);
}

TEST(Layout, AChainIsStraight) {
  std::vector<Box> boxes{{200, 20}, {40, 20}, {120, 20}, {30, 20}};
  std::vector<Link> links{{0, 1, {}}, {1, 2, {}}, {2, 3, {}}};
  layered(boxes, links);
  for (const Box& box : boxes) EXPECT_NEAR(box.x, boxes[0].x, 0.01);
}

TEST(Layout, TwoChainsDoNotCross) {
  std::vector<Box> boxes(6, {50, 20});
  std::vector<Link> links{{0, 3, {}}, {1, 2, {}}, {2, 4, {}}, {3, 5, {}}};
  layered(boxes, links);
  EXPECT_EQ(boxes[0].x < boxes[1].x, boxes[3].x < boxes[2].x);
  EXPECT_EQ(boxes[3].x < boxes[2].x, boxes[5].x < boxes[4].x);
}

struct Drawn {
  std::vector<Box> boxes;
  std::vector<Link> links;
};

Drawn some_graph() {
  const auto n = static_cast<std::size_t>(*rc::gen::inRange(1, 20));
  Drawn graph;
  auto& [boxes, links] = graph;
  for (std::size_t i = 0; i < n; ++i) {
    boxes.push_back(
        {static_cast<double>(*rc::gen::inRange(10, 200)), static_cast<double>(*rc::gen::inRange(10, 90))});
    if (i > 0 && *rc::gen::inRange(0, 4) > 0)
      links.push_back({static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(i))), i, {}});
    if (i > 1 && *rc::gen::inRange(0, 2) > 0) {
      const auto from = static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(i)));
      if (links.empty() || links.back().to != i || links.back().from != from) links.push_back({from, i, {}});
    }
  }
  return graph;
}

// No box lies on another one or outside, and links lead down from the edge of a box to the edge of another
// one; `slack`: of numbers that were printed.
void expect_readable(const Drawn& graph, Extent extent, double slack) {
  const auto& [boxes, links] = graph;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Box& a = boxes[i];
    RC_ASSERT(a.x - a.width / 2 > -slack && a.x + a.width / 2 < extent.width + slack);
    RC_ASSERT(a.y > -slack && a.y + a.height < extent.height + slack);
    for (std::size_t j = 0; j < i; ++j) {
      const Box& b = boxes[j];
      const bool beside = std::abs(a.x - b.x) >= (a.width + b.width) / 2 - slack;
      const bool above = a.y >= b.y + b.height - slack || b.y >= a.y + a.height - slack;
      RC_ASSERT(beside || above);
    }
  }
  for (const Link& link : links) {
    RC_ASSERT(link.points.size() % 3 == 1);
    const auto is_on = [&](const Box& box, Point point) {
      const double beside = std::abs(point.x - box.x) - box.width / 2,
                   outside = std::abs(point.y - box.y - box.height / 2) - box.height / 2;
      return std::abs(std::max(beside, outside)) <= slack;
    };
    RC_ASSERT(is_on(boxes[link.from], link.points.front()) && is_on(boxes[link.to], link.points.back()));
    RC_ASSERT(link.points.front().y < link.points.back().y);
  }
}

RC_GTEST_PROP(LayoutProperty, BoxesAreApartAndLinksLeadDown, ()) {
  Drawn graph = some_graph();
  const Extent extent = layered(graph.boxes, graph.links);
  expect_readable(graph, extent, 0.01);
  for (const Link& link : graph.links)
    for (std::size_t k = 1; k < link.points.size(); ++k) RC_ASSERT(link.points[k].y >= link.points[k - 1].y);
}

bool has_graphviz() {
  static const bool has = std::system("dot -V >/dev/null 2>&1") == 0;
  return has;
}

RC_GTEST_PROP(LayoutProperty, SoTheyAreByGraphviz, ()) {
  if (!has_graphviz()) return;  // the next test says so
  Drawn graph = some_graph();
  const std::optional<Extent> extent = by_graphviz(graph.boxes, graph.links);
  RC_ASSERT(extent);
  expect_readable(graph, *extent, 2);
}

TEST(Layout, GraphvizPutsResultsLast) {
  if (!has_graphviz()) GTEST_SKIP() << "dot is not installed (package graphviz)";
  std::vector<Box> boxes{{60, 20, true, false}, {60, 20, false, true}, {60, 20}, {60, 20, false, true}};
  std::vector<Link> links{{0, 1, {}}, {0, 2, {}, true}, {2, 3, {}}};
  ASSERT_TRUE(by_graphviz(boxes, links));
  EXPECT_NEAR(boxes[1].y, boxes[3].y, 1);
  EXPECT_GT(boxes[1].y, boxes[2].y);
}

TEST(Layout, WithoutGraphvizThereAreNoPlaces) {
  const char* const path = std::getenv("PATH");
  const std::string before = path ? path : "";
  setenv("PATH", "/nowhere", 1);
  std::vector<Box> boxes{{60, 20}, {60, 20}};
  std::vector<Link> links{{0, 1, {}}};
  EXPECT_FALSE(by_graphviz(boxes, links));
  setenv("PATH", before.c_str(), 1);
}

}  // namespace
}  // namespace fulgurite::tool
