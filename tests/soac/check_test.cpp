// The checker: each rule refuses a program that breaks it alone, and names the pass.
#include "soac/check.h"

#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/match.h"
#include "soac/count.h"
#include "soac/parse.h"

namespace fulgurite::soac {
namespace {

using base::as;

constexpr const char* sound = R"(
program "p" (x: f32[n], k: i64, c: bool) {
  check 0 <= k site 1 (k)
  s: f32, r: f32[n] = redomap (i < n) {
    q: f32[2] = map (j < 2) { x[i] * f32(j) }
    return q[1], x[i]
  } reduce (a: f32, b: f32) { a + b } neutral 0f initial 1f
  b1: f32, b2: f32[n] = if c { s, x } else { 0f, r }
  l1: i64, l2: f32[n] = loop (k, x) times 3 do (t: i64, u: i64, v: f32[n]) { u + t, v }
  w: i64 = loop (k) while (e: i64) { e < 9 } do (f: i64) { f + 1 }
  return s, b1, b2, l1, l2, w
}
sites { 1 argument "k is {0}" }
)";

class CheckTest : public testing::Test {
 protected:
  Program p = parse(sound);

  template <class T>
  T& op(std::size_t i) {
    return *as<T>(p.body[i].op);
  }
  Soac& soac() { return op<Soac>(1); }
  If& branch() { return op<If>(2); }
  Loop& counted() { return op<Loop>(3); }
  Loop& conditional() { return op<Loop>(4); }
  Arena& arena() { return *p.arena; }
  Expr f() { return arena().constant(Kind::f32, 0); }
  Expr fresh(Type type = {}) { return arena().fresh(type, "stray"); }

