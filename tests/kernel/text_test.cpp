// The text of kernels is read back as the same kernel.
#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "kernel/check.h"
#include "kernel/parse.h"
#include "kernel/print.h"
#include "kernel/traverse.h"

namespace fulgurite::kernel {
namespace {

using scalar::Op;

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> kernel_files() {
  std::vector<std::filesystem::path> found;
  const std::filesystem::path here = FULGURITE_TEST_DATA;
  for (const auto& folder : {here, here.parent_path() / "kernels"})
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".kernel") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

Stage stage_of(const Kernel& kernel) {
  bool has_threads = false;
  for_each_stm(kernel.body, [&](const Stm& s) {
    const auto* par = std::get_if<Par>(&s.op);
    has_threads |= par && par->level == Level::block;
  });
  return has_threads ? Stage::threads : Stage::vectors;
}

void expect_round_trip(const Kernel& kernel) {
  const std::string text = print(kernel);
  const Kernel again = parse(text);
  EXPECT_EQ(print(again), text);
  EXPECT_EQ(canonical(again), canonical(kernel));
  EXPECT_EQ(canonical(parse(canonical(kernel))), canonical(kernel));
}

TEST(KernelText, FilesRoundTrip) {
  const auto files = kernel_files();
  ASSERT_GE(files.size(), 7u);
  for (const auto& file : files) {
    SCOPED_TRACE(file);
    const Kernel kernel = parse(read(file), file.filename());
    check(kernel, stage_of(kernel), "parse");
    expect_round_trip(kernel);
  }
}

TEST(KernelText, GuardsRoundTrip) {
  const Kernel guarded =
      parse("kernel k(in x: i32[], out y: i32[]) guard x\npar grid t < 1 {\nstore y[t] = 1i32\n}\n");
  ASSERT_TRUE(guarded.guard);
  expect_round_trip(guarded);
  Kernel other = guarded;
  other.guard.reset();
  EXPECT_NE(canonical(other), canonical(guarded));
}

TEST(KernelText, FailuresRoundTrip) {
  const std::string text =
      "kernel k(n: i64, out y: i64[])\n"
      "par grid task < n {\n"
      "  fail @1(task, 0, task, n) when n < task\n"
      "  fail @2(task, 1, task + 1, n) per n when n < task + 2\n"
      "  fail @3(task, 0, task, n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, n, task) when n < task + 3\n"
      "  fail @4(task, 0, task, n, n + 1, task) per n * 4 when n < task + 4\n"
      "  store y[task] = n\n"
      "}\n";
  const Kernel kernel = parse(text);
  EXPECT_EQ(print(kernel), text);
  expect_round_trip(kernel);
  std::vector<std::size_t> more;
  std::vector<bool> grouped;
  for_each_stm(kernel.body, [&](const Stm& s) {
    if (const auto* f = std::get_if<Fail>(&s.op))
      more.push_back(f->more.size()), grouped.push_back(bool(f->group));
  });
  EXPECT_EQ(more, (std::vector<std::size_t>{0, 0, 14, 2}));
  EXPECT_EQ(grouped, (std::vector<bool>{false, true, false, true}));
}

TEST(KernelText, BlocksAreIndented) {
  const std::string text =
      "kernel k(n: i64, out y: i64[])\n"
      "par grid task < n {\n"
      "  alloc shared turn: i64[1]\n"
      "  inorder turn, task {\n"
      "    for i in 0 : n step 1 {\n"
      "      if i < task {\n"
      "        store y[i] = task\n"
      "      }\n"
      "    }\n"
      "  }\n"
      "}\n";
  EXPECT_EQ(print(parse(text)), text);
}

TEST(KernelText, OfOneLineIsWhatWasWritten) {
  const std::string text =
      "kernel k(n: i64, in x: f32[], out y: bool[])\n"
      "par grid task < (n + 255) / 256 {\n"
      "  load v: f32x8 = x[task * 8, 1] when splat(task, 8) + lane(i64, 8) < splat(n, 8)\n"
      "  load w: f32x8 = x[task * 8, 1] touched 1000 < n\n"
      "  store streaming y[task * 8, 1] = v < w\n"
      "}\n";
  EXPECT_EQ(print(parse(text)), text);
}

/// A kernel with one statement list, made by hand.
struct Made {
  Kernel kernel;
  Arena& arena;
  Expr n, x, y, task;
  Made() : kernel{"made", std::make_shared<Arena>(), {}, {}}, arena(*kernel.arena) {
    n = arena.fresh({Kind::i64}, "n");
    x = arena.fresh_array(Kind::f32, {arena.i64(0)}, "x");
    y = arena.fresh_array(Kind::f32, {arena.i64(0)}, "y");
    task = arena.fresh({Kind::i64}, "task");
    kernel.params = {
        {n.var(), Param::Role::scalar}, {x.var(), Param::Role::input}, {y.var(), Param::Role::output}};
  }
  Kernel with(Block body) {
    kernel.body = {{Par{Level::grid, task.var(), n, std::move(body)}}};
    return kernel;
  }
};

TEST(KernelText, SharedPartsArePrintedOnce) {
  Made made;
  Arena& a = made.arena;
  Expr e = made.task % made.n + 1;
  for (int i = 0; i < 40; ++i) e = a.apply(Op::bit_xor, {e * e, made.task});  // 2^40 leaves as a tree
  Expr v = a.fresh({Kind::i64}, "v");
  const Kernel kernel = made.with({{Let{v.var(), e}}});
  EXPECT_LT(print(kernel).size(), 5000u);
  expect_round_trip(kernel);
  const Kernel loop = made.with({{While{{}, e < e * made.n, {}}}});
  expect_round_trip(loop);
}

TEST(KernelText, DeepExpressionsRoundTrip) {
  Made made;
  Arena& a = made.arena;
  Expr e = made.task;
  for (int i = 0; i < 5000; ++i) e = a.apply(Op::bit_xor, {e * made.n, a.i64(i)});
  Expr v = a.fresh({Kind::i64}, "v");
  expect_round_trip(made.with({{Let{v.var(), e}}}));
}

TEST(KernelText, CanonicalFormForgetsNames) {
  const char* first =
      "kernel one(n: i64, out y: i64[]) par grid task < n { let a = task * n let b = a + 1 store y[task] = a "
      "* b }";
  const char* second =
      "kernel two(m: i64, out z: i64[]) par grid t < m { let b = t * m let a = b + 1 store z[t] = b * a }";
  const char* third =
      "kernel two(m: i64, out z: i64[]) par grid t < m { let b = t * m let a = b + 2 store z[t] = b * a }";
  EXPECT_EQ(canonical(parse(first)), canonical(parse(second)));
  EXPECT_NE(canonical(parse(first)), canonical(parse(third)));
}

TEST(KernelText, EqualNamesStayApart) {
  Made made;
  Arena& a = made.arena;
  Expr t1 = a.fresh({Kind::i64}, "t"), t2 = a.fresh({Kind::i64}, "t"), keyword = a.fresh({Kind::i64}, "let");
  expect_round_trip(
      made.with({{Let{t1.var(), made.n}}, {Let{t2.var(), t1 + made.task}}, {Let{keyword.var(), t1 + t2}}}));
}

TEST(KernelText, WrongTextsAreRefusedWithTheirLine) {
  const auto refused = [](std::string_view body, std::string_view message) {
    const std::string text =
        "kernel k(n: i64, in x: f32[], out y: f32[])\npar grid t < n {\n" + std::string(body) + "\n}\n";
    try {
      parse(text, "file");
      ADD_FAILURE() << "accepted: " << body;
    } catch (const FormatError& e) {
      EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("file:"), std::string::npos) << e.what();
    }
  };
  refused("let a = b", "unknown name");
  refused("let a = 1 let a = 2", "bound already");
  refused("let t = 1", "bound already");
  refused("a = 1", "expected a variable");
  refused("x = 1", "expected a variable");
  refused("@s = t + 1 s = 1", "expected a variable");
  refused("load v: f33 = x[0]", "expected a type");
  refused("load v: f32x = x[0]", "expected a type");
  refused("load v: f32x99999 = x[0]", "expected a type");
  refused("load v: f32 = n[0]", "expected a buffer");
  refused("store y[x] = 1f", "expected a scalar, not a buffer");
  refused("sync somewhere", "expected a level");
  refused("fail 3(t, 0, t, t) when t == 0", "expected '@'");
  refused("for i in 0 : n {", "expected 'step'");
  refused("let a = 1 +", "expected an expression");
  refused("alloc shared b: f32[4", "expected ']'");
}

TEST(KernelText, AnyPrefixIsRefusedOrRead) {
  for (const auto& file : kernel_files()) {
    const std::string text = read(file);
    for (std::size_t length = 0; length < text.size(); length += 7) {
      try {
        parse(text.substr(0, length));
      } catch (const FormatError&) {
      }
    }
  }
  EXPECT_THROW(parse(std::string(100000, '{')), FormatError);
  std::string nested = "kernel k(n: i64) ";
  for (int i = 0; i < 10000; ++i) nested += "if n == 0 {";
  EXPECT_THROW(parse(nested), FormatError);
}

TEST(KernelTraverse, NamesOfABlock) {
  const Kernel kernel = parse(read(std::filesystem::path(FULGURITE_TEST_DATA) / "threads.kernel"));
  const Names names = names_of(kernel.body);
  auto contains = [&](const std::set<Var>& set, std::string_view name) {
    for (Var v : set)
      if (kernel.arena->info(v).name == name) return true;
    return false;
  };
  EXPECT_TRUE(contains(names.reads, "x") && contains(names.reads, "n") && contains(names.reads, "tile"));
  EXPECT_FALSE(contains(names.reads, "y"));
  EXPECT_TRUE(contains(names.stores, "y") && contains(names.stores, "tile"));
  EXPECT_TRUE(contains(names.assigns, "sum") && !contains(names.assigns, "w"));
  EXPECT_TRUE(contains(names.binds, "w") && contains(names.binds, "tile") && contains(names.binds, "task"));
  EXPECT_FALSE(contains(names.binds, "n"));
}

TEST(KernelTraverse, ChildrenKeepWhatTheyAre) {
  for (const auto& file : kernel_files()) {
    const Kernel kernel = parse(read(file));
    EXPECT_EQ(substitute(*kernel.arena, kernel.body, {}), kernel.body);
    for_each_stm(kernel.body, [](const Stm& s) { EXPECT_EQ(map_children(s, {}), s); });
  }
}

TEST(KernelTraverse, RefreshRenamesWhatIsBound) {
  for (const auto& file : kernel_files()) {
    Kernel kernel = parse(read(file));
    const Names old = names_of(kernel.body);
    const auto count = [&] {
      int n = 0;
      for_each_stm(kernel.body, [&](const Stm&) { ++n; });
      return n;
    };
    const int before = count();
    kernel.body = refresh(*kernel.arena, kernel.body);
    EXPECT_EQ(count(), before);
    check(kernel, stage_of(kernel), "refresh");
    EXPECT_EQ(names_of(kernel.body).binds.size(), old.binds.size());
    for (Var v : names_of(kernel.body).binds) EXPECT_FALSE(old.binds.contains(v));
  }
}

TEST(KernelTraverse, SubstituteReplacesNames) {
  const Kernel kernel =
      parse("kernel k(n: i64, m: i64, out y: i64[], out z: i64[]) par grid t < n { store y[t + n] = n * t }");
  const auto var = [&](std::size_t i) { return kernel.params[i].name; };
  const Block body = substitute(*kernel.arena, kernel.body,
                                {{var(0), kernel.arena->name(var(1))}, {var(2), kernel.arena->name(var(3))}});
  const Kernel changed{kernel.name, kernel.arena, kernel.params, body};
  EXPECT_NE(print(changed).find("store z[m + t] = m * t"), std::string::npos) << print(changed);
}

}  // namespace
}  // namespace fulgurite::kernel
