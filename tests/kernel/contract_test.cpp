// Which sums of a kernel take a product without rounding it first.
#include "kernel/contract.h"

#include <gtest/gtest.h>

#include "kernel/check.h"
#include "kernel/parse.h"
#include "kernel/print.h"

namespace fulgurite::kernel {
namespace {

Kernel kernel_of(const std::string& body) {
  return parse(
      "kernel k(in x: f32[], in y: f32[], a: f32, out r: f32[])\npar grid t < 1 { par block i < 32 {\n" +
      body + "\n} }");
}

/// What the body becomes; Lets that nothing reads any more stay.
void expect_contracted(const std::string& before, const std::string& after) {
  const Kernel made = contract.run(kernel_of(before), {});
  check(made, Stage::threads, "contract");
  EXPECT_EQ(print(made), print(kernel_of(after)));
}

TEST(Contract, SumsTakeProducts) {
  expect_contracted("load p: f32 = x[i] load q: f32 = y[i] store r[i] = p * q + a",
                    "load p: f32 = x[i] load q: f32 = y[i] store r[i] = fast_fma(p, q, a)");
  expect_contracted("load p: f32 = x[i] let m = p * a let s = m - p store r[i] = s",
                    "load p: f32 = x[i] let m = p * a let s = fast_fma(p, a, -p) store r[i] = s");
  expect_contracted(
      "load p: f32 = x[i] let m = -(p * a) let s = m - p store r[i] = p - s * 2f",
      "load p: f32 = x[i] let m = -(p * a) let s = fast_fma(-p, a, -p) store r[i] = fast_fma(s, -2f, p)");
  expect_contracted(
      "var s = 0f for k in 0 : 8 step 1 { load p: f32 = x[k] s = p * a + s } store r[i] = s",
      "var s = 0f for k in 0 : 8 step 1 { load p: f32 = x[k] s = fast_fma(p, a, s) } store r[i] = s");
}

TEST(Contract, SharedAndPairedProductsStay) {
  for (const char* body : {
           "load p: f32 = x[i] let m = p * a let s = m + 1f store r[i] = s * m",
           "load p: f32 = x[i] load q: f32 = y[i] let m = p * a let n = q * a store r[i] = m - n",
           "load p: f32 = x[i] let m = p * a let n = abs(p * 2f) store r[i] = m - n",
           "load p: f32 = x[i] let m = p * a let n = select(p < a, p * 2f, 1f) store r[i] = n + m",
           "let k = i * 3 store r[k + 1] = a",
       })
    expect_contracted(body, body);
}

// Between the product and the sum a variable may have another value.
TEST(Contract, ProductsOfVariablesStayWhereTheyAre) {
  const char* body = "var s = a let m = s * 2f s = 1f store r[i] = m + a";
  expect_contracted(body, body);
  expect_contracted("var s = a store r[i] = s * 2f + a", "var s = a store r[i] = fast_fma(s, 2f, a)");
}

}  // namespace
}  // namespace fulgurite::kernel
