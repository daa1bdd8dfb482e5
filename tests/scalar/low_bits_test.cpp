// The low bits of wide integers that were put together from narrow ones, in the narrow kind.
#include "scalar/low_bits.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "random_expr.h"
#include "scalar/print.h"

namespace fulgurite::scalar {
namespace {

constexpr Kind integers[] = {Kind::i8, Kind::i16, Kind::i32, Kind::i64,
                             Kind::u8, Kind::u16, Kind::u32, Kind::u64};
constexpr Site somewhere = 7;
constexpr Op operations[] = {Op::bit_and, Op::bit_or, Op::bit_xor, Op::add, Op::sub,
                             Op::mul,     Op::shl,    Op::shr,     Op::shl, Op::shr};

/// Trees of one wide kind whose leaves are narrow, as drawn and by the smart constructors.
class Wide {
 public:
  Wide(Arena& arena, test::RandomExprs& random, Kind kind) : arena_(arena), random_(random), kind_(kind) {}

  test::Pair tree(int depth) {
    if (depth == 0 || random_.below(5) == 0) return leaf();
    const test::Pair x = tree(depth - 1);
    if (random_.below(8) == 0) {
      const test::Pair y = tree(depth - 1), holds = random_.pick(Kind::boolean);
      return {in_.intern(Op::select, {kind_, 0, 1}, {holds.exact, x.exact, y.exact}),
              select(holds.folded, x.folded, y.folded)};
    }
    const Op op = operations[random_.below(std::size(operations))];
    const bool is_shift = op == Op::shl || op == Op::shr;
    const Expr places = arena_.constant(kind_, random_.below(70));
    const test::Pair y = is_shift ? test::Pair{places, places} : tree(depth - 1);
    return {in_.intern(op, {kind_, 0, 1}, {x.exact, y.exact}), arena_.apply(op, {x.folded, y.folded})};
  }

 private:
  test::Pair leaf() {
    if (random_.below(4) == 0) {
      const Expr constant = arena_.constant(kind_, random_.value(kind_));
      return {constant, constant};
    }
    const Expr name = random_.vars[random_.below(random_.vars.size())];
    if (name.kind() == kind_ || is_float(name.kind())) return leaf();
    if (name.kind() == Kind::boolean || random_.below(4) > 0)
      return {in_.intern(Op::cast, {kind_, 0, 1}, {name}), cast(name, kind_)};
    // Some fail.
    const Expr by = random_.pick(name.kind()).exact;
    if (!by.is_name()) return leaf();
    const Expr parts[] = {name, by};
    const Expr quotient = in_.intern(Op::div, name.type(), somewhere, parts);
    return {in_.intern(Op::cast, {kind_, 0, 1}, {quotient}), cast(quotient, kind_)};
  }

  Arena& arena_;
  Interner in_{arena_};
  test::RandomExprs& random_;
  const Kind kind_;
};

TEST(LowBits, PropertyChangesNoBit) {
  int n_narrowed = 0;
  const bool held = rc::check("what is computed in a narrow kind has the bits of what is cut down", [&] {
    Arena arena;
    test::RandomExprs random(arena, *rc::gen::arbitrary<std::uint64_t>());
    for (int i = 0; i < 60; ++i) {
      const Kind wide = integers[random.below(std::size(integers))];
      const Kind kind = integers[random.below(std::size(integers))];
      if (size_of(wide) <= size_of(kind)) continue;
      const test::Pair tree = Wide(arena, random, wide).tree(1 + static_cast<int>(random.below(4)));
      const Expr exact = Interner(arena).intern(Op::cast, {kind, 0, 1}, {tree.exact});
      const Expr folded = cast(tree.folded, kind);
      n_narrowed += folded.op() != Op::cast && !folded.is_constant();
      for (int sample = 0; sample < 8; ++sample) {
        std::unordered_map<Var, Bits> values;
        for (Expr v : random.vars) values[v.var()] = random.value(v.kind());
        const test::Outcome wanted = test::evaluate_all(exact, values),
                            got = test::evaluate_all(folded, values);
        const std::string texts = describe(arena, exact) + "  ->  " + describe(arena, folded);
        if (wanted.failed != got.failed) RC_FAIL("failure lost or invented: " + texts);
        if (!wanted.failed && wanted.bits != got.bits) RC_FAIL("another value: " + texts);
      }
    }
  });
  EXPECT_TRUE(held);
  EXPECT_GT(n_narrowed, 0);
}

class LowBitsTest : public testing::Test {
 protected:
  Arena arena;
  Expr a = arena.fresh({Kind::u8, 0, 1}, "a"), b = arena.fresh({Kind::u8, 0, 1}, "b");
  Expr c = arena.fresh({Kind::u8, 0, 1}, "c"), w = arena.fresh({Kind::u32, 0, 1}, "w");

  Expr u32(std::uint32_t value) { return arena.constant(Kind::u32, value); }
  Expr u8(std::uint8_t value) { return arena.constant(Kind::u8, value); }
  Expr wide(Expr e) { return cast(e, Kind::u32); }
  Expr byte(Expr e) { return cast(e, Kind::u8); }
};

TEST_F(LowBitsTest, ThreeBytesAreCutIntoNumbersOfSixBits) {
  const Expr three = wide(a) << u32(16) | wide(b) << u32(8) | wide(c);
  EXPECT_EQ(byte(three >> u32(18) & u32(63)), a >> u8(2) & u8(63));
  EXPECT_EQ(byte(three >> u32(12) & u32(63)), ((a << u8(4)) | (b >> u8(4))) & u8(63));
  EXPECT_EQ(byte(three & u32(63)), c & u8(63));
}

TEST_F(LowBitsTest, ASumIsNotCutAboveItsLowestBit) {
  const Expr sum = wide(a) + wide(b);
  EXPECT_EQ(byte(sum), a + b);
  EXPECT_EQ(byte(sum >> u32(1)).op(), Op::cast) << "the carry counts";
}

TEST_F(LowBitsTest, WideOperandsStay) {
  EXPECT_EQ(byte(wide(a) | w).op(), Op::cast);
  Expr chain = wide(a);
  for (int i = 0; i < 40; ++i) chain = (chain | chain >> u32(1)) & (w | chain << u32(1));
  EXPECT_EQ(byte(chain).op(), Op::cast) << "and it is said at once";
}

}  // namespace
}  // namespace fulgurite::scalar
