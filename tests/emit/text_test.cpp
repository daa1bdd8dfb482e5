// Names, literals and expressions of printed text.
#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include "emit/expression.h"
#include "emit/names.h"
#include "emit/printer.h"
#include "kernel/parse.h"
#include "kernel_run.h"

namespace fulgurite::emit {
namespace {

using kernel::Arena;

TEST(EmitNames, AreLegalAndUnique) {
  Names names;
  EXPECT_EQ(names.fresh("price"), "price");
  EXPECT_EQ(names.fresh("price"), "price2");
  EXPECT_EQ(names.fresh("price"), "price3");
  EXPECT_EQ(names.fresh("x1"), "x1");
  EXPECT_EQ(names.fresh("x1"), "x1_2");
  EXPECT_EQ(names.fresh("x"), "x");
  EXPECT_EQ(names.fresh("while"), "while_");
  EXPECT_EQ(names.fresh("context"), "context_");
  EXPECT_EQ(names.fresh("f32x16"), "f32x16_");
  EXPECT_EQ(names.fresh("u8"), "u8_");
  EXPECT_EQ(names.fresh("float4"), "float4_");
  EXPECT_EQ(names.fresh("fg_load"), "v_fg_load");
  EXPECT_EQ(names.fresh("fg_load"), "v_fg_load2");
  EXPECT_EQ(names.fresh("__x"), "x2");
  EXPECT_EQ(names.fresh("NAN"), "NAN_");
  EXPECT_EQ(names.fresh("T"), "T");
  EXPECT_EQ(names.fresh(""), "v");
  EXPECT_EQ(names.fresh("2pi"), "v2pi");
  EXPECT_EQ(names.fresh("größe"), "gr____e");
  EXPECT_LE(names.fresh(std::string(1000, 'a')).size(), 40u);
}

TEST(EmitLiterals, AreExact) {
  const auto text = [](Kind kind, std::uint64_t bits, bool typed) {
    return literal(c, kind, bits, typed).text;
  };
  EXPECT_EQ(text(Kind::i64, 5, false), "5");
  EXPECT_EQ(text(Kind::i64, 5, true), "5l");
  EXPECT_EQ(text(Kind::i64, static_cast<std::uint64_t>(-5), true), "-5l");
  EXPECT_EQ(text(Kind::i64, std::uint64_t{1} << 63, false), "(-9223372036854775807l - 1)");
  EXPECT_EQ(text(Kind::i32, scalar::lowest(Kind::i32), false), "(-2147483647 - 1)") << "2147483648 is no int";
  EXPECT_EQ(text(Kind::i32, scalar::lowest(Kind::i32), true), "(-2147483647 - 1)");
  EXPECT_EQ(text(Kind::u64, ~std::uint64_t{0}, false), "18446744073709551615u");
  EXPECT_EQ(text(Kind::u64, ~std::uint64_t{0}, true), "18446744073709551615ul");
  EXPECT_EQ(text(Kind::u32, 7, true), "7u");
  EXPECT_EQ(text(Kind::i8, static_cast<std::uint64_t>(-128), true), "(i8)-128");
  EXPECT_EQ(text(Kind::boolean, 1, false), "1");
  EXPECT_EQ(text(Kind::f32, scalar::to_bits(0.1f), false), "0.1f");
  EXPECT_EQ(text(Kind::f32, scalar::to_bits(-2.0f), false), "-2.0f");
  EXPECT_EQ(text(Kind::f32, scalar::to_bits(1e30f), false), "1e+30f");
  EXPECT_EQ(text(Kind::f64, scalar::to_bits(-0.0), false), "-0.0");
  EXPECT_EQ(text(Kind::f64, scalar::to_bits(0.1), false), "0.1");
  EXPECT_EQ(text(Kind::f32, scalar::highest(Kind::f32), false), "__builtin_inff()");
  EXPECT_EQ(text(Kind::f64, scalar::lowest(Kind::f64), false), "-__builtin_inf()");
  EXPECT_EQ(text(Kind::f32, 0x7fc00001, false), "__builtin_bit_cast(f32, 0x7fc00001u)");
  for (const Kind kind : {Kind::i8, Kind::u16, Kind::i64}) EXPECT_TRUE(literal(c, kind, 5, true).is_literal);
}

std::string of_vectors(const std::string& expression) {
  const kernel::Kernel k = kernel::parse(
      "kernel k(a: i64, x: f32, p: bool, in f: f32[], in g: bool[], out r: f32[])\npar grid t < a { load v: "
      "f32x8 = f[0, 1] "
      "load w: f32x8 = f[8, 1] load m: boolx8 = g[0, 1] store r[0, 1] = " +
      expression + " }");
  const std::string text = print_phases(k, c);
  const std::size_t at = text.find("&r[0], ");
  return text.substr(at + 7, text.find(");\n", at) - at - 7);
}

std::string of_scalars(const std::string& expression, const std::string& type = "i64") {
  const kernel::Kernel k = kernel::parse(
      "kernel k(a: i64, b: i64, x: f32, y: f32, p: bool, q: bool, n: i8, m: i8, out r: " + type +
      "[])\npar grid t < a { store r[0] = " + expression + " }");
  const std::string text = print_phases(k, c);
  const std::size_t at = text.find("r[0] = ");
  return text.substr(at + 7, text.find(";\n", at) - at - 7);
}

TEST(EmitExpressions, ParenthesesStandWhereTheyAreNeeded) {
  EXPECT_EQ(of_scalars("a + b * a - b"), "a + b * a - b");
  EXPECT_EQ(of_scalars("a - (b - a)"), "a - (b - a)");
  EXPECT_EQ(of_scalars("(a + b) * (a - b)"), "(a + b) * (a - b)");
  EXPECT_EQ(of_scalars("-(-a)"), "-(-a)");
  EXPECT_EQ(of_scalars("a + -b"), "a - b");
  EXPECT_EQ(of_scalars("a - 3 - -b"), "a - 3 - -b");
  EXPECT_EQ(of_scalars("a / 3 * 3"), "a / 3 * 3");
  EXPECT_EQ(of_scalars("a / b"), "fg_div_i64_x1(a, b)");
  EXPECT_EQ(of_scalars("a & (b | 7)"), "a & (b | 7)");
  EXPECT_EQ(of_scalars("(a + 1 >> 2) * 3"), "((a + 1) >> 2) * 3");
  EXPECT_EQ(of_scalars("n >> 3i8", "i8"), "(i8)(n >> 3)");
  EXPECT_EQ(of_scalars("a >> 64"), "fg_shr_i64_x1(a, 64)");  // a shift by 0
  EXPECT_EQ(of_scalars("select(a < b, a, 1)"), "a < b ? a : 1l");
  EXPECT_EQ(of_scalars("select(p, 1, 2) * select(q, 100000, 3)"), "(p ? 1l : 2l) * (q ? 100000l : 3l)");
  EXPECT_EQ(of_scalars("a < b & !(p ^ q)", "bool"), "(a < b) & !(p ^ q)");
  EXPECT_EQ(of_scalars("(a < b) == p", "bool"), "(a < b) == p");
  EXPECT_EQ(of_scalars("n * m + 100i8", "i8"), "(i8)((i8)(n * m) + 100)");
  EXPECT_EQ(of_scalars("n + -128i8", "i8"), "(i8)(n + -128)");
  EXPECT_EQ(of_scalars("f32(a) * x + -y", "f32"), "(f32)a * x - y");
  EXPECT_EQ(of_scalars("x / y", "f32"), "x / y");
  EXPECT_EQ(of_scalars("i64(x)"), "fg_cast_f32_i64_x1(x)");
}

TEST(EmitExpressions, ScalarsAreSplatWhereVectorsMeetThem) {
  EXPECT_EQ(of_vectors("v * splat(x, 8) + splat(2f, 8)"), "v * x + 2.0f");
  EXPECT_EQ(of_vectors("select(v < w, v, splat(0f, 8))"), "fg_select_f32_x8(fg_lt_f32_x8(v, w), v, 0.0f)");
  EXPECT_EQ(of_vectors("select(m & splat(p, 8), v, w)"), "fg_select_f32_x8(m & fg_splat_b1_x8(p), v, w)");
  EXPECT_EQ(of_vectors("splat(x, 8) * splat(x, 8) + v"), "x * x + v");
  EXPECT_EQ(of_vectors("sqrt(splat(x, 8)) * v"), "fg_sqrt_f32_x1(x) * v");
  EXPECT_EQ(of_vectors("select(!m, v, w)"), "fg_select_f32_x8(!m, v, w)");
}

TEST(EmitExpressions, VectorsAreDividedByThePrelude) {
  const std::string text = print_phases(
      kernel::parse(
          "kernel k(a: i64, in x: i64[], out r: i64[])\npar grid t < a { load v: i64x8 = x[0, 1] store "
          "r[0, 1] = v / splat(3, 8) }"),
      c);
  EXPECT_NE(text.find("fg_div_i64_x8(v, 3"), std::string::npos) << text;
}

// A language whose signed arithmetic does not wrap computes the same on unsigned integers.
TEST(EmitExpressions, WrapOnUnsignedIntegersWhereSignedOnesDoNot) {
  Dialect careful = c;
  careful.wraps = false;
  const kernel::Kernel k = kernel::parse(
      "kernel careful(a: i64, n: i8, in x: i64[], out r: i64[], out s: i8[])\npar grid t < 4 {\n"
      "load v: i64 = x[t] store r[t] = -(v * a + a - (t - v)) store s[t] = n * n - i8(v) }");
  EXPECT_NE(emit::print_phases(k, careful).find("(i64)((u64)v * (u64)a + (u64)a - ((u64)t - (u64)v))"),
            std::string::npos)
      << emit::print_phases(k, careful);
  test::Launch launch{{test::Bytes(32), test::Bytes(32), test::Bytes(4)}, {0x7fffffffffffffff, 100}, {}};
  for (int i = 0; i < 4; ++i)
    test::store_element(launch.buffers[0], Kind::i64, i, 0x5555555555555555u * static_cast<unsigned>(i + 1));
  test::Launch expected = launch;
  test::interpret(k, expected);
  test::CompiledKernel(k, "native", careful).run(launch);
  EXPECT_EQ(launch.buffers, expected.buffers);
}

TEST(EmitPrinter, ValuesArePrintedBeforeWhatTheyReadChanges) {
  const kernel::Kernel k = kernel::parse(
      "kernel k(a: i64, out r: i64[])\npar grid t < a {\n"
      "var s = t let before = s * 2 s = s + 1 let used = s let unused = s + 5 if used < 3 { s = 7 } store "
      "r[t] = before + used + s }");
  EXPECT_EQ(print_phases(k, c),
            "void k_p0(const fg_context* context, i64 first, i64 last) {\n"
            "  i64* r = context->buffers[0];\n"
            "  for (i64 t = first; t < last; ++t) {\n"
            "    i64 s = t;\n"
            "    i64 before = s * 2;\n"
            "    s = s + 1;\n"
            "    i64 used = s;\n"
            "    if (used < 3) {\n"
            "      s = 7;\n"
            "    }\n"
            "    r[t] = before + used + s;\n"
            "  }\n"
            "}\n");
}

TEST(EmitPrinter, WhatIsNotVectorisedIsRefused) {
  const auto refused = [](const char* body) {
    const kernel::Kernel k = kernel::parse(std::string("kernel k(a: i64)\npar grid t < a { ") + body + " }");
    EXPECT_THROW(print(k, c), InternalError) << body;
  };
  refused("par block i < 4 { }");
  refused("sync block");
  EXPECT_THROW(print(kernel::parse("kernel k(a: i64) let v = a"), c), InternalError);
}

}  // namespace
}  // namespace fulgurite::emit
