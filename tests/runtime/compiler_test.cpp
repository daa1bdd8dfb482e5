// The compiler plug-in and the loader of what it makes.
#include "runtime/cpu/compiler.h"

#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "kernels.h"
#include "runtime/build_id.h"
#include "runtime/cpu/kernel.h"
#include "runtime/cpu/levels.h"
#include "runtime/cpu/module.h"
#include "runtime/cpu/plugin_file.h"
#include "runtime/host.h"

namespace fulgurite::runtime::cpu {
namespace {

using test::convention;

// Runs one task of the function `k_p0` with these buffers.
void run(const std::string& body, std::vector<void*> buffers, const CompileOptions& options = {}) {
  const CpuKernel kernel({.name = "k", .text = ""}, compile("k", convention + body, options));
  const KernelContext context{buffers.data(), nullptr, nullptr, nullptr, nullptr, 1};
  kernel.phases()[0].function(&context, 0, 1);
}

TEST(Compiler, RunsVectorCode) {
  std::vector<float> x(20), y(20, 1);
  std::iota(x.begin(), x.end(), 0.0F);
  const KernelSource source = test::saxpy();
  // "generic" is what LLVM calls a processor that it does not know.
  std::vector<std::string> processors{"native", "generic"};
  for (std::size_t k = 0; k < n_levels_reached(); ++k) processors.emplace_back(levels[k]);
  for (const std::string& cpu : processors) {
    const CpuKernel kernel(source, compile(source.name, source.text, {.cpu = cpu}));
    std::vector<float> result = y;
    void* buffers[] = {x.data(), result.data()};
    std::int64_t scalars[] = {0, 19};
    const float a = 2;
    std::memcpy(scalars, &a, sizeof a);
    const KernelContext context{buffers, scalars, nullptr, nullptr, nullptr, 1};
    kernel.phases()[0].function(&context, 0, 1);
    for (std::size_t i = 0; i < 19; ++i) EXPECT_EQ(result[i], 2 * x[i] + 1) << cpu;
    EXPECT_EQ(result[19], 1) << "beyond the end";
  }
}

// Before the plug-in is loaded, as much address space is reserved, to see whether there is any.
TEST(Compiler, KeepsNoReservedMemory) {
  compile("k", convention + "void k_p0(const fg_context* c, int64_t first, int64_t last) {}", {});
  const std::size_t least = loaded_size(beside_library("libfulgurite_clang.so"));
  if (least < std::size_t{1} << 20) GTEST_SKIP() << "the compiler's libraries are shared ones";
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::size_t begin = 0, end = 0;
    char access[5] = "";
    ASSERT_EQ(std::sscanf(line.c_str(), "%zx-%zx %4s", &begin, &end, access), 3) << line;
    const bool is_like_it = end - begin >= least && end - begin < least + (std::size_t{32} << 20);
    EXPECT_FALSE(is_like_it && std::string(access) == "---p") << line;
  }
}

TEST(Compiler, ContractsNothingByItself) {
  const std::string body = R"(
void k_p0(const fg_context* c, int64_t first, int64_t last) {
  const float* in = c->buffers[0]; float* out = c->buffers[1];
  *out = in[0] * in[1] + in[2];
})";
  const float e = std::ldexp(1.0F, -12);
  float in[] = {1 + e, 1 + e, -(1 + 2 * e)}, out = -1;
  run(body, {in, &out});
  EXPECT_EQ(out, 0.0F) << "the product and the sum are rounded, each by itself";
}

TEST(Compiler, KeepsIeeeArithmetic) {
  const std::string body = R"(
void k_p0(const fg_context* c, int64_t first, int64_t last) {
  const float* in = c->buffers[0]; float* out = c->buffers[1];
  out[0] = in[0] * in[1];                  // a denormal
  out[1] = in[2] != in[2];                 // a NaN
  out[2] = (in[3] + in[4]) - in[4];        // no reassociation
  out[3] = in[1] / in[5];                  // division, not a reciprocal
  out[4] = 0.0f - (in[6] - in[6]);         // +0
  out[5] = in[6] * 0.0f;                   // -0 or NaN where they are due
})";
  const float inf = std::numeric_limits<float>::infinity();
  float in[] = {1e-30F, 1e-10F, NAN, 1.0F, 1e20F, 3.0F, inf}, out[6];
  run(body, {in, out});
  EXPECT_EQ(out[0], 1e-30F * 1e-10F);
  EXPECT_GT(out[0], 0.0F);
  EXPECT_EQ(out[1], 1.0F);
  EXPECT_EQ(out[2], 0.0F);
  EXPECT_EQ(out[3], 1e-10F / 3.0F);
  EXPECT_TRUE(std::isnan(out[4]));
  EXPECT_TRUE(std::isnan(out[5]));
}

TEST(Compiler, ReportsATextThatItRefuses) {
  try {
    compile("broken", "void broken_p0(void) { return undeclared; }", {});
    FAIL();
  } catch (const InternalError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("broken.c:1:"), std::string::npos) << text;
    EXPECT_NE(text.find("undeclared"), std::string::npos) << text;
  }
  EXPECT_THROW(compile("broken", "", {.cpu = "no-such-processor"}), InternalError);
  EXPECT_THROW(compile("broken", "#include <stdio.h>\n", {}), InternalError) << "there is no file system";
  EXPECT_FALSE(compile("fine", "void fine(void) {}", {}).empty()) << "and goes on";
}

