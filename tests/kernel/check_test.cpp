// Each rule of kernel/check.h is broken once.
#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include "kernel/check.h"
#include "kernel/parse.h"

namespace fulgurite::kernel {
namespace {

constexpr const char* head =
    "kernel k(n: i64, a: f32, p: bool, in x: f32[], in b: bool[], out y: f32[], out z: i64[])\n";

void expect_broken(const Kernel& kernel, Stage stage, std::string_view message) {
  try {
    check(kernel, stage, "some_pass");
    ADD_FAILURE() << "no rule was broken, expected: " << message;
  } catch (const InternalError& e) {
    const std::string what = e.what();
    EXPECT_NE(what.find(message), std::string::npos) << what;
    EXPECT_NE(what.find("after some_pass, kernel 'k'"), std::string::npos) << what;
  }
}

void broken(Stage stage, const std::string& body, std::string_view message) {
  SCOPED_TRACE(body);
  expect_broken(parse(head + body), stage, message);
}
void task_broken(const std::string& body, std::string_view message) {
  broken(Stage::vectors, "par grid t < n {\n" + body + "\n}", message);
}
void threads_broken(const std::string& body, std::string_view message) {
  broken(Stage::threads, "par grid t < n {\n" + body + "\n}", message);
}

TEST(KernelCheck, Levels) {
  broken(Stage::vectors, "", "no phases");
  broken(Stage::vectors, "let v = n", "only Par(grid)");
  broken(Stage::threads, "par block t < 4 { }", "only Par(grid)");
  threads_broken("par grid u < n { }", "inside a task");
  threads_broken("par warp u < 32 { }", "inside a task");
  task_broken("par block u < 4 { }", "a Par(block) is left");
  task_broken("sync block", "a Sync is left");
  threads_broken("par block u < 4 { par block v < 4 { } }", "inside Par(block)");
  threads_broken("par block u < n { }", "positive constant");
  threads_broken("par block u < 0 { }", "positive constant");
  threads_broken("par block u < 4 { sync block }", "Sync is not between");
  threads_broken("sync grid", "Sync is not between");
  threads_broken("var v = 1 par block u < 4 { v = u }", "around a Par");
}

TEST(KernelCheck, AtomicsAndShuffles) {
  threads_broken("atomic add x[t] by a", "the input 'x' is stored to");
  threads_broken("atomic add z[t] by a", "the value is f32, not i64");
  threads_broken("atomic bit_and y[t] by a", "bits of a f32");
  threads_broken("atomic compare_exchange z[t] by t", "only compare_exchange");
  threads_broken("atomic add z[t] by t expects t", "only compare_exchange");
  threads_broken("shuffle v = a from t width 16", "Shuffle is not in a Par(block)");
  threads_broken("par block u < 64 { shuffle v = a from u width 12 }", "a Shuffle of width 12");
  threads_broken("par block u < 64 { shuffle v = a from a width 8 }", "the instance is f32");
}

TEST(KernelCheck, WideAccesses) {
  threads_broken("wide load v, w = x[t * 2]", "not in a Par(block)");
  threads_broken("par block u < 64 { wide load v = x[u] }", "a wide access to 1 elements of 'x'");
  threads_broken("par block u < 64 { wide load v, w, q = x[u] }", "a wide access to 3 elements of 'x'");
  threads_broken("par block u < 64 { wide store z[u] = u, u, u, u }", "a wide access to 4 elements of 'z'");
  threads_broken("par block u < 64 { wide load v, w = x[a] }", "the index is f32");
  threads_broken("par block u < 64 { wide store x[u * 2] = a, a }", "the input 'x' is stored to");
  threads_broken("par block u < 64 { wide store z[u * 2] = u, a }", "the value is f32, not i64");
}

TEST(KernelCheck, TypesAndLanes) {
  threads_broken("load v: f32x8 = x[t, 1]", "before vectorise");
  threads_broken("let v = splat(t, 8)", "before vectorise");
  task_broken("load v: f64 = x[t]", "holds f32");
  task_broken("load v: f32 = x[t] touched t", "the condition is i64");
  task_broken("store y[t] = t", "holds f32");
  task_broken("var v = a v = n", "is i64, not f32");
  task_broken("var v = splat(a, 8) v = splat(a, 16)", "is f32x16, not f32x8");
  task_broken("var v = splat(a, 8) v = splat(a, 8) when p", "mask");
  task_broken("load v: f32x8 = x[splat(t, 4)]", "index");
  task_broken("load v: f32x8 = x[t]", "the stride is absent");
  task_broken("load v: f32x8 = x[t, splat(t, 8)]", "stride");
  task_broken("load v: f32x8 = x[t, 1] when splat(p, 4)", "mask");
  task_broken("load v: f32x8 = x[t, 1] when p", "mask");
  task_broken("load v: f32 = x[i32(t)]", "index");
  task_broken("for i in 0 : splat(n, 4) step 1 { }", "the end is i64x4");
  task_broken("for i in 0 : n step 0 { }", "not positive");
  task_broken("for i in 0 : n step -1 { }", "not positive");
  task_broken("if a { }", "the condition is f32");
  task_broken("if splat(p, 4) { }", "the condition is boolx4");
  task_broken("loop { } while n { }", "the condition is i64");
  task_broken("fail @1(t, 0, t, n) when a", "the condition is f32");
  task_broken("fail @1(splat(t, 4), 0, t, n) when splat(p, 4)", "the element");
  task_broken("fail @1(t, 0, splat(t, 8), n) when splat(p, 4)", "the value");
  task_broken("fail @1(t, 0, t, n, splat(t, 8)) when splat(p, 4)", "a value that is quoted");
  task_broken("fail @1(t, 0, t, n) per splat(t, 4) when splat(p, 4)", "the group");
  task_broken("fail @1(t, 0, t, n, t, t, t, t, t, t, t, t, t, t, t, t, t, t, t) when p", "15 more values");
  broken(Stage::vectors, "par grid t < 1.0 { }", "number of instances");
}

TEST(KernelCheck, Windows) {
  task_broken("permute w = splat(a, 2), splat(n, 2) lanes 0 1", "the higher vector is i64x2");
  task_broken("permute w = splat(a, 2), splat(a, 2) lanes 0 4", "no element 4");
}

TEST(KernelCheck, Transposes) {
  const std::string tile = "alloc thread m: f32[256] alloc thread i: i64[256] ";
  task_broken(tile + "transpose x = m[t, n] lanes 16 by 16 steps 16 ahead 0", "the input 'x' is stored to");
  task_broken(tile + "transpose i = x[t, n] lanes 16 by 16 steps 16 ahead 0", "does not hold what");
  task_broken(tile + "transpose m = x[t, n] lanes 12 by 4 steps 4 ahead 0", "a Transpose of 12 lanes");
  task_broken(tile + "transpose m = x[t, n] lanes 8 by 16 steps 16 ahead 0",
              "a Transpose of 8 lanes by 16, 16 steps");
  task_broken(tile + "transpose m = x[t] lanes 16 by 16 steps 16 ahead 0", "the stride is absent");
  task_broken(tile + "transpose m = x[a, n] lanes 16 by 16 steps 16 ahead 0", "the index is f32");
  broken(Stage::threads,
         "par grid t < n { alloc thread m: f32[256] transpose m = x[t, n] lanes 16 by 16 steps 16 ahead 0 }",
         "before vectorise");
}

TEST(KernelCheck, Shifts) {
  task_broken("shift s = a by 1 fill a", "not in a Par(block)");
  broken(Stage::threads, "par grid t < n { par block l < 8 { shift s = a by 1 fill n } }", "the fill is i64");
  broken(Stage::threads, "par grid t < n { par block l < 8 { shift s = a by 0 fill a } }", "a Shift by 0");
}

TEST(KernelCheck, Picks) {
  threads_broken("pick s = a from 0", "not in a Par(block)");
  task_broken("pick s = splat(a, 8) from 8", "no lane 8");
}

TEST(KernelCheck, Packs) {
  task_broken("let v = n pack v(y[] = a)", "not an i64 variable");
  task_broken("var v = a pack v(y[] = a)", "not an i64 variable");
  task_broken("var v = n pack v(x[] = a)", "the input 'x' is stored to");
  task_broken("var v = n pack v(y[] = splat(a, 8)) when p", "the value is f32x8");
  task_broken("var v = n pack v(y[] = n)", "the value is i64");
  threads_broken("par block u < 4 { var v = n pack v(y[] = a) }", "belongs to one instance");
}

TEST(KernelCheck, Turns) {
  task_broken("inorder y, t { }", "does not hold whose turn it is");
  task_broken("alloc shared c: i64[1] inorder c, a { }", "the task is f32");
  threads_broken("alloc shared c: i64[1] par block u < 4 { inorder c, t { } }", "in Par(block)");
  task_broken("prefetch x[t] by 0 per n end n", "0 elements");
  EXPECT_NO_THROW(check(parse(std::string(head) + "par grid t < n { prefetch x[t] by 1 per n end n }"),
                        Stage::vectors, "some_pass"));
}

TEST(KernelCheck, Memory) {
  task_broken("store x[t] = a", "the input 'x' is stored to");
  task_broken("alloc global m: f32[8]", "global memory");
  task_broken("alloc shared m: f32[n]", "not a positive constant");
  task_broken("alloc thread m: f32[-1]", "not a positive constant");
  threads_broken("par block u < 4 { alloc shared m: f32[8] }", "allocated by one thread");
  task_broken("let v = n /@5 t", "can fail");
}

TEST(KernelCheck, Scopes) {
  task_broken("n = 1", "not a variable");
  task_broken("let v = n v = 1", "not a variable");
  // What the parser would refuse is made by hand.
  auto arena = std::make_shared<Arena>();
  Expr n = arena->fresh({Kind::i64}, "n"), t = arena->fresh({Kind::i64}, "t"),
       v = arena->fresh({Kind::i64}, "v");
  auto kernel = [&](Block body) {
    return Kernel{
        "k", arena, {{n.var(), Param::Role::scalar}}, {{Par{Level::grid, t.var(), n, std::move(body)}}}};
  };
  Stm let{Let{v.var(), t}}, use{Declare{arena->fresh({Kind::i64}, "w").var(), v}};
  EXPECT_NO_THROW(check(kernel({let, use}), Stage::vectors, "some_pass"));
  expect_broken(kernel({use}), Stage::vectors, "'v' is not in scope");
  expect_broken(kernel({let, let}), Stage::vectors, "'v' is bound again");
  expect_broken(kernel({{If{arena->boolean(true), {let}, {use}}}}), Stage::vectors, "'v' is not in scope");
  expect_broken(kernel({{If{arena->boolean(true), {let}, {}}}, use}), Stage::vectors, "'v' is not in scope");
  EXPECT_NO_THROW(check(kernel({{While{{let}, v < n, {use}}}}), Stage::vectors, "some_pass"));
  expect_broken(kernel({{While{{}, v < n, {let}}}}), Stage::vectors, "'v' is not in scope");
  expect_broken(kernel({{Let{v.var(), Expr()}}}), Stage::vectors, "the value is absent");
  expect_broken(kernel({{Let{v.var(), arena->boolean(true)}}}), Stage::vectors, "the value is bool");
  Expr x = arena->fresh_array(Kind::i64, {n}, "x");
  const Expr index[] = {t};
  expect_broken(kernel({{Let{v.var(), arena->index(x, index)}}}), Stage::vectors, "names the buffer");
  expect_broken(kernel({{Load{v.var(), {x.var(), t, {}, {}}}}}), Stage::vectors, "'x' is not in scope");
  expect_broken(kernel({{Load{v.var(), {n.var(), t, {}, {}}}}}), Stage::vectors, "'n' is not a buffer");
  expect_broken(kernel({{For{t.var(), n, n, arena->i64(1), {}}}}), Stage::vectors, "'t' is bound again");
  Kernel counted_by_task = kernel({});
  counted_by_task.body.push_back({Par{Level::grid, v.var(), t, {}}});
  expect_broken(counted_by_task, Stage::vectors, "'t' is not in scope");
  Kernel stranger = kernel({{Let{static_cast<Var>(1000), t}}});
  expect_broken(stranger, Stage::vectors, "of another arena");
}

TEST(KernelCheck, Guards) {
  const auto guarded = [](const std::string& params) {
    return parse("kernel k(" + params + ") guard g\npar grid task < 1 {\n}\n");
  };
  EXPECT_NO_THROW(check(guarded("in x: f32[], out g: i32[]"), Stage::threads, "some_pass"));
  expect_broken(guarded("in g: f32[]"), Stage::threads, "no buffer of i32");
  Kernel unknown = guarded("in g: i32[]");
  unknown.params.clear();
  expect_broken(unknown, Stage::threads, "the guard is no parameter");
}

TEST(KernelCheck, GoodKernelPasses) {
  EXPECT_NO_THROW(
      check(parse(std::string(head) +
                  "par grid t < n { var v = splat(a, 8) load m: boolx8 = b[t * 8, 1] v = v + v when m "
                  "load g: f32x8 = x[splat(t, 8) * lane(i64, 8)] when m store streaming y[t * 8, 1] = g * v "
                  "fail @3(t, 1, splat(t, 8), n) when m alloc thread s: i64[4] store s[0] = t }"),
            Stage::vectors, "some_pass"));
}

}  // namespace
}  // namespace fulgurite::kernel
