// Which floats are never NaN, and what minima and maxima with them are printed as.
#include "emit/numbers.h"

#include <gtest/gtest.h>

#include "emit/printer.h"
#include "kernel/parse.h"
#include "runtime/cpu/compiler.h"

namespace fulgurite::emit {
namespace {

std::string printed(const std::string& body) {
  return print_phases(
      kernel::parse("kernel k(a: i64, in f: f32[], in g: i32[], out r: f32[])\npar grid t < a {\n" + body +
                    "\n}"),
      c);
}
bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST(EmitNumbers, AccumulatorsThatBeginWithOne) {
  const std::string text = printed(R"(
    var acc = splat(f32:inf, 8)
    var most = splat(f32:-inf, 8)
    for i in 0 : a step 8 {
      load v: f32x8 = f[i, 1]
      acc = min(acc, v)
      most = max(v, most)
    }
    store r[0, 1] = acc
    store r[8, 1] = most)");
  EXPECT_TRUE(has(text, "acc = fg_min_of_number_f32_x8(v, acc)")) << text;
  EXPECT_TRUE(has(text, "most = fg_max_of_number_f32_x8(v, most)")) << text;
}

TEST(EmitNumbers, AccumulatorsThatBecomeWhatIsRead) {
  const std::string text = printed(R"(
    var acc = splat(f32:inf, 8)
    var last = splat(f32:inf, 8)
    for i in 0 : a step 8 {
      load v: f32x8 = f[i, 1]
      acc = min(acc, last)
      acc = max(acc, last)
      last = v
    }
    store r[0, 1] = acc)");
  EXPECT_TRUE(has(text, "fg_min_of_number_f32_x8(last_, acc)"))
      << "what it begins with and keeps is a number";
  EXPECT_TRUE(has(text, "fg_max_of_number_f32_x8(last_, acc)")) << text;
  const std::string sum = printed(R"(
    var acc = splat(f32:inf, 8)
    for i in 0 : a step 8 {
      load v: f32x8 = f[i, 1]
      acc = min(acc, v)
      acc = acc + v
    }
    store r[0, 1] = acc)");
  EXPECT_TRUE(has(sum, "fg_min_f32_x8(acc, v)")) << sum;
}

// Partial results are loaded where a piece ends, and the accumulators of the next piece begin anew.
TEST(EmitNumbers, AccumulatorsUntilTheyTakeWhatIsLoaded) {
  const std::string text = printed(R"(
    for j in 0 : a step 8 {
      var acc = splat(f32:inf, 8)
      for i in 0 : a step 8 {
        load v: f32x8 = f[i, 1]
        acc = min(acc, v)
      }
      load part: f32x8 = r[j, 1]
      var both = part
      both = min(both, acc)
      acc = both
      acc = max(acc, part)
      store r[j, 1] = acc
    })");
  EXPECT_TRUE(has(text, "acc = fg_min_of_number_f32_x8(v, acc)")) << text;
  EXPECT_TRUE(has(text, "both = fg_min_of_number_f32_x8(both, acc)")) << text;
  EXPECT_TRUE(has(text, "acc = fg_max_of_number_f32_x8(part, acc)")) << text;
}

TEST(EmitNumbers, Branches) {
  const std::string text = printed(R"(
    load v: f32x8 = f[0, 1]
    var one = splat(1f, 8)
    var other = splat(1f, 8)
    if a < 5 {
      one = v
      other = splat(2f, 8)
    }
    store r[0, 1] = min(one, v)
    store r[8, 1] = min(other, v))");
  EXPECT_TRUE(has(text, "fg_min_f32_x8(one, v)")) << text;
  EXPECT_TRUE(has(text, "fg_min_of_number_f32_x8(v, other)")) << text;
}

TEST(EmitNumbers, MemoryIsNone) {
  const std::string text = printed(R"(
    for i in 0 : a step 1 {
      load before: f32 = r[i]
      load v: f32 = f[i]
      store r[i] = min(before, v)
    })");
  EXPECT_FALSE(has(text, "of_number")) << text;
}

TEST(EmitNumbers, Values) {
  const std::string text = printed(R"(
    load v: f32x8 = f[0, 1]
    load w: i32x8 = g[0, 1]
    store r[0, 1] = max(v, splat(0f, 8))
    store r[8, 1] = min(v, f32(w))
    store r[16, 1] = min(select(v < splat(0f, 8), -f32(w), splat(1f, 8)), v)
    store r[24, 1] = min(v, f32(w) * v))");
  EXPECT_TRUE(has(text, "fg_max_of_number_f32_x8(v, ")) << text;
  EXPECT_TRUE(has(text, "fg_min_of_number_f32_x8(v, fg_cast_i32_f32_x8(w))")) << text;
  EXPECT_TRUE(has(text, "fg_min_of_number_f32_x8(v, t2)")) << text;
  EXPECT_TRUE(has(text, "fg_min_f32_x8(v, ")) << text;
}

#if defined(__x86_64__)
// A choice of a product is no product under a mask, which waits for a comparison.
TEST(EmitNumbers, MaximaOfProductsAreOneInstruction) {
  const kernel::Kernel k = kernel::parse(R"(kernel k(a: i64, in f: f64[], out r: f64[])
    par grid t < a {
      var most = splat(1.0, 16)
      var other = splat(1.0, 16)
      for i in 0 : a step 16 {
        load v: f64x16 = f[i, 1]
        let w = max(v, splat(1.0, 16))
        let product = other
        most = max(max(most, w), w * product)
        other = max(w, v * product)
      }
      store r[0, 1] = most
      store r[16, 1] = other
    })");
  for (const char* cpu : {"x86-64-v3", "x86-64-v4"}) {
    const std::string text = runtime::cpu::assembly(k.name, print(k, c), {.cpu = cpu});
    EXPECT_TRUE(has(text, "vmaxpd")) << text;
    EXPECT_FALSE(has(text, "vcmp")) << text;
  }
}
#endif

}  // namespace
}  // namespace fulgurite::emit
