// The text of kernels before vectorise: who does what in a block of threads, and where signed arithmetic is
// left as it stands.
#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include "emit/magnitude.h"
#include "emit/printer.h"
#include "kernel/check.h"
#include "kernel/parse.h"
#include "kernel/resources.h"

namespace fulgurite::emit {
namespace {

using kernel::Kernel;

Kernel parsed(const std::string& parameters, const std::string& task) {
  Kernel k = kernel::parse("kernel k(" + parameters + ")\npar grid task < n {\n" + task + "}\n");
  kernel::check(k, kernel::Stage::threads, "parse");
  return k;
}

/// The lines between the first, those of the task's and thread's numbers, and the last, without indentation.
std::vector<std::string> lines(const std::string& parameters, const std::string& task,
                               const Dialect& dialect = cuda) {
  std::stringstream text(print_phases(parsed(parameters + ", n: i64", task), dialect));
  std::vector<std::string> found;
  for (std::string line; std::getline(text, line);) {
    line.erase(0, line.find_first_not_of(' '));
    const bool is_frame = line.starts_with("extern") || line.starts_with("kernel") ||
                          line.starts_with("void") || line.starts_with("#pragma") ||
                          line.starts_with("const i64 ");
    if (!is_frame) found.push_back(line);
  }
  found.pop_back();
  return found;
}

using Lines = std::vector<std::string>;

TEST(EmitThreads, ThreadZeroDoesWhatTheTaskDoes) {
  EXPECT_EQ(lines("out y: i32[], in x: i32[]",
                  "load v: i32 = x[task]\nstore y[task] = v\npar block t < 8 {\nstore y[t] = v\n}\n"
                  "alloc thread own: i32[2]\nstore own[0] = v\natomic max y[0] by v when v < 3i32\n"
                  "fail @2(task, 0, 1, n) when v < 0i32\n"),
            (Lines{"i32 v = x[task];", "if (tid == 0) y[task] = v;", "y[tid] = v;", "i32 own[2];",
                   "own[0] = v;", "if (tid == 0) {", "if (v < 3) fg_atomic_max_i32(&y[0], v);", "}",
                   "if (tid == 0) if (v < 0) fg_fail_b1(failure, 2, task, 1, n);"}));
}

TEST(EmitThreads, AFailureMayQuoteMoreThanTwoValues) {
  EXPECT_EQ(lines("in x: i32[]",
                  "load v: i32 = x[task]\nfail @2(task, 0, 1, n, n * 2, task) per 4 when v < 0i32\n"
                  "fail @3(task, 0, 1, n) per n when v < 1i32\n"),
            (Lines{"i32 v = x[task];",
                   "if (v < 0) { i64 const fg_more[] = {n * 2, task}; fg_fail_more_b1(failure, 2, "
                   "task, 1, n, 4, 2, fg_more); }",
                   "if (v < 1) { i64 const fg_more[] = {1}; fg_fail_more_b1(failure, 3, task, 1, "
                   "n, n, 0, fg_more); }"}));
}

TEST(EmitThreads, AGuardIsReadBeforeAnythingElse) {
  const Kernel k = kernel::parse(
      "kernel k(in go: i32[], out y: i32[]) guard go\npar grid task < 4 {\npar block t < 64 {\n"
      "store y[t] = 1i32\n}\n}\n");
  const auto expect_before_store = [&](const Dialect& dialect, std::string_view guard) {
    const std::string text = print_phases(k, dialect);
    const std::size_t at = text.find(guard);
    EXPECT_NE(at, text.npos) << text;
    EXPECT_LT(at, text.find("y[tid] = 1;")) << text;
  };
  expect_before_store(cuda, "\n  if (go[0] == 0) return;\n");
  expect_before_store(opencl, "\n  for (int once = 0; once < go[0]; ++once) {\n");
}

TEST(EmitThreads, BlocksOfOneThreadNeedNoGuard) {
  EXPECT_EQ(lines("out y: i32[]", "store y[task] = 1i32\natomic old = add y[0] by 2i32\nstore y[1] = old\n"),
            (Lines{"y[task] = 1;", "i32 old = fg_atomic_add_i32(&y[0], 2);", "y[1] = old;"}));
}

TEST(EmitThreads, SmallerLoopsAreGuardedAndBarriersStandOutside) {
  const std::string task =
      "par block t < 64 {\nstore y[t] = 1i32\n}\nsync warp\npar block u < 32 {\nstore y[u] = 2i32\n}\nsync "
      "block\n";
  EXPECT_EQ(lines("out y: i32[]", task), (Lines{"y[tid] = 1;", "__syncwarp();", "if (tid < 32) {",
                                                "y[tid] = 2;", "}", "__syncthreads();"}));
  const std::string barrier = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);";
  EXPECT_EQ(lines("out y: i32[]", task, opencl),
            (Lines{"y[tid] = 1;", barrier, "if (tid < 32) {", "y[tid] = 2;", "}", barrier}));
  EXPECT_EQ(kernel::block_sizes(parsed("out y: i32[], n: i64", task)), std::vector<int>{64});
}

TEST(EmitThreads, AnAnswerOfTheTasksAtomicIsHandedToAll) {
  const std::string task =
      "par block t < 8 {\nstore y[t] = 1i32\n}\nfor k in 0 : n step 1 {\natomic old = add y[0] by 2i32 "
      "acquire release\n"
      "store y[1] = old\n}\n";
  EXPECT_EQ(lines("out y: i32[]", task),
            (Lines{"__shared__ i32 shared_old;", "y[tid] = 1;", "for (i64 k = 0; k < n; ++k) {",
                   "if (tid == 0) {", "__threadfence();", "shared_old = fg_atomic_add_i32(&y[0], 2);",
                   "__threadfence();", "}", "__syncthreads();", "i32 old = shared_old;", "__syncthreads();",
                   "if (tid == 0) y[1] = old;", "}"}));
}

TEST(EmitThreads, ArraysLieAmongTheBytesThatTheBlockShares) {
  const std::string task =
      "alloc shared a: f64[6] at 0\nalloc shared b: bool[5] at 48\npar block t < 4 {\n"
      "load v: f64 = a[t]\nstore b[t] = v < 1.\n}\n";
  EXPECT_EQ(lines("out y: i32[]", task),
            (Lines{"__shared__ __align__(16) unsigned char shared[64];", "f64* const a = (f64*)(shared + 0);",
                   "u8* const b = (u8*)(shared + 48);", "f64 v = a[tid];", "b[tid] = v < 1.0;"}));
  EXPECT_THROW(print(parsed("n: i64", "alloc shared a: f64[6]\n"), cuda), InternalError);
}

TEST(EmitThreads, AShuffleNamesTheThreadsOfItsWarp) {
  const auto shuffled = [](int n, const Dialect& dialect) {
    return lines("out y: i32[]",
                 "par block t < " + std::to_string(n) +
                     " {\nload v: i32 = y[t]\nshuffle w = v from t + 1 width 4\nstore y[t] = w\n}\n",
                 dialect)[1];
  };
  EXPECT_EQ(shuffled(64, cuda), "i32 w = fg_shuffle_i32(0xffffffffu, v, tid + 1, 4);");
  EXPECT_EQ(shuffled(8, cuda), "i32 w = fg_shuffle_i32(0xffu, v, tid + 1, 4);");
  EXPECT_EQ(shuffled(40, cuda), "i32 w = fg_shuffle_i32(tid < 32 ? 0xffffffffu : 0xffu, v, tid + 1, 4);");
  EXPECT_EQ(shuffled(64, opencl), "i32 v = y[tid];");  // after the array that it goes through
}

TEST(EmitThreads, WideAccessesAreOfVectors) {
  const std::string parameters = "in x: f32[], in b: bool[], out y: f32[], out c: bool[]";
  const std::string task =
      "par block t < 64 {\nlet i = task * 128 + t * 2\nwide load p, q = x[i]\nwide load v, w = b[i]\n"
      "wide store y[i] = p, p + 1f\nwide store c[i] = v, w & v\n}\n";
  EXPECT_EQ(
      lines(parameters, task),
      (Lines{"i64 i = task * 128 + tid * 2;", "const fg_wide<f32, 2> wide = *(const fg_wide<f32, 2>*)&x[i];",
             "f32 p = wide.at[0];", "const fg_wide<u8, 2> wide2 = *(const fg_wide<u8, 2>*)&b[i];",
             "b1 v = wide2.at[0];", "b1 w = wide2.at[1];", "fg_wide<f32, 2> wide3;", "wide3.at[0] = p;",
             "wide3.at[1] = p + 1.0f;", "*(fg_wide<f32, 2>*)&y[i] = wide3;", "fg_wide<u8, 2> wide4;",
             "wide4.at[0] = v;", "wide4.at[1] = w & v;", "*(fg_wide<u8, 2>*)&c[i] = wide4;"}));
  const Lines in_opencl = lines(parameters, task, opencl);
  EXPECT_EQ(in_opencl[1], "const float2 wide = *(global const float2*)&x[i];");
  EXPECT_EQ(in_opencl.back(), "*(global uchar2*)&c[i] = wide4;");
}

TEST(EmitThreads, WhatIsForTheProcessorIsRefusedOrLeftOut) {
  EXPECT_EQ(lines("in x: f32[]", "prefetch x[0] by 4 per 4 end n\n"), Lines{});
  for (const char* body : {"shift a = v by 1 fill 0f", "pick a = v from 0", "pack next(y[] = v)"}) {
    const std::string task =
        std::string("var next = 0\npar block t < 4 {\nload v: f32 = x[t]\n") + body + "\n}\n";
    EXPECT_THROW(print(parsed("in x: f32[], out y: f32[], n: i64", task), opencl), InternalError) << body;
  }
  EXPECT_THROW(print(parsed("out y: i64[], n: i64", "inorder y, task {\n}\n"), cuda), InternalError);
}

TEST(EmitThreads, NamesOfTheLanguageAreLeftToIt) {
  const Kernel k = parsed("out tid: i32[], out blockIdx: i32[], out shared: i32[], n: i64",
                          "alloc shared a: i32[1] at 0\npar block t < 2 {\nstore tid[t] = 1i32\n}\n");
  const std::string text = print_phases(k, cuda);
  EXPECT_NE(text.find("i32* tid, i32* blockIdx2, i32* shared, i64 n)"), std::string::npos) << text;
  EXPECT_NE(text.find("const i64 tid2 = threadIdx.x;"), std::string::npos) << text;
  EXPECT_NE(text.find("shared2[16]"), std::string::npos) << text;
  EXPECT_NE(text.find("tid[tid2] = 1;"), std::string::npos) << text;
}

/// The text of the last statement's value, in a task of 256 threads.
std::string stored(const std::string& value) {
  return lines("out y: i64[], out z: i32[], out u: u16[], in x: i64[], in w: i32[], in s: u16[], a: i64",
               "par block t < 256 {\nload v: i64 = x[t]\nload i: i32 = w[t]\nload h: u16 = s[t]\n" + value +
                   "\n}\n")
      .back();
}

TEST(EmitThreads, SignedArithmeticIsLeftAsItStandsWhereItCannotOverflow) {
  EXPECT_EQ(stored("store y[0] = task * 256 + t"), "y[0] = task * 256 + tid;");
  EXPECT_EQ(stored("store y[0] = n - task * 256"), "y[0] = n - task * 256;");  // n tasks: a size
  EXPECT_EQ(stored("store y[0] = v + 1"), "y[0] = (i64)((u64)v + 1);");
  EXPECT_EQ(stored("store y[0] = a * v + t"), "y[0] = (i64)((u64)a * (u64)v + (u64)tid);");
  EXPECT_EQ(stored("store y[0] = v / 65536 * 1024 - 5"), "y[0] = v / 65536 * 1024 - 5;");
  EXPECT_EQ(stored("store y[0] = i64(i) * i64(h)"), "y[0] = (i64)i * (i64)h;");
  EXPECT_EQ(stored("store y[a * v + t] = 1"), "y[a * v + tid] = 1;");  // the element exists
  EXPECT_EQ(stored("store y[(a * v) % 7] = 1"), "y[(i64)((u64)a * (u64)v) % 7] = 1;");
  EXPECT_EQ(stored("store y[0] = -v"), "y[0] = (i64)(0 - (u64)v);");
  EXPECT_EQ(stored("store z[0] = i + 1i32"), "z[0] = (i32)((u32)i + 1);");
  EXPECT_EQ(stored("store z[0] = i / 4i32 - 1i32"), "z[0] = i / 4 - 1;");
  EXPECT_EQ(stored("store z[0] = i % 100i32 * 1000i32"), "z[0] = i % 100 * 1000;");
  EXPECT_EQ(stored("store u[0] = h * h"), "u[0] = (u16)((u32)h * (u32)h);");  // of int it would overflow
  EXPECT_EQ(stored("store u[0] = h + h"), "u[0] = (u16)(h + h);");
  EXPECT_EQ(stored("store y[0] = i64(u64(i) + 1u64) + 1"), "y[0] = (i64)((u64)(i64)((u64)i + 1) + 1);");
}

TEST(EmitThreads, LiteralsOfU32StayOfThatKind) {  // a long would not wrap
  EXPECT_EQ(lines("in x: u32[], out y: bool[]",
                  "par block t < 2 {\nload v: u32 = x[t]\nstore y[t] = v - 1u32 < 7u32\n}\n")
                .back(),
            "y[tid] = v + 4294967295u < 7;");
}

}  // namespace
}  // namespace fulgurite::emit
