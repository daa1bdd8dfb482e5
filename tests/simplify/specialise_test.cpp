// Programs for some extents of their arguments.
#include "simplify/specialise.h"

#include <fulgurite/error.h>

#include <gtest/gtest.h>

#include "soac/check.h"
#include "soac/interpret.h"
#include "soac/parse.h"
#include "soac/print.h"

namespace fulgurite::simplify {
namespace {

soac::Program given() {
  return soac::parse(R"(program rows(a: f32[n, m], b: f32[n_1, m_1]) {
  check m == m_1 site 1 (m, m_1)
  sums: f32[n] = map (i < n) {
    row: f32[m] = map (k < m) { a[i, k] * b[0, k] }
    sum: f32 = redomap (k_1 < m) { row[k_1] } reduce add comm neutral 0f
    return sum
  }
  return sums
}
sites {
  1 shape @"p":1 "{0} is not {1}"
}
)");
}

soac::Program with_columns(std::int64_t n, std::int64_t n_1) {
  const soac::Program program = given();
  const auto columns = [&](std::size_t param) {
    return program.arena->info(program.params[param]).shape[1].var();
  };
  return specialise(program, {{columns(0), n}, {columns(1), n_1}});
}

soac::Value zeros(std::vector<std::int64_t> shape) {
  soac::Value value{scalar::Kind::f32, std::move(shape), {}};
  std::size_t n = 4;
  for (const std::int64_t extent : value.shape) n *= static_cast<std::size_t>(extent);
  value.bytes.resize(n);
  return value;
}

TEST(Specialise, ExtentsAreConstantsEverywhere) {
  const soac::Program program = with_columns(3, 3);
  soac::check(program, "specialise");
  const std::string text = soac::print(program);
  EXPECT_NE(text.find("(a: f32[n, 3], b: f32[n_1, 3])"), text.npos) << text;
  EXPECT_NE(text.find("row: f32[3] = map (k < 3)"), text.npos) << text;
  EXPECT_NE(text.find("redomap (k_1 < 3)"), text.npos) << text;
  EXPECT_EQ(soac::print(soac::parse(text)), text);
}

std::vector<soac::Value> rows(std::int64_t columns, std::int64_t columns_1) {
  return {zeros({2, columns}), zeros({2, columns_1})};
}

TEST(Specialise, ChecksStillFail) {
  EXPECT_THROW(soac::interpret(with_columns(3, 4), rows(3, 4)), ShapeError);
}

TEST(Specialise, OtherExtentsAreRefused) {
  const soac::Program program = with_columns(3, 3);
  EXPECT_EQ(soac::interpret(program, rows(3, 3))[0].shape, std::vector<std::int64_t>{2});
  EXPECT_THROW(soac::interpret(program, rows(4, 4)), ShapeError);
}

}  // namespace
}  // namespace fulgurite::simplify
