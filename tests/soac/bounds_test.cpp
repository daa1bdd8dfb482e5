// Intervals of integer expressions, against every value of small operands; facts; loops' state.
#include "soac/bounds.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <optional>
#include <stdexcept>

#include "scalar/value.h"
#include "soac/parse.h"

namespace fulgurite::soac {
namespace {

using scalar::Op;

std::int64_t value(Expr e, const std::unordered_map<Var, std::int64_t>& names) {
  const scalar::Bits bits =
      scalar::value_of(e, [&](Var name) { return static_cast<scalar::Bits>(names.at(name)); });
  switch (e.kind()) {
    case Kind::u8: return static_cast<std::uint8_t>(bits);
    case Kind::u16: return static_cast<std::uint16_t>(bits);
    case Kind::u32: return static_cast<std::uint32_t>(bits);
    default: return static_cast<std::int64_t>(bits);
  }
}

/// Expressions over x and y, which lie between known names, hold in their intervals for all such values.
class Bracket {
 public:
  explicit Bracket(Kind kind) : arena_(*program_.arena), kind_(kind) {}

  void check(const std::vector<std::int64_t>& values, const std::function<Expr(Arena&, Expr, Expr)>& make) {
    const Expr x = arena_.fresh({kind_}, "x"), y = arena_.fresh({kind_}, "y");
    std::vector<Expr> ends;  // of x, then y
    for (const char* name : {"a", "b", "c", "d"}) ends.push_back(arena_.fresh({}, name));
    Bounds bounds(program_, [&](Expr e) { return !mentions(e, x.var()) && !mentions(e, y.var()); });
    Intervals intervals(arena_);
    const Interval all = intervals.any(kind_);
    bounds.set(x.var(), {all.least, all.most, ends[0], ends[1]});
    bounds.set(y.var(), {all.least, all.most, ends[2], ends[3]});
    const Expr e = make(arena_, x, y);
    const Interval of = bounds.of(e);
    for (std::int64_t a : values)
      for (std::int64_t b : values)
        for (std::int64_t c : values)
          for (std::int64_t d : values) {
            if (a > b || c > d) continue;
            for (std::int64_t at : {a, (a / 2 + b / 2), b})
              for (std::int64_t other : {c, (c / 2 + d / 2), d}) {
                if (at < a || at > b || other < c || other > d) continue;
                const std::unordered_map<Var, std::int64_t> names{{x.var(), at},      {y.var(), other},
                                                                  {ends[0].var(), a}, {ends[1].var(), b},
                                                                  {ends[2].var(), c}, {ends[3].var(), d}};
                const std::int64_t is = value(e, names);
                ASSERT_LE(of.least, is);
                ASSERT_GE(of.most, is);
                if (of.low) {
                  ASSERT_LE(value(of.low, names), is)
                      << "x " << at << " y " << other << " in " << a << ".." << b << ", " << c << ".." << d;
                }
                if (of.high) {
                  ASSERT_GE(value(of.high, names), is)
                      << "x " << at << " y " << other << " in " << a << ".." << b << ", " << c << ".." << d;
                }
              }
          }
  }

