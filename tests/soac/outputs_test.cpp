// Statements are taken apart into their outputs and put together again.
#include "soac/outputs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "../fuse/random_program.h"
#include "base/match.h"
#include "fuse/fuse.h"
#include "simplify/simplify.h"
#include "soac/parse.h"
#include "soac/print.h"
#include "soac/walk.h"

namespace fulgurite::soac {
namespace {

constexpr const char* of_all_kinds = R"(program "all" (x: i32[n]) {
  big: i32, at: i64, total: i32, stored: i32[n, 4], marked: i64[n, 4], counts: i64[3], n_even: i64, starts: i64[2], even: i32[n_even], n_all: i64, ends: i64[3], twice: i32[n], plus: i32[n] = redomap (i < n) {
    return x[i], i, x[i] * 3i32, i, 1, x[i] * 5i32, i * 7, i % 3, 11, i % 2, x[i] * 13i32, i % 17, x[i] * 2i32, x[i] + 1i32
  } reduce (a: i32, j: i64, b: i32, k: i64) { select(a < b, b, a), select(a < b, k, j) } neutral -1i32, -1 reduce add comm neutral 0i32 scatter (n, 4) (p: i64, q: i64) { 0i32, 0 } scatter (3) (r: i64) { 10 } combine add comm neutral 0 partition 1 of 1 partition 2 of 0
  return big, at, total, stored, marked, counts, even, starts, ends, twice, plus
})";

class OutputsTest : public ::testing::Test {
 protected:
  std::string name(Var var) const { return program.arena->info(var).name; }
  template <class Names>
  std::string names(const Names& vars) const {
    std::string text;
    for (Var var : vars) text += (text.empty() ? "" : " ") + name(var);
    return text;
  }
  Expr i() const { return program.arena->name(std::get<Soac>(stm().op).body.params[0]); }
  Expr times(std::int64_t factor) const { return i() * factor; }
  Expr modulo(std::int64_t divisor) const { return i() % divisor; }
  const Stm& stm() const { return program.body[0]; }

  Program program = parse(of_all_kinds);
};

TEST_F(OutputsTest, HaveTheirOperandsAndNames) {
  const OutputView outputs = view_of(stm());
  ASSERT_EQ(outputs.reductions.size(), 2);
  EXPECT_EQ(names(outputs.reductions[0].names), "big at");
  EXPECT_EQ(outputs.reductions[0].operands[1], i());
  EXPECT_EQ(names(outputs.reductions[1].names), "total");
  EXPECT_EQ(outputs.reductions[1].operands[0].kind(), Kind::i32);
  EXPECT_TRUE(outputs.reductions[1].by.commutative);

  ASSERT_EQ(outputs.scatters.size(), 2);
  EXPECT_EQ(names(outputs.scatters[0].arrays), "stored marked");
  ASSERT_EQ(outputs.scatters[0].place.size(), 2);
  EXPECT_EQ(outputs.scatters[0].place[0], i());
  EXPECT_TRUE(outputs.scatters[0].place[1].is_constant(1));
  ASSERT_EQ(outputs.scatters[0].values.size(), 2);
  EXPECT_EQ(outputs.scatters[0].values[1], times(7));
  EXPECT_EQ(names(outputs.scatters[1].arrays), "counts");
  EXPECT_EQ(outputs.scatters[1].place[0], modulo(3));
  EXPECT_TRUE(outputs.scatters[1].values[0].is_constant(11));

  ASSERT_EQ(outputs.partitions.size(), 2);
  EXPECT_EQ(name(outputs.partitions[0].kept), "n_even");
  EXPECT_EQ(name(outputs.partitions[0].offsets), "starts");
  EXPECT_EQ(names(outputs.partitions[0].arrays), "even");
  EXPECT_EQ(outputs.partitions[0].point_class, modulo(2));
  EXPECT_EQ(outputs.partitions[0].values.size(), 1);
  EXPECT_EQ(name(outputs.partitions[1].offsets), "ends");
  EXPECT_EQ(outputs.partitions[1].point_class, modulo(17));
  EXPECT_TRUE(outputs.partitions[1].classes.is_constant(2));
  EXPECT_TRUE(outputs.partitions[1].values.empty());

  ASSERT_EQ(outputs.mapped.size(), 2);
  EXPECT_EQ(name(outputs.mapped[0].array), "twice");
  EXPECT_EQ(name(outputs.mapped[1].array), "plus");
  EXPECT_EQ(mapped_result(stm(), outputs.mapped[1].array), outputs.mapped[1].result);
  EXPECT_FALSE(mapped_result(stm(), outputs.reductions[0].names[0]));
  EXPECT_FALSE(mapped_result(stm(), program.params[0]));
}

