// What is known of the operations of op.def when they are operators of reductions and scans.
#include "trace/operators.h"

#include <gtest/gtest.h>

#include "scalar/value.h"

namespace fulgurite::trace {
namespace {

using scalar::Bits, scalar::Kind, scalar::OpInfo;

std::vector<Bits> some_values(Kind kind) {
  std::vector<Bits> values{scalar::lowest(kind), scalar::highest(kind)};
  for (const int value : {0, 1, 2, 100})
    values.push_back(scalar::evaluate(Op::cast, Kind::i64, kind, static_cast<Bits>(value)));
  return values;
}

void expect_neutral(const OpInfo& row, Kind kind) {
  Arena arena;
  const Expr a = arena.fresh({kind}, "a"), b = arena.fresh({kind}, "b");
  const Op op = *scalar::op_named(row.name);
  const Exprs neutral = known_neutral(arena, {{a.var(), b.var()}, {}, {arena.apply(op, {a, b})}});
  ASSERT_EQ(neutral.size(), 1u) << row.name << " of " << scalar::name_of(kind);
  ASSERT_TRUE(neutral[0].is_constant());
  for (const Bits value : some_values(kind))
    EXPECT_EQ(scalar::evaluate(op, kind, kind, value, neutral[0].bits()), value)
        << row.name << " of " << scalar::name_of(kind);
}

TEST(Operators, CommutativeAndAssociativeOperationsHaveNeutralElements) {
  int n = 0;
  for (const OpInfo& row : scalar::all_ops())
    for (int number = 0; number < scalar::n_kinds; ++number) {
      const Kind kind = static_cast<Kind>(number);
      const char letter = kind == Kind::boolean ? 'B' : scalar::is_float(kind) ? 'F' : 'I';
      if (!row.has('c') || !row.has('a') || !row.has(letter)) continue;
      expect_neutral(row, kind);
      ++n;
    }
  EXPECT_GT(n, 50);
}

}  // namespace
}  // namespace fulgurite::trace