TEST(Compiler, TakesDeepExpressions) {
  std::string expression = "1.0f";
  for (int i = 0; i < 500; ++i) expression = "(" + expression + " + in[" + std::to_string(i % 3) + "])";
  float in[] = {1, 2, 3}, out = 0;
  run("void k_p0(const fg_context* c, int64_t first, int64_t last) { const float* in = c->buffers[0]; "
      "*(float*)c->buffers[1] = " +
          expression + "; }",
      {in, &out});
  EXPECT_EQ(out, 1 + 167 * 1 + 167 * 2 + 166 * 3);
}

TEST(Compiler, PrintsAssembly) {
  const KernelSource source = test::saxpy();
#if defined(__aarch64__)
  const std::string text = assembly(source.name, source.text, {.cpu = "armv8-a"});
  EXPECT_NE(text.find("saxpy_p0:"), std::string::npos);
  EXPECT_NE(text.find("fmul\tv"), std::string::npos);
  EXPECT_EQ(text.find("fmla"), std::string::npos) << "the text has no fma";
  EXPECT_EQ(text.find("ptrue"), std::string::npos) << "not every processor has scalable vectors";
  const std::string native = assembly(source.name, source.text, {.cpu = "native"});
  EXPECT_EQ(native.find("fmul\tz") != std::string::npos, host().vector_bytes >= 32) << native;
#else
  const std::string text = assembly(source.name, source.text, {.cpu = "x86-64-v3"});
  EXPECT_NE(text.find("saxpy_p0:"), std::string::npos);
  EXPECT_EQ(text.find("vfmadd"), std::string::npos) << "the text has no fma";
  EXPECT_NE(text.find("%ymm"), std::string::npos);
  EXPECT_EQ(text.find("%zmm"), std::string::npos);
  const std::string old = assembly(source.name, source.text, {.cpu = "x86-64-v2"});
  EXPECT_EQ(old.find("%ymm"), std::string::npos);
#endif
}

TEST(Compiler, IdentityTellsApartWhatMatters) {
  EXPECT_EQ(compiler_identity({}), compiler_identity({}));
  EXPECT_NE(compiler_identity({}), compiler_identity({.cpu = std::string(levels.back())}));
}

TEST(Module, LinksTablesVariablesSwitchesAndFunctionsOfTheProcess) {
  const std::string body = R"(
void* memcpy(void*, const void*, unsigned long);
float fmodf(float, float);
typedef int64_t function(int64_t);
__attribute__((noinline)) static int64_t twice(int64_t x) { return 2 * x; }
__attribute__((noinline)) static int64_t thrice(int64_t x) { return 3 * x; }
static function* const table[] = {twice, thrice, twice};
static const int64_t squares[] = {0, 1, 4, 9, 16, 25, 36, 49};
static int64_t calls = 40;
static char zeros[5000];
void k_p0(const fg_context* c, int64_t first, int64_t last) {
  const int64_t* in = c->buffers[0]; int64_t* out = c->buffers[1];
  ++calls;
  out[0] = table[in[0]](5);
  out[1] = squares[in[1]];
  switch (in[2]) {
    case 0: out[2] = in[1] * 3; break;
    case 1: out[2] = in[0] - 8; break;
    case 2: out[2] = in[0] ^ 77; break;
    case 3: out[2] = in[3] / 9; break;
    case 4: out[2] = in[3] % 9; break;
    default: out[2] = -1;
  }
  memcpy(zeros + in[1], in, in[3] % 64);
  out[3] = zeros[in[1]] + zeros[4999];
  out[4] = calls;
  out[5] = (int64_t)fmodf((float)in[3], 7.0f);
  char bytes[256]; for (int i = 0; i < 256; ++i) bytes[i] = (char)(i ^ in[0]);
  __int128 wide = (__int128)in[3] * in[3] / 1000; out[6] = (int64_t)wide;
  out[7] = bytes[in[3] % 256];
})";
  std::int64_t in[] = {1, 6, 4, 1030, 0, 0, 0, 0}, out[8] = {};
  run(body, {in, out});
  EXPECT_EQ(out[0], 15);
  EXPECT_EQ(out[1], 36);
  EXPECT_EQ(out[2], 1030 % 9);
  EXPECT_EQ(out[3], 1);
  EXPECT_EQ(out[4], 41);
  EXPECT_EQ(out[5], 1030 % 7);
  EXPECT_EQ(out[6], 1030 * 1030 / 1000);
  EXPECT_EQ(out[7], 6 ^ 1);
}

TEST(Module, NamesAFunctionThatNobodyHas) {
  const std::string object =
      compile("k", "void nobody_has_this(void); void k_p0(void) { nobody_has_this(); }", {});
  try {
    const Module module(object);
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_NE(std::string(error.what()).find("nobody_has_this"), std::string::npos);
  }
}

TEST(Module, FindsFunctionsThatAreThere) {
  const Module module(compile("k", "void a(void) {} void b(void) {} static int hidden;", {}));
  EXPECT_NE(module.find("a"), nullptr);
  EXPECT_NE(module.find("b"), nullptr);
  EXPECT_NE(module.find("a"), module.find("b"));
  EXPECT_EQ(module.find("hidden"), nullptr);
  EXPECT_EQ(module.find("c"), nullptr);
  EXPECT_THROW(CpuKernel({.name = "a", .text = ""}, compile("k", "void a(void) {}", {})), InternalError)
      << "a_p0 is missing";
}

TEST(Module, RefusesTruncatedObjects) {
  const std::string object = compile("saxpy", test::saxpy().text, {});
  for (std::size_t n = 0; n < object.size(); n += 1 + n / 97)
    EXPECT_THROW(Module(std::string_view(object).substr(0, n)), InternalError) << n;
  EXPECT_THROW(Module("this is no object at all, but long enough for a header of one, certainly......"),
               InternalError);
}

}  // namespace
}  // namespace fulgurite::runtime::cpu