TEST_F(OutputsTest, WithoutNamesHaveOperands) {
  const OutputView outputs = view_of(std::get<Soac>(stm().op));
  EXPECT_TRUE(outputs.scatters[0].arrays.empty());
  EXPECT_EQ(outputs.scatters[0].values[1], times(7));
  EXPECT_EQ(outputs.partitions[1].point_class, modulo(17));
  EXPECT_EQ(outputs.mapped.size(), 2);
}

TEST_F(OutputsTest, AreDroppedReorderedAndAdded) {
  Outputs outputs = take_outputs(program.body[0]);
  EXPECT_TRUE(stm().names.empty());
  EXPECT_TRUE(std::get<Soac>(stm().op).body.results.empty());
  std::swap(outputs.reductions[0], outputs.reductions[1]);
  outputs.scatters.erase(outputs.scatters.begin());
  outputs.partitions.pop_back();
  outputs.partitions[0].values.push_back(outputs.mapped[0].result);
  outputs.partitions[0].arrays.push_back(outputs.mapped[0].array);
  outputs.mapped.erase(outputs.mapped.begin());
  program.body[0] = with_outputs(std::move(program.body[0]), outputs);
  EXPECT_EQ(names(stm().names), "total big at counts n_even starts even twice plus");
  const auto& soac = std::get<Soac>(stm().op);
  EXPECT_EQ(soac.body.results.size(), 9);
  EXPECT_EQ(soac.body.results[2], i());
  EXPECT_EQ(soac.body.results[3], modulo(3));
  EXPECT_EQ(soac.partitions[0].n_values, 2);
  EXPECT_EQ(outputs_of(stm()), outputs);
}

void for_each_soac(const std::vector<Stm>& body, const std::function<void(const Stm&)>& visit) {
  for (const Stm& stm : body) {
    if (base::as<Soac>(stm.op)) visit(stm);
    for (const auto& inner : nested_in(stm)) for_each_soac(inner.lambda->body, visit);
  }
}

RC_GTEST_PROP(Outputs, PropertyTakenApartAndPutTogether, ()) {
  const auto numbers = *rc::gen::resize(150, rc::gen::arbitrary<std::vector<std::uint8_t>>());
  Program program = fulgurite::testing::RandomProgram(numbers).program(*rc::gen::arbitrary<bool>());
  PassContext context;
  if (*rc::gen::arbitrary<bool>())
    for (const Pass* pass : {&simplify::simplify, &fuse::fuse, &fuse::merge})
      program = pass->run(std::move(program), context);
  for_each_soac(program.body, [](const Stm& stm) {
    const Outputs outputs = outputs_of(stm);
    RC_ASSERT(with_outputs(stm, outputs) == stm);
    Stm without = stm;
    RC_ASSERT(take_outputs(without) == outputs);
    RC_ASSERT(with_outputs(std::move(without), outputs) == stm);
    Outputs reversed = outputs;
    std::ranges::reverse(reversed.reductions);
    std::ranges::reverse(reversed.scatters);
    std::ranges::reverse(reversed.partitions);
    std::ranges::reverse(reversed.mapped);
    RC_ASSERT(outputs_of(with_outputs(stm, reversed)) == reversed);
  });
}

}  // namespace
}  // namespace fulgurite::soac