  void refused(const std::string& because) {
    try {
      check(p, "some_pass");
      ADD_FAILURE() << "accepted; should say: " << because;
    } catch (const InternalError& e) {
      EXPECT_NE(e.message().find("after some_pass"), std::string::npos) << e.message();
      EXPECT_NE(e.message().find(because), std::string::npos) << e.message();
    }
  }
};

TEST_F(CheckTest, Sound) {
  EXPECT_NO_THROW(check(p, "parse"));
}

TEST_F(CheckTest, Scope) {
  p.results.push_back(fresh());
  refused("outside its scope");
  p = parse(sound);
  p.results.push_back(arena().name(soac().body.params[0]));
  refused("'i' is used outside its scope");
  p = parse(sound);
  std::swap(p.body[1], p.body[2]);
  refused("outside its scope");
  p = parse(sound);
  Expr hidden = arena().name(soac().body.params[0]) + 1;
  counted().initial[0] = hidden;
  refused("'i' is used outside its scope");
}

TEST_F(CheckTest, BoundOnce) {
  p.body.push_back(p.body[4]);
  refused("bound twice");
  p = parse(sound);
  p.params.push_back(p.params[0]);
  refused("bound twice");
  p = parse(sound);
  branch().then_branch = branch().else_branch = Lambda{{}, soac().body.body, branch().then_branch.results};
  refused("bound twice");
}

TEST_F(CheckTest, Parameters) {
  p.params.push_back(arena().fresh_array(Kind::f32, {arena().i64(-3)}, "three").var());
  refused("extent of parameter 'three' is neither a name nor a size");
}

TEST_F(CheckTest, ExpressionsAreScalar) {
  const Expr v = splat(f(), 8);
  p.results.push_back(v);
  refused("kernel IR");
}

TEST_F(CheckTest, Sites) {
  p.results.push_back(
      arena().apply(scalar::Op::div, {arena().name(p.params[1]), arena().name(p.params[1])}, 9));
  refused("site 9 of div is not in the table");
  p = parse(sound);
  op<Check>(0).site = 0;
  refused("site 0 of a Check");
}

TEST_F(CheckTest, Checks) {
  op<Check>(0).condition = arena().i64(1);
  refused("condition of a Check is i64");
  p = parse(sound);
  op<Check>(0).operands = {f()};
  refused("operand of a Check is f32");
  p = parse(sound);
  p.body[0].names = {fresh().var()};
  refused("names of the statement");
}

TEST_F(CheckTest, Soacs) {
  soac().dims.clear();
  refused("1 to 255 axes");
  p = parse(sound);
  soac().dims[0] = f();
  refused("extent of the iteration space is f32");
  p = parse(sound);
  soac().body.params.push_back(fresh().var());
  refused("parameters of the body");
  p = parse(sound);
  soac().body.results.pop_back();
  refused("names of the statement");
  p = parse(sound);
  soac().body.results[1] = arena().i64(0);
  refused("number 1 is f32[] but should be i64[]");
  p = parse(sound);
  soac().body.results.clear();
  refused("too few operands");
  p = parse(sound);
  soac().body.results[0] = arena().name(soac().body.body[0].names[0]);
  refused("an array among the operands");
}

TEST_F(CheckTest, Reductions) {
  auto& r = soac().reductions[0];
  r.op.results[0] = arena().i64(0);
  refused("results of a reduction's operator");
  p = parse(sound);
  soac().reductions[0].op.params.pop_back();
  refused("parameters of a reduction's operator");
  p = parse(sound);
  soac().reductions[0].op.results.clear();
  refused("reduction of nothing");
  p = parse(sound);
  soac().reductions[0].neutral.push_back(f());
  refused("neutral elements: 2 given, 1 needed");
  p = parse(sound);
  soac().reductions[0].initial[0] = arena().i64(0);
  refused("initial values");
}

TEST_F(CheckTest, Scatters) {
  p = parse(
      "program(x: i32[n]) { r: i32[n] = redomap (i < n) { i, x[i] } scatter any (n) (j: i64) { x[j] } return "
      "r }");
  auto& scatter = op<Soac>(0).scatters[0];
  EXPECT_EQ(scatter.of_equal, OfEqual::any);
  EXPECT_TRUE(scatter.stores_in_any_order());
  scatter.initial.results.push_back(scatter.initial.results[0]);  // whose components belong together
  EXPECT_FALSE(scatter.stores_in_any_order());
  scatter.initial.results.pop_back();
  const Expr a = fresh({Kind::i32}), b = fresh({Kind::i32});
  scatter.combine.push_back({{{a.var(), b.var()}, {}, {a + b}}, {arena().constant(Kind::i32, 0)}, {}, true});
  refused("an operator that leaves values out");
}

TEST_F(CheckTest, ScattersThatGoOn) {
  const std::string pairs =
      "program(x: i32[n], y: i32[m]) { q: i32[n], r: i32[n] = redomap (i < n) { i, x[i], i + 1, x[i] } "
      "scatter "
      "unordered (n) (j: i64) { x[j] } scatter on unordered (n) (k: i64) { x[k] } return r }";
  p = parse(pairs);
  op<Soac>(0).scatters[0].goes_on = true;
  refused("goes on from none");
  p = parse(pairs);
  op<Soac>(0).scatters[1].shape = {arena().i64(7)};
  refused("goes on from none, or from one of other arrays");
  p = parse(pairs);
  const Expr a = fresh({Kind::i32}), b = fresh({Kind::i32});
  op<Soac>(0).scatters[0].of_equal = OfEqual::last;
  op<Soac>(0).scatters[0].combine.push_back(
      {{{a.var(), b.var()}, {}, {a + b}}, {arena().constant(Kind::i32, 0)}, {}, true});
  refused("a scatter with an operator that goes on");
}

TEST_F(CheckTest, Branches) {
  branch().condition = arena().i64(1);
  refused("condition of an If");
  p = parse(sound);
  branch().then_branch.params.push_back(fresh().var());
  refused("a branch has parameters");
  p = parse(sound);
  branch().else_branch.results.pop_back();
  refused("results of the else branch");
  p = parse(sound);
  std::swap(branch().else_branch.results[0], branch().else_branch.results[1]);
  refused("results of the else branch");
}

TEST_F(CheckTest, Loops) {
  counted().trips = f();
  refused("number of trips is f32");
  p = parse(sound);
  counted().condition = conditional().condition;
  refused("both trips and a condition");
  p = parse(sound);
  counted().body.results.pop_back();
  refused("results of the loop's body");
  p = parse(sound);
  counted().initial[0] = f();
  refused("parameters of the loop's body");
  p = parse(sound);
  conditional().condition.results = {arena().i64(1)};
  refused("results of the condition");
  p = parse(sound);
  conditional().condition.params.clear();
  refused("parameters of the condition");
}

TEST(SortCheck, KeysOfElements) {
  const auto refused = [](const std::string& sort, const std::string& because) {
    const std::string text = "program(x: f32[n], y: i64[n1], m: f32[a, b]) { z: f32[n], w: i64[n] = sort " +
                             sort + " return z, w } sites { 1 arithmetic \"division by zero\" }";
    try {
      parse(text);
      ADD_FAILURE() << "accepted; should say: " << because;
    } catch (const FormatError& e) {
      EXPECT_NE(e.message().find(because), std::string::npos) << e.message();
    }
  };
  parse(
      "program(x: f32[n], y: i64[n1]) { z: f32[n], w: i64[n] = sort (x, y) by (a: f32, b: i64) { u64(b) } "
      "return z, w }");
  refused("(x, y) by (a: f32, b: i64) { b }", "not one unsigned integer");
  refused("(x, y) by (a: f32, b: i64) { a }", "not one unsigned integer");
  refused("(x, y) by (a: f32, b: i64) { u64(b), u64(b) }", "not one unsigned integer");
  refused("(x, y) by (a: f32, b: i64) { u64(b) /@1 u64(b) }", "can fail");
  refused("(x, y) by (a: f32, b: i64) { c: i64 = if b < 0 { 0 } else { 1 } return u64(c) }",
          "not one expression");
  refused("(x, y) by (a: f32) { 1u64 }", "parameters of a sort's key");
  refused("(y, x) by (b: i64, a: f32) { u64(b) }", "names of the statement");
  refused("(m, y) by (a: f32, b: i64) { u64(b) }", "not of rank 1");
  refused("() by () { 1u64 }", "a sort of nothing");
  parse(
      "program(x: f32[n], y: i64[n1]) { z: f32[n] = sort (x) segments y by (a: f32) { bitcast(u32, a) } "
      "return z }");
  refused("(x, y) segments x by (a: f32, b: i64) { u64(b) }", "a sort's segments");
  refused("(x, y) segments m by (a: f32, b: i64) { u64(b) }", "a sort's segments");
  refused("(x, y) segments n by (a: f32, b: i64) { u64(b) }", "a sort's segments");
}

TEST_F(CheckTest, AbsentExpression) {
  p.results.push_back(Expr());
  refused("absent");
}

constexpr const char* calling = R"(
program "p" (x: f32[n]) {
  y: f32[n] = call 1 (x) former ([]) scalars (n) sites ()
  return y
}
kernels { 1 "kernel copy(in a: f32[], out b: f32[], blocks: i64) par grid bid < blocks {}" }
)";