 private:
  Program program_{"test", std::make_shared<Arena>(), {}, {}, {}, {}};
  Arena& arena_;
  const Kind kind_;
};

const std::vector<std::pair<const char*, std::function<Expr(Arena&, Expr, Expr)>>> operations = {
    {"add", [](Arena&, Expr x, Expr y) { return x + y; }},
    {"sub", [](Arena&, Expr x, Expr y) { return x - y; }},
    {"mul", [](Arena&, Expr x, Expr y) { return x * y; }},
    {"square", [](Arena&, Expr x, Expr) { return x * x; }},
    {"neg", [](Arena& t, Expr x, Expr) { return t.apply(Op::neg, {x}); }},
    {"abs", [](Arena& t, Expr x, Expr) { return t.apply(Op::abs, {x}); }},
    {"sign", [](Arena& t, Expr x, Expr) { return t.apply(Op::sign, {x}); }},
    {"min", [](Arena&, Expr x, Expr y) { return min(x, y); }},
    {"max", [](Arena&, Expr x, Expr y) { return max(x, y); }},
    {"select", [](Arena&, Expr x, Expr y) { return select(x < y, x, y); }},
    {"and", [](Arena&, Expr x, Expr y) { return x & y; }},
    {"or", [](Arena&, Expr x, Expr y) { return x | y; }},
    {"xor", [](Arena& t, Expr x, Expr y) { return t.apply(Op::bit_xor, {x, y}); }},
    {"not", [](Arena&, Expr x, Expr) { return logical_not(x); }},
    {"shl", [](Arena&, Expr x, Expr y) { return x << y; }},
    {"shr", [](Arena&, Expr x, Expr y) { return x >> y; }},
    {"shr 2", [](Arena&, Expr x, Expr) { return x >> 2; }},
    {"shl 3", [](Arena&, Expr x, Expr) { return x << 3; }},
    {"popcount", [](Arena& t, Expr x, Expr) { return t.apply(Op::popcount, {x}); }},
    {"div", [](Arena&, Expr x, Expr y) { return x / y; }},
    {"rem", [](Arena&, Expr x, Expr y) { return x % y; }},
    {"ceil_div", [](Arena& t, Expr x, Expr y) { return t.apply(Op::ceil_div, {x, y}); }},
    {"div 3", [](Arena&, Expr x, Expr) { return x / 3; }},
    {"rem 3", [](Arena&, Expr x, Expr) { return x % 3; }},
    {"ceil_div 3",
     [](Arena& t, Expr x, Expr) { return t.apply(Op::ceil_div, {x, cast(t.i64(3), x.kind())}); }},
    {"ceil_div max(y, 1)", [](Arena& t, Expr x, Expr y) { return t.apply(Op::ceil_div, {x, max(y, 1)}); }},
    {"div max(y, 1)", [](Arena&, Expr x, Expr y) { return x / max(y, 1); }},
    {"to i32", [](Arena&, Expr x, Expr) { return cast(x, Kind::i32); }},
    {"to u8", [](Arena&, Expr x, Expr) { return cast(x, Kind::u8); }},
    {"to i64", [](Arena&, Expr x, Expr y) { return cast(x, Kind::i64) - cast(y, Kind::i64); }},
    {"n - min(x, 20)", [](Arena&, Expr x, Expr y) { return y - min(x, 20); }},
    {"x + y * y - 1", [](Arena&, Expr x, Expr y) { return x + y * y - 1; }},
};

TEST(Bounds, HoldForAllValues) {
  for (const auto& [name, make] : operations) {
    SCOPED_TRACE(name);
    Bracket(Kind::i64).check({INT64_MIN, -5, -1, 0, 3, 20, INT64_MAX}, make);
    Bracket(Kind::i32).check({INT32_MIN, -70000, -1, 0, 2, 65536, INT32_MAX}, make);
    Bracket(Kind::i8).check({-128, -3, 0, 1, 100, 127}, make);
    Bracket(Kind::u8).check({0, 1, 7, 128, 255}, make);
  }
}

/// The statements of the function of a program's first statement, learned; what the program's parameters and
/// their extents are is known.
class Learned {
 public:
  explicit Learned(const std::string& text)
      : program_(parse(text)),
        arena_(*program_.arena),
        bounds_(program_, [this](Expr e) { return knows(e); }) {
    const auto& outer = std::get<Soac>(program_.body[0].op);
    bounds_.set_below(outer.body.params[0], outer.dims[0]);
    for (const Stm& s : outer.body.body) bounds_.learn(s);
  }

  /// The upper bound of the name, for these values of known names; none: absent.
  std::optional<std::int64_t> most(const std::string& name,
                                   const std::map<std::string, std::int64_t>& values) {
    return side(bounds_.of(named(name)).high, values);
  }
  std::optional<std::int64_t> least(const std::string& name,
                                    const std::map<std::string, std::int64_t>& values) {
    return side(bounds_.of(named(name)).low, values);
  }

