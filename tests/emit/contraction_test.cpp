// What a contracted sum is on processors with and without fused multiply-add.
#include <gtest/gtest.h>

#include "emit/dialect.h"
#include "emit/printer.h"
#include "kernel/parse.h"
#include "runtime/cpu/compiler.h"

namespace fulgurite {
namespace {

std::string assembly_of(const std::string& value, const char* cpu) {
  const kernel::Kernel k = kernel::parse(
      "kernel k(in x: f32[], in y: f64[], out r: f32[], out s: f64[])\n"
      "par grid t < 1 { load a: f32x8 = x[t, 1] load b: f64x8 = y[t, 1] store r[t, 1] = " +
      value + "(a, a, a) store s[t, 1] = " + value + "(b, b, b) }");
  return runtime::cpu::assembly(k.name, emit::print(k, emit::c), {.cpu = cpu});
}

bool has(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

#if defined(__aarch64__)

TEST(Contraction, IsOneInstruction) {
  for (const char* value : {"fma", "fast_fma"}) {
    const std::string text = assembly_of(value, "armv8-a");
    EXPECT_TRUE(has(text, "fmla") || has(text, "fmad")) << text;
    EXPECT_FALSE(has(text, "bl\t")) << text;
  }
}

#else

TEST(Contraction, IsOneInstructionWhereThereIsOne) {
  for (const char* cpu : {"x86-64-v3", "x86-64-v4"})
    for (const char* value : {"fma", "fast_fma"}) {
      const std::string text = assembly_of(value, cpu);
      EXPECT_TRUE(has(text, "vfmadd")) << text;
      EXPECT_FALSE(has(text, "call")) << text;
    }
}

TEST(Contraction, NeverCallsTheLibraryWhereThereIsNone) {
  const std::string text = assembly_of("fast_fma", "x86-64-v2");
  EXPECT_TRUE(has(text, "mulps") && has(text, "addps") && has(text, "mulpd") && has(text, "addpd")) << text;
  EXPECT_FALSE(has(text, "call")) << text;
  EXPECT_TRUE(has(assembly_of("fma", "x86-64-v2"), "fmaf")) << "what the user writes rounds once";
}

#endif

}  // namespace
}  // namespace fulgurite