TEST(CallCheck, ArgumentsFitTheKernel) {
  const auto refused = [](const std::function<void(Program&, Call&)>& damage) {
    Program p = parse(calling);
    check(p, "test");
    damage(p, *as<Call>(p.body[0].op));
    try {
      check(p, "test");
    } catch (const InternalError& e) {
      return std::string(e.what());
    }
    return std::string("nothing was refused");
  };
  const auto has = [](const std::string& text, std::string_view part) {
    return text.find(part) != text.npos;
  };
  EXPECT_TRUE(
      has(refused([](Program&, Call& c) { c.arrays.clear(); }), "arrays of a Call: 0 given, 1 needed"));
  EXPECT_TRUE(
      has(refused([](Program& p, Call& c) { c.scalars = {p.arena->boolean(true)}; }), "scalars of a Call"));
  EXPECT_TRUE(has(refused([](Program&, Call& c) { c.former.clear(); }), "as many former arrays"));
  EXPECT_TRUE(
      has(refused([](Program& p, Call& c) { c.former = {p.arena->i64(0)}; }), "a former array of a Call"));
  EXPECT_TRUE(has(refused([](Program&, Call& c) { c.sites = {1}; }), "site is not in the table"));
  EXPECT_TRUE(
      has(refused([](Program& p, Call&) {
            Soac outer{{p.arena->i64(2)}, {{p.arena->fresh({Kind::i64}, "i").var()}, p.body, p.results}};
            const Expr all = p.arena->fresh_array(Kind::f32, {p.arena->i64(2), p.arena->i64(2)}, "all");
            Stm stm{{all.var()}, std::move(outer), {}, ""};
            p.body = {stm};
            p.results = {all};
          }),
          "a Call in the function of a Soac"));
}

