// Which sums of products take several terms by one operation, and how a schedule says so.
#include "schedule/packed_terms.h"

#include "decided.h"

namespace fulgurite::schedule {
namespace {

using namespace testing_schedule;

std::string product(const std::string& kinds, const std::string& term, const std::string& sum = "i32",
                    const std::string& by = "add comm neutral 0i32") {
  return "program (" + kinds + ", z: u8) {\n  c: " + sum + "[n, m] = map (i < n, j < m) {\n    s: " + sum +
         " = redomap (l < k) { " + term + " } reduce " + by + "\n    return s\n  }\n  return c\n}";
}

// The most terms that one operation takes.
std::int64_t together(const std::string& text) {
  const soac::Program program = soac::parse(text, "test.soac");
  const auto& map = std::get<soac::Soac>(program.body[0].op);
  const auto& reduction = std::get<soac::Soac>(map.body.body[0].op);
  for (const std::int64_t n : {4, 2})
    if (packed_terms(*program.arena, reduction, n)) return n;
  return 1;
}

TEST(PackedTerms, HaveFactorsOfFewBits) {
  const std::string plain = "i32(a[i, l]) * i32(b[l, j])";
  const auto of = [&](const std::string& a, const std::string& b) {
    return together(product("a: " + a + "[n, k], b: " + b + "[k1, m]", plain));
  };
  EXPECT_EQ(of("u8", "i8"), 4);
  EXPECT_EQ(of("i8", "u8"), 4);
  EXPECT_EQ(of("i8", "i8"), 2) << "no factor is unsigned";
  EXPECT_EQ(of("u8", "u8"), 2);
  EXPECT_EQ(of("i16", "i8"), 2);
  EXPECT_EQ(of("i16", "i16"), 2);
  EXPECT_EQ(of("u16", "i8"), 1) << "65535 has more than 16 bits with a sign";
  EXPECT_EQ(of("i64", "i8"), 1);
}

TEST(PackedTerms, AreKnownByWhatTheyAreComputedOf) {
  const std::string bytes = "a: u8[n, k], b: i8[k1, m]";
  EXPECT_EQ(together(product(bytes, "(i32(a[i, l]) - i32(z)) * i32(b[l, j])")), 2);
  EXPECT_EQ(together(product(bytes, "min(i32(a[i, l]), 5i32) * max(i32(b[l, j]), -3i32)")), 4);
  EXPECT_EQ(together(product(bytes, "(i32(a[i, l]) * 200i32) * i32(b[l, j])")), 1);
  EXPECT_EQ(together(product(bytes, "i32(a[i, l]) * i32(b[l, j]) + 1i32")), 1) << "no product";
  EXPECT_EQ(together(product(bytes, "u32(a[i, l]) * u32(a[j, l])", "u32", "add comm neutral 0u32")), 2);
  EXPECT_EQ(together(product(bytes, "i64(a[i, l]) * i64(b[l, j])", "i64", "add comm neutral 0i64")), 1);
  EXPECT_EQ(together(product(bytes, "i32(a[i, l]) * i32(b[l, j])", "i32", "max comm neutral -2147483648i32")),
            1);
}

TEST(PackedTerms, AreOfSumsOfBothOperands) {
  const std::string kinds = "a: u8[n, k], b: i8[k1, m], y: i32", term = "i32(a[i, l]) * i32(b[l, j])";
  EXPECT_EQ(together(product(kinds, term, "i32", "(p: i32, q: i32) { q + p } comm neutral 0i32")), 4);
  EXPECT_EQ(together(product(kinds, term, "i32", "(p: i32, q: i32) { q + y } neutral 0i32")), 1);
}

// An expression of 2^64 operations, all but a few of which are the same.
TEST(PackedTerms, FactorsMayShareParts) {
  const soac::Program program =
      soac::parse(product("a: u8[n, k], b: i8[k1, m]", "i32(a[i, l]) * i32(b[l, j])"), "test.soac");
  soac::Stm reduction = std::get<soac::Soac>(program.body[0].op).body.body[0];
  Expr& term = std::get<soac::Soac>(reduction.op).body.results[0];
  Expr factor = term.arg(0);
  for (int k = 0; k < 64; ++k) factor = min(factor + factor, 500);
  term = factor * term.arg(1);
  EXPECT_TRUE(packed_terms(*program.arena, std::get<soac::Soac>(reduction.op), 2));
}

TEST(PackedTerms, AreACutOfTheReduction) {
  const std::string text = product("a: u8[n, k], b: i8[k1, m]", "i32(a[i, l]) * i32(b[l, j])");
  const std::string pairs = phase(decided_lanes(text), "tiles");
  EXPECT_NE(pairs.find("  cut 0 by 6 registers mask\n  cut 2 by 2 registers mask\n"), std::string::npos)
      << pairs;
  EXPECT_NE(pairs.find("  cut 2 by 512 sequence mask\n  cut 1 by 64 sequence mask\n"), std::string::npos)
      << pairs;
  EXPECT_NE(pairs.find(" shared 16384 of i32(b[l, j])\n"), std::string::npos) << pairs;
  const Decided four = decided_by(decide_lanes, text,
                                  {.vector_bytes = 64, .last_level_cache = 32 << 20, .adds_quarters = true},
                                  [](const soac::Program&, Var) { return true; });
  const std::string quarters = phase(four, "tiles");
  EXPECT_NE(quarters.find("  cut 2 by 4 registers mask\n"), std::string::npos) << quarters;
  EXPECT_NE(quarters.find(" shared 16384 of i32(b[l, j])\n"), std::string::npos) << quarters;
  const std::string other =
      phase(decided_lanes(product("a: i32[n, k], b: i32[k1, m]", "a[i, l] * b[l, j]")), "tiles");
  EXPECT_EQ(other.find("cut 2 by 2 registers"), std::string::npos) << other;
}

}  // namespace
}  // namespace fulgurite::schedule
