// Neighbouring points of one thread: which accesses become wide, and of which programs.
#include <gtest/gtest.h>

#include "engines/emulator_device.h"
#include "kernel/check.h"
#include "kernel/parse.h"
#include "kernel/print.h"
#include "kernel/traverse.h"
#include "pipeline.h"
#include "soac/parse.h"
#include "walk/blocks/wide.h"

namespace fulgurite::lower {
namespace {

/// The body of the only Par(block), points numbered i, j, widened; as text.
std::string widened(const std::string& body) {
  kernel::Kernel k = kernel::parse(
      "kernel k(in x: f32[], in b: bool[], in q: f32[], out y: f32[], out z: f64[], in p: i64[])\n"
      "par grid task < 1 {\npar block t < 32 {\nvar sum = 0f\nlet i = t * 2\nlet j = i + 1\n" +
      body + "}\n}\n");
  auto& task = std::get<kernel::Par>(k.body[0].op);
  auto& threads = std::get<kernel::Par>(task.body[0].op);
  const auto named = [&](std::size_t at) {
    return k.arena->name(std::get<kernel::Let>(threads.body[at].op).name);
  };
  const std::vector<scalar::Expr> numbers{named(1), named(2)};
  threads.body = walk::blocks::widen(*k.arena, threads.body, numbers);
  kernel::check(k, kernel::Stage::threads, "widen");
  std::string text;
  for (std::size_t s = 3; s < threads.body.size(); ++s) text += kernel::print(*k.arena, threads.body[s]);
  return text;
}

TEST(Wide, LoadsMoveUpAndStoresDown) {
  EXPECT_EQ(
      widened(
          "load v: f32 = x[i]\nload c: bool = b[i, 1]\nstore y[i] = select(c, v, 0f)\nload w: f32 = x[j]\n"
          "load d: bool = b[j]\nstore y[j] = select(d, w, 0f)\n"),
      "wide load v, w = x[i]\nwide load c, d = b[i]\n"
      "wide store y[i] = select(c, v, 0f), select(d, w, 0f)\n");
  EXPECT_EQ(widened("load v: f64 = z[i]\nstore z[i] = v + 1.\nload w: f64 = z[j]\nstore z[j] = w + 1.\n"),
            "wide load v, w = z[i]\nwide store z[i] = v + 1.0, w + 1.0\n");
}

TEST(Wide, OfOneElementOthersStay) {
  const std::string others[] = {
      "load v: f32 = x[i]\nload w: f32 = x[i + 2]\nstore y[i] = v + w\n",  // not both
      "load c: bool = b[i]\nload v: f32 = x[i] when c\nload w: f32 = x[j] when c\nstore y[i] = v + w\n",
      "load c: bool = b[i]\nif c {\n  load v: f32 = x[i]\n  load w: f32 = x[j]\n  store y[i] = v + w\n}\n",
      "store y[i] = 1f\nload v: f32 = y[i]\nstore y[j] = v\nload w: f32 = y[j]\nstore y[0] = v + w\n",
      "load v: f32 = x[i]\nsum = sum + v\nstore y[i] = sum\nsum = sum * v\nstore y[j] = sum\n",  // it changes
  };
  for (const std::string& body : others) {
    const std::string text = widened(body);
    EXPECT_EQ(text.find("wide"), std::string::npos) << text;
  }
}

struct Counts {
  int loads = 0, stores = 0;  // wide ones of all kernels
  std::string text;
};

Counts counts(const std::string& program) {
  const fulgurite::Options options{.engine = Engine::cuda};
  const pipeline::Report report =
      pipeline::compile(soac::parse(program, "test.soac"), options, EmulatorDevice::shared().describe());
  Counts found;
  for (std::size_t k = 0; k < report.lowered.kernels.size(); ++k) {
    found.text += report.lowered.plan.kernels[k].source;
    kernel::for_each_stm(report.lowered.kernels[k].body, [&](const kernel::Stm& s) {
      found.loads += std::holds_alternative<kernel::WideLoad>(s.op) ? 1 : 0;
      found.stores += std::holds_alternative<kernel::WideStore>(s.op) ? 1 : 0;
    });
  }
  return found;
}

void expect_wide(const std::string& program, int loads, int stores, const std::string& type) {
  const Counts found = counts(program);
  EXPECT_EQ(found.loads, loads) << program;
  EXPECT_EQ(found.stores, stores) << program;
  EXPECT_NE(found.text.find("fg_wide<" + type + ">"), std::string::npos) << program << found.text;
}

TEST(Wide, MapsAndReductionsInAnyOrder) {
  expect_wide(R"(program "saxpy" (a: f32, x: f32[n], y: f32[n_y]) {
    z: f32[n] = map (i < n) { a * x[i] + y[i] } return z })",
              2, 1, "f32, 4");
  expect_wide(R"(program "sum" (x: f32[n]) {
    s: f32 = redomap (i < n) { x[i] * x[i] } reduce add comm neutral 0f return s })",
              1, 0, "f32, 4");
  expect_wide(R"(program "place" (x: i32[n]) {
    v: i32, at: i64 = redomap (i < n) { x[i], i } reduce (a: i32, p: i64, b: i32, q: i64) { select(a < b | a == b & q < p, b, a), select(a < b | a == b & q < p, q, p) } comm neutral -2147483648i32, 0 return v, at })",
              1, 0, "i32, 4");
  expect_wide(R"(program "bins" (x: i32[n]) {
    h: i32[10] = redomap (i < n) { i64(x[i]), 1i32 } scatter (10) (b: i64) { 0i32 } combine add comm neutral 0i32 return h })",
              1, 1, "i32, 4");
  expect_wide(
      R"(program "grid" (x: f64[n, m]) { y: f32[n, m] = map (i < n, j < m) { f32(x[i, j]) } return y })", 1,
      1, "f64, 2");
  expect_wide(R"(program "bytes" (x: u8[n], c: bool[n_c]) {
    y: u8[n] = map (i < n) { select(c[i], x[i], 7u8) } return y })",
              2, 1, "u8, 8");
}

TEST(Wide, NotAtPlacesOfWhichNothingIsKnown) {
  for (
      const char* program : {
          R"(program "slice" (x: f32[n]) { y: f32[n - 1] = map (i < n - 1) { x[i + 1] * 2f } return y })",
          R"(program "from" (x: f32[n], k: i64) { y: f32[10] = map (i < 10) { x[i + k] * 2f } return y })",
          R"(program "backwards" (x: f32[n]) { y: f32[n] = map (i < n) { x[n - 1 - i] * 2f } return y })",
          R"(program "gather" (x: f32[n], p: i64[n_p]) { y: f32[n_p] = map (i < n_p) { x[p[i]]@1 } return y }
              sites { 1 index @"lib.cpp":3 "no {0} of {1}" })",
          R"(program "part" (x: f32[n, m]) { y: f32[n, m - 1] = map (i < n, j < m - 1) { x[i, j] } return y })",
          R"(program "order" (x: f32[n]) {
             s: f32 = redomap (i < n) { x[i] } reduce (a: f32, b: f32) { a + b } neutral 0f return s })",
      }) {
    const Counts found = counts(program);
    EXPECT_EQ(found.loads + found.stores, 0) << program;
  }
}

}  // namespace
}  // namespace fulgurite::lower