// What the checker says to the statements in a program with sizes.
std::string refusal_of(const std::string& statements) {
  try {
    parse("program(x: i64[n], k: i64, f: f32) {" + statements + "} sites { 1 arithmetic \"by zero\" }");
  } catch (const FormatError& e) {
    return e.what();
  }
  return "";
}

// A name before it may be an extent where the expression may not.
TEST(ExtentCheck, IsArithmeticThatCannotFail) {
  EXPECT_EQ(refusal_of("y: i64[n / 2 + k] = map (i < n / 2 + k) { i } return y"), "");
  for (const std::string size : {"n /@1 k", "1 + n %@1 k", "x[0]", "max(x[k], 0)", "i64(f)"}) {
    const std::string because = "may fail, reads an element or computes with floats";
    EXPECT_NE(refusal_of("y: i64[" + size + "] = map (i < n) { i } return y").find(because),
              std::string::npos)
        << size;
    EXPECT_NE(refusal_of("s: i64 = redomap (i < " + size + ") { i } reduce add neutral 0 return s")
                  .find("an extent of the iteration space " + because),
              std::string::npos)
        << size;
    EXPECT_NE(
        refusal_of("y: i64[n] = redomap (i < n) { i, i } scatter (" + size + ") (j: i64) { 0 } return y")
            .find("an extent of a scattered array " + because),
        std::string::npos)
        << size;
    EXPECT_NE(refusal_of("y: i64[n] = if k < 0 { z: i64[" + size +
                         "] = map (i < n) { i } return z } else { x } return y")
                  .find(because),
              std::string::npos)
        << size;
    EXPECT_EQ(refusal_of("m: i64 = let " + size + " y: i64[m] = map (i < m) { i } return y"), "") << size;
  }
}

// The number of points that reduce, in a function of elements, may be what the element says.
TEST(ExtentCheck, RaggedReductionsMakeNoArrays) {
  EXPECT_EQ(refusal_of("r: i64[n] = map (i < n) { s: i64 = redomap (j < x[i]) { j } reduce add neutral 0 "
                       "return s } return r"),
            "");
  EXPECT_NE(refusal_of("r: i64[n] = map (i < n) { a: i64[x[i]] = map (j < x[i]) { j } s: i64 = redomap (j < "
                       "n) { a[j] } reduce add neutral 0 return s } return r"),
            "");
}

TEST(LetCheck, BindsOneScalarOfItsType) {
  EXPECT_NE(refusal_of("y: i64[n] = let x return y").find("a Let of an array"), std::string::npos);
  EXPECT_NE(refusal_of("s: f32 = let k return s").find("names of the statement"), std::string::npos);
  EXPECT_NE(refusal_of("s: i64, t: i64 = let k return s, t").find("names of the statement"),
            std::string::npos);
}

TEST(ScanCheck, OperandsMayDependOnScansBefore) {
  const std::string first = "s: i64 = scan (x[i]) add neutral 0 ", last = "return t } return r";
  const auto refusal = [&](const std::string& rest) {
    return refusal_of("r: i64[n] = map (i < n) { " + first + rest + last);
  };
  const std::string start_depends = "a Scan's operator or start depends on another Scan of its body";
  EXPECT_EQ(refusal("t: i64 = scan (x[i] * 2) add neutral 0 "), "");
  EXPECT_EQ(refusal("t: i64 = scan (x[i] + s * 2) add neutral 0 "), "");
  EXPECT_EQ(refusal("t: i64 = scan (x[s]) add neutral 0 "), "");
  EXPECT_EQ(refusal("u: i64 = if s < 0 { 1 } else { x[i] } t: i64 = scan (u) add neutral 0 "), "");
  EXPECT_NE(refusal("t: i64 = scan (x[i]) add neutral 0 initial s ").find(start_depends), std::string::npos);
  EXPECT_NE(refusal("t: i64 = scan (x[i]) add neutral s ").find(start_depends), std::string::npos);
  EXPECT_NE(refusal("u: i64 = let s + 1 t: i64 = scan (x[i]) add neutral 0 initial u ").find(start_depends),
            std::string::npos);
  EXPECT_NE(refusal("t: i64 = scan (x[i]) (a: i64, b: i64) { a + b + s } neutral 0 ").find(start_depends),
            std::string::npos);
}