 private:
  std::optional<std::int64_t> side(Expr e, const std::map<std::string, std::int64_t>& values) {
    if (!e) return {};
    return static_cast<std::int64_t>(scalar::value_of(
        e, [&](Var var) { return static_cast<scalar::Bits>(values.at(arena_.info(var).name)); }));
  }
  Expr named(const std::string& name) {
    for (std::size_t v = 0; v < arena_.n_vars(); ++v)
      if (arena_.info(static_cast<Var>(v)).name == name) return arena_.name(static_cast<Var>(v));
    throw std::runtime_error("no name " + name);
  }
  bool knows(Expr e) {
    bool all = true;
    scalar::for_each_node(std::span(&e, 1), [&](Expr node) {
      if (node.op() == Op::index) all = false;
      if (!node.is_name()) return;
      const std::string& name = arena_.info(node.var()).name;
      all = all && (name == "n" || name == "m" || name == "t" || name == "u");
    });
    return all;
  }

  Program program_;
  Arena& arena_;
  Bounds bounds_;
};

std::string program(const std::string& statements) {
  return "program(x: i64[n, m], t: i64, u: i64) { y: i64[n] = map (i < n) {\n" + statements +
         "\nreturn x[i, 0] } return y }";
}
const std::map<std::string, std::int64_t> known = {{"n", 9}, {"m", 7}, {"t", 4}, {"u", -3}};

TEST(Bounds, OfBranches) {
  Learned of(program("k: i64 = if x[i, 0] < t { x[i, 0] & 15 } else { x[i, 1] % 21 }"));
  EXPECT_EQ(of.most("k", known), 20);
  EXPECT_EQ(of.least("k", known), -20);
  Learned under(program("k: i64 = if 0 <= x[i, 0] & x[i, 0] < t { x[i, 0] + 1 } else { m - i }"));
  EXPECT_EQ(under.most("k", known), 7);
  EXPECT_EQ(under.least("k", known), -1);
  EXPECT_EQ(Learned(program("k: i64 = if x[i, 0] < t { x[i, 1] } else { 3 }")).most("k", known),
            std::nullopt);
}

TEST(Bounds, OfWhatIsEqual) {
  Learned equal(program("k: i64 = if x[i, 0] == t { x[i, 0] } else { 0 }"));
  EXPECT_EQ(equal.most("k", known), 4);
  Learned below(program("k: i64 = if x[i, 0] == u { x[i, 0] } else { 0 }"));
  EXPECT_EQ(below.least("k", known), -3);
  Learned unequal(program("k: i64 = if x[i, 0] != t { 0 } else { x[i, 0] }"));
  EXPECT_EQ(unequal.most("k", known), 4);
  EXPECT_EQ(Learned(program("k: i64 = if x[i, 0] != t { x[i, 0] } else { 0 }")).most("k", known),
            std::nullopt);
}

TEST(Bounds, OfSums) {
  Learned of(
      program("s: i64 = redomap (j < m) { x[i, j] % 4 } reduce add comm neutral 0 "
              "g: i64 = redomap (l < m) { l * 2 } reduce max comm neutral -100"));
  EXPECT_EQ(of.most("s", known), 21);
  EXPECT_EQ(of.least("s", known), -21);
  EXPECT_EQ(of.most("g", known), 12);
}

// A condition on some terms of a sum says as much if the sum has them in another order.
TEST(Bounds, OfSumsOfWhichAConditionBoundsAPart) {
  Learned of(program(
      "k: i64 = if 0 <= x[i, 0] + x[i, 1] & x[i, 0] + x[i, 1] < t { min(m, 5) + x[i, 0] + i + x[i, 1] } "
      "else { 1 }"));
  EXPECT_EQ(of.most("k", known), 16);
  EXPECT_EQ(of.least("k", known), 1);
  EXPECT_EQ(Learned(program("k: i64 = if x[i, 0] + x[i, 0] < t { x[i, 0] + i } else { 1 }")).most("k", known),
            std::nullopt);
}

TEST(Bounds, OfReductionsOfTuples) {
  Learned of(
      program("a: i64, b: i64 = redomap (j < m) { x[i, j], j } "
              "reduce (p: i64, q: i64, r: i64, s: i64) { select(p < r, r, p), select(p < r, s, q) } "
              "neutral -9223372036854775808, 9223372036854775807 "
              "c: i64 = if i < 1 { select(b == 9223372036854775807, 0, b) } else { 2 } "
              "d: i64 = if i < 1 { b } else { 0 }"));
  EXPECT_EQ(of.most("c", known), 6);
  EXPECT_EQ(of.least("c", known), 0);
  EXPECT_EQ(of.most("d", known), INT64_MAX) << "the neutral element, of no points";
  EXPECT_EQ(of.most("a", known), std::nullopt);
}

TEST(Bounds, OfElementsOfArrays) {
  Learned of(
      program("v: i64[m] = map (j < m) { x[i, j] & 15 } "
              "w: i64[m] = sort (v) by (e: i64) { u64(e) } "
              "z: i64[m] = map (j < m) { r: i64 = scan (v[j] & 1) add comm neutral 0 return r + 2 } "
              "h: i64[t] = redomap (j < m) { v[j], 1 } scatter (t) (q: i64) { 0 } combine add comm neutral 0 "
              "k: i64 = if i < 1 { w[0] } else { v[1] - 20 } "
              "l: i64 = if i < 1 { z[0] } else { 0 } "
              "g: i64 = if i < 1 { h[0] } else { 0 } "
              "f: i64 = if i < 1 { x[0, 0] } else { 0 }"));
  EXPECT_EQ(of.most("k", known), 15);
  EXPECT_EQ(of.least("k", known), -20);
  EXPECT_EQ(of.most("l", known), 9);
  EXPECT_EQ(of.least("l", known), 0);
  EXPECT_EQ(of.most("g", known), 7);
  EXPECT_EQ(of.most("f", known), std::nullopt);
}

TEST(Bounds, OfQuotientsThatAreRoundedUp) {
  Learned of(program("k: i64 = if x[i, 0] < t { (m + (x[i, 0] & 7)) / ((x[i, 0] & 7) + 1) } else { 0 }"));
  EXPECT_EQ(of.most("k", known), 7);
}

// What a loop begins with, 32, and its condition leave no values: the divisor is at least 32 and at most 0.
TEST(Bounds, OfQuotientsThatNobodyComputes) {
  Learned of(
      program("k: i64, l: i64 = loop (32, x[i, 0]) while (a: i64, b: i64) { a < 1 } do (p: i64, r: i64) { "
              "q: i64, s: i64 = loop (0 / p, t / p) while (c: i64, d: i64) { c < d } do (e: i64, f: i64) { "
              "e + 1, f } return p * 2, q }"));
  EXPECT_GE(of.most("k", known).value_or(32), 32);
}

TEST(Bounds, OfTheNumberOfASegment) {
  Program p = parse(R"(program(x: i64[n], offsets: i64[m]) {
    y: i64[n] = map (i < n) {
      item: i64 = scan () max comm neutral 0 segments offsets
      return item
    }
    return y
  })");
  Bounds bounds(p, [](Expr e) { return e.op() != scalar::Op::index; });
  bounds.learn(p.body[0]);
  const Expr first = p.arena->i64(0), y = p.arena->name(p.body[0].names[0]);
  EXPECT_EQ(bounds.of(p.arena->index(y, std::span(&first, 1))).least, 0);
}

TEST(Bounds, OfState) {
  const auto most = [](const std::string& loop) { return Learned(program(loop)).most("k", known); };
  EXPECT_EQ(most("k: i64 = loop (m) times t do (j: i64, p: i64) { p / 2 }"), 7);
  EXPECT_EQ(most("k: i64 = loop (m) while (q: i64) { 3 < q } do (p: i64) { min(p, x[i, 0]) }"), 7);
  EXPECT_EQ(most("k: i64 = loop (m) times t do (j: i64, p: i64) { p + 2 }"), 15) << "two in each iteration";
  EXPECT_EQ(most("k: i64 = loop (m) times t do (j: i64, p: i64) { min(p + n, 20) }"), 20)
      << "all iterations together would add 36";
  EXPECT_EQ(most("k: i64 = loop (m) times t do (j: i64, p: i64) { p + i64(i32(u)) }"), 7) << "it shrinks";
  EXPECT_EQ(most("k: i64 = loop (m) times t do (j: i64, p: i64) { max(p, min(p + 3, p + x[i, 0] % 3)) }"),
            15);
  EXPECT_EQ(most("k: i64, l: i32 = loop (m, 5i32) times t do (j: i64, p: i64, q: i32) { p + i64(q % 3i32), q "
                 "/ 2i32 }"),
            15);
  EXPECT_EQ(most("k: i64 = loop (u) times t do (j: i64, p: i64) { p / 2 }"), 0) << "from below";
  EXPECT_EQ(most("k: i64, l: i64 = loop (u, m) times t do (j: i64, p: i64, q: i64) { p % 5, q * 2 + p % 2 }"),
            0)
      << "of the first alone: the second may exceed what it began with";
  EXPECT_EQ(most("k: i64 = loop (m) times t do (j: i64, p: i64) { p * 2 }"), std::nullopt);
  EXPECT_EQ(most("k: i64 = loop (m) while (q: i64) { q < 20 } do (p: i64) { p * 2 }"), 38);
  EXPECT_EQ(most("k: i64 = loop (u) while (q: i64) { q < 20 } do (p: i64) { p * 2 }"), std::nullopt)
      << "it may be far below";
  EXPECT_EQ(most("k: i64 = loop (m) while (q: i64) { q < 20 } do (p: i64) { max(p, 0) * 2 }"), 38);
  EXPECT_EQ(most("k: i64 = loop (m) while (q: i64) { q < t } do (p: i64) { x[i, 0] }"), std::nullopt);
  Learned shrinks(program("k: i64 = loop (m) times t do (j: i64, p: i64) { max(p - x[i, 0] % 3, 0) }"));
  EXPECT_EQ(shrinks.least("k", known), 0);
  Learned falls(program("k: i64 = loop (m) times t do (j: i64, p: i64) { p - 3 }"));
  EXPECT_EQ(falls.least("k", known), -5);
  std::map<std::string, std::int64_t> often = known;
  often["t"] = std::int64_t{1} << 60;
  EXPECT_EQ(falls.least("k", often), std::numeric_limits<std::int64_t>::min()) << "it may wrap around";
}

// Loops that far inside are not looked at; extents of their state are not negative all the same.
TEST(Bounds, OfStateOfManyLoops) {
  Learned of(program(R"(k1: i64 = loop (m) times t do (j1: i64, p1: i64) {
    k2: i64 = loop (p1) times t do (j2: i64, p2: i64) {
      k3: i64 = loop (p2) times t do (j3: i64, p3: i64) {
        a: i64[p3] = map (q < p3) { q }
        k4: i64, v: i64[k4] = loop (p3, a) times t do (j4: i64, p4: i64, w: i64[p4]) {
          b: i64[p4] = map (q < p4) { w[q] + 1 }
          return p4, b
        }
        return k4
      }
      return k3
    }
    return k2
  })"));
  EXPECT_EQ(of.least("k4", known), 0);
}

TEST(Bounds, BeyondAnyIntegerHaveNoExpression) {
  Arena arena;
  Intervals intervals(arena);
  const Wide far = Wide{1} << 70;
  EXPECT_FALSE(intervals.between(far, 2 * far).low);
  EXPECT_FALSE(intervals.between(-2 * far, -far).high);
  EXPECT_EQ(intervals.between(-3, far).low, arena.i64(-3));
  EXPECT_EQ(intervals.between(-far, 5).high, arena.i64(5));
}

TEST(Bounds, AreProven) {
  Program p = parse("program(x: i64[n], t: i64) { return t }");
  Arena& arena = *p.arena;
  Bounds bounds(p, [](Expr) { return false; });
  const Expr n = arena.info(p.params[0]).shape[0], t = arena.name(p.params[1]);
  EXPECT_TRUE(bounds.at_most(n / 2, n));
  EXPECT_TRUE(bounds.at_most(min(t, n), n));
  EXPECT_TRUE(bounds.at_most(n, n + 1));
  EXPECT_TRUE(bounds.at_most(min(n, 3), max(t, 3)));
  EXPECT_FALSE(bounds.at_most(t / 2, t)) << "it may be negative";
  EXPECT_FALSE(bounds.at_most(t, t + 1)) << "it may wrap around";
  EXPECT_FALSE(bounds.at_most(t, n));
  const std::size_t mark = bounds.mark();
  bounds.assume((0 <= t) & (t < n));
  EXPECT_TRUE(bounds.at_most(t / 2, t));
  bounds.forget(mark);
  EXPECT_FALSE(bounds.at_most(t / 2, t));
}

}  // namespace
}  // namespace fulgurite::soac