// A running value inside another Soac of the body is another scan's.
TEST(ScanCheck, AnInnerSoacHasScansOfItsOwn) {
  EXPECT_EQ(
      refusal_of("r: i64[n] = map (i < n) { s: i64 = scan (x[i]) add neutral 0 a: i64[n] = map (j < n) { "
                 "t: i64 = scan (x[j] + s) add neutral 0 return t } return a[0] } return r"),
      "");
}

TEST(Count, StructureOfPrograms) {
  EXPECT_EQ(to_string(count(parse(sound))),
            "soac 2, map 1, reduce 0, redomap 1, if 1, loop 2, check 1, arrays 1");
  const Program plain = parse(
      "program(x: f32[n]) { y: f32[n] = map (i < n) { x[i] + 1f } s: f32 = redomap (i < n) { y[i] } reduce "
      "add comm neutral 0f"
      " t: f32 = redomap (i < n) { y[i] * x[i] } reduce add comm neutral 0f z: f32[n] = map (i < n) { y[i] } "
      "return s, t, z }");
  EXPECT_EQ(to_string(count(plain)), "soac 4, map 2, reduce 1, redomap 1, if 0, loop 0, check 0, arrays 1");
  const Program reversed = parse(
      "program(x: f32[n]) { s: f32 = redomap (i < n) { x[n - 1 - i] } reduce add neutral 0f return s }");
  EXPECT_EQ(count(reversed).redomap, 1) << "not the elements in their order";
  const Program sorts = parse(
      "program(x: u8[n]) { y: u8[n] = sort (x) by (a: u8) { a } z: u8[n] = sort (y) by (a: u8) { ~a } return "
      "z }");
  EXPECT_EQ(to_string(count(sorts)),
            "soac 0, map 0, reduce 0, redomap 0, sort 2, if 0, loop 0, check 0, arrays 1");
}

// Which checks accept the last statement of the program, of all it needs in scope.
std::string accepted(const Program& program) {
  Program alone = program;
  alone.body = {program.body.back()};
  alone.results = {};
  std::string by;
  const auto note = [&](const char* name, const Program& checked, auto&& check) {
    try {
      check(checked, "some_pass");
      by += name;
    } catch (const InternalError&) {
    }
  };
  note("whole ", program, check);
  note("in_scope ", alone, check_in_scope);
  note("anywhere", alone, check_anywhere);
  return by;
}

TEST(CheckInScope, AllowsOnlyWhatStatementsThereNeed) {
  Program p = parse("program(x: i64[n]) { y: i64[2, n] = map (i < 2, j < n) { x[j] } return y }");
  EXPECT_EQ(accepted(p), "whole in_scope anywhere");
  Arena& arena = *p.arena;
  const Program before = p;
  auto& op = std::get<Soac>(p.body[0].op);
  const Expr j = arena.name(op.body.params[1]);
  op.body.results = {arena.index(arena.name(p.params[0]), std::span(&j, 1), 9)};
  EXPECT_EQ(accepted(p), "anywhere") << "a site that is not in the table";
  p = before;
  const Expr zero = arena.i64(0);
  std::get<Soac>(p.body[0].op).dims[0] = arena.index(arena.name(p.params[0]), std::span(&zero, 1));
  EXPECT_EQ(accepted(p), "anywhere") << "an extent that reads an element";
  p = before;
  const Expr x = arena.name(p.params[0]);
  p.body[0].names = {arena.fresh_array(Kind::i64, {arena.info(p.params[0]).shape[0] * 2}, "flat").var()};
  p.results = {x};
  EXPECT_EQ(accepted(p), "in_scope anywhere") << "an array of two axes in one";
}

// Where a part of a space knows a size, nothing but the shape that was declared may mention what it came
// from.
TEST(CheckInScope, ShapesMentionNamesAround) {
  Program p = parse(R"(program(k: i64) {
    y: i64[2] = map (i < 2) {
      a: i64[max(k, 0)] = map (j < max(k, 0)) { j }
      return i
    }
    return y
  })");
  EXPECT_EQ(accepted(p), "whole in_scope anywhere");
  auto& inner = std::get<Soac>(std::get<Soac>(p.body[0].op).body.body[0].op);
  inner.dims[0] = p.arena->i64(0);
  EXPECT_EQ(accepted(p), "whole in_scope anywhere");
}

}  // namespace
}  // namespace fulgurite::soac
